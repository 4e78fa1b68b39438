#include "floe/plugin/scan.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace floe::plugin {
namespace {

namespace fs = std::filesystem;
using Outcome = ProbeResult::Outcome;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true; // sanitizers catch signals themselves and end with an exit code
#else
constexpr bool kSanitized = false;
#endif

constexpr const char* kManifest = R"({
  "format": 1, "id": "test.scan", "version": "1.0.0", "label": "Scan", "vendor": "Floe",
  "license": "Apache-2.0", "abi": {"major": 1, "minor": 0}, "library": "scan",
  "nodes": [{"type": "test.scan.node", "version": 1, "label": "Node", "category": "Test",
             "help": "Does nothing.", "role": "value", "backends": {"cpu": true, "cuda": "none"},
             "parameters": [], "inputs": [], "outputs": []}]
})";

class Scan : public testing::Test {
protected:
    void SetUp() override
    {
        fs::create_directories(root_);
        setenv("FLOE_TEST_TRACE", (root_ / "trace").c_str(), 1);
        settings_.cacheFile = root_ / "cache" / "plugins.json";
        settings_.probe.limits.time = std::chrono::seconds(30); // slow machines, sanitizers
    }
    void TearDown() override
    {
        unsetenv("FLOE_TEST_TRACE");
        fs::permissions(root_, fs::perms::owner_all, fs::perm_options::add);
        fs::remove_all(root_);
    }

    /// A plugin folder with the library built for this fault.
    fs::path plugin(const std::string& fault, const std::string& manifest = kManifest)
    {
        const fs::path folder = root_ / "plugins" / fault;
        fs::create_directories(folder);
        fs::copy_file(fs::path(FLOE_BINARY_DIR) / "tests/scan_plugins" / ("lib" + fault + ".so"),
                      folder / "libscan.so", fs::copy_options::overwrite_existing);
        writeFileAtomically(folder / "plugin.json", manifest);
        return folder;
    }
    ScannedPlugin scanOne(const fs::path& folder)
    {
        report_ = scan(std::vector{folder}, settings_);
        return report_.plugins.at(0);
    }
    /// How often the library of this test was loaded.
    long loads() const
    {
        std::error_code error;
        if (!fs::exists(root_ / "trace", error))
            return 0;
        const std::string trace = readFile(root_ / "trace");
        return std::count(trace.begin(), trace.end(), '\n');
    }

    fs::path root_ = fs::temp_directory_path() / ("floe-scan-" + std::to_string(::getpid()));
    ScanSettings settings_;
    ScanReport report_;
};

TEST_F(Scan, GoodPluginIsUsable)
{
    const fs::path folder = plugin("FINE");
    const ScannedPlugin scanned = scanOne(folder);
    EXPECT_EQ(scanned.result.outcome, Outcome::usable) << scanned.result.reason;
    EXPECT_EQ(loads(), 1);
    EXPECT_TRUE(report_.usable(folder));
    EXPECT_THAT(report_.warnings, IsEmpty());
}

// Whatever a plugin does while it loads, the scan says so and goes on.

TEST_F(Scan, CrashInInitialise)
{
    for (const char* fault : {"CRASH", "NULL_WRITE"}) {
        const ScannedPlugin scanned = scanOne(plugin(fault));
        EXPECT_EQ(scanned.result.outcome, Outcome::crashed);
        EXPECT_FALSE(report_.usable(plugin(fault)));
        if (!kSanitized) {
            EXPECT_THAT(scanned.result.reason, HasSubstr("while loading was ended by SIGSEGV"));
        }
        EXPECT_THAT(report_.warnings, ElementsAre(HasSubstr(fault)));
    }
}

TEST_F(Scan, CrashBeforeTheFirstCallAndAfterTheLast)
{
    EXPECT_EQ(scanOne(plugin("CRASH_IN_CONSTRUCTOR")).result.outcome, Outcome::crashed);
    const ScannedPlugin last = scanOne(plugin("CRASH_AT_END"));
    EXPECT_EQ(last.result.outcome, Outcome::crashed);
    EXPECT_THAT(last.result.reason, HasSubstr("while unloading"));
}

TEST_F(Scan, AbortTellsWhatWasPrinted)
{
    const ScannedPlugin scanned = scanOne(plugin("ABORT"));
    EXPECT_EQ(scanned.result.outcome, Outcome::crashed);
    EXPECT_THAT(scanned.result.reason, HasSubstr("it last printed: the heap is broken"));
}

