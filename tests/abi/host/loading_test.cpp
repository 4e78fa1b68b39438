// Which plugins the host loads, and what it says of those that it refuses.
#include "environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace floe::plugin {

using test::at;
using test::pluginFolder;
using test::TestEnvironment;
using testing::HasSubstr;

namespace {

std::string refusal(const std::string& name)
{
    try {
        load(pluginFolder(name));
    } catch (const PluginError& error) {
        return error.what();
    }
    return "nothing was refused";
}

} // namespace

// The same C source, built against this header, against the frozen one of 1.0, and as a later minor
// version would be: all of them are 1.x and must work.
class EveryMinorVersion : public testing::TestWithParam<const char*> {};

TEST_P(EveryMinorVersion, LoadsAndCooks)
{
    const auto plugin = load(pluginFolder(GetParam()));
    EXPECT_EQ(plugin->manifest().version, "1.2.3");
    NodeInstance node(plugin, "test.raw", "debris/ball");
    TestEnvironment environment;
    environment.sockets["in"] = {make<NumberValue>(20.0)};
    for (int cooks = 1; cooks <= 2; ++cooks) {
        CookContext context(at(1), environment);
        node.cook(context);
        EXPECT_EQ(environment.number(), 40 + cooks);
    }
}

INSTANTIATE_TEST_SUITE_P(Abi, EveryMinorVersion,
                         testing::Values("abi_raw", "abi_frozen", "abi_newer"));

TEST(Loading, AnotherMajorVersionIsRefusedWithBothVersions)
{
    EXPECT_THAT(refusal("abi_major"), HasSubstr("version 2.0 of the plugin interface, this Floe"));
    // Already the manifest tells, before any code is loaded.
    EXPECT_THAT(refusal("abi_manifest_major"), HasSubstr("plugin.json"));
}

TEST(Loading, TruncatedStructsAreRefused)
{
    EXPECT_THAT(refusal("abi_short_entry"), HasSubstr("truncated: struct_size is 24"));
    EXPECT_THAT(refusal("abi_tiny_entry"), HasSubstr("truncated: struct_size is 2"));
    EXPECT_THAT(refusal("abi_short_class"), HasSubstr("node class 0 is truncated"));
}

TEST(Loading, MissingSymbolsAreNamed)
{
    EXPECT_THAT(refusal("abi_no_symbol"), HasSubstr("no symbol 'floe_plugin_entry'"));
    EXPECT_THAT(refusal("abi_unresolved"), HasSubstr("a_function_that_nobody_has"));
    EXPECT_THAT(refusal("abi_null_entry"), HasSubstr("NULL"));
}

TEST(Loading, ThePluginsOwnReasonForNotStartingIsShown)
{
    EXPECT_THAT(refusal("abi_init_fails"), HasSubstr("no licence found"));
}

TEST(Loading, CodeAndManifestMustAgree)
{
    EXPECT_THAT(refusal("abi_other_id"), HasSubstr("manifest says 'test.somebody_else'"));
    EXPECT_THAT(refusal("abi_other_version"), HasSubstr("manifest says '9.9.9'"));
    EXPECT_THAT(refusal("abi_missing_node"), HasSubstr("no node class 'test.promised'"));
    EXPECT_THAT(refusal("abi_extra_node"),
                HasSubstr("node class 'test.raw' that its manifest does not list"));
    EXPECT_THAT(refusal("abi_solver"), HasSubstr("lacks save or load"));
}

TEST(Loading, EveryRefusalNamesTheFile)
{
    for (const char* name : {"abi_major", "abi_no_symbol", "abi_short_class", "abi_other_id"})
        EXPECT_THAT(refusal(name), testing::StartsWith(pluginFolder(name).string())) << name;
}

TEST(Loading, AFolderGivesTheSamePluginWhileItIsInUse)
{
    const auto first = load(pluginFolder("abi_raw"));
    EXPECT_EQ(first, load(pluginFolder("abi_raw") / "../abi_raw"));
}

TEST(Loading, CodeUpgradesParametersOfOlderNodes)
{
    const auto plugin = load(pluginFolder("abi_raw"));
    EXPECT_EQ(migrate(*plugin, "test.raw", 1, "{}"), "{\"new\": 1}");
    EXPECT_THROW(migrate(*plugin, "test.raw", 7, "{}"), PluginError);
}

TEST(Loading, ExtensionsAreFoundByIdAndRevision)
{
    static const int table = 3;
    registerExtension("floe.test/1", &table);
    EXPECT_EQ(hostInterface()->extension("floe.test/1"), &table);
    EXPECT_EQ(hostInterface()->extension("floe.test/2"), nullptr);
    EXPECT_EQ(hostInterface()->extension(nullptr), nullptr);
    registerExtension("floe.test/1", nullptr);
    EXPECT_EQ(hostInterface()->extension("floe.test/1"), nullptr);
}

} // namespace floe::plugin
