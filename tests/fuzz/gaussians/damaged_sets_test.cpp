#include "files/file.hpp"
#include "fuzz.hpp"
#include "random_set.hpp"
#include "temporary_folder.hpp"

#include "floe/sdk/node.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sys/resource.h>

namespace floe::gaussians {
namespace {

int rounds()
{
    const char* asked = std::getenv("FLOE_FUZZ_ROUNDS");
    return asked ? std::atoi(asked) : 400;
}

/// Every reader meets damaged files: it gives a set or throws a Failure, whatever the damage.
class DamagedSets : public ::testing::TestWithParam<const char*> {
protected:
    void SetUp() override
    {
        path_ = (folder_.path() / (std::string("a") + GetParam())).string();
        writeGaussians(path_, test::randomSet(300, 2), [] {});
        std::ifstream stream(path_, std::ios::binary);
        original_.assign(std::istreambuf_iterator<char>(stream), {});
    }
    void expectNoCrash(const std::string& bytes, const std::string& what)
    {
        ++floe::test::fuzzInputs.count;
        std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
        try {
            GaussianSet set = readGaussians(path_, [] {}).set;
            removeUnusable(set);
            for (const float value : set.x)
                ASSERT_LE(std::abs(value), 1e7f) << what;
        } catch (const sdk::Failure&) {
        } catch (const std::exception& error) {
            ADD_FAILURE() << GetParam() << ", " << what << ": " << error.what();
        }
    }

    floe::test::TemporaryFolder folder_;
    std::string path_, original_;
};

TEST_P(DamagedSets, CutOff)
{
    const std::size_t step = std::max<std::size_t>(1, original_.size() / 300);
    for (std::size_t size = 0; size < original_.size(); size += step)
        expectNoCrash(original_.substr(0, size), "cut to " + std::to_string(size));
}

TEST_P(DamagedSets, FlippedBitsAndHugeNumbers)
{
    std::mt19937 random(floe::test::fuzzSeed(41));
    const std::array<std::uint64_t, 5> numbers = {0xffffffffffffffffull, 0x7fffffff7fffffffull,
                                                  0x8000000080000000ull, 0x00ffffff00ffffffull, 0};
    for (int i = 0; i < rounds(); ++i) {
        std::string bytes = original_;
        // Headers hold the sizes: half of the damage goes there.
        const std::size_t range =
            i % 2 == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 1500);
        if (i % 4 < 2) {
            for (unsigned flips = 1 + random() % 4; flips > 0; --flips)
                bytes[random() % range] ^= static_cast<char>(1 << random() % 8);
        } else {
            const std::size_t size = i % 3 == 0 ? 8 : 4;
            std::memcpy(&bytes[random() % (range - size)], &numbers[random() % numbers.size()],
                        size);
        }
        expectNoCrash(bytes, "round " + std::to_string(i));
    }
}

// What a header of text says is changed: other counts, types, names and orders.
class DamagedPly : public DamagedSets {};

TEST_P(DamagedPly, RewrittenHeaders)
{
    std::mt19937 random(floe::test::fuzzSeed(43));
    const std::array<const char*, 13> words = {"element vertex 4294967295\n",
                                               "element chunk 1\n",
                                               "element sh 300\n",
                                               "property double ",
                                               "property uchar ",
                                               "property list uchar int ",
                                               "property float x\n",
                                               "end_header\n",
                                               "element vertex 0\n",
                                               "property float min_x\n",
                                               "f_rest_44\n",
                                               "format ascii 1.0\n",
                                               "format binary_big_endian 1.0\n"};
    for (int i = 0; i < rounds(); ++i) {
        std::string bytes = original_;
        for (unsigned edits = 1 + random() % 3; edits > 0; --edits) {
            std::size_t at = bytes.find('\n', random() % 1200);
            at = at == std::string::npos ? 0 : at + 1;
            const std::size_t erased = random() % 2 ? bytes.find('\n', at) - at + 1 : 0;
            bytes.replace(at, erased, words[random() % words.size()]);
        }
        expectNoCrash(bytes, "round " + std::to_string(i));
    }
}

TEST_P(DamagedSets, Noise)
{
    std::mt19937 random(floe::test::fuzzSeed(47));
    for (int i = 0; i < rounds() / 3; ++i) {
        std::string bytes = original_.substr(0, random() % 64);
        for (unsigned n = random() % 2000; n > 0; --n)
            bytes += static_cast<char>(random());
        expectNoCrash(bytes, "noise of round " + std::to_string(i));
    }
}

const std::vector<const char*> kFormats = {".ply", ".splat",
#ifdef FLOE_GAUSSIANS_SPZ
                                           ".spz"
#endif
};
INSTANTIATE_TEST_SUITE_P(Formats, DamagedSets, ::testing::ValuesIn(kFormats),
                         [](const auto& format) { return std::string(format.param + 1); });

INSTANTIATE_TEST_SUITE_P(Formats, DamagedPly, ::testing::Values(".ply"),
                         [](const auto& format) { return std::string(format.param + 1); });

/// Runs last: the files are below 100 kB, and what they claim must not have been believed.
class MemoryOfDamagedSets : public ::testing::Environment {
public:
    void TearDown() override
    {
#ifndef __SANITIZE_ADDRESS__
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        EXPECT_LT(usage.ru_maxrss, 512 * 1024) << "kilobytes at the peak";
#endif
    }
};
const auto* const kMemory = ::testing::AddGlobalTestEnvironment(new MemoryOfDamagedSets);

} // namespace
} // namespace floe::gaussians
