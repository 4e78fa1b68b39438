#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/io/image.hpp"

#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace floe;
namespace fs = std::filesystem;

namespace {

class ImageFiles : public ::testing::Test {
protected:
    void SetUp() override
    {
        const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
        folder_ = fs::temp_directory_path() /
                  (std::string("floe_image_") + test->name() + "_" + std::to_string(::getpid()));
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }
    fs::path folder_;
};

TEST_F(ImageFiles, PngOfEightBitsReturnsExactly)
{
    for (int channels = 1; channels <= 4; ++channels) {
        std::vector<std::uint8_t> samples(7 * 5 * channels);
        for (std::size_t i = 0; i < samples.size(); ++i)
            samples[i] = static_cast<std::uint8_t>(i * 37);
        io::writePng(folder_ / "a.png", 7, 5, channels, samples, {{"Software", "Floe"}});
        const io::LoadedImage image = io::readPng(folder_ / "a.png");
        EXPECT_EQ(image.width, 7);
        EXPECT_EQ(image.height, 5);
        EXPECT_EQ(image.channels, channels);
        EXPECT_EQ(image.bits, 8);
        ASSERT_EQ(image.samples.size(), samples.size());
        for (std::size_t i = 0; i < samples.size(); ++i)
            EXPECT_EQ(std::lround(255 * image.samples[i]), samples[i]);
    }
}

TEST_F(ImageFiles, PngOfSixteenBitsReturnsExactly)
{
    std::vector<std::uint16_t> samples(300 * 3);
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] = static_cast<std::uint16_t>(i * 73 + 1);
    io::writePng(folder_ / "a.png", 300, 3, 1, samples);
    const io::LoadedImage image = io::readPng(folder_ / "a.png");
    EXPECT_EQ(image.bits, 16);
    for (std::size_t i = 0; i < samples.size(); ++i)
        EXPECT_EQ(std::lround(65535.0 * image.samples[i]), samples[i]);
}

TEST_F(ImageFiles, ExrKeepsFloatsAndRoundsHalves)
{
    std::vector<float> rgba(4 * 6 * 4);
    for (std::size_t i = 0; i < rgba.size(); ++i)
        rgba[i] = 0.013f * static_cast<float>(i * i) - 1;
    const std::span<const float> all(rgba);
    for (const bool half : {false, true}) {
        io::writeExr(folder_ / "a.exr", 6, 4,
                     {{"R", all, 4, half},
                      {"G", all.subspan(1), 4, half},
                      {"B", all.subspan(2), 4, half},
                      {"A", all.subspan(3), 4, half}});
        const io::LoadedImage image = io::readExr(folder_ / "a.exr");
        EXPECT_EQ(image.channels, 4);
        EXPECT_EQ(image.bits, half ? 16 : 32);
        EXPECT_TRUE(image.linear);
        for (std::size_t i = 0; i < rgba.size(); ++i)
            // A half has 11 significant bits.
            EXPECT_NEAR(image.samples[i], rgba[i], half ? std::abs(rgba[i]) / 2048 + 1e-7f : 0.0f);
    }
}

TEST_F(ImageFiles, BrokenFilesAreReported)
{
    std::vector<std::uint8_t> samples(64 * 64 * 3, 77);
    io::writePng(folder_ / "a.png", 64, 64, 3, samples);
    const std::string png = readFile(folder_ / "a.png");
    std::vector<float> values(64 * 64, 0.5f);
    io::writeExr(folder_ / "a.exr", 64, 64, {{"Y", values}});
    const std::string exr = readFile(folder_ / "a.exr");

    EXPECT_THROW(io::readPng(folder_ / "none.png"), IoError);
    EXPECT_THROW(io::readExr(folder_ / "none.exr"), IoError);
    EXPECT_THROW(io::readPng(folder_ / "a.exr"), IoError);
    EXPECT_THROW(io::readExr(folder_ / "a.png"), IoError);
    EXPECT_THROW(io::readPng(folder_), IoError);
    for (std::size_t length = 0; length < png.size() - 12; length += 7) { // without its last chunk
        writeFileAtomically(folder_ / "cut.png", std::string_view(png).substr(0, length));
        EXPECT_THROW(io::readPng(folder_ / "cut.png"), IoError) << length;
    }
    for (std::size_t length = 0; length < exr.size(); length += 13) {
        writeFileAtomically(folder_ / "cut.exr", std::string_view(exr).substr(0, length));
        EXPECT_THROW(io::readExr(folder_ / "cut.exr"), IoError) << length;
    }
    // Any byte may be wrong; what matters is that nothing but an Error comes out.
    for (std::size_t i = 8; i < png.size(); ++i) {
        std::string bad = png;
        bad[i] = static_cast<char>(bad[i] ^ 0x55);
        writeFileAtomically(folder_ / "bad.png", bad);
        try {
            io::readPng(folder_ / "bad.png");
        } catch (const Error&) {
        }
    }
}

TEST_F(ImageFiles, RefusesWhatDoesNotFit)
{
    const std::vector<std::uint8_t> samples(12);
    EXPECT_THROW(io::writePng(folder_ / "a.png", 2, 2, 4, samples), InputError);
    EXPECT_THROW(io::writePng(folder_ / "a.png", 2, 2, 5, samples), InputError);
    EXPECT_THROW(io::writePng(folder_ / "a.png", 0, 2, 3, samples), InputError);
    EXPECT_THROW(io::writePng(folder_ / "a.png", 1 << 20, 1 << 20, 3, samples), InputError);
    EXPECT_THROW(io::writePng("/proc/none/a.png", 2, 2, 3, samples), IoError);
    const std::vector<float> values(4);
    EXPECT_THROW(io::writeExr(folder_ / "a.exr", 2, 2, {}), InputError);
    EXPECT_THROW(io::writeExr(folder_ / "a.exr", 2, 3, {{"R", values}}), InputError);
    EXPECT_THROW(io::writeExr(folder_ / "a.exr", 2, 2, {{"R", values}, {"R", values}}), InputError);
    EXPECT_TRUE(fs::is_empty(folder_)); // nothing is left behind
}

} // namespace
