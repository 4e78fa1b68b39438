#include "floe/io/particles.hpp"

#include "extension.hpp"
#include "file_content.hpp"
#include "isolated_read.hpp"
#include "particle_formats.hpp"
#include "particle_parts.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/base/regular_file.hpp"
#include "floe/data/value_stream.hpp"

#include <fstream>

namespace floe::io {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kLargestFile = 64ull << 30;
constexpr const char* kExtensions =
    "use .vdb, .ply, .bgeo or .floe, or the .parts.json of several ranks";
constexpr const char* kWritten =
    "use .vdb, .ply, .bgeo, .npz, .json, .floe, or .exr for a camera sensor's pixels";

Ref<const ParticlesValue> readCache(const fs::path& path)
{
    const Place place{.file = path.string()};
    static_cast<void>(openRegularFile(path));
    std::ifstream stream(path, std::ios::binary);
    try {
        const ValueRef value = readValue(stream);
        const auto* particles = as<ParticlesValue>(value);
        if (!particles)
            throw IoError({}, std::string("holds a value of kind ") + kindName(value->kind()) +
                                  ", not particles");
        return Ref<const ParticlesValue>::share(particles);
    } catch (const IoError& error) {
        throw IoError(place, error.cause(), error.cure());
    }
}

void writeCache(const fs::path& path, const ParticlesValue& particles)
{
    replaceFile(path, [&](const fs::path& temporary) {
        std::ofstream stream = openToWrite(temporary);
        try {
            writeValue(stream, particles);
            stream.flush();
        } catch (const IoError& error) {
            if (stream)
                throw IoError({.file = path.string()}, error.cause(), error.cure());
        }
        if (!stream)
            throw cannotWrite(path);
    });
}

} // namespace

Ref<const ParticlesValue> readParticles(const fs::path& path, std::function<bool()> cancelled)
{
    const std::string extension = extensionOf(path);
    if (extension == ".json")
        return readParts(path, cancelled);
    if (const fs::path index = partsIndexOf(path); !fs::exists(path) && fs::exists(index))
        return readParts(index, cancelled);
    if (extension == ".vdb") {
        const ValueRef value =
            readIsolated(path, {"particles", path.string()}, {.cancelled = std::move(cancelled)});
        return Ref<const ParticlesValue>::share(&expect<ParticlesValue>(value));
    }
    if (extension == ".floe")
        return readCache(path);
    if (extension != ".ply" && extension != ".bgeo")
        throw IoError({.file = path.string()}, "is not a particle file that Floe reads",
                      kExtensions);
    Cancellation stop(std::move(cancelled), path.string());
    const FileContent content(path, kLargestFile, stop);
    return extension == ".ply" ? parsePlyParticles(content.bytes(), path.string(), stop)
                               : parseBgeo(content.bytes(), path.string(), stop);
}

void writeParticles(const fs::path& path, const Ref<const ParticlesValue>& given)
{
    const std::string extension = extensionOf(path);
    if (extension != ".vdb" && extension != ".floe" && extension != ".ply" &&
        extension != ".bgeo" && extension != ".npz" && extension != ".json")
        throw IoError({.file = path.string()}, "is not a particle file that Floe writes", kWritten);
    if (!given)
        throw InputError({.file = path.string()}, "there are no particles to write");
    const Ref<const ParticlesValue> particles = inHostMemory(given);
    if (extension == ".vdb")
        writeVdbParticles(path, *particles);
    else if (extension == ".ply")
        writePlyParticles(path, *particles);
    else if (extension == ".bgeo")
        writeBgeo(path, *particles);
    else if (extension == ".npz")
        writeNpzParticles(path, *particles);
    else if (extension == ".json")
        writeJsonParticles(path, *particles);
    else
        writeCache(path, *particles);
}

} // namespace floe::io
