#include "inputs.hpp"

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
#include "floe/sdk/network/weights.hpp"
#include "floe/sdk/node.hpp"
#include "floe/session/checkpoint.hpp"
#include "temporary_folder.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

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

void readPoints(std::string_view bytes)
{
    io::readParticles(fileOf(bytes, kPly));
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
    session::readCheckpoint(fileOf(whole, "frame.0001.checkpoint"));
}

/// Of a frame's cache, or from the process that reads OpenVDB's files. Its checksum comes last: a
/// change gets as far as the values do.
void readStoredValue(std::string_view bytes)
{
    const ValueRef value = readValue(std::as_bytes(std::span(bytes)));
    const std::string written = writeValue(*value);
    if (written != bytes.substr(0, written.size()))
        throw std::logic_error("what was read is written otherwise");
}

template <const char* const& kName>
void readCapture(std::string_view bytes)
{
    try {
        auto set = gaussians::readGaussians(fileOf(bytes, kName).string(), [] {}).set;
        gaussians::removeUnusable(set);
    } catch (const sdk::Failure& failure) { // the SDK's error
        throw IoError({.file = kName}, failure.what());
    }
}
constexpr const char* kCapture = "a.ply";
constexpr const char* kSplat = "a.splat";

constexpr Kind kKinds[] = {
    {"graph", readGraph},        {"manifest", readManifest},         {"expression", readExpression},
    {"obj", readMeshFile<kObj>}, {"ply", readMeshFile<kPly>},        {"stl", readMeshFile<kStl>},
    {"points", readPoints},      {"checkpoint", readCheckpoint},     {"weights", readWeights},
    {"value", readStoredValue},  {"capture", readCapture<kCapture>}, {"splat", readCapture<kSplat>},
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
