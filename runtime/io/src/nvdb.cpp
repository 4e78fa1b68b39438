#include "nvdb.hpp"

#include "grid_info.hpp"

#include "bytes.hpp"
#include "file_content.hpp"
#include "text.hpp"

#include "floe/base/file.hpp"

#include <array>
#include <cstring>

#include <blosc.h>
#include <nanovdb/util/GridChecksum.h>
#include <nanovdb/util/IO.h>
#include <zlib.h>

namespace floe::io {

namespace fs = std::filesystem;
namespace nio = nanovdb::io;

namespace {

constexpr std::uint64_t kLargestFile = 64ull << 30;
// One byte of zlib data unpacks to at most 1032, of Blosc to fewer. Files that claim more are
// refused before memory is allocated.
constexpr std::uint64_t kBestRatio = 1032;

struct Entry {
    GridInfo info;
    nio::Codec codec;
    std::uint64_t gridBytes = 0;
    std::string_view packed;
};

std::string typeOf(nanovdb::GridType type)
{
    switch (type) {
    case nanovdb::GridType::Float:
        return "float";
    case nanovdb::GridType::Double:
        return "double";
    case nanovdb::GridType::Vec3f:
        return "vec3f";
    case nanovdb::GridType::Vec3d:
        return "vec3d";
    default:
        return type < nanovdb::GridType::End ? nanovdb::toStr(type) : "unknown";
    }
}

/// A file is a sequence of segments: header, description of each grid, then the grids.
std::vector<Entry> entriesOf(std::string_view bytes, const std::string& file)
{
    ByteReader reader(bytes, file, std::endian::little);
    std::vector<Entry> entries;
    while (reader.remaining() > 0) {
        if (reader.remaining() < sizeof(nio::Header))
            reader.fail("is not a NanoVDB file, or was cut off");
        const auto header = reader.value<nio::Header>();
        if (header.magic != NANOVDB_MAGIC_NUMBER)
            reader.fail("is not a NanoVDB file");
        if (header.version.getMajor() != NANOVDB_MAJOR_VERSION_NUMBER)
            reader.fail("is of NanoVDB version " + std::to_string(header.version.getMajor()) +
                        "; Floe reads version " + std::to_string(NANOVDB_MAJOR_VERSION_NUMBER));
        reader.requireElements(header.gridCount, sizeof(nio::MetaData), "grids");
        std::vector<std::pair<nio::MetaData, std::string>> descriptions;
        for (int i = 0; i < header.gridCount; ++i) {
            const auto data = reader.value<nio::MetaData>();
            std::string name(reader.text(data.nameSize));
            name.resize(std::strlen(name.c_str()));
            descriptions.emplace_back(data, std::move(name));
        }
        for (const auto& [data, name] : descriptions) {
            if (data.fileSize > reader.remaining())
                reader.fail("ends too early: it is damaged or was cut off");
            if (data.gridSize / kBestRatio > data.fileSize)
                reader.fail("says that its grid " + inQuotes(name) +
                            " is larger than its bytes can hold: it is damaged");
            entries.push_back({{name, typeOf(data.gridType)},
                               header.codec,
                               data.gridSize,
                               reader.text(data.fileSize)});
        }
    }
    return entries;
}

/// Fills `grid` from its packed bytes; false when they are damaged.
bool unpack(const Entry& entry, compute::Buffer& grid)
{
    auto* to = static_cast<unsigned char*>(grid.data());
    std::string_view from = entry.packed;
    if (entry.codec == nio::Codec::NONE) {
        if (from.size() != grid.bytes())
            return false;
        std::memcpy(to, from.data(), from.size());
        return true;
    }
    // Compressed chunks, each behind its length.
    std::uint64_t left = grid.bytes();
    while (left > 0) {
        std::uint64_t length = 0;
        if (from.size() < sizeof length)
            return false;
        std::memcpy(&length, from.data(), sizeof length);
        from.remove_prefix(sizeof length);
        if (length > from.size())
            return false;
        if (entry.codec == nio::Codec::ZIP) {
            uLongf size = left;
            return uncompress(to, &size, reinterpret_cast<const Bytef*>(from.data()), length) ==
                       Z_OK &&
                   size == left;
        }
        const std::uint64_t chunk = std::min<std::uint64_t>(left, 1ull << 30);
        std::size_t held = 0;
        if (blosc_cbuffer_validate(from.data(), length, &held) != 0 || held != chunk ||
            blosc_decompress_ctx(from.data(), to, chunk, 1) != static_cast<int>(chunk))
            return false;
        from.remove_prefix(length);
        to += chunk;
        left -= chunk;
    }
    return true;
}

/// Whether a grid's checksum matches, where it has one. Later versions of NanoVDB compute it in
/// another way.
/// @param volume  sound in itself: what it points to lies within it
template <class Value>
bool isIntact(const VolumeValue& volume)
{
    const auto& grid = *static_cast<const nanovdb::NanoGrid<Value>*>(volume.grid());
    const nanovdb::GridChecksum stored(grid.checksum());
    return stored.isEmpty() || grid.version().getMinor() > NANOVDB_MINOR_VERSION_NUMBER ||
           nanovdb::validateChecksum(grid, stored.mode());
}

} // namespace

Ref<const VolumeValue> readNvdb(const fs::path& path, const std::string& grid, Cancellation& stop)
{
    const Place place{.file = path.string()};
    const FileContent content(path, kLargestFile, stop);
    const std::string_view bytes = content.bytes();
    std::string found;
    for (const Entry& entry : entriesOf(bytes, path.string())) {
        const bool usable = entry.info.type == "float" || entry.info.type == "vec3f";
        found +=
            (found.empty() ? "" : ", ") + inQuotes(entry.info.name) + " (" + entry.info.type + ")";
        if (grid.empty() ? !usable : entry.info.name != grid)
            continue;
        if (!usable)
            throw IoError(place, "its grid " + inQuotes(grid) + " is of type " + entry.info.type,
                          "use a grid of float or vec3f");
        if (entry.codec != nio::Codec::NONE && entry.codec != nio::Codec::ZIP &&
            entry.codec != nio::Codec::BLOSC)
            throw IoError(place, "is packed in a way that Floe does not know");
        compute::Buffer buffer(compute::cpuDevice(), entry.gridBytes);
        if (!unpack(entry, buffer))
            throw IoError(place, "its grid " + inQuotes(entry.info.name) + " is damaged");
        try {
            const Ref<VolumeValue> volume = make<VolumeValue>(std::move(buffer));
            volume->seal();
            const bool intact = volume->info().isVector ? isIntact<nanovdb::Vec3f>(*volume)
                                                        : isIntact<float>(*volume);
            if (!intact)
                throw IoError(place, "its grid " + inQuotes(entry.info.name) +
                                         " is damaged: its checksum does not match");
            return volume;
        } catch (const InputError& error) {
            throw IoError(place, error.cause(), error.cure());
        }
    }
    throw IoError(place,
                  grid.empty() ? "has no grid of float or vec3f" : "has no grid " + inQuotes(grid),
                  found.empty() ? "" : "it holds " + found);
}

void writeNvdb(const fs::path& path, std::span<const NamedVolume> volumes)
{
    if (volumes.size() > 65535)
        throw InputError({.file = path.string()}, "more than 65535 grids");
    std::string bytes;
    nio::Header header;
    header.gridCount = static_cast<std::uint16_t>(volumes.size());
    append(bytes, header);
    for (const auto& [name, volume] : volumes) {
        const auto& grid = *static_cast<const nanovdb::GridData*>(volume->grid());
        const auto& tree = *reinterpret_cast<const nanovdb::TreeData<3>*>(&grid + 1);
        nio::MetaData data{};
        data.gridSize = data.fileSize = volume->gridBytes();
        data.nameKey = nio::stringHash(name);
        data.voxelCount = volume->info().activeVoxels;
        data.gridType = grid.mGridType;
        data.gridClass = grid.mGridClass;
        data.worldBBox = grid.mWorldBBox;
        const auto& box = volume->info().indexBounds;
        data.indexBBox = nanovdb::CoordBBox({box[0], box[1], box[2]}, {box[3], box[4], box[5]});
        data.voxelSize = grid.mVoxelSize;
        data.nameSize = static_cast<std::uint32_t>(name.size() + 1);
        for (int level = 0; level < 3; ++level) {
            data.nodeCount[level] = tree.mNodeCount[level];
            data.tileCount[level] = tree.mTileCount[level];
        }
        data.nodeCount[3] = 1;
        data.codec = nio::Codec::NONE;
        append(bytes, data);
        bytes.append(name.c_str(), name.size() + 1);
    }
    for (const auto& [name, volume] : volumes) {
        // The grid carries its own name too; readers use either.
        compute::Buffer copy(compute::cpuDevice(), volume->gridBytes());
        std::memcpy(copy.data(), volume->grid(), volume->gridBytes());
        auto& grid = *static_cast<nanovdb::GridData*>(copy.data());
        std::memset(grid.mGridName, 0, sizeof grid.mGridName);
        name.copy(grid.mGridName, sizeof grid.mGridName - 1);
        grid.setLongGridNameOn(false);
        if (volume->info().isVector)
            nanovdb::updateChecksum(*static_cast<nanovdb::NanoGrid<nanovdb::Vec3f>*>(copy.data()),
                                    nanovdb::ChecksumMode::Full);
        else
            nanovdb::updateChecksum(*static_cast<nanovdb::NanoGrid<float>*>(copy.data()),
                                    nanovdb::ChecksumMode::Full);
        bytes.append(static_cast<const char*>(copy.data()), copy.bytes());
    }
    writeFileAtomically(path, bytes);
}

} // namespace floe::io
