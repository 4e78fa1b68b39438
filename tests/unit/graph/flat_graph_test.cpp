#include "sample.hpp"

#include "floe/base/error.hpp"
#include "floe/graph/check.hpp"
#include "floe/graph/flat_graph.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

namespace floe::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const TypeLibrary& types()
{
    static const TypeLibrary library = sampleTypes();
    return library;
}

FlatGraph flat(const std::string& entries)
{
    return flatten(document(entries), types());
}

std::vector<std::string> namesOf(const FlatGraph& graph)
{
    std::vector<std::string> names;
    for (const FlatNode& node : graph.nodes)
        names.push_back(node.name);
    return names;
}

/// "a.shape, b.shape": what an input gets.
std::string sourcesOf(const FlatGraph& graph, const std::string& node, const std::string& input)
{
    std::string result;
    const auto index = graph.find(node);
    if (index < 0)
        return "no node " + node;
    const std::vector<FlatInput>& inputs = graph.nodes[static_cast<std::size_t>(index)].inputs;
    const auto found =
        std::ranges::find(inputs, input, [](const FlatInput& entry) { return entry.socket->name; });
    for (const Source& source : found->sources)
        result +=
            (result.empty() ? "" : ", ") + graph.nodes[source.node].name + "." + source.output;
    return result;
}

double at(const FlatGraph& graph, const std::string& node, const std::string& parameter,
          double frame)
{
    return std::get<double>(graph.evaluate(static_cast<std::size_t>(graph.find(node)), parameter,
                                           Time{frame, graph.range.fps}));
}

TEST(Flatten, PutsSourcesBeforeTheirUsers)
{
    const FlatGraph graph = flat(R"("nodes": {
        "solve": {"type": "test.solver"}, "emit": {"type": "test.emitter", "version": 2},
        "ball": {"type": "test.sphere"}},
        "links": [{"from": "emit.emitter", "to": "solve.emitters"},
                  {"from": "ball.shape", "to": "emit.shape"}])");
    EXPECT_THAT(namesOf(graph), ElementsAre("ball", "emit", "solve"));
    EXPECT_EQ(sourcesOf(graph, "solve", "emitters"), "emit.emitter");
}

const char* const kDebris = R"("subgraphs": {"debris": {
    "nodes": {"ball": {"type": "test.sphere", "parameters": {"radius": 0.25}},
              "emit": {"type": "test.emitter", "version": 2,
                       "parameters": {"density": {"expr": "ball.radius * 100"}}}},
    "links": [{"from": "ball.shape", "to": "emit.shape"}],
    "promote": {"parameters": {"size": {"to": "ball.radius", "label": "Size"}},
                "inputs": {"material": "emit.material"}, "outputs": {"emitter": "emit.emitter"}}}})";

TEST(Flatten, InstancesBecomeNodesWithPathNames)
{
    const FlatGraph graph = flat(R"("nodes": {
        "snow": {"type": "test.snow"},
        "d1": {"type": "floe.subgraph", "graph": "debris", "parameters": {"size": 3}},
        "d2": {"type": "floe.subgraph", "graph": "debris"},
        "solve": {"type": "test.solver"}},
        "links": [{"from": "snow.material", "to": "d1.material"},
                  {"from": "d2.emitter", "to": "solve.emitters"},
                  {"from": "d1.emitter", "to": "solve.emitters"}], )" +
                                 std::string(kDebris));
    EXPECT_THAT(namesOf(graph),
                ElementsAre("snow", "d1/ball", "d1/emit", "d2/ball", "d2/emit", "solve"));
    EXPECT_EQ(sourcesOf(graph, "d1/emit", "material"), "snow.material");
    EXPECT_EQ(sourcesOf(graph, "d2/emit", "material"), "");
    EXPECT_EQ(sourcesOf(graph, "solve", "emitters"), "d2/emit.emitter, d1/emit.emitter");
    // The promoted value holds in its instance alone, and inner expressions see it.
    EXPECT_EQ(at(graph, "d1/ball", "radius", 1), 3);
    EXPECT_EQ(at(graph, "d2/ball", "radius", 1), 0.25);
    EXPECT_EQ(at(graph, "d1/emit", "density", 1), 300);
    EXPECT_EQ(at(graph, "d2/emit", "density", 1), 25);
}

