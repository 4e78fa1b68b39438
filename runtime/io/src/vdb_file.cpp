#include "vdb_file.hpp"

#include "text.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/base/hash.hpp"
#include "floe/base/regular_file.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <mutex>

#include <openvdb/io/Archive.h>
#include <openvdb/io/GridDescriptor.h>

namespace floe::io {

namespace fs = std::filesystem;
namespace vdb = openvdb;

namespace {

/// Names of grid types for users.
std::string typeName(const std::string& type)
{
    static const std::map<std::string, std::string> names = {
        {"Tree_float_5_4_3", "float"}, {"Tree_double_5_4_3", "double"},
        {"Tree_vec3s_5_4_3", "vec3f"}, {"Tree_vec3d_5_4_3", "vec3d"},
        {"Tree_int32_5_4_3", "int32"}, {"Tree_bool_5_4_3", "bool"},
        {"Tree_mask_5_4_3", "mask"},   {"Tree_ptdataidx32_5_4_3", "points"}};
    const auto found = names.find(type);
    return found == names.end() ? type : found->second;
}

/// Sizes of metadata types; OpenVDB reads that many bytes, whatever size the file gives.
const std::map<std::string, std::uint32_t>& metadataSizes()
{
    static const std::map<std::string, std::uint32_t> sizes = {
        {"bool", 1},   {"int32", 4},  {"int64", 8},  {"float", 4},  {"double", 8}, {"vec2i", 8},
        {"vec2s", 8},  {"vec2d", 16}, {"vec3i", 12}, {"vec3s", 12}, {"vec3d", 24}, {"vec4i", 16},
        {"vec4s", 16}, {"vec4d", 32}, {"mat4s", 64}, {"mat4d", 128}};
    return sizes;
}

/// An archive over a stream that throws at its end.
class GuardedArchive : public vdb::io::Archive {
public:
    using vdb::io::Archive::write;

    std::vector<vdb::GridBase::Ptr> read(const fs::path& path,
                                         const std::function<bool(const GridInfo&)>& wanted)
    {
        static_cast<void>(openRegularFile(path));
        std::ifstream stream(path, std::ios::binary);
        stream.seekg(0, std::ios::end);
        end_ = stream.tellg();
        stream.seekg(0);
        stream.exceptions(std::ios::failbit | std::ios::badbit | std::ios::eofbit);

        readHeader(stream);
        if (fileVersion() < vdb::OPENVDB_FILE_VERSION_NODE_MASK_COMPRESSION)
            throw IoError({}, "was written by a version of OpenVDB older than 2.0");
        vdb::io::StreamMetadata::Ptr metadata(new vdb::io::StreamMetadata);
        vdb::io::setStreamMetadataPtr(stream, metadata, /*transfer=*/false);
        vdb::io::setVersion(stream, libraryVersion(), fileVersion());
        vdb::io::setDataCompression(stream, compression());
        checkMetadata(stream, /*stay=*/true);
        vdb::MetaMap().readMeta(stream);

        const std::int32_t count = readGridCount(stream);
        std::vector<vdb::GridBase::Ptr> grids;
        for (std::int32_t i = 0; i < count; ++i)
            if (auto grid = readOne(stream, wanted))
                grids.push_back(std::move(grid));
        return grids;
    }

private:
    vdb::GridBase::Ptr readOne(std::ifstream& stream,
                               const std::function<bool(const GridInfo&)>& wanted)
    {
        const auto start = stream.tellg();
        const std::string name = vdb::io::GridDescriptor::stripSuffix(readString(stream));
        std::string type = readString(stream);
        constexpr std::string_view kHalf = "_HalfFloat";
        if (type.ends_with(kHalf))
            type.resize(type.size() - kHalf.size());
        const bool isInstance = !readString(stream).empty();
        std::int64_t positions[3]; // of the grid, its voxels, and what follows it
        stream.read(reinterpret_cast<char*>(positions), sizeof positions);
        const bool isRegistered = vdb::GridBase::isRegistered(type);
        const bool isWanted = wanted({name, typeName(type)});
        if (isWanted && !isRegistered)
            throw IoError({}, "its grid " + inQuotes(name) + " is of the unknown type " +
                                  inQuotes(type));
        if (isWanted && isInstance)
            throw IoError({}, "its grid " + inQuotes(name) + " shares the voxels of another grid",
                          "read the other one, or save each with its own");
        if ((!isWanted && inputHasGridOffsets()) || isInstance || !isRegistered) {
            if (!inputHasGridOffsets() || positions[2] < stream.tellg() || positions[2] > end_)
                throw IoError({}, "its grid " + inQuotes(name) + " cannot be skipped");
            stream.seekg(positions[2]);
            return nullptr;
        }

        const auto body = stream.tellg();
        skip(stream, sizeof(std::uint32_t)); // compression
        checkMetadata(stream, /*stay=*/false);
        skipString(stream); // type of the transform
        stream.seekg(start);
        vdb::io::GridDescriptor descriptor;
        const vdb::GridBase::Ptr grid = descriptor.read(stream);
        if (stream.tellg() != body)
            throw IoError({}, "its grid " + inQuotes(name) + " is damaged");
        readGrid(grid, descriptor, stream);
        grid->setName(name);
        return isWanted ? grid : nullptr;
    }

