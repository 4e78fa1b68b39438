#include "floe/io/volume.hpp"

#include "extension.hpp"
#include "isolated_read.hpp"
#include "nvdb.hpp"
#include "openvdb_grids.hpp"

#include "floe/base/error.hpp"

namespace floe::io {

namespace fs = std::filesystem;
namespace vdb = openvdb;

namespace {

constexpr const char* kExtensions = "use .vdb or .nvdb";

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

Ref<const VolumeValue> readVolume(const fs::path& path, const std::string& grid,
                                  std::function<bool()> cancelled)
{
    const std::string extension = extensionOf(path);
    if (extension == ".nvdb") {
        Cancellation stop(std::move(cancelled), path.string());
        return readNvdb(path, grid, stop);
    }
    const Place place{.file = path.string()};
    if (extension != ".vdb")
        throw IoError(place, "is not a volume file that Floe reads", kExtensions);

    const ValueRef value =
        readIsolated(path, {"volume", path.string(), grid}, {.cancelled = std::move(cancelled)});
    return Ref<const VolumeValue>::share(&expect<VolumeValue>(value));
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