TEST(Flatten, PromotedExpressionsSeeTheNamesOfTheOuterGraph)
{
    // "ball" is another node outside than inside.
    const FlatGraph graph = flat(R"("nodes": {
        "ball": {"type": "test.sphere", "parameters": {"radius": 7}},
        "d": {"type": "floe.subgraph", "graph": "debris",
              "parameters": {"size": {"expr": "ball.radius + frame"}}},
        "copy": {"type": "test.sphere", "parameters": {"radius": {"expr": "d.size * 2"}}}}, )" +
                                 std::string(kDebris));
    EXPECT_EQ(at(graph, "d/ball", "radius", 2), 9);
    EXPECT_EQ(at(graph, "copy", "radius", 2), 18);
    EXPECT_TRUE(graph.nodes[static_cast<std::size_t>(graph.find("d/emit"))].timeDependent);
    EXPECT_FALSE(graph.nodes[static_cast<std::size_t>(graph.find("ball"))].timeDependent);
}

TEST(Flatten, SubgraphFilesResolvePathsInTheirOwnFolder)
{
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder.path() / "lib");
    folder.file("lib/part.floe.json", R"({"floe": 1,
        "nodes": {"b": {"type": "test.sphere", "parameters": {"image": "a.png"}},
                  "c": {"type": "test.sphere"}},
        "promote": {"parameters": {"picture": {"to": "c.image"}}}})");
    const auto path = folder.file("scene.floe.json", R"({"floe": 1, "nodes": {
        "p": {"type": "floe.subgraph", "file": "lib/part.floe.json",
              "parameters": {"picture": "b.png"}}}})");
    const FlatGraph graph = flatten(Document::load(path), types());
    EXPECT_EQ(std::get<std::string>(graph.evaluate(0, "image", {})),
              (folder.path() / "lib/a.png").string());
    EXPECT_EQ(std::get<std::string>(graph.evaluate(1, "image", {})),
              (folder.path() / "b.png").string());
    EXPECT_EQ(std::get<std::string>(graph.evaluate(1, "title", {})), "");
}

TEST(Flatten, NodeTypesMadeOfAGraphExpandWithTheirManifestsDefaults)
{
    const TemporaryFolder folder;
    folder.file("two.floe.json", R"({"floe": 1,
        "nodes": {"a": {"type": "test.sphere", "parameters": {"radius": 9}},
                  "u": {"type": "test.union"}},
        "links": [{"from": "a.shape", "to": "u.a"}],
        "promote": {"parameters": {"size": {"to": "a.radius"}}, "inputs": {"other": "u.b"},
                    "outputs": {"shape": "u.shape"}}})");
    TypeLibrary library = sampleTypes();
    const auto faults = library.addManifest(parseJson(R"({"format": 1, "id": "acme.two",
        "version": "1.0.0", "nodes": [{"type": "acme.two.balls", "graph": "two.floe.json",
        "parameters": [{"name": "size", "type": "float", "default": 2}],
        "inputs": [{"name": "other", "kind": "volume"}],
        "outputs": [{"name": "shape", "kind": "volume"}]}]})",
                                                      "plugin.json"),
                                            (folder.path() / "plugin.json").string());
    ASSERT_EQ(texts(faults), "");
    const FlatGraph graph = flatten(document(R"("nodes": {
        "s": {"type": "test.sphere"}, "x": {"type": "acme.two.balls"},
        "y": {"type": "acme.two.balls", "parameters": {"size": 5}}},
        "links": [{"from": "s.shape", "to": "x.other"}, {"from": "x.shape", "to": "y.other"}])"),
                                    library);
    EXPECT_EQ(at(graph, "x/a", "radius", 1), 2);
    EXPECT_EQ(at(graph, "y/a", "radius", 1), 5);
    EXPECT_EQ(sourcesOf(graph, "x/u", "b"), "s.shape");
    EXPECT_EQ(sourcesOf(graph, "y/u", "b"), "x/u.shape");
}

