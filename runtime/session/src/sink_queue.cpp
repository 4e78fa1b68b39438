#include "floe/session/sink_queue.hpp"

#include <algorithm>
#include <chrono>

namespace floe::session {

SinkQueue::SinkQueue(std::size_t capacity, const std::atomic<bool>* stop)
    : capacity_(std::max<std::size_t>(1, capacity)), stop_(stop), thread_([this] { loop(); })
{}

SinkQueue::~SinkQueue()
{
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
        jobs_.clear();
    }
    changed_.notify_all();
    thread_.join();
}

double SinkQueue::push(int frame, std::function<void()> work)
{
    const auto begin = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    const auto stopped = [this] {
        return stop_ != nullptr && *stop_;
    };
    const auto hasPlace = [this] {
        return jobs_.size() < capacity_ || failure_;
    };
    while (!changed_.wait_for(lock, std::chrono::milliseconds(50), hasPlace) && !stopped()) {
    }
    if (!failure_ && !stopped()) {
        jobs_.push_back({frame, std::move(work)});
        changed_.notify_all();
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void SinkQueue::drain()
{
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return jobs_.empty() && !working_; });
}

void SinkQueue::discard()
{
    const std::lock_guard lock(mutex_);
    jobs_.clear();
    changed_.notify_all();
}

bool SinkQueue::waitIdle(double seconds)
{
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                             [this] { return jobs_.empty() && !working_; });
}

void SinkQueue::waitFor(int frame)
{
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, frame] {
        return (jobs_.empty() || jobs_.front().frame > frame) &&
               (!working_ || workingFrame_ > frame);
    });
}

std::exception_ptr SinkQueue::failure() const
{
    const std::lock_guard lock(mutex_);
    return failure_;
}

std::size_t SinkQueue::waiting() const
{
    const std::lock_guard lock(mutex_);
    return jobs_.size();
}

std::size_t SinkQueue::unfinished() const
{
    const std::lock_guard lock(mutex_);
    return jobs_.size() + (working_ ? 1 : 0);
}

void SinkQueue::loop()
{
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
        if (ending_)
            return;
        Job job = std::move(jobs_.front());
        jobs_.pop_front();
        working_ = true;
        workingFrame_ = job.frame;
        lock.unlock();
        changed_.notify_all(); // a place is free
        std::exception_ptr failure;
        try {
            job.work();
        } catch (...) {
            failure = std::current_exception();
        }
        job.work = nullptr; // releases the frame's values before waking waiting threads
        lock.lock();
        working_ = false;
        if (failure && !failure_) {
            failure_ = failure;
            jobs_.clear();
        }
        changed_.notify_all();
    }
}

} // namespace floe::session
