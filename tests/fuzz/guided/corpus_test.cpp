// The inputs in corpus/ are those that a coverage-guided fuzzer kept, because each reaches code
// that the others do not: they go through every reader without a crash, in time.
#include "inputs.hpp"

#include "floe/base/file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <sys/time.h>

namespace floe::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kLongest{20}; ///< as the fuzzer's; they take milliseconds

TEST(GuidedFuzz, NoInputOfTheCorpusIsAnythingButAcceptedOrRefused)
{
    for (const Kind& kind : kinds()) {
        int accepted = 0, refused = 0;
        for (const auto& entry : fs::directory_iterator(fs::path(FLOE_SOURCE_DIR) /
                                                        "tests/fuzz/guided/corpus" / kind.name)) {
            SCOPED_TRACE(entry.path());
            const auto begin = std::chrono::steady_clock::now();
            bool good = false;
            EXPECT_NO_THROW(good = accepts(kind, readFile(entry.path())));
            EXPECT_LT(std::chrono::steady_clock::now() - begin, kLongest);
            ++(good ? accepted : refused);
        }
        EXPECT_GT(accepted, 0) << kind.name;
        EXPECT_GT(refused, 0) << kind.name;
    }
}

// The fuzzer looks at its clock by SIGALRM, also while the client waits for the server.
TEST(GuidedFuzz, AnAlarmIsNotASilentServer)
{
    const auto requests = std::ranges::find_if(
        kinds(), [](const Kind& kind) { return std::string_view(kind.name) == "requests"; });
    ASSERT_NE(requests, kinds().end());
    static volatile std::sig_atomic_t alarms;
    alarms = 0;
    struct sigaction count {
    }, before{};
    count.sa_handler = [](int) {
        alarms = alarms + 1;
    };
    count.sa_flags = SA_RESTART;
    ::sigaction(SIGALRM, &count, &before);
    // A run of which the client waits for the end.
    const std::string lines =
        readFile(fs::path(FLOE_SOURCE_DIR) / "tests/fuzz/guided/corpus/requests/session");
    constexpr itimerval kOften{{0, 500}, {0, 500}}, kNever{};
    ::setitimer(ITIMER_REAL, &kOften, nullptr);
    for (int i = 0; i < 20; ++i)
        EXPECT_NO_THROW(accepts(*requests, lines));
    ::setitimer(ITIMER_REAL, &kNever, nullptr);
    ::sigaction(SIGALRM, &before, nullptr);
    EXPECT_GT(alarms, 0);
}

} // namespace
} // namespace floe::fuzz