TEST(Flatten, ABypassedNodeHandsItsFirstInputOn)
{
    const FlatGraph graph = flat(R"("nodes": {
        "a": {"type": "test.sphere"}, "b": {"type": "test.sphere"},
        "u": {"type": "test.union", "bypass": true}, "v": {"type": "test.union", "bypass": true},
        "w": {"type": "test.union"}},
        "links": [{"from": "b.shape", "to": "u.b"}, {"from": "a.shape", "to": "u.a"},
                  {"from": "u.shape", "to": "v.a"}, {"from": "v.shape", "to": "w.a"}])");
    EXPECT_THAT(namesOf(graph), ElementsAre("a", "b", "w"));
    EXPECT_EQ(sourcesOf(graph, "w", "a"), "a.shape");
}

TEST(Flatten, ABypassedSourceIsAsIfNotLinked)
{
    const std::string nodes = R"("nodes": {"a": {"type": "test.sphere", "bypass": true},
        "b": {"type": "test.sphere"}, "w": {"type": "test.union"}}, "links": [)";
    const FlatGraph graph = flat(nodes + R"({"from": "a.shape", "to": "w.b"},
                                            {"from": "b.shape", "to": "w.a"}])");
    EXPECT_EQ(sourcesOf(graph, "w", "b"), "");
    EXPECT_THROW(flat(nodes + R"({"from": "a.shape", "to": "w.a"}])"), GraphError); // required
}

TEST(Flatten, OlderNodesAreMigrated)
{
    const FlatGraph graph = flat(R"("nodes": {"ball": {"type": "test.sphere"},
        "emit": {"type": "test.emitter", "version": 1, "parameters": {"rho": 900}},
        "copy": {"type": "test.sphere", "parameters": {"radius": {"expr": "emit.rho / 9"}}}},
        "links": [{"from": "ball.shape", "to": "emit.geometry"}])");
    EXPECT_EQ(at(graph, "emit", "density", 1), 900);
    EXPECT_EQ(at(graph, "emit", "jitter", 1), 0); // what version 1 did; the default is 1 by now
    EXPECT_EQ(sourcesOf(graph, "emit", "shape"), "ball.shape");
    EXPECT_EQ(at(graph, "copy", "radius", 1), 100);
}

TEST(Evaluate, KeysStepBlendAndCurve)
{
    const auto curve = [](const std::string& keys) {
        return flat(R"("nodes": {"b": {"type": "test.sphere", "parameters": {"radius":
            {"keys": )" +
                    keys + "}}}}");
    };
    const FlatGraph linear = curve(R"([[10, 1, "linear"], [20, 2, "step"], [30, 5, "linear"]])");
    EXPECT_EQ(at(linear, "b", "radius", 1), 1);
    EXPECT_EQ(at(linear, "b", "radius", 12.5), 1.25);
    EXPECT_EQ(at(linear, "b", "radius", 29.99), 2);
    EXPECT_EQ(at(linear, "b", "radius", 99), 5);

    // Handles a third along the straight line give the straight line.
    const FlatGraph straight =
        curve(R"([[0, 0, "bezier", [0, 0], [4, 1]], [12, 3, "bezier", [-4, -1], [0, 0]]])");
    for (const double frame : {0.0, 1.7, 6.0, 11.9})
        EXPECT_NEAR(at(straight, "b", "radius", frame), frame / 4, 1e-13); // bits of bisection

    // Flat handles: symmetry gives half the value at half the time; before, the curve lies below
    // the straight line.
    const FlatGraph ease =
        curve(R"([[0, 0, "bezier", [0, 0], [5, 0]], [10, 8, "bezier", [-5, 0], [0, 0]]])");
    EXPECT_NEAR(at(ease, "b", "radius", 5), 4, 1e-12);
    EXPECT_LT(at(ease, "b", "radius", 2.5), 1);
    EXPECT_NEAR(at(ease, "b", "radius", 2.5) + at(ease, "b", "radius", 7.5), 8, 1e-12);

    // Handles straight up: at t = 1/2, x is 1/2 and y is 3/8 of each handle.
    const FlatGraph shaped =
        curve(R"([[0, 0, "bezier", [0, 0], [0, 4]], [1, 0, "bezier", [0, 4], [0, 0]]])");
    EXPECT_NEAR(at(shaped, "b", "radius", 0.5), 3, 1e-12);
}

