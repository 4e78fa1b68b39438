// The test program is also what the tests run in child processes: with these words as its first
// argument it does one thing and ends.
#include "floe/plugin/scan.hpp"

#include <gtest/gtest.h>

#include <exception>
#include <string>

int main(int count, char** arguments)
{
    const std::string word = count > 1 ? arguments[1] : "";
    if (word == "plugin-probe")
        return floe::plugin::probeMain(arguments[2]);
    if (word == "probe-another") {
        try {
            floe::plugin::probe(arguments[2]);
        } catch (const std::exception& error) {
            floe::reportLine("refused " + std::string(error.what()));
        }
        return 0;
    }
    testing::InitGoogleTest(&count, arguments);
    return RUN_ALL_TESTS();
}
