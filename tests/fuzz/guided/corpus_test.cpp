// The inputs in corpus/ are those that a coverage-guided fuzzer kept, because each reaches code
// that the others do not: they go through every reader without a crash, in time.
#include "inputs.hpp"

#include "floe/base/file.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

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

} // namespace
} // namespace floe::fuzz