TEST(Evaluate, AnAutomaticParameterFollowsTheFinestSolverThatItsNodeLeadsTo)
{
    const auto voxelSize = [](const std::string& ball, const std::string& more) {
        return at(flat(R"("nodes": {
            "ball": {"type": "test.sphere", "parameters": {)" +
                       ball + R"(}},
            "source": {"type": "test.emitter"}, "second": {"type": "test.emitter"},
            "both": {"type": "test.union"},
            "coarse": {"type": "test.solver", "parameters": {"cellSize": 0.4}},
            "fine": {"type": "test.solver"}},
            "links": [{"from": "ball.shape", "to": "both.a"}, {"from": "both.shape", "to": "source.shape"},
                      {"from": "both.shape", "to": "second.shape"}, {"from": "source.emitter", "to": "coarse.emitters"})" +
                       more + "]"),
                  "ball", "voxelSize", 1);
    };
    const std::string toFine = R"(, {"from": "second.emitter", "to": "fine.emitters"})";
    EXPECT_DOUBLE_EQ(voxelSize("", ""), 0.2);
    EXPECT_DOUBLE_EQ(voxelSize("", toFine), 0.05);
    EXPECT_DOUBLE_EQ(voxelSize(R"("voxelSize": 0.3)", toFine), 0.3);
    EXPECT_DOUBLE_EQ(voxelSize(R"("voxelSize": {"expr": "0 * frame"})", toFine), 0.05);

    const FlatGraph alone = flat(R"("nodes": {
        "ball": {"type": "test.sphere"},
        "other": {"type": "test.sphere", "parameters": {"radius": {"expr": "ball.voxelSize"}}}})");
    EXPECT_DOUBLE_EQ(at(alone, "ball", "voxelSize", 1), 0.02);
    EXPECT_DOUBLE_EQ(at(alone, "other", "radius", 1), 0.02) << "expressions see what is used";
}

TEST(Evaluate, ABypassedSolverIsNotFollowed)
{
    const FlatGraph graph = flat(R"("nodes": {
        "ball": {"type": "test.sphere"}, "source": {"type": "test.emitter"},
        "solver": {"type": "test.solver", "bypass": true, "parameters": {"cellSize": 0.4}}},
        "links": [{"from": "ball.shape", "to": "source.shape"}, {"from": "source.emitter", "to": "solver.emitters"}])");
    EXPECT_DOUBLE_EQ(at(graph, "ball", "voxelSize", 1), 0.02);
}

