#include "inputs.hpp"

#include "served_session.hpp"

#include "files/file.hpp"
#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/base/hash.hpp"
#include "floe/base/json.hpp"
#include "floe/data/value_stream.hpp"
#include "floe/graph/check.hpp"
#include "floe/graph/document.hpp"
#include "floe/graph/expression.hpp"
#include "floe/graph/flat_graph.hpp"
#include "floe/graph/reference.hpp"
#include "floe/io/mesh.hpp"
#include "floe/io/particles.hpp"
#include "floe/io/surface.hpp"
#include "floe/io/volume.hpp"
#include "floe/sdk/network/weights.hpp"
#include "floe/sdk/node.hpp"
#include "floe/session/checkpoint.hpp"
#include "temporary_folder.hpp"
#include "vdb_readers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

#ifdef FLOE_GAUSSIANS_SPZ
#include <zlib.h>
#endif

namespace floe::fuzz {
namespace {

namespace fs = std::filesystem;

const std::string kManifest = std::string(FLOE_SOURCE_DIR) + "/plugins/shapes/plugin.json";

const graph::TypeLibrary& types()
{
    static const graph::TypeLibrary library = [] {
        graph::TypeLibrary made;
        made.addManifest(loadJson(kManifest), kManifest);
        return made;
    }();
    return library;
}

/// A file with these bytes, in memory where the system can.
fs::path fileOf(std::string_view bytes, const char* name)
{
    static const test::TemporaryFolder folder;
    const fs::path path = folder / name;
    std::ofstream(path, std::ios::binary).write(bytes.data(), std::ptrdiff_t(bytes.size()));
    return path;
}

void readGraph(std::string_view bytes)
{
    const auto document = graph::Document::parse(std::string(bytes), "/tmp/a.floe.json");
    const auto faults = graph::check(document, types());
    if (document.lossless) {
        const std::string once = document.format(types());
        if (graph::Document::parse(once, document.path).format(types()) != once)
            throw std::logic_error("what was saved is saved otherwise");
    }
    const graph::FlatGraph flat = graph::flatten(document, types());
    for (std::size_t node = 0; node < flat.nodes.size(); ++node)
        for (std::size_t p = 0; p < flat.nodes[node].type->parameters.size(); ++p)
            flat.evaluate(node, p, {3.5, 24});
}

void readManifest(std::string_view bytes)
{
    graph::TypeLibrary library;
    const auto faults =
        library.addManifest(parseJson(std::string(bytes), "plugin.json"), "plugin.json");
    std::ostringstream reference;
    graph::writeNodeReference(library, reference);
    if (graph::anyError(faults))
        throw GraphError({.file = "plugin.json"}, "faulty");
}

void readExpression(std::string_view bytes)
{
    const graph::Expression expression(bytes);
    const std::vector<double> values(expression.references().size(), 0.5);
    expression.evaluate(1, 0, 24, values);
}

template <const char* const& kName>
void readMeshFile(std::string_view bytes)
{
    io::readMesh(fileOf(bytes, kName));
}
constexpr const char* kObj = "a.obj";
constexpr const char* kPly = "a.ply";
constexpr const char* kStl = "a.stl";

template <const char* const& kName>
void readPoints(std::string_view bytes)
{
    io::readParticles(fileOf(bytes, kName));
}
constexpr const char* kBgeo = "a.bgeo";

/// A NanoVDB file of a small sphere. Most of its 300 KB are empty tables.
const std::string& soundNvdb()
{
    static const std::string bytes = [] {
        const auto point = make<ParticlesValue>(1u);
        std::ranges::fill(point->add<float>("x", 3), 2.0f); // in one branch of the tree
        point->seal();
        const std::array sets = {Ref<const ParticlesValue>(point)};
        const fs::path path = fileOf("", "sound.nvdb");
        io::writeVolume(path, "a", io::surfaceOf(sets, {.radius = 0.5, .voxelSize = 0.2}));
        return readFile(path);
    }();
    return bytes;
}

/// A file, where the input begins as one; else what is changed of a sound file: places (4 bytes),
/// each with a length (1 byte) and so many bytes.
void readNvdb(std::string_view bytes)
{
    if (bytes.starts_with("NanoVDB")) {
        io::readVolume(fileOf(bytes, "a.nvdb"));
        return;
    }
    std::string changed = soundNvdb();
    while (bytes.size() > 5) {
        std::uint32_t place = 0;
        std::memcpy(&place, bytes.data(), sizeof place);
        const std::size_t length =
            std::min<std::size_t>(static_cast<unsigned char>(bytes[4]), bytes.size() - 5);
        for (std::size_t i = 0; i < length; ++i)
            changed[(place + i) % changed.size()] = bytes[5 + i];
        bytes.remove_prefix(5 + length);
    }
    io::readVolume(fileOf(changed, "a.nvdb"));
}

/// What Floe checks before OpenVDB sees anything, in this process: led by the code that it reaches.
/// What that lets through goes to the process in which OpenVDB may crash, and which must be named
/// then. Without offsets of its grids, a file is OpenVDB's from the start.
void readVdb(std::string_view bytes)
{
    constexpr std::size_t kHasOffsets = 20; ///< behind magic number and versions
    const fs::path path = fileOf(bytes, "a.vdb");
    if (bytes.size() > kHasOffsets && bytes[kHasOffsets] != 0) {
        try {
            io::readVdbVolume(path, "a grid that no file has");
        } catch (const IoError& error) {
            if (!error.cause().starts_with("has no grid"))
                throw;
        }
    }
    io::readVolume(path);
}

void readWeights(std::string_view bytes)
{
    try {
        sdk::network::parseNetwork(bytes, "network.json");
    } catch (const std::runtime_error& error) { // the SDK has no errors of its own
        throw IoError({.file = "network.json"}, error.what());
    }
}

/// With the right checksum, which a change could not get past.
void readCheckpoint(std::string_view bytes)
{
    RunningHash running;
    running.add(bytes.data(), bytes.size());
    const Hash sum = running.value();
    std::string whole(bytes);
    whole.append(reinterpret_cast<const char*>(&sum), sizeof sum);
    int frame = 1; // what it says: a file of another name would be refused for that alone
    constexpr std::string_view kFrame = "\"frame\": ";
    if (const std::size_t at = bytes.find(kFrame); at != std::string_view::npos)
        std::from_chars(bytes.data() + at + kFrame.size(), bytes.data() + bytes.size(), frame);
    const std::string name = session::checkpointPath({}, frame).string();
    const session::StoredCheckpoint checkpoint(fileOf(whole, name.c_str()).parent_path(), frame);
    checkpoint.verify();
    if (const auto state = checkpoint.state("solver"))
        for (std::uint64_t at = 0; at < state->size(); ++at) {
            char byte = 0;
            state->read(at, &byte, 1);
        }
}

/// Of a frame's cache, or from the process that reads OpenVDB's files. Its checksum comes last: a
/// change gets as far as the values do.
void readStoredValue(std::string_view bytes)
{
    const ValueRef value = readValue(std::as_bytes(std::span(bytes)));
    const std::string written = writeValue(*value);
    // Older versions are read, and written as the present one.
    constexpr std::size_t kVersionAt = 8, kVersionSize = 4;
    const std::string again =
        written.compare(kVersionAt, kVersionSize, bytes, kVersionAt, kVersionSize) == 0
            ? std::string(bytes.substr(0, written.size()))
            : writeValue(*readValue(std::as_bytes(std::span(written))));
    if (written != again)
        throw std::logic_error("what was read is written otherwise");
}

void readCaptureFile(const fs::path& path)
{
    try {
        auto set = gaussians::readGaussians(path.string(), [] {}).set;
        gaussians::removeUnusable(set);
    } catch (const sdk::Failure& failure) { // the SDK's error
        throw IoError({.file = path.string()}, failure.what());
    }
}

template <const char* const& kName>
void readCapture(std::string_view bytes)
{
    readCaptureFile(fileOf(bytes, kName));
}
constexpr const char* kCapture = "a.ply";
constexpr const char* kSplat = "a.splat";

#ifdef FLOE_GAUSSIANS_SPZ
/// What a .spz file unpacks to: a change of packed bytes would not get further than the unpacking.
void readSpz(std::string_view bytes)
{
    const fs::path path = fileOf("", "a.spz");
    const gzFile packed = ::gzopen(path.c_str(), "wb0");
    ::gzwrite(packed, bytes.data(), static_cast<unsigned>(bytes.size()));
    ::gzclose(packed);
    readCaptureFile(path);
}
#endif

/// Lines of the server's client.
void readRequests(std::string_view bytes)
{
    if (!serveLines(bytes))
        throw IoError({}, "refused");
}

constexpr Kind kKinds[] = {
    {"graph", readGraph},
    {"manifest", readManifest},
    {"expression", readExpression},
    {"obj", readMeshFile<kObj>},
    {"ply", readMeshFile<kPly>},
    {"stl", readMeshFile<kStl>},
    {"points", readPoints<kPly>},
    {"bgeo", readPoints<kBgeo>},
    {"vdb", readVdb},
    {"nvdb", readNvdb},
    {"checkpoint", readCheckpoint},
    {"weights", readWeights},
    {"value", readStoredValue},
    {"capture", readCapture<kCapture>},
    {"splat", readCapture<kSplat>},
#ifdef FLOE_GAUSSIANS_SPZ
    {"spz", readSpz},
#endif
    {"requests", readRequests},
};

} // namespace

std::span<const Kind> kinds()
{
    return kKinds;
}

bool accepts(const Kind& kind, std::string_view bytes)
{
    try {
        kind.read(bytes);
        return true;
    } catch (const Error& error) {
        if (std::strlen(error.what()) == 0)
            throw std::logic_error("an error without a text");
        return false;
    }
}

} // namespace floe::fuzz
