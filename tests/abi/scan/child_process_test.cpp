#include "floe/plugin/child_process.hpp"

#include "floe/base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

namespace floe::plugin {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(ChildProcess, ReportsAndPrintsApart)
{
    const ChildResult child = runChild({"/proc/self/exe", "say"});
    EXPECT_EQ(child.end, ChildResult::End::exited);
    EXPECT_EQ(child.exitCode, 7);
    EXPECT_EQ(child.report, "first still first\nsecond\n"); // a line stays one line
    EXPECT_THAT(child.output, HasSubstr("printed\n"));
    EXPECT_THAT(child.describe(), HasSubstr("exit code 7"));
}

TEST(ChildProcess, DescriptionQuotesTheLastLineThatSaysSomething)
{
    ChildResult child;
    child.output = "one\ntwo\x1b[31m\n\n   \n";
    EXPECT_THAT(child.describe(), HasSubstr("it last printed: two [31m")); // nothing unprintable
    child.output.assign(1 << 20, 'x');
    EXPECT_LT(child.describe().size(), 300u); // bounded, whatever it prints
}

TEST(ChildProcess, IsStoppedWhenItsTimeIsOver)
{
    const ChildResult child =
        runChild({"/proc/self/exe", "sleep"}, {.time = std::chrono::milliseconds(200)});
    EXPECT_EQ(child.end, ChildResult::End::timedOut);
    EXPECT_GE(child.seconds, 0.2);
    EXPECT_LT(child.seconds, 5); // far above the poll interval, far below "never"
}

TEST(ChildProcess, SignalsOfTheParentDoNotReachIn)
{
    // The program ignores SIGPIPE and blocks SIGINT while it handles Ctrl-C; a plugin's process
    // must not inherit that.
    std::signal(SIGPIPE, SIG_IGN);
    sigset_t interrupts, before;
    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupts, &before);
    const ChildResult child = runChild({"/proc/self/exe", "signals"});
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    std::signal(SIGPIPE, SIG_DFL);
    EXPECT_THAT(child.report, IsEmpty());
}

TEST(ChildProcess, ChildrenHaveNoChildren)
{
    const ChildResult child = runChild({"/proc/self/exe", "nest"});
    EXPECT_EQ(child.exitCode, 0) << child.output;
    EXPECT_THAT(child.report, HasSubstr("must not"));
}

TEST(ChildProcess, MissingProgramIsAnError)
{
    EXPECT_THROW(runChild({"/no/such/program"}), PluginError);
    EXPECT_THROW(runChild({}), PluginError);
}

} // namespace
} // namespace floe::plugin
