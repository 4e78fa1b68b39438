#include "heartbeat.hpp"

#include <cmath>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <mutex>
#include <stop_token>
#include <unistd.h>
#include <utility>

namespace floe::ranks {
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds kBeat{500};
constexpr std::chrono::milliseconds kUsual{10000};
constexpr std::chrono::milliseconds kFarApart{2000}; ///< two looks

fs::path signOf(const fs::path& folder, const std::string& job, int rank)
{
    return folder / (".rank-" + job + "-" + std::to_string(rank));
}

std::string readSign(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary);
    std::string text(500, '\0'); // a number and a name
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    return text;
}

} // namespace

std::chrono::milliseconds Heartbeat::chosenPatience()
{
    const char* text = std::getenv("FLOE_RANK_PATIENCE");
    if (!text)
        return kUsual;
    char* end = nullptr;
    const double seconds = std::strtod(text, &end);
    if (end == text || *end != '\0' || !(seconds >= 0 && seconds < 1e6))
        return kUsual;
    return std::chrono::milliseconds(std::llround(1000 * seconds));
}

Heartbeat::Heartbeat(const fs::path& folder, const std::string& job, int rank, int size,
                     std::string name, std::chrono::milliseconds patience)
    : own_(signOf(folder, job, rank)), next_(signOf(folder, job, (rank + 1) % size)),
      name_(std::move(name)), patience_(patience)
{
    write(0); // before anybody looks
    // Signals are for the threads that wait for them.
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::jthread([this](const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any wake;
        std::unique_lock lock(mutex);
        for (std::uint64_t count = 1; !stop.stop_requested(); ++count) {
            write(count);
            wake.wait_for(lock, stop, kBeat, [] { return false; });
        }
    });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Heartbeat::~Heartbeat()
{
    thread_.request_stop();
    thread_.join();
    ::unlink(own_.c_str());
}

/// In place, and closed: file systems of networks show others a file as it was closed.
void Heartbeat::write(std::uint64_t count)
{
    char number[32];
    std::snprintf(number, sizeof number, "%016llx ", static_cast<unsigned long long>(count));
    const std::string sign = number + name_;
    const int file = ::open(own_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0)
        return;
    const bool written =
        ::pwrite(file, sign.data(), sign.size(), 0) == static_cast<ssize_t>(sign.size()) &&
        ::ftruncate(file, static_cast<off_t>(sign.size())) == 0;
    if (::close(file) != 0 || !written) // no sign is better than one that stands still
        ::unlink(own_.c_str());
}

std::optional<std::string> Heartbeat::silent()
{
    if (patience_ == std::chrono::milliseconds{0})
        return std::nullopt;
    const auto now = Clock::now();
    const std::string sign = readSign(next_);
    if (sign != seen_ || sign.empty() || now - looked_ > kFarApart) {
        seen_ = sign;
        changed_ = now;
    }
    looked_ = now;
    if (now - changed_ < patience_)
        return std::nullopt;
    const std::size_t name = seen_.find(' ');
    return (name == std::string::npos ? "a rank" : seen_.substr(name + 1)) +
           " does not answer: its process was stopped, or its machine cannot be reached";
}

} // namespace floe::ranks
