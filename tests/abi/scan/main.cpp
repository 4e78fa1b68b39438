// The test program is its own child, as the program `floe` is: with these words as its first
// argument it does one thing and ends.
#include "floe/plugin/scan.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

int main(int count, char** arguments)
{
    const std::string word = count > 1 ? arguments[1] : "";
    if (word == "plugin-probe")
        return floe::plugin::probeMain(arguments[2]);
    if (word == "say") {
        floe::plugin::enterChild();
        floe::plugin::reportLine("first\nstill first");
        floe::plugin::reportLine("second");
        std::puts("printed");
        std::fputs("complained\n\n", stderr);
        return 7;
    }
    if (word == "signals") { // tells which signals do not have their default effect
        for (int signal = 1; signal < 32; ++signal) {
            struct sigaction action {};
            sigset_t blocked;
            sigprocmask(SIG_SETMASK, nullptr, &blocked);
            if (sigaction(signal, nullptr, &action) == 0 &&
                (action.sa_handler != SIG_DFL || sigismember(&blocked, signal)))
                floe::plugin::reportLine(std::to_string(signal));
        }
        return 0;
    }
    if (word == "nest") {
        try {
            floe::plugin::runChild({"/proc/self/exe", "say"});
        } catch (const std::exception& error) {
            floe::plugin::reportLine(error.what());
        }
        return 0;
    }
    if (word == "sleep")
        for (;;)
            ::pause();
    testing::InitGoogleTest(&count, arguments);
    return RUN_ALL_TESTS();
}
