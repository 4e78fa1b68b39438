#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/io/mesh.hpp"
#include "floe/io/particles.hpp"
#include "floe/io/surface.hpp"
#include "floe/io/volume.hpp"
#include "fuzz.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <sys/resource.h>

namespace floe::io {
namespace {

/// How many damaged files of each kind and format; FLOE_FUZZ_ROUNDS asks for more. OpenVDB's files
/// are read by a process each, which takes its time.
int roundsFor(const std::string& name)
{
    const char* asked = std::getenv("FLOE_FUZZ_ROUNDS");
    return asked ? std::atoi(asked) : name.ends_with(".vdb") ? 60 : 300;
}

Ref<const ParticlesValue> someParticles()
{
    std::mt19937 random(5);
    std::normal_distribution<float> number;
    const auto particles = make<ParticlesValue>(400u);
    for (const char* name : {"x", "v"})
        for (float& value : particles->add<float>(name, 3))
            value = number(random);
    for (float& value : particles->add<float>("F", 9))
        value = number(random);
    for (float& value : particles->add<float>("volume", 1))
        value = 1e-4f;
    std::uint64_t next = 0;
    for (std::uint64_t& value : particles->add<std::uint64_t>("id", 1))
        value = next++;
    for (std::uint8_t& value : particles->add<std::uint8_t>("state", 1))
        value = static_cast<std::uint8_t>(random() % 3);
    particles->seal();
    return particles;
}

Ref<const VolumeValue> someVolume()
{
    const std::array sets = {someParticles()};
    return surfaceOf(sets, {.radius = 0.3, .voxelSize = 0.15});
}

struct Format {
    const char* name;
    std::function<void(const std::filesystem::path&)> write;
    std::function<void(const std::filesystem::path&)> read;
};

void PrintTo(const Format& format, std::ostream* stream)
{
    *stream << format.name;
}

Format meshFormat(const char* name)
{
    return {name,
            [](const auto& path) {
                static const auto mesh = meshOf(someVolume());
                writeMesh(path, *mesh);
            },
            [](const auto& path) {
                readMesh(path);
            }};
}
Format volumeFormat(const char* name)
{
    return {name, [](const auto& path) { writeVolume(path, "a", someVolume()); },
            [](const auto& path) {
                readVolume(path);
            }};
}
Format particleFormat(const char* name)
{
    return {name, [](const auto& path) { writeParticles(path, someParticles()); },
            [](const auto& path) {
                readParticles(path);
            }};
}

/// Every reader meets damaged files: it succeeds or throws a floe::Error, whatever the damage.
class DamagedFiles : public testing::TestWithParam<Format> {
protected:
    void SetUp() override
    {
        path_ = folder_ / (std::string("a") + std::strchr(GetParam().name, '.'));
        GetParam().write(path_);
        original_ = readFile(path_);
    }
    int rounds() const { return roundsFor(GetParam().name); }
    void expectNoCrash(const std::string& bytes, const std::string& what)
    {
        ++test::fuzzInputs.count;
        folder_.file(path_.filename().string(), bytes);
        try {
            GetParam().read(path_);
        } catch (const Error&) {
        } catch (const std::exception& error) {
            // Keep the file for whoever looks into it.
            std::filesystem::copy_file(path_,
                                       std::filesystem::temp_directory_path() /
                                           ("floe-fuzz-" + path_.filename().string()),
                                       std::filesystem::copy_options::overwrite_existing);
            ADD_FAILURE() << GetParam().name << ", " << what << ": " << error.what();
        }
    }

    test::TemporaryFolder folder_;
    std::filesystem::path path_;
    std::string original_;
};

TEST_P(DamagedFiles, CutOff)
{
    const std::size_t step = std::max<std::size_t>(1, original_.size() / rounds());
    for (std::size_t size = 0; size < original_.size(); size += step)
        expectNoCrash(original_.substr(0, size), "cut to " + std::to_string(size));
}

TEST_P(DamagedFiles, FlippedBits)
{
    std::mt19937 random(test::fuzzSeed(17));
    for (int i = 0; i < rounds(); ++i) {
        std::string bytes = original_;
        // Headers hold the sizes: half of the flips go there.
        const std::size_t range =
            i % 2 == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 1000);
        for (unsigned flips = 1 + random() % 4; flips > 0; --flips)
            bytes[random() % range] ^= static_cast<char>(1 << random() % 8);
        expectNoCrash(bytes, "flips of round " + std::to_string(i));
    }
}

TEST_P(DamagedFiles, HugeAndNegativeNumbers)
{
    std::mt19937 random(test::fuzzSeed(23));
    const std::array<std::uint64_t, 6> numbers = {0xffffffffffffffffull, 0x7fffffff7fffffffull,
                                                  0x8000000080000000ull, 0xfffffff0ull,
                                                  0x00ffffff00ffffffull, 0};
    for (int i = 0; i < rounds(); ++i) {
        std::string bytes = original_;
        const std::size_t size = i % 3 == 0 ? 8 : 4;
        const std::size_t range =
            i % 2 == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 1000);
        const std::uint64_t number = numbers[random() % numbers.size()];
        std::memcpy(&bytes[random() % (range - size)], &number, size);
        expectNoCrash(bytes, "number of round " + std::to_string(i));
    }
}

TEST_P(DamagedFiles, Noise)
{
    std::mt19937 random(test::fuzzSeed(29));
    for (int i = 0; i < rounds() / 3; ++i) {
        std::string bytes = original_.substr(0, random() % 64);
        for (unsigned n = random() % 2000; n > 0; --n)
            bytes += static_cast<char>(random());
        expectNoCrash(bytes, "noise of round " + std::to_string(i));
    }
}

INSTANTIATE_TEST_SUITE_P(
    Formats, DamagedFiles,
    testing::Values(meshFormat("mesh.obj"), meshFormat("mesh.ply"), meshFormat("mesh.stl"),
                    volumeFormat("volume.vdb"), volumeFormat("volume.nvdb"),
                    particleFormat("particles.vdb"), particleFormat("particles.ply"),
                    particleFormat("particles.bgeo"), particleFormat("particles.floe")),
    [](const auto& format) {
        std::string name = format.param.name;
        std::ranges::replace(name, '.', '_');
        return name;
    });

/// Runs last: all of the above together may not have taken much memory. The files are below a
/// megabyte; OpenVDB itself and this program take less than a quarter of a gigabyte.
class MemoryOfDamagedFiles : public testing::Environment {
public:
    void TearDown() override
    {
#ifndef __SANITIZE_ADDRESS__
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        EXPECT_LT(usage.ru_maxrss, 1024 * 1024) << "kilobytes at the peak";
#endif
    }
};
const auto* const kMemory = testing::AddGlobalTestEnvironment(new MemoryOfDamagedFiles);

} // namespace
} // namespace floe::io