    std::uint32_t readSize(std::ifstream& stream) const
    {
        std::uint32_t size = 0;
        stream.read(reinterpret_cast<char*>(&size), sizeof size);
        return size;
    }
    void skip(std::ifstream& stream, std::int64_t bytes) const
    {
        if (bytes > end_ - stream.tellg())
            throw IoError({}, "ends too early");
        stream.seekg(bytes, std::ios::cur);
    }
    void skipString(std::ifstream& stream) const { skip(stream, readSize(stream)); }
    std::string readString(std::ifstream& stream) const
    {
        const std::uint32_t size = readSize(stream);
        if (size > end_ - stream.tellg())
            throw IoError({}, "ends too early");
        std::string text(size, '\0');
        if (size > 0)
            stream.read(text.data(), size);
        return text;
    }
    /// Skips a metadata block; returns to its start with `stay`.
    void checkMetadata(std::ifstream& stream, bool stay) const
    {
        const auto start = stream.tellg();
        const std::uint32_t count = readSize(stream);
        for (std::uint32_t i = 0; i < count; ++i) {
            skipString(stream);
            const std::string type = readString(stream);
            const std::uint32_t size = readSize(stream);
            const auto known = metadataSizes().find(type);
            if (known != metadataSizes().end() && known->second != size)
                throw IoError({}, "has metadata of the wrong size");
            skip(stream, size);
        }
        if (stay)
            stream.seekg(start);
    }

    std::int64_t end_ = 0;
};

/// OpenVDB tells every file by random bytes. The same content shall give the same file, so they
/// become a hash of all the others.
void replaceIdentifier(const fs::path& file)
{
    constexpr std::streamoff kPlace = 21;  // behind magic number, versions and a flag
    constexpr std::streamoff kLength = 36; // as text
    std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
    stream.exceptions(std::ios::failbit | std::ios::badbit);
    stream.seekg(0, std::ios::end);
    std::streamoff left = stream.tellg();
    stream.seekg(0);
    std::string chunk(1 << 20, '\0');
    RunningHash hash;
    for (bool first = true; left > 0; first = false) {
        const auto size = std::min<std::streamoff>(left, static_cast<std::streamoff>(chunk.size()));
        stream.read(chunk.data(), size);
        if (first)
            std::fill_n(chunk.begin() + kPlace, kLength, '-');
        hash.add(chunk.data(), static_cast<std::size_t>(size));
        left -= size;
    }
    // A UUID of version 8, its own kind of content (RFC 9562).
    std::string digits = hash.value().text();
    digits[12] = '8';
    digits[16] = '8';
    for (const std::size_t dash : {8u, 13u, 18u, 23u})
        digits.insert(dash, "-");
    stream.seekp(kPlace);
    stream.write(digits.data(), kLength);
    stream.close();
}

} // namespace

void startOpenVdb()
{
    static std::once_flag once;
    std::call_once(once, [] { vdb::initialize(); });
}

std::vector<vdb::GridBase::Ptr> readVdb(const fs::path& path,
                                        const std::function<bool(const GridInfo&)>& wanted)
{
    startOpenVdb();
    const Place place{.file = path.string()};
    try {
        return GuardedArchive().read(path, wanted);
    } catch (const IoError& error) {
        if (!error.place().file.empty())
            throw;
        throw IoError(place, error.cause(), error.cure());
    } catch (const Error&) {
        throw;
    } catch (const std::ios_base::failure&) {
        throw IoError(place, "ends too early: it is damaged or was cut off");
    } catch (const std::bad_alloc&) {
        throw MemoryError(place, "asks for more memory than there is: it is damaged or too large");
    } catch (const std::length_error&) {
        throw IoError(place, "asks for more memory than there is: it is damaged");
    } catch (const std::exception& error) {
        throw IoError(place, std::string("is not a VDB file that can be read: ") + error.what());
    }
}

void writeVdb(const fs::path& path, const vdb::GridCPtrVec& grids)
{
    startOpenVdb();
    replaceFile(path, [&](const fs::path& temporary) {
        const Place place{.file = path.string()};
        try {
            std::ofstream stream = openToWrite(temporary);
            stream.exceptions(std::ios::failbit | std::ios::badbit);
            vdb::MetaMap metadata;
            metadata.insertMeta("creator", vdb::StringMetadata("Floe"));
            GuardedArchive archive;
            archive.write(stream, grids, /*seekable=*/true, metadata);
            stream.close();
            replaceIdentifier(temporary);
        } catch (const std::ios_base::failure&) {
            throw cannotWrite(path);
        } catch (const vdb::Exception& error) {
            throw IoError(place, std::string("cannot write: ") + error.what());
        }
    });
}

} // namespace floe::io
