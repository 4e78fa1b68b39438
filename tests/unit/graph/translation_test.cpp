#include "sample.hpp"

#include "floe/graph/reference.hpp"
#include "floe/graph/translation.hpp"

#include <gmock/gmock.h>

#include <sstream>
#include <sys/stat.h>

namespace floe::graph {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kFrench = R"json({
  "format": 1, "language": "fr", "plugin": "test.nodes",
  "texts": {"Test": "Essai", "Sphere": "Sphère", "Shapes": "Formes", "A ball.": "Une boule.",
            "Radius": "Rayon", "Of the ball.": "De la boule.", "Slip": "Glisse", "Big": "Grande"},
  "nodes": {"test.sphere": {"aliases": ["boule"]},
            "test.union": {"texts": {"Shapes": "Opérations"}}}
})json";

/// The sample plugin in a folder of its own, with one translation.
class Translated : public testing::Test {
protected:
    /// @return what was said about the translation
    std::string load(const std::string& translation, const std::vector<std::string>& languages,
                     const std::string& name = "fr.json")
    {
        fs::create_directories(folder_.path() / "translations");
        folder_.file("plugin.json", kSampleManifest);
        folder_.file("translations/" + name, translation);
        return read(languages);
    }
    std::string read(const std::vector<std::string>& languages)
    {
        types_ = {};
        EXPECT_EQ(texts(types_.addManifestFile((folder_.path() / "plugin.json").string())), "");
        return texts(types_.translate(languages));
    }
    const NodeType& sphere() const { return *types_.find("test.sphere"); }
    void expectEnglish() const
    {
        EXPECT_EQ(sphere().label, "Sphere");
        EXPECT_EQ(sphere().help, "A ball.");
        EXPECT_THAT(sphere().aliases, ElementsAre("ball"));
    }

    TemporaryFolder folder_;
    TypeLibrary types_;
};

TEST_F(Translated, EveryTextThatAPersonReadsIsInTheirLanguage)
{
    EXPECT_EQ(load(kFrench, {"fr_CA", "fr"}), "");
    EXPECT_EQ(types_.plugin("test.nodes")->label, "Essai");
    EXPECT_EQ(sphere().label, "Sphère");
    EXPECT_EQ(sphere().help, "Une boule.");
    EXPECT_EQ(sphere().categoryLabel, "Formes");
    EXPECT_EQ(sphere().parameter("radius")->label, "Rayon");
    EXPECT_EQ(sphere().parameter("radius")->help, "De la boule.");
    EXPECT_EQ(sphere().parameter("mode")->choices[1].label, "Glisse");
    EXPECT_EQ(sphere().presets[0].label, "Grande");
    EXPECT_EQ(types_.find("test.union")->categoryLabel, "Opérations"); // its own comes first
}

TEST_F(Translated, WhatGraphsStoreStaysAsItIs)
{
    load(kFrench, {"fr"});
    EXPECT_EQ(sphere().type, "test.sphere");
    EXPECT_EQ(sphere().category, "Shapes"); // the key of colours
    EXPECT_EQ(sphere().parameter("radius")->unit, "m");
    EXPECT_EQ(sphere().parameter("mode")->choices[1].value, "slip");
    EXPECT_EQ(sphere().presets[0].name, "big");
    EXPECT_NE(sphere().output("shape"), nullptr);
}

TEST_F(Translated, SearchWordsOfBothLanguagesFindANode)
{
    load(kFrench, {"fr"});
    EXPECT_THAT(sphere().aliases, ElementsAre("boule", "ball", "Sphere"));
}

TEST_F(Translated, TextsWithoutALineStayEnglish)
{
    EXPECT_EQ(load(R"({"format": 1, "language": "fr", "plugin": "test.nodes",
                       "texts": {"Radius": "Rayon"}})",
                   {"fr"}),
              "");
    EXPECT_EQ(sphere().parameter("radius")->label, "Rayon");
    EXPECT_EQ(sphere().label, "Sphere");
}

TEST_F(Translated, TheBestLanguageThatThereIsIsTaken)
{
    load(kFrench, {"de_DE", "de", "fr"});
    EXPECT_EQ(sphere().label, "Sphère");
    for (const auto& languages : std::vector<std::vector<std::string>>{{},
                                                                       {"de"},
                                                                       {"en_US", "en", "fr"},
                                                                       {"C", "fr"},
                                                                       {"../translations/fr"},
                                                                       {"fr/../fr"}}) {
        EXPECT_EQ(read(languages), "");
        expectEnglish();
    }
    EXPECT_EQ(load(R"({"format": 1, "language": "fr_CA", "plugin": "test.nodes",
                       "texts": {"Sphere": "Boule"}})",
                   {"fr_CA", "fr"}, "fr_CA.json"),
              "");
    EXPECT_EQ(sphere().label, "Boule");
}

