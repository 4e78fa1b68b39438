#include "floe/base/child_process.hpp"

#include "floe/base/descriptor.hpp"
#include "floe/base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <poll.h>
#include <sched.h>
#include <sys/time.h>
#include <thread>
#include <unistd.h>

namespace floe {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

const std::string kThisProgram = "/proc/self/exe";

/// Whether a process is gone within seconds; ended ones that wait for their parent count as gone.
bool endsSoon(pid_t process)
{
    for (int i = 0; i < 500; ++i) {
        std::FILE* file = std::fopen(("/proc/" + std::to_string(process) + "/stat").c_str(), "r");
        char state = 'X';
        if (file) {
            [[maybe_unused]] const int read = std::fscanf(file, "%*d (%*[^)]) %c", &state);
            std::fclose(file);
        }
        if (state == 'X' || state == 'Z')
            return true;
        std::this_thread::sleep_for(10ms);
    }
    return false;
}

TEST(ChildProcess, ReportsAndPrintsApart)
{
    const ChildResult child = runChild({kThisProgram, "say"});
    EXPECT_TRUE(child.inTime);
    EXPECT_EQ(child.end.exitCode, 7);
    EXPECT_FALSE(child.end.good());
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
    const ChildResult child = runChild({kThisProgram, "sleep"}, {.time = 200ms});
    EXPECT_FALSE(child.inTime);
    EXPECT_GE(child.seconds, 0.2);
    EXPECT_LT(child.seconds, 5); // far above the poll interval, far below "never"
    EXPECT_THAT(child.describe(), HasSubstr("did not end within"));
}

// Nine processes on one processor: this one gets a ninth of it, and needs 0.2 s.
TEST(ChildProcess, TimeInWhichOthersHaveTheProcessorIsNotCounted)
{
    cpu_set_t before, one;
    ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    for (std::size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i)
        if (CPU_ISSET(i, &before))
            CPU_SET(i, &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0); // children have it too
    ChildResult child;
    {
        std::vector<std::unique_ptr<ChildProcess>> others;
        for (int i = 0; i < 8; ++i)
            others.push_back(std::make_unique<ChildProcess>(
                ChildSettings{.command = {kThisProgram, "work", "1000000"}}));
        child = runChild({kThisProgram, "work", "200"}, {.time = 600ms});
    }
    ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
    EXPECT_TRUE(child.inTime);
    EXPECT_GT(child.seconds, 0.6); // or the processor was not scarce
    EXPECT_TRUE(child.end.good());
}

TEST(ChildProcess, MayBeAskedToEnd)
{
    ChildProcess child({.command = {kThisProgram, "sleep"}});
    EXPECT_FALSE(child.hasEnded());
    child.terminate();
    EXPECT_EQ(child.wait().signal, SIGTERM);
    EXPECT_TRUE(child.hasEnded());
    EXPECT_EQ(child.wait().signal, SIGTERM);
}

TEST(ChildProcess, WhoeverElseEndedItDoesNotSayWhatItWorkedOn)
{
    for (const int signal :
         {SIGKILL, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGALRM, SIGXCPU, SIGRTMIN})
        EXPECT_TRUE(ChildEnd{.signal = signal}.fromOutside()) << signal;
    for (const int signal : {0, SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPIPE})
        EXPECT_FALSE(ChildEnd{.signal = signal}.fromOutside()) << signal;
}

TEST(ChildProcess, ACrashThatAnotherProcessSentIsNoCrash)
{
    for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGTRAP}) {
        int ends[2];
        ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
        const Descriptor reading(ends[0]);
        Descriptor writing(ends[1]);
        ChildProcess child({.command = {kThisProgram, "await"}, .report = writing.get()});
        writing.close();
        char ready = 0;
        ASSERT_EQ(::read(reading.get(), &ready, 1), 1);
        ::kill(child.id(), signal);
        EXPECT_TRUE(child.wait().fromOutside()) << signal;
    }
    EXPECT_EQ(runChild({kThisProgram, "crash"}).end.signal, SIGSEGV);
    EXPECT_EQ(runChild({kThisProgram, "abort"}).end.signal, SIGABRT);
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
    const ChildResult child = runChild({kThisProgram, "signals"});
    sigset_t after;
    pthread_sigmask(SIG_SETMASK, &before, &after);
    std::signal(SIGPIPE, SIG_DFL);
    EXPECT_THAT(child.report, IsEmpty());
    EXPECT_TRUE(sigismember(&after, SIGINT)); // this process keeps what it had
    EXPECT_FALSE(sigismember(&after, SIGTERM));
}

TEST(ChildProcess, InheritsNoDescriptors)
{
    const Descriptor leaky(::open("/dev/zero", O_RDONLY)); // a library forgot O_CLOEXEC
    const ChildResult child = runChild({kThisProgram, "descriptors"});
    EXPECT_THAT(child.report,
                MatchesRegex("0 /dev/null\n1 pipe[^\n]*\n2 pipe[^\n]*\n3 pipe[^\n]*\n"));

    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const Descriptor reading(ends[0]);
    Descriptor writing(ends[1]);
    ChildProcess quiet({.command = {kThisProgram, "descriptors"}, .output = writing.get()});
    EXPECT_TRUE(quiet.wait().good()); // no report: nothing is written
    writing.close();
    char byte;
    EXPECT_EQ(::read(reading.get(), &byte, 1), 0); // and nobody else holds the pipe
}

