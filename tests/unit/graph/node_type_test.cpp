#include "sample.hpp"

#include "floe/graph/reference.hpp"

#include <gmock/gmock.h>

#include <sstream>

namespace floe::graph {
namespace {

using testing::HasSubstr;
using testing::Not;

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
    EXPECT_EQ(sphere->parameters.size(), 11u);
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
                       {"name": "t", "type": "float"},
                       {"name": "u", "type": "int", "default": 0, "extensions": ["png"]},
                       {"name": "v", "type": "path", "default": "", "extensions": [".PNG"]}],
        "inputs": [{"name": "a-b", "kind": "volumes"}],
        "presets": [{"name": "p", "values": {"nothing": 1}}],
        "upgrades": [{"from": 1}])");
    for (const char* part :
         {"unknown key 'rolle'", "'solve'", "did you mean 'solver'?", "'double'",
          "'s.default' is 5", "'choices' is missing or empty", "'default' is missing",
          "'s' is declared twice", "'a-b'", "'extensions' is there but the type is int",
          "'extensions' holds '.PNG', write lower-case", "did you mean 'volume'?",
          "unknown parameter 'nothing'", "must be older than the node's version 1"})
        EXPECT_THAT(faults, HasSubstr(part));
}

TEST(Manifest, AnAutomaticParameterIsAFloatThatMayBeZero)
{
    const std::string faults = faultsOfNode(R"("parameters": [
        {"name": "a", "type": "int", "default": 1, "automatic": {"follows": "b", "otherwise": 1}},
        {"name": "c", "type": "float", "default": 1, "min": 0.1,
         "automatic": {"follows": "b", "otherwise": 1}},
        {"name": "d", "type": "float", "default": 1, "automatic": {"follows": "b", "otherwise": 0}},
        {"name": "e", "type": "float", "default": 1, "automatic": {}}])");
    for (const char* part : {"'automatic' is there but the parameter is no float from 0 on",
                             "'times' or 'otherwise' is not above 0", "'follows' is missing",
                             "'otherwise' is missing"})
        EXPECT_THAT(faults, HasSubstr(part));
}

TEST(Manifest, WhatIsKeptAndWantedIsNamed)
{
    const std::string faults = faultsOfNode(R"("parameters": [
        {"name": "a", "type": "int", "default": 1, "keeps": "F"}],
        "inputs": [{"name": "i", "kind": "particles", "wants": [{"when": {"a": "b"}}]},
                   {"name": "j", "kind": "particles",
                    "wants": [{"attribute": "F", "parameter": "a"}]}])");
    for (const char* part : {"'keeps' is there but the type is int", "inputs 'i'", "inputs 'j'",
                             "it names no attribute, or two"})
        EXPECT_THAT(faults, HasSubstr(part));
}

TEST(Manifest, AHandleIsKnownByItsNameUnlessItIsGiven)
{
    TypeLibrary types;
    const std::string manifest = R"({"format": 1, "id": "a.b", "version": "1.0", "library": "b",
        "abi": {"major": 1, "minor": 0}, "nodes": [{"type": "a.b.c", "parameters": [
        {"name": "center", "type": "vector", "default": [0, 0, 0]},
        {"name": "eye", "type": "vector", "default": [0, 0, 0], "handle": "position"},
        {"name": "rotation", "type": "float", "default": 0},
        {"name": "size", "type": "float", "default": 1},
        {"name": "radius", "type": "float", "default": 1, "handle": "none"},
        {"name": "wide", "type": "vector", "default": [1, 1, 1], "handle": "size", "about": "tip"},
        {"name": "tip", "type": "vector", "default": [0, 0, 0], "handle": "point"},
        {"name": "around", "type": "float", "default": 1, "handle": "tube"},
        {"name": "speed", "type": "vector", "default": [1, 1, 1]}]}]})";
    ASSERT_EQ(texts(types.addManifest(parseJson(manifest, "x"), "x/plugin.json")), "");
    const NodeType& type = *types.find("a.b.c");
    const std::pair<const char*, Handle> expected[] = {
        {"center", Handle::Position}, {"eye", Handle::Position}, {"rotation", Handle::None},
        {"size", Handle::Size},       {"radius", Handle::None},  {"wide", Handle::Size},
        {"tip", Handle::Point},       {"around", Handle::Tube},  {"speed", Handle::None}};
    for (const auto& [name, handle] : expected)
        EXPECT_EQ(type.parameter(name)->handle, handle) << name;
    EXPECT_EQ(type.parameter("wide")->about, "tip");

    const std::string faults = faultsOfNode(R"("parameters": [
        {"name": "a", "type": "float", "default": 1, "handle": "position"},
        {"name": "b", "type": "vector", "default": [1, 1, 1], "handle": "radius"},
        {"name": "c", "type": "vector", "default": [1, 1, 1], "handle": "positon"}])");
    for (const char* part :
         {"'handle' is not for a parameter of type float",
          "'handle' is not for a parameter of type vector", "did you mean 'position'?"})
        EXPECT_THAT(faults, HasSubstr(part));
    EXPECT_THAT(faultsOfNode(R"("parameters": [
                    {"name": "a", "type": "float", "default": 1, "handle": "radius"},
                    {"name": "b", "type": "float", "default": 1, "handle": "rise", "about": "a"}])"),
                HasSubstr("'b' is about 'a', which is no place"));
}

