#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace floe::session {

/// One sink's thread and its bounded queue of frames. Frames run in order of arrival; `push` waits
/// only while the queue is full. After a failure the remaining frames are dropped.
class SinkQueue {
public:
    /// @param capacity frames that may wait besides the one in progress, >= 1
    /// @param stop     set from any thread: `push` then drops instead of waiting; null: never
    explicit SinkQueue(std::size_t capacity, const std::atomic<bool>* stop = nullptr);
    /// Drops waiting frames, and joins the thread after the frame in progress.
    ~SinkQueue();
    SinkQueue(const SinkQueue&) = delete;
    SinkQueue& operator=(const SinkQueue&) = delete;

    /// @param work may throw; the first exception is kept for `failure`
    /// @return seconds spent waiting for space
    double push(int frame, std::function<void()> work);

    /// Waits until everything pushed so far is done or dropped.
    void drain();
    /// Drops waiting frames; the frame in progress continues.
    void discard();
    /// Waits at most `seconds` for the frame in progress. @return whether the thread is idle
    bool waitIdle(double seconds);
    /// Waits until no frame up to and including `frame` is waiting or in progress.
    void waitFor(int frame);

    std::exception_ptr failure() const;
    std::size_t waiting() const;
    std::size_t unfinished() const; ///< frames waiting or in progress

private:
    struct Job {
        int frame;
        std::function<void()> work;
    };
    void loop();

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Job> jobs_;
    std::size_t capacity_;
    const std::atomic<bool>* stop_;
    bool working_ = false;
    int workingFrame_ = 0;
    bool ending_ = false;
    std::exception_ptr failure_;
    std::thread thread_;
};

} // namespace floe::session