// A solver outputs an attribute where a linked node wants it, through others, solvers too, but not
// through one that outputs it itself; and as its parameter says otherwise.
TEST(Evaluate, WhatASolverKeepsIsOnWhereALinkedInputWantsIt)
{
    TypeLibrary library;
    const std::string manifest = R"json({"format": 1, "id": "a.b", "version": "1.0", "library": "b",
        "abi": {"major": 1, "minor": 0}, "nodes": [
        {"type": "a.solver", "role": "solver",
         "parameters": [{"name": "outputF", "type": "bool", "default": false, "keeps": "F"},
                        {"name": "outputC", "type": "bool", "default": false, "keeps": "C"}],
         "inputs": [{"name": "in", "kind": "particles"}],
         "outputs": [{"name": "particles", "kind": "particles"}]},
        {"type": "a.follow", "role": "solver", "inputs": [{"name": "in", "kind": "particles"}],
         "outputs": [{"name": "out", "kind": "particles"}]},
        {"type": "a.pass", "inputs": [{"name": "in", "kind": "particles"}],
         "outputs": [{"name": "out", "kind": "particles"}, {"name": "mesh", "kind": "mesh"}]},
        {"type": "a.user", "role": "sink",
         "parameters": [{"name": "mode", "type": "choice", "default": "plain",
                         "choices": [{"value": "plain"}, {"value": "bent"}]},
                        {"name": "named", "type": "string", "default": ""}],
         "inputs": [{"name": "in", "kind": "particles",
                     "wants": [{"attribute": "F", "when": {"mode": "bent"}},
                               {"parameter": "named"}]},
                    {"name": "mesh", "kind": "mesh"}]}]})json";
    EXPECT_EQ(texts(library.addManifest(parseJson(manifest, "plugin.json"), "/p/plugin.json")), "");
    const auto isOn = [&](const std::string& parameter, const std::string& user,
                          const std::string& middle, const std::string& links,
                          const std::string& solver = "") {
        const FlatGraph graph = flatten(document(R"("nodes": {"first": {"type": "a.solver",
            "parameters": {)" + solver + R"(}}, "middle": {"type": ")" +
                                                 middle + R"("}, "user": {"type": "a.user",
            "parameters": {)" + user + R"(}}}, "links": [)" +
                                                 links + "]"),
                                        library);
        return std::get<bool>(
            graph.evaluate(static_cast<std::size_t>(graph.find("first")), parameter, Time{1, 24}));
    };
    const std::string direct = R"({"from": "first.particles", "to": "user.in"})";
    const std::string into = R"({"from": "first.particles", "to": "middle.in"}, )";
    const std::string through = into + R"({"from": "middle.out", "to": "user.in"})";
    const std::string asMesh = into + R"({"from": "middle.mesh", "to": "user.mesh"})";
    const std::string bent = R"("mode": "bent")";
    EXPECT_TRUE(isOn("outputF", bent, "a.pass", direct));
    EXPECT_TRUE(isOn("outputF", bent, "a.pass", through));
    EXPECT_TRUE(isOn("outputF", bent, "a.follow", through));
    EXPECT_TRUE(isOn("outputC", R"("named": "C")", "a.pass", through));
    EXPECT_FALSE(isOn("outputC", bent, "a.pass", direct));
    EXPECT_FALSE(isOn("outputF", "", "a.pass", direct)) << "its condition does not hold";
    EXPECT_FALSE(isOn("outputF", bent, "a.pass", asMesh));
    EXPECT_FALSE(isOn("outputF", bent, "a.solver",
                      into + R"({"from": "middle.particles", "to": "user.in"})"))
        << "the nearer one has it";
    EXPECT_TRUE(isOn("outputF", "", "a.pass", direct, R"("outputF": true)"));

    // Which are on though the document says otherwise, and by whom, is known without a run.
    const auto switchedOn = [&](const std::string& solver) {
        std::vector<SwitchedOn> found = {{"of", "a", "check before"}};
        EXPECT_THAT(check(document(R"("nodes": {"first": {"type": "a.solver", "parameters": {)" +
                                   solver + R"(}}, "user": {"type": "a.user",
            "parameters": {"mode": "bent", "named": "C"}}}, "links": [)" +
                                   direct + "]"),
                          library, &found),
                    testing::IsEmpty());
        return found;
    };
    EXPECT_EQ(switchedOn(""), (std::vector<SwitchedOn>{{"first", "outputF", "user"},
                                                       {"first", "outputC", "user"}}));
    EXPECT_EQ(switchedOn(R"("outputF": true)"),
              (std::vector<SwitchedOn>{{"first", "outputC", "user"}}));
}