TEST(Manifest, AFaultBringsNoFurtherOnesThatAreOnlyItsTraces)
{
    const std::string faults = faultsOfNode(R"("parameters": [
        {"name": "mode", "type": "choice", "default": "calm", "choices": ["calm", "storm"]},
        {"name": "2nd", "type": "float", "default": 0}])");
    EXPECT_THAT(faults, HasSubstr("choices[0] is a text, must be an object"));
    EXPECT_THAT(faults, Not(HasSubstr("mode.default"))); // it cannot be known what is allowed
    EXPECT_THAT(faults, HasSubstr("must be letters, digits and _, not starting with a digit"));
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

constexpr const char* kConditions = R"json("parameters": [
    {"name": "law", "type": "choice", "default": "snow",
     "choices": [{"value": "snow"}, {"value": "sand"}, {"value": "water"}]},
    {"name": "damp", "type": "bool", "default": false, "shownWhen": {"law": ["snow", "sand"]}},
    {"name": "cohesion", "type": "float", "default": 0, "shownWhen": {"damp": true}},
    {"name": "density", "type": "float", "default": 1}])json";

TEST(Conditions, SayWhenAParameterMatters)
{
    TypeLibrary types;
    const std::string manifest = R"({"format": 1, "id": "a.b", "version": "1.0", "library": "b",
        "abi": {"major": 1, "minor": 0}, "nodes": [{"type": "a.b.c", )" +
                                 std::string(kConditions) + "}]}";
    EXPECT_EQ(texts(types.addManifest(parseJson(manifest, "m"), "m")), "");
    const NodeType& type = *types.find("a.b.c");
    const auto matter = [&](const char* stored) {
        std::string names;
        for (const ParameterSpec& spec : type.parameters)
            if (type.matters(spec, parseJson(stored, "t")))
                names += spec.name + " ";
        return names;
    };
    EXPECT_EQ(matter("{}"), "law damp density ");
    EXPECT_EQ(matter(R"({"law": "water"})"), "law density ");
    EXPECT_EQ(matter(R"({"damp": true})"), "law damp cohesion density ");
    // A condition on a parameter that does not matter itself does not hold.
    EXPECT_EQ(matter(R"({"law": "water", "damp": true})"), "law density ");
    // What moves counts with all that it will be.
    EXPECT_EQ(matter(R"({"law": {"keys": [[1, "water"], [20, "sand"]]}})"), "law damp density ");
    EXPECT_EQ(matter(R"({"law": {"keys": [[1, "water"]]}})"), "law density ");
    EXPECT_EQ(matter(R"({"damp": {"expr": "frame > 3"}})"), "law damp cohesion density ");
    // Broken values hide nothing.
    EXPECT_EQ(matter(R"({"law": 3, "damp": {"keys": 7}})"), "law damp cohesion density ");
}

TEST(Conditions, AreChecked)
{
    const auto faults = [](const std::string& condition) {
        std::string text = kConditions;
        const std::string old = R"({"damp": true})";
        return faultsOfNode(text.replace(text.find(old), old.size(), condition));
    };
    EXPECT_EQ(faults(R"({"law": "sand", "damp": [true, false]})"), "");
    EXPECT_THAT(faults(R"({"low": "sand"})"),
                HasSubstr("parameters 'cohesion': 'shownWhen' names the unknown parameter 'low', "
                          "did you mean 'law'?"));
    EXPECT_THAT(
        faults(R"({"law": ["snow", "sandd"]})"),
        HasSubstr("asks whether 'law' is 'sandd', which it never is, did you mean 'sand'?"));
    EXPECT_THAT(faults(R"({"damp": "yes"})"), HasSubstr("must be true or false"));
    EXPECT_THAT(faults(R"({"density": "1"})"), HasSubstr("must name a choice or a bool"));
    for (const char* shape :
         {"3", "[]", "{}", R"({"law": []})", R"({"law": [1]})", R"({"law": null})"})
        EXPECT_THAT(faults(shape), HasSubstr("shownWhen")) << shape;
    EXPECT_THAT(faultsOfNode(R"("parameters": [
        {"name": "a", "type": "bool", "default": true, "shownWhen": {"b": true}},
        {"name": "b", "type": "bool", "default": true, "shownWhen": {"c": true}},
        {"name": "c", "type": "bool", "default": true, "shownWhen": {"b": true}}])"),
                HasSubstr("'shownWhen' leads back to itself: 'b' -> 'c' -> 'b'"));
    std::string chain;
    for (int i = 0; i < 40; ++i)
        chain += (i ? "," : "") + std::string(R"({"name": "p)") + std::to_string(i) +
                 R"(", "type": "bool", "default": true, "shownWhen": {"p)" + std::to_string(i + 1) +
                 R"(": true}})";
    EXPECT_THAT(faultsOfNode("\"parameters\": [" + chain +
                             R"(, {"name": "p40", "type": "bool", "default": true}])"),
                HasSubstr("leads through more than 16 parameters"));
}

TEST(Conditions, ArePartOfTheReference)
{
    TypeLibrary types;
    types.addManifest(parseJson(R"({"format": 1, "id": "a.b", "version": "1.0", "library": "b",
        "abi": {"major": 1, "minor": 0}, "nodes": [{"type": "a.b.c", )" +
                                    std::string(kConditions) + "}]}",
                                "m"),
                      "m");
    std::ostringstream out;
    writeNodeReference(types, out);
    EXPECT_THAT(out.str(), HasSubstr("Used when `law` is `snow` or `sand`."));
    EXPECT_THAT(out.str(), HasSubstr("Used when `damp` is `true`."));
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
          "| Radius `radius` | float | 0.5 | 0 to 1000 | m | Of the ball. |", "`stick`, `slip`",
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
