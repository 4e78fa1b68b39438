#include "kept_frames.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/base/regular_file.hpp"
#include "floe/data/mesh.hpp"
#include "floe/data/particles.hpp"
#include "floe/data/value_stream.hpp"
#include "floe/data/volume.hpp"
#include "floe/io/mesh.hpp"
#include "floe/io/particles.hpp"
#include "floe/io/volume.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

namespace floe::session {
namespace fs = std::filesystem;

namespace {

constexpr char kMagic[8] = {'F', 'L', 'O', 'E', 'K', 'E', 'P', 'T'};

/// What stands after the value.
struct Ending {
    Hash key;
    std::uint64_t valueBytes = 0;
    Hash check; ///< of the above
    char magic[8] = {};

    Hash checkNow() const { return combine(key, hashBytes(&valueBytes, sizeof valueBytes)); }
};
static_assert(std::endian::native == std::endian::little && sizeof(Ending) == 48);

/// @return whether the end of the file is a whole one
bool readEnding(const fs::path& path, Ending& ending)
{
    std::error_code error;
    const std::uint64_t size = fs::file_size(path, error);
    if (error || size < sizeof ending)
        return false;
    std::ifstream stream(path, std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(size - sizeof ending));
    stream.read(reinterpret_cast<char*>(&ending), sizeof ending);
    return stream && std::memcmp(ending.magic, kMagic, sizeof kMagic) == 0 &&
           ending.check == ending.checkNow() && ending.valueBytes == size - sizeof ending;
}

template <class T>
T parameter(const graph::FlatGraph& graph, std::size_t node, int frame, const char* name, T absent)
{
    const int index = graph.nodes[node].type->parameterIndex(name);
    if (index < 0)
        return absent;
    const graph::ParameterValue value = graph.evaluate(
        node, static_cast<std::size_t>(index), {static_cast<double>(frame), graph.range.fps});
    const T* typed = std::get_if<T>(&value);
    return typed ? *typed : absent;
}

/// Writes what other programs read, where there is such a format.
void writeCopy(fs::path path, const ValueRef& value)
{
    if (const auto* particles = as<ParticlesValue>(value))
        io::writeParticles(path.replace_extension(".ply"),
                           Ref<const ParticlesValue>::share(particles));
    else if (const auto* mesh = as<MeshValue>(value))
        io::writeMesh(path.replace_extension(".ply"), *mesh);
    else if (const auto* volume = as<VolumeValue>(value))
        io::writeVolume(path.replace_extension(".vdb"), "", Ref<const VolumeValue>::share(volume));
}

void writeKept(const fs::path& path, const Hash& key, const ValueRef& value)
{
    replaceFile(path, [&](const fs::path& temporary) {
        std::ofstream stream = openToWrite(temporary);
        try {
            writeValue(stream, *value);
            Ending ending;
            ending.key = key;
            ending.valueBytes = static_cast<std::uint64_t>(stream.tellp());
            ending.check = ending.checkNow();
            std::memcpy(ending.magic, kMagic, sizeof kMagic);
            stream.write(reinterpret_cast<const char*>(&ending), sizeof ending);
            stream.close();
        } catch (const IoError&) {
            if (stream)
                throw;
        }
        if (!stream)
            throw cannotWrite(path);
    });
}

} // namespace

KeptFrames::KeptFrames(const graph::FlatGraph& graph, std::size_t node) : graph_(graph), node_(node)
{
    if (graph.path.empty())
        return;
    const fs::path scene = fs::absolute(graph.path);
    std::string name = graph.nodes[node].name;
    std::replace(name.begin(), name.end(), '/', '.');
    stem_ = scene.filename().string();
    for (const std::string_view suffix : {".json", ".floe"})
        if (stem_.ends_with(suffix))
            stem_.resize(stem_.size() - suffix.size());
    stem_ += "." + name;
    for (const graph::FlatInput& input : graph.nodes[node].inputs)
        for (const graph::Source& source : input.sources)
            constant_ = constant_ && !graph.nodes[source.node].timeDependent;
    folder_ = scene.parent_path() /
              parameter<std::string>(graph, node, graph.range.start, "folder", "cache");
}

KeptFrames::~KeptFrames()
{
    if (writing_.valid())
        writing_.wait();
}

fs::path KeptFrames::path(int frame) const
{
    if (stem_.empty())
        return {};
    char number[16] = "";
    if (!constant_)
        std::snprintf(number, sizeof number, ".%04d", frame);
    return folder_ / (stem_ + number + ".floe");
}

KeptFrames::Settings KeptFrames::settings(int frame) const
{
    constexpr double kGibibyte = 1u << 30;
    return {.keep = parameter(graph_, node_, frame, "keep", true),
            .copies = parameter<std::string>(graph_, node_, frame, "copies", "none") == "open",
            .limit = static_cast<std::uint64_t>(kGibibyte *
                                                parameter(graph_, node_, frame, "limit", 100.0))};
}

std::uint64_t KeptFrames::bytes() const
{
    std::uint64_t sum = 0;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error))
        if (entry.path().filename().string().starts_with(stem_ + "."))
            if (const std::uint64_t size = entry.file_size(error); !error)
                sum += size;
    return sum;
}

KeptFrames::State KeptFrames::state(int frame, const Hash& key)
{
    if (writing_.valid())
        writing_.wait();
    const fs::path file = path(frame);
    std::error_code error;
    if (stem_.empty() || !settings(frame).keep || !fs::exists(file, error))
        return State::Missing;
    Ending ending;
    return fs::is_regular_file(file, error) && readEnding(file, ending) && ending.key == key
               ? State::Fresh
               : State::Stale;
}

ValueRef KeptFrames::read(int frame)
{
    const fs::path file = path(frame);
    static_cast<void>(openRegularFile(file));
    std::ifstream stream(file, std::ios::binary);
    try {
        return readValue(stream);
    } catch (const IoError& error) {
        throw IoError({.file = file.string()}, error.cause());
    }
}

void KeptFrames::finish()
{
    if (writing_.valid())
        writing_.get();
}

void KeptFrames::write(int frame, const Hash& key, ValueRef value)
{
    finish();
    const Settings now = settings(frame);
    if (stem_.empty() || !now.keep)
        return;
    const Place place{.node = graph_.nodes[node_].name};
    if (!isStorable(*value))
        throw InputError(place, "this value holds functions, which no file can hold",
                         "keep particles, meshes, volumes, images or numbers");
    if (!std::exchange(counted_, true))
        others_ = bytes();
    const fs::path file = path(frame);
    std::error_code error;
    const std::uint64_t before = fs::exists(file, error) ? fs::file_size(file, error) : 0;
    const std::uint64_t needed = value->totalBytes();
    if (others_ - std::min(others_, before) + needed > now.limit)
        throw InputError(place,
                         "this frame and those after it are not kept: the files have reached the "
                         "'limit' of this node",
                         "raise it, or remove files in " + folder_.string());
    others_ += needed - std::min(needed, before);
    writing_ = std::async(std::launch::async, [file, key, copies = now.copies, value] {
        if (copies)
            writeCopy(file, value);
        writeKept(file, key, value);
    });
}

} // namespace floe::session
