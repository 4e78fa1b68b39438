#include "commands.hpp"
#include "exit_code.hpp"
#include "machine_library.hpp"
#include "standard_output.hpp"
#include "supervisor.hpp"

#include "floe/base/child_process.hpp"
#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/view/node_pictures.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <unistd.h>

namespace floe::app {

namespace {

std::atomic<bool> stop{false};

/// The first signal asks the run to end; a second one ends the program at once, which is for the
/// supervisor to do where there is one.
void onSignal(int)
{
    if (stop.exchange(true) && !supervised())
        ::_exit(kCancelled);
}

/// Ends a program without a supervisor when a run does not end within `kPatience` of the first
/// signal, because a node or a library does not ask whether it should. What was written stays
/// valid.
class Watchdog {
public:
    Watchdog() : thread_([this](const std::stop_token& done) { watch(done); }) {}

private:
    static constexpr std::chrono::seconds kPatience{5};
    static constexpr std::chrono::milliseconds kLook{100};

    void watch(const std::stop_token& done)
    {
        std::unique_lock lock(mutex_);
        for (int looks = 0; looks < kPatience / kLook; looks += stop ? 1 : 0)
            if (ended_.wait_for(lock, done, kLook, [&] { return done.stop_requested(); }))
                return;
        std::fprintf(stderr, "Cancelled, without waiting for what does not end; go on with "
                             "--resume.\n");
        removeTemporaryFiles();
        endNow(kCancelled);
    }

    std::mutex mutex_;
    std::condition_variable_any ended_;
    std::jthread thread_;
};

void catchSignals()
{
    struct sigaction action {};
    action.sa_handler = onSignal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    for (const int signal : {SIGINT, SIGTERM})
        ::sigaction(signal, &action, nullptr);
    struct sigaction hangUp {};
    if (::sigaction(SIGHUP, nullptr, &hangUp) == 0 && hangUp.sa_handler != SIG_IGN) // nohup
        ::sigaction(SIGHUP, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
}

/// Passes everything on, and tells the supervisor that there is a report.
class Observed final : public session::Observer {
public:
    explicit Observed(session::Observer& observer) : observer_(observer) {}
    void began(const std::filesystem::path& output, int first, int last) override
    {
        noteReport();
        observer_.began(output, first, last);
    }
    void said(const session::Message& message) override { observer_.said(message); }
    void frameDone(const session::FrameStatistics& frame) override { observer_.frameDone(frame); }
    void frameProgress(int frame, const std::string& node, double fraction) override
    {
        observer_.frameProgress(frame, node, fraction);
    }

private:
    session::Observer& observer_;
};

/// Lists what a run left in its folder: one line for each folder and kind of file.
void sayWhatIsThere(const std::filesystem::path& output)
{
    std::map<std::string, std::size_t> counts;
    std::error_code error;
    for (std::filesystem::recursive_directory_iterator entry(output, error), end;
         !error && entry != end; entry.increment(error)) {
        if (!entry->is_regular_file(error) || entry->path().filename().string().starts_with('.'))
            continue;
        ++counts[(entry->path().parent_path() / ("*" + entry->path().extension().string()))
                     .string()];
    }
    for (const auto& [pattern, count] : counts)
        std::printf("  %s  (%zu)\n", pattern.c_str(), count);
}

int execute(const session::RunSettings& settings, ProgressStyle style,
            const std::vector<std::string>& isolated)
{
    catchSignals();
    std::optional<Watchdog> watchdog;
    if (!supervised())
        watchdog.emplace();
    const view::NodePictures pictures;
    const auto library = openLibrary(false, false, isolated);
    auto progress = makeProgress(style);
    const session::Outcome outcome = [&] {
        Observed observed(*progress);
        return session::run(settings, *library, observed, stop);
    }();
    progress.reset(); // standard output is the program's again
    const bool talk = style != ProgressStyle::Json && style != ProgressStyle::Quiet;
    switch (outcome.end) {
    case session::Outcome::End::Finished:
        if (talk) {
            std::printf("Finished. Written to %s:\n", outcome.output.c_str());
            sayWhatIsThere(outcome.output);
        }
        finishOutput();
        return kSuccess;
    case session::Outcome::End::Cancelled:
        if (talk)
            std::printf("Cancelled. What was written is in %s; go on with --resume.\n",
                        outcome.output.c_str());
        // A picture may still be in work on a sink's thread; its file appears whole or not at all.
        removeTemporaryFiles();
        endNow(kCancelled);
    case session::Outcome::End::Failed:
        break;
    }
    return exitCodeOf(outcome.error);
}

} // namespace

int runCommand(const session::RunSettings& settings, ProgressStyle progress,
               const std::vector<std::string>& isolated, bool watch)
{
    std::optional<ChildProcess> page; // ends with this function
    if (watch)
        page.emplace(ChildSettings{.command = {(programFolder() / "floe").string(), "report",
                                               "--watch", session::outputFolder(settings).string()},
                                   .output = STDERR_FILENO,
                                   .errors = STDERR_FILENO});
    return execute(settings, progress, isolated);
}

int renderCommand(session::RunSettings settings, ProgressStyle progress,
                  const std::vector<std::string>& isolated)
{
    settings.checkpointEvery = 0;
    if (settings.readCache.empty()) {
        const auto output = session::outputFolder(settings);
        settings.readCache = output / "cache";
    }
    if (!std::filesystem::is_directory(settings.readCache))
        throw IoError({.file = settings.readCache.string()}, "is not a folder",
                      "run the graph with --cache first");
    return execute(settings, progress, isolated);
}

} // namespace floe::app