TEST(Evaluate, VectorsTakeAnythingInEachComponent)
{
    const FlatGraph graph = flat(R"("range": {"start": 1, "end": 9, "fps": 10}, "nodes": {
        "b": {"type": "test.sphere", "parameters": {
            "center": [1, {"keys": [[1, 0], [11, 5]]}, {"expr": "time"}],
            "color": {"keys": [[1, [0, 0, 0]], [3, [1, 2, 3]]]},
            "count": {"expr": "frame / 3"}, "smooth": {"expr": "frame > 2"},
            "mode": {"keys": [[1, "stick"], [4, "slip"]]}}},
        "c": {"type": "test.sphere", "parameters": {"radius": {"expr": "b.center.y + b.count"}}}})");
    using Triple = std::array<double, 3>;
    EXPECT_EQ(std::get<Triple>(graph.evaluate(0, "center", {3, 10})), (Triple{1, 1, 0.2}));
    EXPECT_EQ(std::get<Triple>(graph.evaluate(0, "color", {2, 10})), (Triple{0.5, 1, 1.5}));
    EXPECT_EQ(std::get<std::int64_t>(graph.evaluate(0, "count", {5, 10})), 2); // round(5/3)
    EXPECT_EQ(std::get<bool>(graph.evaluate(0, "smooth", {2, 10})), false);
    EXPECT_EQ(std::get<bool>(graph.evaluate(0, "smooth", {3, 10})), true);
    EXPECT_EQ(std::get<std::string>(graph.evaluate(0, "mode", {3.9, 10})), "stick");
    EXPECT_EQ(std::get<std::string>(graph.evaluate(0, "mode", {4, 10})), "slip");
    EXPECT_EQ(at(graph, "c", "radius", 11), 5 + 4);
}

TEST(Evaluate, ADivisionByZeroNamesNodeParameterAndFrame)
{
    const FlatGraph graph = flat(R"("nodes": {"b": {"type": "test.sphere",
        "parameters": {"radius": {"expr": "1 / (frame - 3) "}, "count": {"expr": "sqrt(-frame) "}}}})");
    EXPECT_EQ(at(graph, "b", "radius", 5), 0.5);
    for (const char* parameter : {"radius", "count"}) {
        try {
            graph.evaluate(0, parameter, {3, 24});
            ADD_FAILURE() << "nothing was thrown";
        } catch (const GraphError& error) {
            EXPECT_EQ(error.place().node, "b");
            EXPECT_EQ(error.place().parameter, parameter);
            EXPECT_EQ(error.place().frame, 3);
            EXPECT_THAT(error.what(), HasSubstr("expression"));
        }
    }
    EXPECT_THROW(graph.evaluate(0, "radius", {2, 24}), GraphError); // -1: out of range
}

TEST(Evaluate, SharedReferencesCostNoMoreThanTheirNumber)
{
    // Each node refers to the one before twice: 2^60 visits without a memory.
    std::string nodes = R"("n0": {"type": "test.sphere", "parameters": {"center":
        [{"expr": "frame"}, {"expr": "frame"}, 0]}})";
    for (int i = 1; i <= 60; ++i) {
        const std::string before = "n" + std::to_string(i - 1) + ".center";
        const std::string sum = "{\"expr\": \"(" + before + ".x + " + before + ".y) / 2\"}";
        nodes += ", \"n" + std::to_string(i) +
                 R"(": {"type": "test.sphere", "parameters": {"center": [)" + sum + ", " + sum +
                 ", 0]}}";
    }
    const FlatGraph graph = flat("\"nodes\": {" + nodes + "}");
    const auto value =
        graph.evaluate(static_cast<std::size_t>(graph.find("n60")), "center", {7, 24});
    EXPECT_EQ((std::get<std::array<double, 3>>(value)[0]), 7);
}

TEST(Evaluate, ManyThreadsGetTheirOwnFrames)
{
    const FlatGraph graph = flat(R"("nodes": {
        "a": {"type": "test.sphere", "parameters": {"radius": {"expr": "frame * 2"}}},
        "b": {"type": "test.sphere", "parameters": {"radius": {"expr": "a.radius + frame"}}}})");
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 2000; ++i)
                if (at(graph, "b", "radius", t + 1) != 3 * (t + 1))
                    ++wrong;
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(wrong, 0);
}

} // namespace
} // namespace floe::graph
