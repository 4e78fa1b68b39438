#include "temporary_folder.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/io/movie.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>

#include <png.h>
#include <sys/resource.h>

namespace floe::io {
namespace {

using testing::HasSubstr;

/// A picture of one colour with sides that are odd, as a video codec dislikes them.
void writePicture(const std::filesystem::path& path, int shade)
{
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = 33;
    image.height = 21;
    image.format = PNG_FORMAT_RGB;
    const std::vector<png_byte> pixels(33 * 21 * 3, static_cast<png_byte>(shade));
    ASSERT_NE(png_image_write_to_file(&image, path.c_str(), 0, pixels.data(), 0, nullptr), 0);
}

int countFrames(const std::filesystem::path& movie, const std::filesystem::path& scratch)
{
    const std::string command =
        "ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 '" +
        movie.string() + "' > " + scratch.string();
    if (std::system(command.c_str()) != 0)
        return -1;
    return std::atoi(readFile(scratch).c_str());
}

class Movie : public testing::Test {
protected:
    void SetUp() override
    {
        if (!canWriteMovies())
            GTEST_SKIP() << "ffmpeg is not installed";
    }
    test::TemporaryFolder folder;
};

TEST_F(Movie, HoldsEveryPictureAlsoWithGapsAndOddNames)
{
    std::filesystem::create_directories(folder / "it's 100% $HOME");
    for (const int frame : {3, 5, 7, 9, 11})
        writePicture(folder / ("it's 100% $HOME/a." + std::to_string(frame) + ".png"), 20 * frame);
    writePicture(folder / "it's 100% $HOME/a.1.png", 0); // before the first
    writeMovie(folder / "out/movie.mp4", (folder / "it's 100% $HOME/a.%04d.png").string(), 3, 24);
    EXPECT_EQ(countFrames(folder / "out/movie.mp4", folder / "count.txt"), 5);
}

TEST_F(Movie, LeavesOutPicturesOfAnEarlierLongerRun)
{
    for (int frame = 1; frame <= 6; ++frame)
        writePicture(folder / ("a.000" + std::to_string(frame) + ".png"), 40 * frame);
    using namespace std::chrono_literals;
    const auto now = std::filesystem::last_write_time(folder / "a.0004.png");
    for (const char* stale : {"a.0005.png", "a.0006.png"})
        std::filesystem::last_write_time(folder / stale, now - 1h);
    writeMovie(folder / "movie.mp4", (folder / "a.####.png").string(), 1, 24);
    EXPECT_EQ(countFrames(folder / "movie.mp4", folder / "count.txt"), 4);
}

TEST_F(Movie, FailuresAreExplainedAndLeaveNothingBehind)
{
    const auto failure = [&](const std::string& name, const std::string& pattern) -> std::string {
        try {
            writeMovie(folder / name, (folder / pattern).string(), 1, 24);
        } catch (const IoError& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_THAT(failure("m.mp4", "none.%04d.png"), HasSubstr("no such pictures"));
    EXPECT_THAT(failure("m.mp4", "none.png"), HasSubstr("number of the frame"));
    EXPECT_THAT(failure("m.gif2", "a.%d.png"), HasSubstr("use .mp4"));
    std::ofstream(folder / "bad.1.png") << "this is no picture";
    EXPECT_THAT(failure("m.mp4", "bad.%d.png"), HasSubstr("ffmpeg failed"));
    EXPECT_FALSE(std::filesystem::exists(folder / "m.mp4"));
}

// ffmpeg ends as if all were well when the disk is full at the last moment.
TEST_F(Movie, ThatDoesNotFitIsNotThere)
{
    for (int frame = 1; frame <= 30; ++frame)
        writePicture(folder / ("a." + std::to_string(frame) + ".png"), 37 * frame % 256);
    const auto write = [&] {
        writeMovie(folder / "movie.mp4", (folder / "a.%04d.png").string(), 1, 24);
    };
    write();
    const auto bytes = std::filesystem::file_size(folder / "movie.mp4");
    std::filesystem::remove(folder / "movie.mp4");

    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto ignored =
        std::signal(SIGXFSZ, SIG_IGN); // for this process; ffmpeg inherits the limit
    rlimit limit = before;
    limit.rlim_cur = bytes - 100;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    std::string said;
    try {
        write();
    } catch (const IoError& error) {
        said = error.what();
    }
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, ignored);
    EXPECT_THAT(said, HasSubstr("movie.mp4: cannot write: File too large"));
    EXPECT_FALSE(std::filesystem::exists(folder / "movie.mp4"));
}

TEST(MovieWithoutFfmpeg, SaysThatItIsMissing)
{
    const test::TemporaryFolder folder;
    writePicture(folder / "a.1.png", 100);
    const std::string path = std::getenv("PATH");
    ::setenv("PATH", folder.path().c_str(), 1);
    EXPECT_FALSE(canWriteMovies());
    EXPECT_THROW(writeMovie(folder / "m.mp4", (folder / "a.%d.png").string(), 1, 24), DeviceError);
    ::setenv("PATH", path.c_str(), 1);
}

} // namespace
} // namespace floe::io
