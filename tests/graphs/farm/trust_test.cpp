// What a farm trusts without looking: that a job ends, within its memory, with an exit code that
// says why, and that the same job gives the same files.
#include "run_graph.hpp"

#include "floe/base/file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>
#include <regex>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace floe {
namespace {

namespace fs = std::filesystem;

using test::Finished;
using test::runFloe;
using test::TemporaryFolder;
using testing::HasSubstr;

const std::string kScene = std::string(FLOE_SOURCE_DIR) + "/graphs/first_snow.floe.json";
const std::string kSmall = " --set solver.cellSize=0.08 --set render.width=64 --set "
                           "render.height=36 --progress quiet" +
                           test::onDevice();

/// Every file below a folder: its name and content, without what differs from run to run.
std::map<std::string, std::string> filesOf(const fs::path& folder)
{
    static const std::regex times(
        R"re("(\w*[sS]econds|residentBytes|started)": ("[^"]*"|[-+.\w]+),?)re");
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) {
            std::string content = readFile(entry.path());
            if (entry.path().filename() == "run.json")
                content = std::regex_replace(content, times, "");
            files[fs::relative(entry.path(), folder).string()] = std::move(content);
        }
    return files;
}

// Twice, on one thread and on two: movie, pictures, particles, cache and checkpoints, byte for
// byte.
TEST(Trust, TheSameRunGivesTheSameFiles)
{
    const TemporaryFolder folder;
    const auto run = [&](const std::string& name) {
        const Finished finished =
            runFloe("run " + kScene + kSmall + " --end 3 --cache --checkpoint-every 1 -o " +
                    (folder / name).string());
        EXPECT_EQ(finished.code, 0) << finished.output;
        return filesOf(folder / name);
    };
    const auto first = run("first"), second = run("second");
    EXPECT_GE(first.size(), 12u);
    ASSERT_EQ(first.size(), second.size());
    for (const auto& [name, content] : first) {
        ASSERT_TRUE(second.contains(name)) << name;
        EXPECT_TRUE(content == second.at(name)) << name << " differs";
    }
}

TEST(Trust, AnAmountOfMemoryIsANumber)
{
    for (const char* amount : {"nan", "-nan", "inf", "-1", "1e300", "much"}) {
        const Finished finished = runFloe("run " + kScene + " --memory=" + amount);
        EXPECT_EQ(finished.code, 2) << amount << ": " << finished.output;
        EXPECT_THAT(finished.output, HasSubstr("--memory")) << amount;
    }
}

// A driver that draws on the processor crashes for want of address space, or seems not to be there.
TEST(Trust, AnAddressSpaceTooShortToDrawInIsNamed)
{
    const TemporaryFolder folder;
    for (const char* kibibytes : {"430000", "600000", "700000"}) {
        const Finished finished =
            runFloe("run " + kScene + kSmall + " --end 1 -o " + (folder / kibibytes).string(),
                    std::string("ulimit -v ") + kibibytes + ";");
        EXPECT_EQ(finished.code, 6) << kibibytes << ": " << finished.output;
        EXPECT_THAT(finished.output, HasSubstr("ulimit -v")) << kibibytes;
        EXPECT_THAT(finished.output, testing::Not(HasSubstr("the run more memory"))) << kibibytes;
    }
}

// The system ends a process that has used up its time, whatever was at work then: no plugin's
// fault.
TEST(Trust, ALimitOnProcessorTimeIsNamed)
{
    const TemporaryFolder folder;
    const Finished finished =
        runFloe("run " + kScene + " --progress quiet --device cpu -o " + (folder / "out").string(),
                "ulimit -S -t 2;");
    EXPECT_EQ(finished.code, 9) << finished.output;
    EXPECT_THAT(finished.output, HasSubstr("ulimit -t"));
    EXPECT_THAT(finished.output, testing::Not(HasSubstr("crashed")));
    EXPECT_EQ(loadJson((folder / "out/run.json").string())["result"], "failed");
}

// A picture of 130 MiB takes more than such a driver needs at first; and a simulation more than its
// libraries can be given. Either is the limit's doing.
TEST(Trust, AnAddressSpaceTooShortForTheWorkIsNamed)
{
    const TemporaryFolder folder;
    const std::string large = " --set render.width=1920 --set render.height=1080 --end 1 -o ";
    for (const char* kibibytes : {"205000", "215000", "227328", "240000", "260000", "960000"}) {
        const Finished finished =
            runFloe("run " + kScene + kSmall + large + (folder / kibibytes).string(),
                    std::string("ulimit -v ") + kibibytes + ";");
        EXPECT_EQ(finished.code, 6) << kibibytes << ": " << finished.output;
        EXPECT_THAT(finished.output, HasSubstr("ulimit -v")) << kibibytes;
        EXPECT_THAT(finished.output, testing::Not(HasSubstr("the run more memory"))) << kibibytes;
    }
}

/// A graph of one node that reads a file, run.
/// @param parameter  that names the file; behind others, where they are needed
Finished reading(const TemporaryFolder& folder, const std::string& type,
                 const std::string& parameter, const std::string& file,
                 const std::string& options = "")
{
    folder.file("graph.floe.json",
                R"({"floe": 1, "range": {"start": 1, "end": 1, "fps": 24}, "nodes": {
        "reader": {"type": ")" +
                    type + R"(", "version": 1, "parameters": {)" + parameter + R"(: ")" + file +
                    R"("}}}})");
    return runFloe("run " + (folder / "graph.floe.json").string() + " --progress quiet -o " +
                   (folder / "out").string() + options);
}

