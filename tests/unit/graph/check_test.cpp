#include "sample.hpp"

#include "floe/base/error.hpp"
#include "floe/graph/flat_graph.hpp"

#include <gmock/gmock.h>

#include <chrono>

namespace floe::graph {
namespace {

using testing::HasSubstr;

/// One faulty graph, and what a person must be told about it.
struct Case {
    const char* name;
    const char* entries;
    const char* code;
    std::vector<const char*> said;
};

class FaultyGraph : public testing::TestWithParam<Case> {};

TEST_P(FaultyGraph, IsReportedOnceWithNodeCauseAndCure)
{
    const Case& given = GetParam();
    const auto faults = faultsOf(given.entries);
    ASSERT_EQ(faults.size(), 1u) << texts(faults);
    EXPECT_EQ(faults[0].code, given.code);
    EXPECT_EQ(faults[0].file, "t.floe.json");
    for (const char* part : given.said)
        EXPECT_THAT(faults[0].text(), HasSubstr(part));
}

INSTANTIATE_TEST_SUITE_P(
    Check, FaultyGraph,
    testing::Values(
        Case{"range",
             R"("nodes": {"snow": {"type": "test.snow", "parameters": {"poissonRatio": 0.62}}})",
             "out-of-range",
             {"error: t.floe.json: node 'snow' (test.snow): parameter 'poissonRatio' is 0.62, "
              "must be between 0 and 0.49"}},
        Case{"component",
             R"("nodes": {"b": {"type": "test.sphere", "parameters": {"color": [1, -2, 0]}}})",
             "out-of-range",
             {"'color.y' is -2", "must be at least 0"}},
        Case{"unknown_parameter",
             R"("nodes": {"b": {"type": "test.sphere", "parameters": {"radus": 1}}})",
             "unknown-parameter",
             {"unknown parameter 'radus'", "did you mean 'radius'?"}},
        Case{"wrong_type",
             R"("nodes": {"b": {"type": "test.sphere", "parameters": {"radius": "big"}}})",
             "wrong-type",
             {"'radius' is a text", "must be a number"}},
        Case{"not_whole",
             R"("nodes": {"b": {"type": "test.sphere", "parameters": {"count": 2.5}}})",
             "wrong-type",
             {"'count' is 2.5", "whole number"}},
        Case{
            "no_value",
            R"("nodes": {"b": {"type": "test.sphere", "parameters": {"radius": {"expr": "0/0"}}}})",
            "bad-value",
            {"node 'b'", "'radius'", "finite number"}},
        Case{"no_value_by_reference",
             R"("nodes": {"c": {"type": "test.sphere", "parameters": {"radius": 0}},
                "b": {"type": "test.sphere", "parameters": {"radius": {"expr": "1 / c.radius"}}}})",
             "bad-value",
             {"node 'b'", "'radius'"}},
        Case{
            "output_outside",
            R"("nodes": {"b": {"type": "test.sphere", "parameters": {"output": "../a.%04d.vdb"}}})",
            "wrong-type",
            {"'../a.%04d.vdb'", "within the output folder"}},
        Case{"output_absolute",
             R"("nodes": {"b": {"type": "test.sphere", "parameters": {"output": "/tmp/a.vdb"}}})",
             "wrong-type",
             {"'/tmp/a.vdb'", "within the output folder"}},
        Case{"zero_in_a_file",
             R"("nodes": {"b": {"type": "floe.subgraph", "file": "a\u0000b.floe.json"}})",
             "bad-file",
             {"'file' holds a zero character"}},
        Case{"choice",
             R"("nodes": {"b": {"type": "test.sphere", "parameters": {"mode": "stik"}}})",
             "unknown-choice",
             {"'stik'", "did you mean 'stick'?"}},
        Case{"short_vector",
             R"("nodes": {"b": {"type": "test.sphere", "parameters": {"center": [1, 2]}}})",
             "wrong-type",
             {"'center'", "three numbers"}},
        Case{"not_animatable",
             R"("nodes": {"b": {"type": "test.sphere",
                "parameters": {"fixed": {"expr": "frame"}}}})",
             "not-animatable",
             {"'fixed'", "constant"}},
        Case{"typo_in_type",
             R"("nodes": {"b": {"type": "test.spere"}})",
             "unknown-type",
             {"'test.spere'", "did you mean 'test.sphere'?"}},
        Case{"alike_only_in_front",
             R"("nodes": {"b": {"type": "test.smoke"}})",
             "missing-plugin",
             {"no installed plugin has the node type 'test.smoke'"}},
        Case{"missing_plugin_of_a_type",
             R"("nodes": {"b": {"type": "acme.fluid.whirlpool"}})",
             "missing-plugin",
             {"'acme.fluid.whirlpool'", "install"}},
        Case{"missing_plugin",
             R"("plugins": {"acme.fluid": "1.0.0"}, "nodes": {})",
             "missing-plugin",
             {"'acme.fluid' is not installed"}},
        Case{"old_plugin",
             R"("plugins": {"test.nodes": "1.10.0"}, "nodes": {})",
             "missing-plugin",
             {"is version 1.2.0", "at least 1.10.0"}},
        Case{"newer_node",
             R"("nodes": {"b": {"type": "test.sphere", "version": 7}})",
             "missing-plugin",
             {"version 7", "update the plugin"}},
        Case{"unknown_key",
             R"("nodes": {"b": {"type": "test.sphere", "paramters": {}}})",
             "unknown-key",
             {"'paramters'", "did you mean 'parameters'?"}},
        Case{"unknown_root_key", R"("node": {})", "unknown-key", {"'node'", "'nodes'"}},
        Case{"bad_name",
             R"("nodes": {"my ball": {"type": "test.sphere"}})",
             "bad-name",
             {"'my ball'", "letters, digits and _"}},
        Case{"link_to_nowhere",
             R"("nodes": {"b": {"type": "test.sphere"}, "u": {"type": "test.union"}},
                "links": [{"from": "b.shape", "to": "u.a"}, {"from": "c.shape", "to": "u.b"}])",
             "unknown-node",
             {"'c'"}},
        Case{"unknown_socket",
             R"("nodes": {"b": {"type": "test.sphere"}, "u": {"type": "test.union"}},
                "links": [{"from": "b.shap", "to": "u.a"}])",
             "unknown-socket",
             {"no output 'shap'", "did you mean 'shape'?"}},
        Case{"backwards",
             R"("nodes": {"b": {"type": "test.sphere"}, "u": {"type": "test.union"}},
                "links": [{"from": "b.shape", "to": "u.a"}, {"from": "u.b", "to": "b.shape"}])",
             "unknown-socket",
             {"from an output to an input"}},
        Case{"kind_clash",
             R"("nodes": {"s": {"type": "test.snow"}, "u": {"type": "test.union"}},
                "links": [{"from": "s.material", "to": "u.a"}])",
             "kind-clash",
             {"'u'", "takes volume", "gives material"}},
        Case{"two_links",
             R"("nodes": {"b": {"type": "test.sphere"}, "c": {"type": "test.sphere"},
                          "u": {"type": "test.union"}},
                "links": [{"from": "b.shape", "to": "u.a"}, {"from": "c.shape", "to": "u.a"}])",
             "two-links",
             {"'b.shape'", "'c.shape'", "one link"}},
        Case{"missing_input",
             R"("nodes": {"u": {"type": "test.union"}})",
             "missing-input",
             {"input 'a' is not linked", "volume"}},
        Case{"cycle",
             R"("nodes": {"u": {"type": "test.union"}, "v": {"type": "test.union"}},
                "links": [{"from": "u.shape", "to": "v.a"}, {"from": "v.shape", "to": "u.a"}])",
             "cycle",
             {"u -> v -> u"}},
        Case{"self_cycle",
             R"("nodes": {"u": {"type": "test.union"}},
                "links": [{"from": "u.shape", "to": "u.a"}])",
             "cycle",
             {"u -> u"}},
        Case{
            "bad_expression",
            R"("nodes": {"b": {"type": "test.sphere", "parameters": {"radius": {"expr": "1 +"}}}})",
            "bad-expression",
            {"'1 +'"}},
        Case{"unknown_function",
             R"("nodes": {"b": {"type": "test.sphere",
                "parameters": {"radius": {"expr": "sinus(frame) "}}}})",
             "bad-expression",
             {"'sinus'", "did you mean"}},
        Case{"unknown_reference",
             R"("nodes": {"b": {"type": "test.sphere",
                "parameters": {"radius": {"expr": "b.radus * 2"}}}})",
             "bad-reference",
             {"'radus'", "did you mean 'radius'?"}},
        Case{"vector_reference",
             R"("nodes": {"b": {"type": "test.sphere",
                "parameters": {"radius": {"expr": "b.center"}}}})",
             "bad-reference",
             {"three numbers", "add .x"}},
        Case{
            "expression_cycle",
            R"("nodes": {"b": {"type": "test.sphere", "parameters": {"radius": {"expr": "c.radius"}}},
                          "c": {"type": "test.sphere", "parameters": {"radius": {"expr": "b.radius"}}}})",
            "expression-cycle",
            {"needs itself", "b.radius -> c.radius -> b.radius"}},
        Case{"keys_out_of_order",
             R"("nodes": {"b": {"type": "test.sphere",
                "parameters": {"radius": {"keys": [[5, 1], [2, 1]]}}}})",
             "bad-keys",
             {"key 2", "order of frames"}},
        Case{"text_cannot_blend",
             R"("nodes": {"b": {"type": "test.sphere",
                "parameters": {"title": {"keys": [[1, "a", "linear"]]}}}})",
             "bad-keys",
             {"can only \"step\""}},
        Case{"key_out_of_range",
             R"("nodes": {"b": {"type": "test.sphere",
                "parameters": {"radius": {"keys": [[1, -5]]}}}})",
             "out-of-range",
             {"key 1 is -5", "between 0 and 1000 m"}},
        Case{"missing_file",
             R"("nodes": {"d": {"type": "floe.subgraph", "file": "nowhere.floe.json"}})",
             "missing-file",
             {"nowhere.floe.json", "relative to the graph file"}},
        Case{"unknown_subgraph",
             R"("nodes": {"d": {"type": "floe.subgraph", "graph": "debri"}},
                "subgraphs": {"debris": {"nodes": {}}})",
             "unknown-subgraph",
             {"'debri'", "did you mean 'debris'?"}},
        Case{"recursion",
             R"("nodes": {"d": {"type": "floe.subgraph", "graph": "a"}},
                "subgraphs": {"a": {"nodes": {"b": {"type": "floe.subgraph", "graph": "b"}}},
                              "b": {"nodes": {"a": {"type": "floe.subgraph", "graph": "a"}}}})",
             "recursion",
             {"contains itself", "subgraph 'a' -> subgraph 'b' -> subgraph 'a'"}},
        Case{"promotion",
             R"("nodes": {}, "subgraphs": {"a": {"nodes": {"b": {"type": "test.sphere"}},
                "promote": {"parameters": {"size": {"to": "b.radus"}}}}})",
             "bad-promotion",
             {"'size'", "did you mean 'radius'?"}},
        Case{"promoted_too_low",
             R"("nodes": {}, "subgraphs": {"a": {"nodes": {"b": {"type": "test.sphere"}},
                "promote": {"parameters": {"size": {"to": "b.radius", "min": -1}}}}})",
             "bad-promotion",
             {"subgraph 'a'", "'size'", "'min' is -1", "must be at least 0, as of 'b.radius'"}},
        Case{"promoted_too_high",
             R"("nodes": {}, "subgraphs": {"a": {"nodes": {"b": {"type": "test.sphere"}},
                "promote": {"parameters": {"size": {"to": "b.radius", "max": 2000}}}}})",
             "bad-promotion",
             {"subgraph 'a'", "'size'", "'max' is 2000", "must be at most 1000"}},
        Case{"promoted_backwards",
             R"("nodes": {}, "subgraphs": {"a": {"nodes": {"b": {"type": "test.sphere"}},
                "promote": {"parameters": {"size": {"to": "b.radius", "min": 3, "max": 0.25}}}}})",
             "bad-promotion",
             {"subgraph 'a'", "'size'", "'min' is above max"}},
        Case{"promoted_slider",
             R"("nodes": {}, "subgraphs": {"a": {"nodes": {"b": {"type": "test.sphere"}},
                "promote": {"parameters": {"size": {"to": "b.radius", "softMin": 2, "softMax": 1}}}}})",
             "bad-promotion",
             {"subgraph 'a'", "'size'", "'softMin' is not below softMax", "must be below 1"}},
        Case{"promoted_default",
             R"("nodes": {}, "subgraphs": {"a": {"nodes": {"b": {"type": "test.sphere"}},
                "promote": {"parameters": {"size": {"to": "b.radius", "min": 1}}}}})",
             "bad-promotion",
             {"subgraph 'a'", "'size'", "'b.radius' is 0.5, outside", "change 'min'"}},
        Case{"promoted_value",
             R"("nodes": {"i": {"type": "floe.subgraph", "graph": "a", "parameters": {"size": 3}}},
                "subgraphs": {"a": {"nodes": {"b": {"type": "test.sphere"}},
                "promote": {"parameters": {"size": {"to": "b.radius", "max": 2}}}}})",
             "out-of-range",
             {"'size' is 3", "2"}},
        Case{"range_backwards",
             R"("range": {"start": 5, "end": 1, "fps": 24}, "nodes": {})",
             "out-of-range",
             {"'end' is 1", "'start', 5"}},
        Case{"no_fps",
             R"("range": {"start": 1, "end": 1, "fps": 0}, "nodes": {})",
             "out-of-range",
             {"'fps' is 0"}},
        Case{"tiny_fps",
             R"("range": {"start": 1, "end": 1, "fps": 1e-300}, "nodes": {})",
             "out-of-range",
             {"'fps' is 1e-300", "must be from 0.001 to 1000000"}}),
    [](const auto& entry) { return std::string(entry.param.name); });