TEST_F(Translated, ABrokenFileIsNamedWithItsCureAndEnglishIsShown)
{
    const std::string head = R"({"format": 1, "language": "fr", "plugin": "test.nodes", )";
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    const std::vector<std::pair<std::string, const char*>> broken = {
        {"", "line 1"},
        {"[]", "must be an object"},
        {"{\"format\": 1", "line 1"},
        {head + "\"texts\": " + deep + "}", "nested"},
        {head + R"("texts": {"a": ")" + std::string(2 << 20, 'x') + "\"}}", "1048576"},
        {head + R"("texts": {"Sphere": ")" + std::string(9000, 'x') + "\"}}",
         "at most 8192 are allowed"},
        {head + "\"texts\": {\"Sphere\": \"\xff\"}}", "line 1"},
        {head + R"("texts": {"Sphere": "a", "Sphere": "b"}})", "Sphere"},
        {head + R"("texts": {"Sphere": 3}})", "'texts: 'Sphere'' is a number, must be a text"},
        {head + R"("texts": {"Sphere": ""}})", "is empty, translate it or remove the line"},
        {head + R"("text": {"Sphere": "Sphère"}})", "unknown key 'text'"},
        {head + R"("nodes": {"test.sphere": {"label": "Sphère"}}})", "unknown key 'label'"},
        {head + R"("nodes": {"test.sphere": {"aliases": [{}]}}})", "must be a text"},
        {head + R"("nodes": {"test.sphere": 3}})", "must be an object"},
        {R"({"format": 2, "language": "fr", "plugin": "test.nodes"})", "format 1"},
        {R"({"format": 1, "language": "de", "plugin": "test.nodes"})", "as in the file's name"},
        {R"({"format": 1, "language": "fr", "plugin": "other.nodes"})", "must be 'test.nodes'"},
        {R"({"format": 1, "language": "fr"})", "'plugin' is missing"},
    };
    for (const auto& [text, said] : broken) {
        const std::string faults = load(text, {"fr"});
        EXPECT_THAT(faults, HasSubstr((folder_.path() / "translations/fr.json").string()));
        EXPECT_THAT(faults, HasSubstr(said)) << text.substr(0, 200);
        expectEnglish();
    }
}

TEST_F(Translated, WhatIsNoFileIsNotWaitedFor)
{
    load(kFrench, {"fr"});
    const fs::path file = folder_.path() / "translations/fr.json";
    fs::remove(file);
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0); // opening it would block
    EXPECT_THAT(read({"fr"}), HasSubstr("is not a file"));
    expectEnglish();
    fs::remove(file);
    fs::create_directory(file);
    EXPECT_THAT(read({"fr"}), HasSubstr("is not a file"));
    expectEnglish();
}

TEST_F(Translated, TheCheckNamesStaleAndMissingLines)
{
    load(kFrench, {});
    std::vector<Fault> faults;
    const std::string path = (folder_.path() / "translations/fr.json").string();
    auto translation = readTranslation(path, faults);
    ASSERT_TRUE(translation) << texts(faults);
    translation->texts.erase("Radius");
    translation->texts["Raduis"] = "Rayon";
    translation->nodes["test.sfere"].aliases = {"boule"};
    translation->nodes["test.union"].texts["Shapse"] = "Formes";
    translation->nodes["test.sphere"].aliases.clear();
    faults = checkTranslation(*translation, *types_.plugin("test.nodes"), types_.all(), path);
    EXPECT_FALSE(anyError(faults));
    for (const char* said :
         {"'Radius' has no translation, add a line to 'texts'", "the manifest has no text 'Raduis'",
          "the manifest has no node type 'test.sfere', remove it from 'nodes'",
          "'test.union' has no text 'Shapse'", "search for 'test.sphere' has no translation"})
        EXPECT_THAT(texts(faults), HasSubstr(path + ": " + said));
}

TEST_F(Translated, TheReferenceFollows)
{
    load(kFrench, {"fr"});
    std::ostringstream out;
    ReferenceWords words;
    words.parameter = "paramètre";
    words.fromTo = "de %1 à %2";
    writeNodeReference(types_, out, {}, words);
    for (const char* part : {"## Formes", "### Sphère", "| paramètre |",
                             "| Rayon `radius` | float | 0.5 | de 0 à 1000 | m | De la boule. |"})
        EXPECT_THAT(out.str(), HasSubstr(part));
}

// What ships is French throughout: no text without its line, no line without its text.
TEST(TranslationsOfPlugins, AreComplete)
{
    int examples = 0, plugins = 0;
    const fs::path root = FLOE_SOURCE_DIR "/plugins";
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
        if (entry.path().filename() != "plugin.json")
            continue;
        const fs::path folder = entry.path().parent_path();
        const bool example = folder.parent_path().filename() == "examples";
        const std::string file = (folder / "translations/fr.json").string();
        if (example && !fs::exists(file))
            continue; // one of them shows how
        ++(example ? examples : plugins);
        TypeLibrary types;
        EXPECT_EQ(texts(types.addManifestFile(entry.path().string())), "");
        std::vector<Fault> faults;
        const auto translation = readTranslation(file, faults);
        EXPECT_EQ(texts(faults), "");
        if (!translation)
            continue;
        faults = checkTranslation(*translation, *types.plugins().front(), types.all(), file);
        EXPECT_EQ(texts(faults), "");
    }
    EXPECT_GE(plugins, 11);
    EXPECT_GE(examples, 1);
}

} // namespace
} // namespace floe::graph
