/// External forces on matter.
#pragma once

#include "floe/sdk/world/collider.hpp"

#include <atomic>
#include <mutex>
#include <string>

namespace floe::sdk::world {

/// An acceleration field. May be called from many threads at once.
class Force {
public:
    virtual ~Force() = default;
    /// Adds the force's effect from `time` to `time + dt` to batch.v.
    virtual void apply(PointBatch& batch, double time, float dt) const = 0;
    /// What went wrong in apply(), the first time; empty: nothing. For the solver, between steps.
    std::string fault() const
    {
        if (!faulty_)
            return {};
        const std::lock_guard lock(mutex_);
        return fault_;
    }

protected:
    /// For apply(), which then leaves the velocities as they are.
    void fail(const std::string& fault) const
    {
        const std::lock_guard lock(mutex_);
        if (!faulty_)
            fault_ = fault;
        faulty_ = true;
    }

private:
    mutable std::atomic<bool> faulty_{false};
    mutable std::mutex mutex_;
    mutable std::string fault_;
};

} // namespace floe::sdk::world