TEST(Check, ReportsEveryFaultInOnePass)
{
    const auto faults = faultsOf(R"("extra": 1, "nodes": {
        "a": {"type": "test.sphere", "parameters": {"radius": -1, "radis": 2, "mode": 3}},
        "b": {"type": "acme.thing"},
        "u": {"type": "test.union"}, "v": {"type": "test.union"}},
        "links": [{"from": "u.shape", "to": "v.a"}, {"from": "v.shape", "to": "u.a"},
                  {"from": "x.y", "to": "u.b"}])");
    std::vector<std::string> codes;
    for (const Fault& fault : faults)
        codes.push_back(fault.code);
    EXPECT_THAT(codes, testing::UnorderedElementsAre("unknown-key", "out-of-range",
                                                     "unknown-parameter", "wrong-type",
                                                     "missing-plugin", "cycle", "unknown-node"))
        << texts(faults);
}

TEST(Check, FindsNothingWrongWithASoundGraph)
{
    EXPECT_EQ(texts(faultsOf(R"("plugins": {"test.nodes": "1.0"}, "nodes": {
        "ball": {"type": "test.sphere", "version": 1, "parameters": {"radius": 2}},
        "snow": {"type": "test.snow"},
        "emit": {"type": "test.emitter", "version": 2},
        "solve": {"type": "test.solver"}},
        "links": [{"from": "ball.shape", "to": "emit.shape"},
                  {"from": "snow.material", "to": "emit.material"},
                  {"from": "emit.emitter", "to": "solve.emitters"}])")),
              "");
}

