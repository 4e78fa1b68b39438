#include "sample.hpp"

#include "floe/graph/reference.hpp"

#include <gmock/gmock.h>

#include <sstream>

namespace floe::graph {
namespace {

using testing::HasSubstr;

std::string faultsOfManifest(const std::string& text)
{
    TypeLibrary types;
    return texts(types.addManifest(parseJson(text, "plugin.json"), "plugin.json"));
}

std::string faultsOfNode(const std::string& entries)
{
    return faultsOfManifest(R"({"format": 1, "id": "a.b", "version": "1.0", "library": "b",
        "abi": {"major": 1, "minor": 0}, "nodes": [{"type": "a.b.c", )" +
                            entries + "}]}");
}

TEST(Manifest, SaysWhatTheTypesAre)
{
    const TypeLibrary types = sampleTypes();
    EXPECT_EQ(types.all().size(), 5u);
    const NodeType* sphere = types.find("test.sphere");
    ASSERT_NE(sphere, nullptr);
    EXPECT_EQ(sphere->plugin, "test.nodes");
    EXPECT_EQ(sphere->parameters.size(), 9u);
    EXPECT_EQ(std::get<double>(sphere->parameter("radius")->defaultValue), 0.5);
    EXPECT_EQ(sphere->parameter("radius")->max, 1000);
    EXPECT_EQ(sphere->parameter("mode")->choices[0].label, "stick"); // the value, if no label
    EXPECT_EQ(types.find("test.solver")->role, Role::Solver);
    EXPECT_TRUE(types.find("test.solver")->timeDependent); // a solver's state moves on
    EXPECT_EQ(types.find("test.emitter")->input("shape")->kinds.size(), 2u);
    EXPECT_EQ(types.plugin("test.nodes")->version, "1.2.0");
    EXPECT_EQ(types.find("test.spher"), nullptr);
}

TEST(Manifest, EveryFaultIsReportedInOnePass)
{
    const std::string faults = faultsOfNode(R"("rolle": "value", "role": "solve",
        "parameters": [{"name": "r", "type": "double", "default": 1},
                       {"name": "s", "type": "float", "default": 5, "max": 1},
                       {"name": "s", "type": "choice", "default": "x"},
                       {"name": "t", "type": "float"}],
        "inputs": [{"name": "a-b", "kind": "volumes"}],
        "presets": [{"name": "p", "values": {"nothing": 1}}],
        "upgrades": [{"from": 1}])");
    for (const char* part :
         {"unknown key 'rolle'", "'solve'", "did you mean 'solver'?", "'double'",
          "'s.default' is 5", "'choices' is missing or empty", "'default' is missing",
          "'s' is declared twice", "'a-b'", "did you mean 'volume'?", "unknown parameter 'nothing'",
          "must be older than the node's version 1"})
        EXPECT_THAT(faults, HasSubstr(part));
}

TEST(Manifest, WrongShapesAreFaultsNotCrashes)
{
    for (const char* text :
         {"[]", "3", "{}", R"({"format": 2})", R"({"format": 1, "id": 3, "nodes": 4})",
          R"({"format": 1, "id": "a.b", "version": "1", "nodes": [3, null, [], {}]})",
          R"({"format": 1, "id": "a.b", "version": "1", "library": "x", "nodes": []})"})
        EXPECT_NE(faultsOfManifest(text), "") << text;
    EXPECT_EQ(faultsOfManifest(R"({"format": 1, "id": "a.b", "version": "1", "nodes": []})"), "");
}

TEST(Manifest, ATypeOrPluginExistsOnce)
{
    TypeLibrary types = sampleTypes();
    EXPECT_THAT(texts(types.addManifest(parseJson(kSampleManifest, "x"), "x/plugin.json")),
                HasSubstr("was found already in /plugins/test/plugin.json"));
    Json other = parseJson(kSampleManifest, "x");
    other["id"] = "test.other";
    EXPECT_THAT(texts(types.addManifest(other, "x/plugin.json")),
                HasSubstr("'test.sphere' belongs already to the plugin 'test.nodes'"));
    EXPECT_EQ(types.all().size(), 5u);
    EXPECT_EQ(types.plugin("test.other"), nullptr); // nothing of a faulty manifest is taken
}

TEST(Manifest, AMissingFileIsAFault)
{
    TypeLibrary types;
    EXPECT_THAT(texts(types.addManifestFile("/nowhere/plugin.json")), HasSubstr("No such file"));
}

TEST(Versions, AreComparedByNumber)
{
    EXPECT_TRUE(versionAtLeast("1.10.0", "1.9.9"));
    EXPECT_TRUE(versionAtLeast("1.0", "1.0.0"));
    EXPECT_TRUE(versionAtLeast("2", "1.99"));
    EXPECT_FALSE(versionAtLeast("1.0.0", "1.0.1"));
    EXPECT_TRUE(versionAtLeast("1.0.0", "99999999999999999999999.x") == false);
}

TEST(Reference, NamesEverythingAUserCanSet)
{
    std::ostringstream out;
    writeNodeReference(sampleTypes(), out);
    const std::string text = out.str();
    for (const char* part :
         {"## Shapes", "### Sphere", "`test.sphere`",
          "| `radius` | float | 0.5 | 0 to 1000 | m | Of the ball. |", "`stick`, `slip`",
          "| `emitters` | input, several | emitter |", "volume or mesh", "| Big | `radius` 10 |"})
        EXPECT_THAT(text, HasSubstr(part));
}

TEST(Reference, CanBeNarrowedToWhatAPersonLooksFor)
{
    std::ostringstream out;
    writeNodeReference(sampleTypes(), out, "BALL"); // an alias of the sphere
    EXPECT_THAT(out.str(), HasSubstr("test.sphere"));
    EXPECT_THAT(out.str(), testing::Not(HasSubstr("test.union")));
}

} // namespace
} // namespace floe::graph
