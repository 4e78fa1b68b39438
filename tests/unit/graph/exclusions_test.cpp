// What manifests say cannot go together.
#include "sample.hpp"

#include "floe/base/error.hpp"
#include "floe/graph/flat_graph.hpp"

#include <gmock/gmock.h>

namespace floe::graph {
namespace {

using testing::HasSubstr;

/// @param excludes  of the solver
std::vector<Fault> addTo(TypeLibrary& types, const std::string& excludes)
{
    const std::string manifest = R"json({
      "format": 1, "id": "test.whole", "version": "1.0", "abi": {"major": 1, "minor": 0},
      "library": "test_whole", "nodes": [
        {"type": "test.matter",
         "parameters": [
           {"name": "law", "type": "choice", "default": "rubber",
            "choices": [{"value": "rubber"}, {"value": "sand"}]},
           {"name": "whole", "type": "bool", "default": false, "shownWhen": {"law": "rubber"}}],
         "outputs": [{"name": "material", "kind": "material"}]},
        {"type": "test.pour", "inputs": [{"name": "material", "kind": "material"}],
         "outputs": [{"name": "emitter", "kind": "emitter"}]},
        {"type": "test.choose",
         "inputs": [{"name": "values", "kind": "material", "multiple": true}],
         "outputs": [{"name": "value", "kind": "material"}]},
        {"type": "test.mpm", "role": "solver",
         "parameters": [{"name": "implicit", "type": "bool", "default": false},
                        {"name": "count", "type": "int", "default": 1}],
         "inputs": [{"name": "emitters", "kind": ["emitter", "particles"], "multiple": true},
                    {"name": "sleep", "kind": "number"}],
         "outputs": [{"name": "particles", "kind": "particles"}],
         "excludes": [)json" + excludes +
                                 R"json(]},
        {"type": "test.number", "outputs": [{"name": "number", "kind": "number"}]}]})json";
    return types.addManifest(parseJson(manifest, "m"), "m");
}

constexpr const char* kExcludes = R"(
    {"when": {"implicit": true}, "linked": ["sleep"],
     "cause": "implicit steps know no sleep", "cure": "unlink 'sleep'"},
    {"linked": ["sleep"],
     "behind": {"input": "emitters", "type": "test.matter", "when": {"whole": true}},
     "cause": "'{node}' is whole and knows no sleep", "cure": "let '{node}' tear"})";

/// @param solver  its parameters  @param rubber  those of the material
std::string faultsOf(const std::string& solver, const std::string& rubber, bool sleeps,
                     const std::string& moreNodes = "", const std::string& moreLinks = "")
{
    TypeLibrary types;
    EXPECT_EQ(texts(addTo(types, kExcludes)), "");
    std::string links = R"({"from": "rubber.material", "to": "pour.material"},
                           {"from": "pour.emitter", "to": "mpm.emitters"})";
    if (!moreLinks.empty())
        links = moreLinks;
    if (sleeps)
        links += R"(, {"from": "number.number", "to": "mpm.sleep"})";
    const Document scene = document(R"("nodes": {
        "rubber": {"type": "test.matter", "parameters": {)" +
                                    rubber + R"(}},
        "pour": {"type": "test.pour"}, "number": {"type": "test.number"},)" +
                                    moreNodes + R"("mpm": {"type": "test.mpm", "parameters": {)" +
                                    solver + R"(}}}, "links": [)" + links + "]");
    const std::vector<Fault> faults = check(scene, types);
    if (anyError(faults))
        EXPECT_THROW(flatten(scene, types), GraphError);
    else
        EXPECT_NO_THROW(flatten(scene, types));
    return texts(faults);
}

TEST(Exclusions, AreFaultsOfTheGraph)
{
    EXPECT_EQ(faultsOf("", "", true), "");
    EXPECT_EQ(faultsOf(R"("implicit": true)", R"("whole": true)", false), "");
    EXPECT_THAT(faultsOf(R"("implicit": true)", "", true),
                HasSubstr("node 'mpm' (test.mpm): implicit steps know no sleep, unlink 'sleep'"));
    EXPECT_THAT(faultsOf("", R"("whole": true)", true),
                HasSubstr("'rubber' is whole and knows no sleep, let 'rubber' tear"));
    // A parameter that does not matter says nothing.
    EXPECT_EQ(faultsOf("", R"("whole": true, "law": "sand")", true), "");
    // What is animated counts as at the first frame.
    EXPECT_THAT(faultsOf(R"("implicit": {"keys": [[1, true], [9, false]]})", "", true),
                HasSubstr("know no sleep"));
    EXPECT_EQ(faultsOf(R"("implicit": {"keys": [[1, false], [9, true]]})", "", true), "");
}

TEST(Exclusions, DoNotLookBehindSolversAndChoices)
{
    const std::string chosen = R"({"from": "rubber.material", "to": "choice.values"},
        {"from": "choice.value", "to": "pour.material"}, {"from": "pour.emitter", "to": "mpm.emitters"})";
    EXPECT_EQ(
        faultsOf("", R"("whole": true)", true, R"("choice": {"type": "test.choose"},)", chosen),
        "");
    const std::string twice = R"({"from": "rubber.material", "to": "pour.material"},
        {"from": "pour.emitter", "to": "first.emitters"},
        {"from": "first.particles", "to": "mpm.emitters"})";
    EXPECT_EQ(faultsOf("", R"("whole": true)", true, R"("first": {"type": "test.mpm"},)", twice),
              "");
}

TEST(Exclusions, AreCheckedInTheManifest)
{
    const auto faults = [](const std::string& exclusion) {
        TypeLibrary types;
        return texts(addTo(types, exclusion));
    };
    const std::string words = R"(, "cause": "a", "cure": "b"})";
    EXPECT_EQ(faults(R"({"when": {"implicit": true})" + words), "");
    EXPECT_THAT(faults(R"({"when": {"implicitly": true})" + words),
                HasSubstr("excludes: 'when' names the unknown parameter 'implicitly', did you mean "
                          "'implicit'?"));
    EXPECT_THAT(faults(R"({"when": {"count": "1"})" + words),
                HasSubstr("must name a choice or a bool"));
    EXPECT_THAT(faults(R"({"linked": ["slep"])" + words),
                HasSubstr("'linked' names the unknown input 'slep'"));
    EXPECT_THAT(faults(R"({"behind": {"input": "x", "type": "t"})" + words),
                HasSubstr("'behind' names the unknown input 'x'"));
    EXPECT_THAT(faults(R"({"behind": {"input": "emitters"})" + words), HasSubstr("'type'"));
    EXPECT_THAT(faults(R"({"when": {"implicit": true}, "cause": "a"})"), HasSubstr("'cure'"));
    EXPECT_THAT(faults(R"({"cause": "a", "cure": "b"})"), HasSubstr("nothing is excluded"));
    EXPECT_THAT(faults(R"({"when": {"implicit": 3})" + words), HasSubstr("'when' is"));
}

} // namespace
} // namespace floe::graph