TEST(Check, RefusesSubgraphsThatMultiplyWithoutExpandingThem)
{
    // Ten instances of ten instances ... : 10^8 nodes from 900 bytes.
    std::string subgraphs = R"("s0": {"nodes": {"b": {"type": "test.sphere"}}})";
    for (int level = 1; level <= 8; ++level) {
        std::string nodes;
        for (int i = 0; i < 10; ++i)
            nodes += (i ? ", " : "") + ("\"n" + std::to_string(i)) +
                     R"(": {"type": "floe.subgraph", "graph": "s)" + std::to_string(level - 1) +
                     "\"}";
        subgraphs += ", \"s" + std::to_string(level) + "\": {\"nodes\": {" + nodes + "}}";
    }
    const auto faults = faultsOf(R"("nodes": {"d": {"type": "floe.subgraph", "graph": "s8"}},
        "subgraphs": {)" + subgraphs +
                                 "}");
    ASSERT_EQ(faults.size(), 1u) << texts(faults);
    EXPECT_EQ(faults[0].code, "too-large");
}

TEST(Check, RefusesNestsOfNothing)
{
    // 10^10 instances, none of which holds a node.
    std::string subgraphs = R"("s0": {"nodes": {}})";
    std::string nodes;
    for (int level = 1; level <= 10; ++level) {
        nodes.clear();
        for (int i = 0; i < 10; ++i)
            nodes += (i ? ", \"n" : "\"n") + std::to_string(i) +
                     R"(": {"type": "floe.subgraph", "graph": "s)" + std::to_string(level - 1) +
                     "\"}";
        subgraphs += ", \"s" + std::to_string(level) + "\": {\"nodes\": {" + nodes + "}}";
    }
    const auto faults = faultsOf("\"nodes\": {" + nodes + "}, \"subgraphs\": {" + subgraphs + "}");
    ASSERT_EQ(faults.size(), 1u) << texts(faults);
    EXPECT_EQ(faults[0].code, "too-large");
}

TEST(Check, GraphsOfNinetyThousandNodesAreFlattenedInSeconds)
{
    std::string nodes = R"("n0": {"type": "test.union"})", links, instances;
    for (int i = 1; i < 9000; ++i) {
        const std::string name = "n" + std::to_string(i);
        nodes += ", \"" + name + R"(": {"type": "test.union"})";
        links += (i > 1 ? R"(, {"from": "n)" : R"({"from": "n)") + std::to_string(i - 1) +
                 R"(.shape", "to": ")" + name + ".a\"}";
    }
    nodes += R"(, "ball": {"type": "test.sphere"})";
    links += R"(, {"from": "ball.shape", "to": "n0.a"})";
    for (int i = 0; i < 10; ++i)
        instances += (i ? ", \"d" : "\"d") + std::to_string(i) +
                     R"(": {"type": "floe.subgraph", "graph": "s"})";
    // About a second; with a quadratic step anywhere the test would outlast its time limit.
    const FlatGraph flat =
        flatten(document("\"nodes\": {" + instances + R"(}, "subgraphs": {"s": {"nodes": {)" +
                         nodes + R"(}, "links": [)" + links + "]}}"),
                sampleTypes());
    EXPECT_EQ(flat.nodes.size(), 90'010u);
}

TEST(Check, ManyFaultsDoNotTakeMinutes)
{
    std::string links = R"({"from": "a.b", "to": "c.d"})";
    std::string nodes = R"("n": {"type": "test.union"})";
    for (int i = 0; i < 100'000; ++i)
        links += R"(, {"from": "x)" + std::to_string(i) + R"(.b", "to": "y.d"})";
    for (int i = 0; i < 19'000; ++i)
        nodes += ", \"x_" + std::to_string(i) + R"(": {"type": "test.spheer"})";
    EXPECT_EQ(faultsOf("\"nodes\": {" + nodes + R"(}, "links": [)" + links + "]").size(), 1001u);
}

TEST(Check, RefusesDeepNestingInAnyOrderOfDefinition)
{
    for (const bool deepestFirst : {true, false}) {
        std::string subgraphs;
        for (int i = 0; i < 40; ++i) {
            const int level = deepestFirst ? i : 39 - i;
            subgraphs += (i ? ", \"s" : "\"s") + std::to_string(level) + "\": {\"nodes\": {";
            subgraphs += level == 0 ? R"("b": {"type": "test.sphere"}}})"
                                    : R"("n": {"type": "floe.subgraph", "graph": "s)" +
                                          std::to_string(level - 1) + "\"}}}";
        }
        for (const char* entry : {"s39", "s20"}) {
            const auto faults =
                faultsOf(std::string(R"("nodes": {"d": {"type": "floe.subgraph", "graph": ")") +
                         entry + "\"}}, \"subgraphs\": {" + subgraphs + "}");
            ASSERT_FALSE(faults.empty());
            EXPECT_EQ(faults[0].code, "too-deep") << texts(faults);
        }
    }
}

TEST(Check, AGraphThatIsItsOwnSubgraphFileIsARecursion)
{
    const TemporaryFolder folder;
    const auto path = folder.file("a.floe.json", R"({"floe": 1, "nodes":
        {"self": {"type": "floe.subgraph", "file": "a.floe.json"}}})");
    const auto faults = check(Document::load(path), sampleTypes());
    ASSERT_EQ(faults.size(), 1u) << texts(faults);
    EXPECT_EQ(faults[0].code, "recursion");
}

TEST(Check, FaultsInASubgraphFileNameThatFile)
{
    const TemporaryFolder folder;
    folder.file("lib.floe.json", R"({"floe": 1, "nodes":
        {"b": {"type": "test.sphere", "parameters": {"radius": -1}}}})");
    const auto path = folder.file("a.floe.json", R"({"floe": 1, "nodes":
        {"x": {"type": "floe.subgraph", "file": "lib.floe.json"},
         "y": {"type": "floe.subgraph", "file": "lib.floe.json"}}})");
    const auto faults = check(Document::load(path), sampleTypes());
    ASSERT_EQ(faults.size(), 1u) << texts(faults); // once, however often it is instanced
    EXPECT_EQ(faults[0].file, (folder.path() / "lib.floe.json").string());
    EXPECT_EQ(faults[0].node, "b");
}

