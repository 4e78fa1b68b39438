#include "openvdb_grids.hpp"
#include "text.hpp"
#include "vdb_readers.hpp"

#include "floe/base/error.hpp"

namespace floe::io {

namespace fs = std::filesystem;
namespace vdb = openvdb;

namespace {

bool isUsable(const std::string& type)
{
    return type == "float" || type == "double" || type == "vec3f" || type == "vec3d";
}

/// Rounds doubles; returns everything else unchanged.
vdb::GridBase::Ptr singlePrecision(const vdb::GridBase::Ptr& grid)
{
    const auto convert = [](const auto& from, auto to) -> vdb::GridBase::Ptr {
        to->setTransform(from.transform().copy());
        to->setGridClass(from.getGridClass());
        to->setName(from.getName());
        return to;
    };
    if (auto wide = vdb::gridPtrCast<vdb::DoubleGrid>(grid))
        return convert(
            *wide, vdb::FloatGrid::create(vdb::FloatTree::Ptr(new vdb::FloatTree(wide->tree()))));
    if (auto wide = vdb::gridPtrCast<vdb::Vec3dGrid>(grid))
        return convert(
            *wide, vdb::Vec3fGrid::create(vdb::Vec3fTree::Ptr(new vdb::Vec3fTree(wide->tree()))));
    return grid;
}

} // namespace

Ref<const VolumeValue> readVdbVolume(const fs::path& path, const std::string& grid)
{
    const Place place{.file = path.string()};
    std::string others;
    bool found = false;
    const auto grids = readVdb(path, [&](const GridInfo& info) {
        const bool wanted = !found && (grid.empty() ? isUsable(info.type) : info.name == grid);
        if (wanted && !isUsable(info.type))
            throw IoError(place, "its grid " + inQuotes(info.name) + " is of type " + info.type,
                          "use a grid of float or vec3f");
        others += (others.empty() ? "" : ", ") + inQuotes(info.name) + " (" + info.type + ")";
        found = found || wanted;
        return wanted;
    });
    if (grids.empty())
        throw IoError(
            place, grid.empty() ? "has no grid of float or vec3f" : "has no grid " + inQuotes(grid),
            others.empty() ? "" : "it holds " + others);
    try {
        return fromOpenVdb(singlePrecision(grids.front()));
    } catch (const InputError& error) {
        throw IoError(place, error.cause(), error.cure());
    }
}

} // namespace floe::io