TEST(ChildProcess, StartsWhereItsDescriptorsAreThisProcessesStandardStreams)
{
    // The numbers that the child's descriptors get are taken here, in another order.
    const int saved = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);
    ::close(STDIN_FILENO);
    const ChildResult child = runChild({kThisProgram, "say"}); // a pipe's end is 0 now
    if (saved >= 0) {
        ::dup2(saved, STDIN_FILENO);
        ::close(saved);
    }
    EXPECT_EQ(child.report, "first still first\nsecond\n");
    EXPECT_THAT(child.output, HasSubstr("complained\n"));
}

TEST(ChildProcess, GetsMoreEnvironmentAndLessMemory)
{
    ::setenv("FLOE_TEST_ADDED", "old", 1);
    ::setenv("FLOE_TEST_KEPT", "kept", 1);
    EXPECT_EQ(runChild({kThisProgram, "environment"}, {}, {"FLOE_TEST_ADDED=new"}).output,
              "new kept\n");

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const Descriptor reading(ends[0]), writing(ends[1]);
    ChildProcess child(
        {.command = {kThisProgram, "memory"}, .output = writing.get(), .memory = 1ull << 31});
    EXPECT_TRUE(child.wait().good());
    std::string text(32, '\0');
    text.resize(static_cast<std::size_t>(::read(reading.get(), text.data(), text.size())));
    EXPECT_EQ(text, "2147483648\n");
#endif
}

TEST(ChildProcess, WhatItFloodsIsBounded)
{
    const ChildResult child = runChild({kThisProgram, "flood"}, {.time = 300ms, .bytes = 1000});
    EXPECT_FALSE(child.inTime);
    EXPECT_EQ(child.output.size(), 1000u);
}

TEST(ChildProcess, TakesWhatItStartedWithIt)
{
    const ChildResult child = runChild({kThisProgram, "leave-behind"});
    EXPECT_TRUE(child.end.good());
    EXPECT_LT(child.seconds, 10); // though the pipes are still held
    EXPECT_TRUE(endsSoon(std::stoi(child.report)));
}

TEST(ChildProcess, EndsWithItsParent)
{
    // The parent is killed: it can do nothing about its child any more.
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const Descriptor reading(ends[0]);
    Descriptor writing(ends[1]);
    ChildProcess parent({.command = {kThisProgram, "start-and-crash"}, .report = writing.get()});
    writing.close();
    EXPECT_EQ(parent.wait().signal, SIGKILL);
    // The pipe ends when the last who has it is gone.
    char text[32];
    ssize_t count = 1;
    while (count > 0) {
        pollfd wait{reading.get(), POLLIN, 0};
        ASSERT_EQ(::poll(&wait, 1, 10000), 1) << "it lives on";
        count = ::read(reading.get(), text, sizeof text);
    }
    EXPECT_EQ(count, 0);
}

TEST(ChildProcess, InterruptionsDoNotEndTheWaiting)
{
    struct sigaction action {
    }, before{};
    action.sa_handler = [](int) {
    }; // without SA_RESTART
    ::sigaction(SIGALRM, &action, &before);
    itimerval often{};
    often.it_interval.tv_usec = often.it_value.tv_usec = 500;
    ::setitimer(ITIMER_REAL, &often, nullptr);
    const ChildResult child = runChild({"/bin/sh", "-c", "sleep 0.2; echo said; exit 5"});
    ChildProcess other({.command = {"/bin/sh", "-c", "sleep 0.2; exit 6"}});
    const ChildEnd end = other.wait();
    ::setitimer(ITIMER_REAL, &(often = {}), nullptr);
    ::sigaction(SIGALRM, &before, nullptr);
    EXPECT_EQ(child.end.exitCode, 5);
    EXPECT_EQ(child.output, "said\n");
    EXPECT_EQ(end.exitCode, 6);
}

TEST(ChildProcess, ManyThreadsStartThemAtOnce)
{
    std::atomic<int> good{0};
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] {
                for (int j = 0; j < 10; ++j)
                    good += runChild({kThisProgram, "say"}).report == "first still first\nsecond\n";
            });
    }
    EXPECT_EQ(good, 40);
}

TEST(ChildProcess, MissingProgramIsAnError)
{
    try {
        runChild({"/no/such/program"});
        FAIL() << "a missing program was started";
    } catch (const IoError& error) {
        EXPECT_THAT(error.what(), HasSubstr("/no/such/program: cannot be started: No such file"));
    }
    EXPECT_THROW(runChild({}), IoError);
    EXPECT_TRUE(findProgram("floe-no-such-program").empty());
    EXPECT_TRUE(runChild({findProgram("true").string()}).end.good());
}

} // namespace
} // namespace floe