TEST(Check, AMissingPluginThrowsAsOne)
{
    EXPECT_THROW(
        flatten(document(R"("nodes": {"b": {"type": "acme.fluid.whirl"}})"), sampleTypes()),
        PluginError);
    EXPECT_THROW(flatten(document(R"("nodes": {"u": {"type": "test.union"}})"), sampleTypes()),
                 GraphError);
}

TEST(Check, LongExpressionChainsAreRefusedNotRecursedInto)
{
    std::string nodes = R"("n0": {"type": "test.sphere"})";
    for (int i = 1; i < 5000; ++i)
        nodes += ", \"n" + std::to_string(i) +
                 R"(": {"type": "test.sphere", "parameters": {"radius": {"expr": "n)" +
                 std::to_string(i - 1) + ".radius\"}}}";
    const auto faults = faultsOf("\"nodes\": {" + nodes + "}");
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].code, "expression-depth");
}

// Whoever made so many faults mends some first; the rest cost neither time nor memory.
TEST(Check, FaultsAreListedUpToABound)
{
    const auto faultsOfLinks = [](int count, const char* link) {
        std::string entries = R"("nodes": {"b": {"type": "test.sphere"}}, "links": [)";
        for (int i = 0; i < count; ++i)
            entries += (i > 0 ? "," : "") + std::string(link);
        return faultsOf(entries + "]");
    };
    const auto begin = std::chrono::steady_clock::now();
    for (const char* link : {R"({"from": "x.a", "to": "y.b"})", R"({"from": "b.shape"})", "7"}) {
        const auto faults = faultsOfLinks(100'000, link);
        EXPECT_EQ(faults.size(), 1001u) << link;
        EXPECT_EQ(faults.back().code, "more-faults");
        EXPECT_EQ(faults.back().severity, Severity::Error);
    }
    const auto faults = faultsOfLinks(300'000, R"({"from": "x.a", "to": "y.b"})");
    ASSERT_EQ(faults.size(), 1u) << texts(faults);
    EXPECT_THAT(faults[0].text(), HasSubstr("there are 300000 links, must be at most 200000"));
    // They take two seconds on an idle machine; comparing names for each would take minutes.
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

// One of them would replace the other's files, and the run would say that it has written both.
TEST(Check, TwoSinksOfTheSameFilesAreNamed)
{
    TypeLibrary types;
    types.addManifest(parseJson(R"json({
        "format": 1, "id": "test.files", "version": "1.0.0", "label": "Files", "vendor": "Floe",
        "license": "Apache-2.0", "abi": {"major": 1, "minor": 0}, "library": "files",
        "nodes": [{"type": "test.write", "version": 1, "label": "Write", "category": "Output",
                   "help": "Writes.", "role": "sink", "backends": {"cpu": true, "cuda": "none"},
                   "parameters": [{"name": "path", "type": "string", "widget": "output",
                                   "default": "a/a.%04d.vdb"}]}]})json",
                                "plugin.json"),
                      "plugin.json");
    const auto faultsOfPath = [&](const std::string& path) {
        const std::string node =
            R"({"type": "test.write", "parameters": {"path": ")" + path + "\"}}";
        return check(
            Document::parse(R"({"floe": 1, "nodes": {"one": {"type": "test.write"}, "two": )" +
                                node + "}}",
                            "t.floe.json"),
            types);
    };
    for (const char* other :
         {"b/a.%04d.vdb", "a/a.%04d.ply", "a/b.%04d.vdb", "a/a.vdb", "a.%04d.vdb"})
        EXPECT_EQ(texts(faultsOfPath(other)), "") << other;
    for (const char* same : {"a/a.%04d.vdb", "a/a.####.vdb", "./a//a.%d.vdb", "b/../a/a.#.vdb"}) {
        const auto faults = faultsOfPath(same);
        ASSERT_EQ(faults.size(), 1u) << same;
        EXPECT_EQ(faults[0].severity, Severity::Warning);
        EXPECT_EQ(
            faults[0].text(),
            "warning: t.floe.json: node 'two' (test.write): its files have the names of those "
            "of 'one', give one of the two another 'path'");
    }
}

TEST(Check, APluginThatIsNotUsedIsNamedWithItsCure)
{
    TypeLibrary types;
    types.addUnused("acme.fluid.whirlpool", "acme.fluid");
    const Document document = Document::parse(
        R"({"floe": 1, "nodes": {"b": {"type": "acme.fluid.whirlpool"}}})", "t.floe.json");
    const auto faults = check(document, types);
    ASSERT_EQ(faults.size(), 1u) << texts(faults);
    EXPECT_EQ(faults[0].code, kMissingPlugin);
    EXPECT_THAT(faults[0].text(), HasSubstr("the plugin 'acme.fluid' of the node type "
                                            "'acme.fluid.whirlpool' is not used"));
    EXPECT_THAT(faults[0].text(), HasSubstr("floe plugin list --rescan"));
}

} // namespace
} // namespace floe::graph
