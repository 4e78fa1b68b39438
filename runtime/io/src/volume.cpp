#include "floe/io/volume.hpp"

#include "extension.hpp"
#include "nvdb.hpp"
#include "openvdb_grids.hpp"
#include "text.hpp"

#include "floe/base/error.hpp"

#include <cmath>

namespace floe::io {

namespace fs = std::filesystem;
namespace vdb = openvdb;

namespace {

constexpr const char* kExtensions = "use .vdb or .nvdb";

bool isUsable(const std::string& type)
{
    return type == "float" || type == "double" || type == "vec3f" || type == "vec3d";
}

/// Rounds doubles; everything else comes back as it is.
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

std::string nameFor(const NamedVolume& entry)
{
    if (!entry.name.empty())
        return entry.name;
    if (!entry.volume->info().name.empty())
        return entry.volume->info().name;
    return entry.volume->info().isVector ? "v" : "surface";
}

void check(const fs::path& path, std::span<const NamedVolume> volumes)
{
    const Place place{.file = path.string()};
    if (volumes.empty())
        throw InputError(place, "there is no volume to write");
    for (const NamedVolume& entry : volumes)
        if (!entry.volume)
            throw InputError(place, "a volume to write is missing");
}

} // namespace

std::vector<GridInfo> listGrids(const fs::path& path)
{
    const std::string extension = extensionOf(path);
    if (extension == ".nvdb")
        return listNvdb(path);
    if (extension != ".vdb")
        throw IoError({.file = path.string()}, "is not a volume file that Floe reads", kExtensions);
    std::vector<GridInfo> grids;
    readVdb(path, [&](const GridInfo& info) {
        grids.push_back(info);
        return false;
    });
    return grids;
}

Ref<const VolumeValue> readVolume(const fs::path& path, const std::string& grid)
{
    const std::string extension = extensionOf(path);
    if (extension == ".nvdb")
        return readNvdb(path, grid);
    const Place place{.file = path.string()};
    if (extension != ".vdb")
        throw IoError(place, "is not a volume file that Floe reads", kExtensions);

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

void writeVolumes(const fs::path& path, std::span<const NamedVolume> volumes)
{
    const std::string extension = extensionOf(path);
    if (extension != ".vdb" && extension != ".nvdb")
        throw IoError({.file = path.string()}, "is not a volume file that Floe writes",
                      kExtensions);
    check(path, volumes);
    std::vector<NamedVolume> named(volumes.begin(), volumes.end());
    for (NamedVolume& entry : named)
        entry.name = nameFor(entry);
    if (extension == ".nvdb")
        return writeNvdb(path, named);
    vdb::GridCPtrVec grids;
    for (const NamedVolume& entry : named) {
        const vdb::GridBase::Ptr grid = toOpenVdb(*entry.volume);
        grid->setName(entry.name);
        grids.push_back(grid);
    }
    writeVdb(path, grids);
}

void writeVolume(const fs::path& path, const std::string& name,
                 const Ref<const VolumeValue>& volume)
{
    const NamedVolume entry{name, volume};
    writeVolumes(path, {&entry, 1});
}

} // namespace floe::io
