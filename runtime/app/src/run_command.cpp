#include "commands.hpp"
#include "ending_signals.hpp"
#include "exit_code.hpp"
#include "machine_library.hpp"
#include "standard_output.hpp"
#include "supervisor.hpp"

#include "floe/base/child_process.hpp"
#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/ranks/ranks.hpp"
#include "floe/view/node_pictures.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
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
    forEachEndingSignal([&action](int signal) { ::sigaction(signal, &action, nullptr); });
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

/// Says nothing: rank 0 speaks for all.
class Silent final : public session::Observer {
public:
    void began(const std::filesystem::path&, int, int) override {}
    void said(const session::Message&) override {}
    void frameDone(const session::FrameStatistics&) override {}
    void frameProgress(int, const std::string&, double) override {}
};

/// Waits for the first signal, with which a launcher ends the ranks when one of them has ended.
/// @return whether it came
bool waitForSignal(std::chrono::milliseconds patience)
{
    constexpr std::chrono::milliseconds kLook{20};
    for (auto waited = kLook; !stop && waited < patience; waited += kLook)
        std::this_thread::sleep_for(kLook);
    return stop;
}

/// Ends a rank whose run failed, and the others with it: those that wait for it read the note, and
/// a launcher ends those that do not.
///
/// Where all fail alike, rank 0 says so. Where another one alone has failed, rank 0 has time for
/// its report.
[[noreturn]] void endRank(const std::exception_ptr& error, const std::filesystem::path& output)
{
    constexpr std::chrono::milliseconds kTogether{3000}, kReport{3000};
    std::string why = "unknown failure";
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& failure) {
        why = failure.what();
    } catch (...) {
    }
    if (ranks::joined()->rank == 0) {
        ranks::noteLoss(output, why);
    } else if (!waitForSignal(kTogether)) {
        if (!ranks::loss())
            std::fprintf(stderr, "error: %s: %s\n", ranks::ownName().c_str(), why.c_str());
        ranks::noteLoss(output, why);
        waitForSignal(kReport);
    }
    endNow(exitCodeOf(error));
}

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
    moveOutput();
    catchSignals();
    std::optional<Watchdog> watchdog;
    if (!supervised())
        watchdog.emplace();
    const view::NodePictures pictures;
    const bool follows = ranks::several() && ranks::joined()->rank > 0;
    if (ranks::several() && !isolated.empty())
        throw InputError({}, "--isolate and several ranks do not go together",
                         "leave one of them out");
    const auto library = openLibrary(false, follows, isolated);
    std::unique_ptr<session::Observer> progress;
    if (follows)
        progress = std::make_unique<Silent>();
    else
        progress = makeProgress(style);
    const session::Outcome outcome = [&] {
        if (follows) // the report is another rank's
            return session::run(settings, *library, *progress, stop);
        Observed observed(*progress);
        return session::run(settings, *library, observed, stop);
    }();
    progress.reset(); // standard output is the program's again
    const bool talk = style != ProgressStyle::Json && style != ProgressStyle::Quiet && !follows;
    switch (outcome.end) {
    case session::Outcome::End::Finished:
        if (talk) {
            std::printf("Finished. Written to %s:\n", outcome.output.c_str());
            sayWhatIsThere(outcome.output);
        }
        finishOutput();
        if (ranks::several())
            ranks::leave();
        return kSuccess;
    case session::Outcome::End::Cancelled:
        if (talk)
            std::printf("Cancelled. What was written is in %s; go on with --resume.\n",
                        outcome.output.c_str());
        // A picture may still be in work on a sink's thread; its file appears whole or not at all.
        removeTemporaryFiles();
        if (follows) // a launcher kills rank 0, with its report, when another process ends
            std::this_thread::sleep_for(std::chrono::seconds(2));
        endNow(kCancelled);
    case session::Outcome::End::Failed:
        break;
    }
    if (ranks::several())
        endRank(outcome.error, outcome.output);
    return exitCodeOf(outcome.error);
}

} // namespace

int runCommand(const session::RunSettings& settings, ProgressStyle progress,
               const std::vector<std::string>& isolated, bool watch, const std::string& partition)
{
    std::optional<ChildProcess> page; // ends with this function
    if (watch && ranks::launchedRank() == 0)
        page.emplace(ChildSettings{.command = {(programFolder() / "floe").string(), "report",
                                               "--watch", session::outputFolder(settings).string()},
                                   .output = STDERR_FILENO,
                                   .errors = STDERR_FILENO});
    if (!ranks::launched())
        return execute(settings, progress, isolated);
    ranks::join(partition.c_str());
    try {
        return execute(settings, progress, isolated);
    } catch (const std::exception& error) { // before the first frame
        if (ranks::joined()->rank == 0)
            std::fprintf(stderr, "error: %s\n", error.what());
        endRank(std::current_exception(), session::outputFolder(settings));
    }
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
