// Where plugins are looked for, and which of two with one id is used.
#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/plugin/manifest.hpp"
#include "temporary_folder.hpp"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace floe::plugin {

using testing::HasSubstr;

namespace {

std::string manifestText(const std::string& id)
{
    return R"({"format": 1, "id": ")" + id +
           R"(", "version": "1.0.0", "abi": {"major": 1, "minor": 0}, "nodes": []})";
}

std::string refusal(const std::string& text)
{
    const test::TemporaryFolder folder;
    writeFileAtomically(folder / "plugin.json", text);
    try {
        readManifest(folder.path());
    } catch (const PluginError& error) {
        return error.what();
    }
    return "nothing was refused";
}

} // namespace

TEST(Discovery, TheFirstOfTwoPluginsWithOneIdWinsAndAWarningNamesBoth)
{
    const test::TemporaryFolder root;
    writeFileAtomically(root / "user/mine/plugin.json", manifestText("acme.rope"));
    writeFileAtomically(root / "user/other/plugin.json", manifestText("acme.cloth"));
    writeFileAtomically(root / "application/rope/plugin.json", manifestText("acme.rope"));
    const std::filesystem::path folders[] = {root / "missing", root / "user", root / "application"};
    const Discovery found = discover(folders);
    ASSERT_EQ(found.plugins.size(), 2u);
    EXPECT_EQ(found.plugins[0].folder, root / "user/mine");
    ASSERT_EQ(found.warnings.size(), 1u);
    EXPECT_THAT(found.warnings[0], HasSubstr((root / "user/mine").string()));
    EXPECT_THAT(found.warnings[0], HasSubstr((root / "application/rope").string()));
}

TEST(Discovery, AFolderThatIsAPluginItselfIsFoundOnce)
{
    const test::TemporaryFolder root;
    writeFileAtomically(root / "mine/plugin.json", manifestText("acme.rope"));
    const std::filesystem::path folders[] = {root / "mine", root.path()};
    const Discovery found = discover(folders);
    EXPECT_EQ(found.plugins.size(), 1u);
    EXPECT_TRUE(found.warnings.empty());
}

TEST(Discovery, ABrokenManifestIsAWarningAndTheOthersAreFound)
{
    const test::TemporaryFolder root;
    writeFileAtomically(root / "broken/plugin.json", "{\"format\": 1,");
    writeFileAtomically(root / "good/plugin.json", manifestText("acme.rope"));
    const std::filesystem::path folders[] = {root.path()};
    const Discovery found = discover(folders);
    EXPECT_EQ(found.plugins.size(), 1u);
    ASSERT_EQ(found.warnings.size(), 1u);
    EXPECT_THAT(found.warnings[0], HasSubstr("broken/plugin.json"));
}

TEST(Discovery, FoldersComeInTheOrderOfTheirPriority)
{
    ::setenv("FLOE_PLUGIN_PATH", "/one::/two", 1);
    ::setenv("XDG_DATA_HOME", "/data", 1);
    const auto folders = searchFolders();
    ::unsetenv("FLOE_PLUGIN_PATH");
    ::unsetenv("XDG_DATA_HOME");
    ASSERT_EQ(folders.size(), 4u);
    EXPECT_EQ(folders[0], "/one");
    EXPECT_EQ(folders[1], "/two");
    EXPECT_EQ(folders[2], "/data/floe/plugins");
    EXPECT_EQ(folders[3], (programFolder() / "../lib/floe/plugins").lexically_normal());
}

TEST(Manifests, FaultsNameFileAndEntry)
{
    EXPECT_THAT(refusal("[]"), HasSubstr("plugin.json: the manifest must be an object"));
    EXPECT_THAT(refusal("{}"), HasSubstr("'format' is missing"));
    EXPECT_THAT(refusal(R"({"format": 2})"), HasSubstr("'format' must be 1"));
    EXPECT_THAT(refusal(R"({"format": 1, "id": 3})"), HasSubstr("'id' must be a text"));
    EXPECT_THAT(refusal(R"({"format": 1, "id": "a", "version": "1", "abi": []})"),
                HasSubstr("abi must be an object"));
    EXPECT_THAT(
        refusal(R"({"format": 1, "id": "a", "version": "1", "abi": {"major": 1e99, "minor": 0}})"),
        HasSubstr("'abi.major' must be a whole number"));
    // A library outside the plugin's folder.
    EXPECT_THAT(refusal(R"({"format": 1, "id": "a", "version": "1", "library": "../../x"})"),
                HasSubstr("'library' must be a file name"));
    EXPECT_THAT(refusal(R"({"format": 1, "id": "a", "version": "1", "library": "a",
                            "abi": {"major": 1, "minor": 0}, "nodes": [{"type": "n"}, {"type": "n"}]})"),
                HasSubstr("'nodes[1].type' 'n' is there twice"));
    EXPECT_THAT(refusal(R"({"format": 1, "id": "a", "version": "1",
                            "abi": {"major": 1, "minor": 0}, "nodes": [{"type": "n"}]})"),
                HasSubstr("needs code or a graph"));
    EXPECT_THROW(readManifest("/nowhere"), PluginError);
}

} // namespace floe::plugin