// A pipe waits for ever and a device has no end: no reader begins with them.
TEST(Trust, NoReaderTakesWhatIsNotARegularFile)
{
    const TemporaryFolder folder;
    const auto refused = [&](const std::string& type, const std::string& parameter,
                             const std::string& extension) {
        const fs::path file = folder / ("input." + extension);
        ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
        const Finished finished = reading(folder, type, parameter, file.string());
        EXPECT_EQ(finished.code, 5) << file << ": " << finished.output;
        EXPECT_THAT(finished.output, HasSubstr(file.filename().string()));
    };
    refused("floe.shape.file", R"("path")", "vdb");
    refused("floe.shape.file", R"("path")", "nvdb");
    refused("floe.shape.mesh", R"("path")", "ply");
    refused("floe.shape.heightfield", R"("source": "image", "image")", "png");
    refused("floe.shape.heightfield", R"("source": "image", "image")", "exr");
    refused("floe.activation.network", R"("network")", "json");
    fs::create_symlink("/dev/zero", folder / "endless.obj");
    EXPECT_EQ(
        reading(folder, "floe.shape.mesh", R"("path")", (folder / "endless.obj").string()).code, 5);
    ASSERT_EQ(::mkfifo((folder / "graph").c_str(), 0600), 0);
    EXPECT_EQ(runFloe("validate " + (folder / "graph").string()).code, 5);
}

TEST(Trust, AFileThatTakesMoreThanTheRunMayIsRefused)
{
    const TemporaryFolder folder;
    folder.file("large.obj", "v 0 0 0\n");
    fs::resize_file(folder / "large.obj", 100u << 20);
    const Finished finished = reading(folder, "floe.shape.mesh", R"("path")",
                                      (folder / "large.obj").string(), " --memory 0.2");
    EXPECT_EQ(finished.code, 6) << finished.output;
    EXPECT_THAT(finished.output, HasSubstr("large.obj"));
}

/// A run of one node that takes an hour, in a process of its own.
class LongRun {
public:
    /// @param deaf  the node never asks whether it should end
    explicit LongRun(bool deaf, bool ignoresHangUp = false)
    {
        folder_.file("graph.floe.json",
                     R"({"floe": 1, "nodes": {"slow": {"type": "test.accumulate", "version": 1,
                         "parameters": {"milliseconds": 3600000, "deaf": )" +
                         std::string(deaf ? "true" : "false") + "}}}}");
        const std::string program = std::string(FLOE_BINARY_DIR) + "/bin/floe";
        const std::string graph = (folder_ / "graph.floe.json").string(),
                          output = (folder_ / "out").string();
        process_ = ::fork();
        if (process_ == 0) {
            ::setenv("FLOE_PLUGIN_PATH", FLOE_TEST_PLUGINS, 1);
            ::signal(SIGHUP, ignoresHangUp ? SIG_IGN : SIG_DFL);
            ::execl(program.c_str(), "floe", "run", graph.c_str(), "--progress", "quiet", "-o",
                    output.c_str(), nullptr);
            ::_exit(127);
        }
        for (int i = 0; i < 3000 && !fs::exists(folder_ / "out/run.json"); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    ~LongRun()
    {
        if (process_ > 0)
            ::kill(process_, SIGKILL);
    }

    void send(int what) const { ::kill(process_, what); }
    bool ended() const { return ::waitpid(process_, nullptr, WNOHANG) != 0; }
    void expectCancelled()
    {
        const auto begin = std::chrono::steady_clock::now();
        int status = 0;
        ::waitpid(std::exchange(process_, 0), &status, 0);
        EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
        ASSERT_TRUE(WIFEXITED(status));
        EXPECT_EQ(WEXITSTATUS(status), 130);
        EXPECT_EQ(loadJson((folder_ / "out/run.json").string())["result"], "cancelled");
    }

private:
    TemporaryFolder folder_;
    pid_t process_ = 0;
};

TEST(Trust, OneCtrlCEndsARunWhateverItsNodesDo)
{
    LongRun run(true);
    run.send(SIGINT);
    run.expectCancelled();
}

// Slurm's --signal, a terminal's Ctrl-\ and timers must not leave a report that says "running".
TEST(Trust, EverySignalThatAsksForTheEndEndsTheReport)
{
    for (const int sent : {SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM}) {
        SCOPED_TRACE(::strsignal(sent));
        LongRun run(false);
        run.send(sent);
        run.expectCancelled();
    }
}

TEST(Trust, UnderNohupAHangUpIsIgnored)
{
    LongRun run(false, true);
    run.send(SIGHUP);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    ASSERT_FALSE(run.ended());
    run.send(SIGTERM);
    run.expectCancelled();
}

TEST(Trust, OnlyTheNameOfAFileIsAPattern)
{
    const TemporaryFolder folder;
    const fs::path output = folder / "shot %04d/take ####";
    const Finished finished =
        runFloe("run " + kScene + kSmall + " --end 2 -o '" + output.string() + "'");
    EXPECT_EQ(finished.code, 0) << finished.output;
    EXPECT_TRUE(fs::exists(output / "images/first_snow.0002.png"));
    EXPECT_TRUE(fs::exists(output / "particles/first_snow.0002.vdb"));
    EXPECT_FALSE(fs::exists(folder / "shot 0002"));
}

} // namespace
} // namespace floe
