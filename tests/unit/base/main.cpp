// The test program is also what the tests run in child processes: with these words as its first
// argument it does one thing and ends.
#include "floe/base/child_process.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

int main(int count, char** arguments)
{
    const std::string word = count > 1 ? arguments[1] : "";
    if (word == "say") {
        floe::reportLine("first\nstill first");
        floe::reportLine("second");
        std::puts("printed");
        std::fputs("complained\n\n", stderr);
        return 7;
    }
    if (word == "signals") { // tells which signals are ignored or blocked
        for (int signal = 1; signal < 32; ++signal) {
            struct sigaction action {};
            sigset_t blocked;
            sigprocmask(SIG_SETMASK, nullptr, &blocked);
            if (sigaction(signal, nullptr, &action) == 0 &&
                (action.sa_handler == SIG_IGN || sigismember(&blocked, signal)))
                floe::reportLine(std::to_string(signal));
        }
        return 0;
    }
    if (word == "descriptors") { // tells which are open
        for (int descriptor = 0; descriptor < 1024; ++descriptor) {
            std::error_code error;
            const auto what =
                std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor), error);
            if (!error)
                floe::reportLine(std::to_string(descriptor) + " " + what.string());
        }
        return 0;
    }
    if (word == "memory") { // tells how much it may have
        rlimit limit{};
        ::getrlimit(RLIMIT_AS, &limit);
        std::printf("%llu\n", static_cast<unsigned long long>(limit.rlim_cur));
        return 0;
    }
    if (word == "environment") {
        std::printf("%s %s\n", std::getenv("FLOE_TEST_ADDED"), std::getenv("FLOE_TEST_KEPT"));
        return 0;
    }
    if (word == "leave-behind") { // a process of its own that never ends
        if (const pid_t child = ::fork(); child != 0) {
            floe::reportLine(std::to_string(child));
            return 0;
        }
        for (;;)
            ::pause();
    }
    if (word == "flood")
        for (;;)
            std::puts("much");
    if (word == "start-and-crash") { // its child would never end
        const floe::ChildProcess child({.command = {"/proc/self/exe", "sleep"}, .report = 3});
        ::kill(::getpid(), SIGKILL);
    }
    if (word == "crash" || word == "abort" || word == "await") {
        floe::endAsKilledFromOutside();
        if (word == "crash")
            *static_cast<volatile int*>(nullptr) = 1;
        if (word == "abort")
            std::abort();
        floe::reportLine("ready");
        for (;;)
            ::pause();
    }
    if (word == "sleep") {
        floe::reportLine(std::to_string(::getpid()));
        for (;;)
            ::pause();
    }
    if (word == "work") // for so many milliseconds of a processor
        while (std::clock() < std::atol(arguments[2]) * (CLOCKS_PER_SEC / 1000))
            continue;
    if (word == "work")
        return 0;
    testing::InitGoogleTest(&count, arguments);
    return RUN_ALL_TESTS();
}
