#include "progress.hpp"

#include "standard_output.hpp"
#include "supervisor.hpp"

#include "floe/base/json.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace floe::app {

std::string duration(double seconds)
{
    char text[32];
    const auto whole = static_cast<long>(std::lround(std::max(0.0, seconds)));
    constexpr long kDay = 24 * 3600;
    if (whole >= 2 * kDay)
        std::snprintf(text, sizeof text, "%ld days", whole / kDay);
    else if (whole >= 3600)
        std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60,
                      whole % 60);
    else
        std::snprintf(text, sizeof text, "%ld:%02ld", whole / 60, whole % 60);
    return text;
}

std::string count(double number)
{
    char text[32];
    if (number >= 1e6)
        std::snprintf(text, sizeof text, "%.2f M", number / 1e6);
    else if (number >= 1e4)
        std::snprintf(text, sizeof text, "%.0f k", number / 1e3);
    else
        std::snprintf(text, sizeof text, "%.0f", number);
    return text;
}

namespace {

using session::FrameStatistics;
using session::Level;
using session::Message;
using Clock = std::chrono::steady_clock;

void printMessage(const Message& message)
{
    if (message.level == Level::Error)
        return sayError(message.text);
    std::fprintf(stderr, "%s%s\n", message.level == Level::Warning ? "warning: " : "",
                 message.text.c_str());
}

class Lines : public session::Observer {
public:
    explicit Lines(bool bar) : bar_(bar) {}
    ~Lines() override { clearBar(); }

    void began(const std::filesystem::path& output, int first, int last) override
    {
        std::printf("Running frames %d to %d into %s\n", first, last, output.c_str());
        first_ = first;
        last_ = last;
        start_ = Clock::now();
        flushOutput();
    }

    void said(const Message& message) override
    {
        if (message.level == Level::Debug)
            return;
        clearBar();
        printMessage(message);
        if (bar_)
            drawBar(0);
    }

    void frameDone(const FrameStatistics& frame) override
    {
        latest_ = frame;
        done_ = frame.frame - first_ + 1;
        if (bar_) {
            drawBar(0);
            return;
        }
        std::printf("frame %d/%d  %.2f s", frame.frame, last_, frame.seconds);
        if (const double particles = frame.total("particles"); particles > 0)
            std::printf("  %s particles", count(particles).c_str());
        if (const double substeps = frame.total("substeps"); substeps > 0)
            std::printf("  %.0f substeps", substeps);
        std::printf("  %s left\n", duration(secondsLeft(0)).c_str());
        flushOutput();
    }

    void frameProgress(int, const std::string&, double fraction) override
    {
        if (bar_)
            drawBar(fraction);
    }

private:
    double secondsLeft(double fraction) const
    {
        const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
        const double done = done_ + fraction;
        const double total = last_ - first_ + 1;
        return done > 0 ? elapsed / done * (total - done) : 0;
    }

    void drawBar(double fraction)
    {
        const std::lock_guard lock(mutex_);
        winsize size{};
        const int columns =
            ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
        const double total = std::max(1, last_ - first_ + 1);
        const double share = std::clamp((done_ + fraction) / total, 0.0, 1.0);
        char text[160];
        std::snprintf(text, sizeof text,
                      "  frame %d/%d  %3.0f %%  %s particles  %.2f s/frame  %s left",
                      std::min(first_ + done_, last_), last_, 100 * share,
                      count(latest_.total("particles")).c_str(), latest_.seconds,
                      done_ + fraction > 0 ? duration(secondsLeft(fraction)).c_str() : "?");
        const std::string tail = text;
        const int room = columns - static_cast<int>(tail.size()) - 3;
        std::string line = "\r";
        if (room >= 8) {
            const int filled = static_cast<int>(share * room);
            line += "[" + std::string(static_cast<std::size_t>(filled), '#') +
                    std::string(static_cast<std::size_t>(room - filled), ' ') + "]";
        }
        line += tail.substr(0, static_cast<std::size_t>(std::max(0, columns - 1)));
        std::printf("%s\033[K", line.c_str());
        flushOutput();
        shown_ = true;
    }

    void clearBar()
    {
        const std::lock_guard lock(mutex_);
        if (shown_)
            std::printf("\r\033[K");
        flushOutput();
        shown_ = false;
    }

    bool bar_;
    bool shown_ = false;
    int first_ = 0;
    int last_ = 0;
    int done_ = 0;
    Clock::time_point start_;
    FrameStatistics latest_;
    std::mutex mutex_;
};

class JsonLines final : public session::Observer {
public:
    /// Plugins and libraries may print; while this lives, that goes to standard error, and nothing
    /// but lines of JSON to standard output.
    JsonLines()
    {
        std::fflush(stdout);
        std::FILE* own = copyOf(stdout);
        if (!own || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
            return;
        out_ = own;
        printed_ = std::exchange(stdout, stderr);
    }
    ~JsonLines() override
    {
        if (!printed_)
            return;
        stdout = printed_;
        ::dup2(::fileno(out_), STDOUT_FILENO);
        closeOutput(out_);
    }
    JsonLines(const JsonLines&) = delete;
    JsonLines& operator=(const JsonLines&) = delete;

    void began(const std::filesystem::path& output, int first, int last) override
    {
        print({{"event", "began"}, {"output", output.string()}, {"first", first}, {"last", last}});
    }
    void said(const Message& message) override
    {
        static constexpr const char* kNames[] = {"debug", "info", "warning", "error"};
        const bool arrived = print({{"event", "message"},
                                    {"level", kNames[static_cast<int>(message.level)]},
                                    {"frame", message.frame},
                                    {"node", message.node},
                                    {"text", message.text}});
        if (!arrived && message.level == Level::Error)
            noteUnsaid(message.text);
    }
    void frameDone(const FrameStatistics& frame) override
    {
        Json values = Json::object();
        for (const auto& [node, reported] : frame.values)
            for (const auto& [name, value] : reported)
                values[node][name] = value;
        print({{"event", "frame"},
               {"frame", frame.frame},
               {"seconds", frame.seconds},
               {"nodes", values}});
    }
    void frameProgress(int frame, const std::string& node, double fraction) override
    {
        print({{"event", "progress"}, {"frame", frame}, {"node", node}, {"fraction", fraction}});
    }

private:
    bool print(const Json& line)
    {
        const std::string text = dumpJson(line);
        const std::lock_guard lock(mutex_);
        std::fprintf(out_, "%s\n", text.c_str());
        return flushOutput(out_);
    }
    std::FILE* out_ = stdout;
    std::FILE* printed_ = nullptr; ///< what stdout was
    std::mutex mutex_;
};

class Quiet final : public session::Observer {
public:
    void began(const std::filesystem::path&, int, int) override {}
    void said(const Message& message) override
    {
        if (message.level >= Level::Warning)
            printMessage(message);
    }
    void frameDone(const FrameStatistics&) override {}
    void frameProgress(int, const std::string&, double) override {}
};

} // namespace

std::unique_ptr<session::Observer> makeProgress(ProgressStyle style)
{
    if (style == ProgressStyle::Auto)
        style = ::isatty(STDOUT_FILENO) ? ProgressStyle::Bar : ProgressStyle::Lines;
    if (style == ProgressStyle::Json)
        return std::make_unique<JsonLines>();
    if (style == ProgressStyle::Quiet)
        return std::make_unique<Quiet>();
    return std::make_unique<Lines>(style == ProgressStyle::Bar);
}

} // namespace floe::app
