#include "floe/io/movie.hpp"

#include "extension.hpp"
#include "memory_file.hpp"
#include "text.hpp"

#include "floe/base/child_process.hpp"
#include "floe/base/error.hpp"
#include "floe/base/file.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <map>
#include <optional>
#include <sstream>
#include <sys/socket.h>
#include <vector>

namespace floe::io {

namespace fs = std::filesystem;

namespace {

constexpr const char* kProgram = "ffmpeg";
constexpr std::uint64_t kLargestPicture = 1ull << 30;

/// "a.%04d.png" or "a.####.png": the parts before and after the number.
bool splitPattern(const std::string& name, std::string& before, std::string& after)
{
    std::size_t begin = name.find('#'), end = begin;
    if (begin != std::string::npos) {
        end = name.find_first_not_of('#', begin);
    } else {
        begin = name.find('%');
        if (begin == std::string::npos)
            return false;
        end = name.find_first_not_of("0123456789", begin + 1);
        if (end == std::string::npos || name[end] != 'd')
            return false;
        ++end;
    }
    before = name.substr(0, begin);
    after = end == std::string::npos ? "" : name.substr(end);
    return true;
}

std::vector<fs::path> picturesOf(const std::string& pattern, int first)
{
    const fs::path path(pattern);
    std::string before, after;
    if (!splitPattern(path.filename().string(), before, after))
        throw IoError({.file = pattern}, "has no place for the number of the frame",
                      "write it as name.%04d.png");
    std::map<std::int64_t, fs::path> numbered;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        std::int64_t number = 0;
        if (name.size() > before.size() + after.size() && name.starts_with(before) &&
            name.ends_with(after) &&
            parseInteger(std::string_view(name).substr(before.size(),
                                                       name.size() - before.size() - after.size()),
                         number) &&
            number >= first)
            numbered[number] = entry.path();
    }
    std::vector<fs::path> pictures;
    fs::file_time_type last = fs::file_time_type::min();
    for (const auto& [number, picture] : numbered) {
        const fs::file_time_type time = fs::last_write_time(picture, error);
        if (time < last)
            break;
        last = time;
        pictures.push_back(picture);
    }
    if (pictures.empty())
        throw IoError({.file = pattern},
                      "there are no such pictures from number " + std::to_string(first) + " on");
    return pictures;
}

/// A running ffmpeg, fed through a socket (a pipe would raise SIGPIPE when it ends early).
class Encoder {
public:
    Encoder(const fs::path& to, double fps, const std::string& codec)
    {
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
            throw IoError({.file = to.string()},
                          std::string("cannot start ffmpeg: ") + std::strerror(errno));
        feed_.emplace(ends[0]);
        const Descriptor input(ends[1]);
        std::ostringstream rate;
        rate << fps;
        // Odd sizes get one more line: the pixel format supported by every player needs even ones.
        std::vector<std::string> command = {findProgram(kProgram), "-nostdin", "-y", "-loglevel",
                                            "error", "-xerror", "-f", "image2pipe", "-framerate",
                                            rate.str(), "-c:v", "png", "-i", "pipe:0", "-an", "-vf",
                                            "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p",
                                            // The encoder's result depends on the number of
                                            // threads, and must not depend on the machine.
                                            "-threads", "4", "-fflags", "+bitexact", "-c:v", codec};
        if (codec == "mpeg4")
            command.insert(command.end(), {"-q:v", "3"});
        else
            command.insert(command.end(), {"-crf", "18"});
        command.push_back("file:" + to.string());
        process_.emplace(ChildSettings{.command = std::move(command),
                                       .input = input.get(),
                                       .output = words_.get(),
                                       .errors = words_.get()});
    }

    /// Returns false when ffmpeg accepts no more; finish() tells why.
    bool feed(std::string_view bytes)
    {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(feed_->get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent < 0 && errno == EINTR)
                continue;
            if (sent < 0)
                return false;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }
    /// Waits for the end.
    ChildEnd finish()
    {
        feed_->close();
        return process_->wait();
    }
    /// Returns ffmpeg's message, shortened to a sentence.
    std::string words() const
    {
        std::string text = words_.text(400);
        std::ranges::replace(text, '\n', ' ');
        return text;
    }

private:
    MemoryFile words_;
    std::optional<ChildProcess> process_;
    std::optional<Descriptor> feed_;
};

/// Interprets ffmpeg's message. A full disk or a size limit is the same failure for every writer.
IoError refused(const fs::path& path, const ChildEnd& end, const std::string& words)
{
    for (const int reason : {ENOSPC, EDQUOT, EFBIG})
        if (words.find(std::strerror(reason)) != std::string::npos ||
            (reason == EFBIG && end.signal == SIGXFSZ)) {
            errno = reason;
            return cannotWrite(path);
        }
    return IoError({.file = path.string()},
                   words.empty() ? "ffmpeg " + end.describe() : "ffmpeg failed: " + words);
}

/// @throws IoError, DeviceError as writeMovie()
void check(const fs::path& path, double fps)
{
    const Place place{.file = path.string()};
    if (!(fps > 0) || !std::isfinite(fps))
        throw IoError(place, "a movie needs more than 0 pictures a second");
    const std::string extension = extensionOf(path);
    if (extension != ".mp4" && extension != ".mov" && extension != ".mkv")
        throw IoError(place, "is not a movie that Floe writes", "use .mp4, .mov or .mkv");
    if (!canWriteMovies())
        throw DeviceError(place, "ffmpeg is not installed",
                          "install the package ffmpeg to get movies");
}

} // namespace

bool canWriteMovies()
{
    return !findProgram(kProgram).empty();
}

void writeMovie(const fs::path& path, const std::string& pattern, int first, double fps)
{
    check(path, fps);
    writeMovie(path, picturesOf(pattern, first), fps);
}

void writeMovie(const fs::path& path, std::span<const fs::path> pictures, double fps)
{
    check(path, fps);
    replaceFile(path, [&](const fs::path& temporary) {
        for (const char* codec : {"libx264", "mpeg4"}) {
            Encoder encoder(fs::absolute(temporary), fps, codec);
            for (const fs::path& picture : pictures)
                if (!encoder.feed(readFile(picture, kLargestPicture)))
                    break;
            const ChildEnd end = encoder.finish();
            if (end.good())
                return;
            const std::string words = encoder.words();
            if (words.find("Unknown encoder") == std::string::npos)
                throw refused(path, end, words);
        }
        throw IoError({.file = path.string()}, "this ffmpeg knows neither H.264 nor MPEG-4",
                      "install another build of it");
    });
}

} // namespace floe::io