TEST_F(Scan, ExitInInitialiseIsNotSuccess)
{
    const ScannedPlugin scanned = scanOne(plugin("EXIT"));
    EXPECT_EQ(scanned.result.outcome, Outcome::crashed);
    EXPECT_THAT(scanned.result.reason, HasSubstr("ended with exit code 0"));
}

TEST_F(Scan, HangIsEndedInTime)
{
    settings_.probe.limits.time = std::chrono::milliseconds(1500);
    for (const char* fault : {"HANG", "STUBBORN_HANG"}) {
        const ScannedPlugin scanned = scanOne(plugin(fault));
        EXPECT_EQ(scanned.result.outcome, Outcome::hung) << fault;
        EXPECT_THAT(scanned.result.reason, HasSubstr("did not end within 1.5"));
    }
}

TEST_F(Scan, FloodOfOutputIsBounded)
{
    const ScannedPlugin scanned = scanOne(plugin("FLOOD")); // 16 MB on each of its descriptors
    EXPECT_NE(scanned.result.outcome, Outcome::hung);
    EXPECT_LT(scanned.result.reason.size(), 1000u);
}

TEST_F(Scan, ProcessLeftBehindDoesNotHoldUpTheScan)
{
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(scanOne(plugin("LEFT_BEHIND")).result.outcome, Outcome::usable);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST_F(Scan, FailureToInitialiseIsRefused)
{
    EXPECT_EQ(scanOne(plugin("FAIL")).result.outcome, Outcome::refused);
    EXPECT_THAT(report_.plugins[0].result.reason, HasSubstr("licence server"));
}

TEST_F(Scan, BrokenInterfacesAreRefusedWithTheirReason)
{
    EXPECT_THAT(scanOne(plugin("MISSING_SYMBOL")).result.reason, HasSubstr("floe_plugin_entry"));
    EXPECT_THAT(scanOne(plugin("WRONG_MAJOR")).result.reason, HasSubstr("2"));
    for (const char* fault : {"MISSING_SYMBOL", "WRONG_MAJOR", "TRUNCATED"}) {
        const ScannedPlugin scanned = scanOne(plugin(fault));
        EXPECT_EQ(scanned.result.outcome, Outcome::refused) << fault;
        EXPECT_THAT(scanned.result.reason, Not(IsEmpty()));
    }
}

TEST_F(Scan, HostileManifestsAreRefused)
{
    const std::string good = kManifest;
    const auto with = [&](const std::string& old, const std::string& text) {
        std::string manifest = good;
        return manifest.replace(manifest.find(old), old.size(), text);
    };
    const std::string bomb(200000, '[');
    const std::string manifests[] = {
        "",
        "{",
        "null",
        "[1, 2]",
        "\xff\xfe\x00garbage",
        bomb,
        with("\"scan\"", "\"../../../../usr/lib/x86_64-linux-gnu/libm\""),
        with("\"scan\"", "\"/usr/lib/libm.so.6\""),
        with("\"scan\"", "7"),
        with("\"scan\"", "\"no_such_library\""),
        with("\"test.scan\"", "\"another.id\""),
        with("\"1.0.0\"", "\"9.9.9\""),
        with("\"test.scan.node\"", "\"test.scan.other\""),
        with("\"nodes\": [", "\"nodes\": 3, \"x\": ["),
        with("\"major\": 1", "\"major\": 1e300"),
    };
    for (const std::string& manifest : manifests) {
        const ScannedPlugin scanned = scanOne(plugin("FINE", manifest));
        EXPECT_EQ(scanned.result.outcome, Outcome::refused) << manifest.substr(0, 200);
        EXPECT_LT(scanned.result.reason.size(), 5000u);
    }
}

TEST_F(Scan, HugeManifestIsRefusedWithoutReadingItAll)
{
    const fs::path folder = plugin("FINE");
    ASSERT_EQ(::truncate((folder / "plugin.json").c_str(), off_t{64} << 30), 0); // sparse
    EXPECT_EQ(scanOne(folder).result.outcome, Outcome::refused);
}

TEST_F(Scan, ManifestThatIsAPipeDoesNotBlock)
{
    const fs::path folder = plugin("FINE");
    fs::remove(folder / "plugin.json");
    ASSERT_EQ(::mkfifo((folder / "plugin.json").c_str(), 0600), 0);
    EXPECT_EQ(scanOne(folder).result.outcome, Outcome::refused);
}

TEST_F(Scan, MissingAndUnreadableFoldersAreRefused)
{
    EXPECT_EQ(scanOne(root_ / "nowhere").result.outcome, Outcome::refused);
    const fs::path folder = plugin("FINE");
    fs::permissions(folder / "plugin.json", fs::perms::none);
    if (::access((folder / "plugin.json").c_str(), R_OK) == 0)
        GTEST_SKIP() << "this user may read every file";
    EXPECT_EQ(scanOne(folder).result.outcome, Outcome::refused);
}

// The cache.

TEST_F(Scan, KnownPluginIsNotLoadedAgain)
{
    const fs::path folder = plugin("FINE");
    EXPECT_FALSE(scanOne(folder).fromCache);
    EXPECT_TRUE(scanOne(folder).fromCache);
    EXPECT_EQ(loads(), 1);
    settings_.rescan = true;
    EXPECT_FALSE(scanOne(folder).fromCache);
    EXPECT_EQ(loads(), 2);
}

TEST_F(Scan, CrashIsRememberedWithItsReason)
{
    const fs::path folder = plugin("CRASH");
    const ScannedPlugin first = scanOne(folder);
    const ScannedPlugin again = scanOne(folder);
    EXPECT_TRUE(again.fromCache);
    EXPECT_EQ(again.result.outcome, Outcome::crashed);
    EXPECT_EQ(again.result.reason, first.result.reason);
    EXPECT_THAT(report_.warnings, ElementsAre(HasSubstr("CRASH")));
    EXPECT_EQ(loads(), 1);
}

TEST_F(Scan, RefusedPluginGetsAnotherChance)
{
    // Its cause may lie elsewhere: a missing system library, a licence.
    const fs::path folder = plugin("FAIL");
    scanOne(folder);
    EXPECT_FALSE(scanOne(folder).fromCache);
    EXPECT_EQ(loads(), 2);
}

// What kills the process from outside says nothing of the plugin.
TEST_F(Scan, KilledFromOutsideItIsTriedAgain)
{
    const fs::path folder = plugin("KILLED");
    setenv("FLOE_TEST_KILLS", "2", 1);
    EXPECT_EQ(scanOne(folder).result.outcome, Outcome::usable) << report_.plugins[0].result.reason;
    EXPECT_EQ(loads(), 3);
    EXPECT_TRUE(scanOne(folder).fromCache);
    unsetenv("FLOE_TEST_KILLS");
}

TEST_F(Scan, KilledEachTimeItIsNotRememberedAndTheCureIsNamed)
{
    const fs::path folder = plugin("KILLED");
    setenv("FLOE_TEST_KILLS", "5", 1);
    const ScannedPlugin scanned = scanOne(folder);
    EXPECT_EQ(scanned.result.outcome, Outcome::killed);
    EXPECT_EQ(loads(), 3); // bounded
    EXPECT_THAT(report_.warnings,
                ElementsAre(testing::AllOf(HasSubstr("SIGKILL (stopped from outside"),
                                           HasSubstr("floe plugin list --rescan"))));
    const ScannedPlugin later = scanOne(folder);
    EXPECT_FALSE(later.fromCache);
    EXPECT_TRUE(later.result.usable());
    unsetenv("FLOE_TEST_KILLS");
}

TEST_F(Scan, WhatEndsTheTrialBeforeItBeginsIsNotRemembered)
{
    const fs::path folder = plugin("FINE");
    const auto trial = settings_.probe.command;
    settings_.probe.command = {"/bin/sh", "-c", "kill -SEGV $$"};
    EXPECT_EQ(scanOne(folder).result.outcome, Outcome::killed);
    settings_.probe.command = trial;
    const ScannedPlugin later = scanOne(folder);
    EXPECT_FALSE(later.fromCache);
    EXPECT_TRUE(later.result.usable());
}

TEST_F(Scan, StoppedFromOutsideItIsNotRemembered)
{
    settings_.probe.limits.time = std::chrono::milliseconds(400);
    const fs::path folder = plugin("STOPPED");
    EXPECT_EQ(scanOne(folder).result.outcome, Outcome::killed);
    EXPECT_THAT(report_.plugins[0].result.reason, HasSubstr("(stopped from outside)"));
    EXPECT_FALSE(scanOne(folder).fromCache);
}

TEST_F(Scan, ChangedLibraryIsProbedAgain)
{
    const fs::path folder = plugin("CRASH");
    EXPECT_EQ(scanOne(folder).result.outcome, Outcome::crashed);
    fs::remove(folder / "libscan.so");
    fs::copy_file(fs::path(FLOE_BINARY_DIR) / "tests/scan_plugins/libFINE.so",
                  folder / "libscan.so");
    EXPECT_EQ(scanOne(folder).result.outcome, Outcome::usable);
}

TEST_F(Scan, ChangedManifestIsProbedAgain)
{
    const fs::path folder = plugin("FINE");
    EXPECT_TRUE(scanOne(folder).result.usable());
    plugin("FINE", "{}");
    EXPECT_FALSE(scanOne(folder).result.usable());
}

TEST_F(Scan, TouchedButEqualLibraryIsNotProbedAgain)
{
    const fs::path folder = plugin("FINE");
    scanOne(folder);
    fs::last_write_time(folder / "libscan.so", fs::file_time_type::clock::now());
    EXPECT_TRUE(scanOne(folder).fromCache);
    EXPECT_EQ(loads(), 1);
}

TEST_F(Scan, BrokenCacheIsAWarningAndIsRepaired)
{
    const fs::path folder = plugin("FINE");
    scanOne(folder);
    const std::string good = readFile(settings_.cacheFile);
    const std::string versionEnd = good.substr(0, good.size() / 2);
    std::string wrongType = good;
    wrongType.replace(wrongType.find("\"usable\""), 8, "[{}, 1]");
    for (const std::string& broken :
         {std::string("{"), std::string(), versionEnd, wrongType, std::string(1 << 20, '[')}) {
        writeFileAtomically(settings_.cacheFile, broken);
        EXPECT_TRUE(scanOne(folder).result.usable());
        EXPECT_THAT(report_.warnings, ElementsAre(HasSubstr("plugins.json")));
        EXPECT_TRUE(scanOne(folder).fromCache);
        EXPECT_THAT(report_.warnings, IsEmpty());
    }
}

TEST_F(Scan, CacheThatCannotBeWrittenIsAWarning)
{
    writeFileAtomically(root_ / "file", "");
    settings_.cacheFile = root_ / "file" / "plugins.json"; // a file in place of its folder
    EXPECT_TRUE(scanOne(plugin("FINE")).result.usable());
    EXPECT_THAT(report_.warnings, ElementsAre(HasSubstr("plugins.json")));
}

TEST_F(Scan, RemovedPluginsLeaveTheCache)
{
    const fs::path folder = plugin("CRASH");
    scanOne(folder);
    fs::remove_all(folder);
    scanOne(plugin("FINE"));
    EXPECT_THAT(readFile(settings_.cacheFile), Not(HasSubstr("CRASH")));
}

TEST_F(Scan, VersionsOfTheProgramKeepEachOthersResults)
{
    // Two versions on one machine, each with its own plugins beside one of a third party.
    const fs::path shared = plugin("FINE"), old = plugin("CRASH");
    settings_.program = "1.0";
    scan(std::vector{shared, old}, settings_);
    settings_.program = "2.0";
    EXPECT_FALSE(scanOne(shared).fromCache); // a result holds for the version that found it
    EXPECT_TRUE(scanOne(shared).fromCache);
    settings_.program = "1.0";
    report_ = scan(std::vector{shared, old}, settings_);
    EXPECT_TRUE(report_.plugins[0].fromCache);
    EXPECT_TRUE(report_.plugins[1].fromCache);
    EXPECT_EQ(report_.plugins[1].result.outcome, Outcome::crashed);

    for (const char* other : {"3.0", "4.0", "5.0", "6.0"}) { // those used longest ago are forgotten
        settings_.program = other;
        scanOne(shared);
    }
    EXPECT_THAT(readFile(settings_.cacheFile), Not(HasSubstr("\"1.0\"")));
    settings_.program = "3.0";
    EXPECT_TRUE(scanOne(shared).fromCache);
}

TEST_F(Scan, OneBadPluginDoesNotHarmItsNeighbours)
{
    const std::vector<fs::path> folders = {plugin("CRASH"), plugin("FINE"), plugin("ABORT"),
                                           plugin("MISSING_SYMBOL")};
    const ScanReport report = scan(folders, settings_);
    std::vector<Outcome> outcomes;
    for (const ScannedPlugin& scanned : report.plugins)
        outcomes.push_back(scanned.result.outcome);
    EXPECT_THAT(outcomes,
                ElementsAre(Outcome::crashed, Outcome::usable, Outcome::crashed, Outcome::refused));
    EXPECT_EQ(report.warnings.size(), 3u);
}

TEST_F(Scan, AProcessThatTriesOutAPluginTriesOutNoOthers)
{
    settings_.probe.command = {"/proc/self/exe", "probe-another"};
    const ProbeResult result = probe(plugin("FINE"), settings_.probe);
    EXPECT_EQ(result.outcome, Outcome::refused);
    EXPECT_THAT(result.reason, HasSubstr("must not"));
}

} // namespace
} // namespace floe::plugin
