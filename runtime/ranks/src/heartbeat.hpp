#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

namespace floe::ranks {

/// A sign of life of this rank, and a look at that of the next one: in a ring, so that each is
/// watched by one. A rank that was stopped (SIGSTOP) or whose machine is gone ends no process, but
/// its sign stays as it is.
///
/// The sign is a small file in the output folder, `.rank-JOB-3`, with a number that grows and the
/// rank's name; no clocks are compared. A rank that cannot write there is not judged.
class Heartbeat {
public:
    /// Begins to write, on a thread of its own.
    /// @param job       name of this run: one that has just been killed may still give signs
    /// @param name      of this rank, for a sentence
    /// @param patience  how long the next one may keep still while it is looked at; 0: for ever
    Heartbeat(const std::filesystem::path& folder, const std::string& job, int rank, int size,
              std::string name, std::chrono::milliseconds patience);
    /// Removes the sign.
    ~Heartbeat();

    /// Looks at the next rank. Call often while waiting: what happened between two calls that are
    /// far apart (this process was stopped, or computed) says nothing.
    /// @return a sentence that names it, when it has kept still for too long
    std::optional<std::string> silent();

    /// Returns the patience that the user has chosen (FLOE_RANK_PATIENCE [s]), or the usual one.
    static std::chrono::milliseconds chosenPatience();

private:
    using Clock = std::chrono::steady_clock;

    void write(std::uint64_t count);

    std::filesystem::path own_, next_;
    std::string name_;
    std::chrono::milliseconds patience_;
    std::string seen_;          ///< the next one's sign
    Clock::time_point changed_; ///< when that came up
    Clock::time_point looked_;  ///< at last
    std::jthread thread_;
};

} // namespace floe::ranks
