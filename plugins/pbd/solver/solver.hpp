/// The position-based solver: one substep of everything in a scene.
#pragma once

#include "contact_log.hpp"
#include "contacts.hpp"
#include "joints.hpp"
#include "liquid.hpp"
#include "matching.hpp"
#include "scene.hpp"
#include "settings.hpp"
#include "sheets.hpp"
#include "sleep.hpp"
#include "thin_walls.hpp"

#include "floe/sdk/parallel/executor.hpp"
#include "floe/sdk/world/force.hpp"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace floe::pbd {

/// The world of a step. Borrowed.
struct World {
    std::span<const std::shared_ptr<sdk::world::Collider>> colliders;
    std::span<const std::shared_ptr<const sdk::world::Force>> forces;
    const sdk::world::Domain* domain = nullptr;
};

/// Advances a scene in small steps of few iterations (Macklin et al. 2019), or as the thesis does
/// in large ones of many: the same loop (Jia 2017, algorithm 3.3, with its errata).
///
/// What overlaps is first moved apart without gaining speed. Contacts then stop what approaches,
/// starting from the impulses of the substeps before; soft bodies are drawn to their shapes, liquid
/// to its density. The same bits for any number of threads.
class Solver {
public:
    Scene scene;
    SolverSettings settings;
    std::vector<Joint> joints;
    bool pushed = false;       ///< something else pushes rigid bodies between steps: none sleeps
    ContactLog* log = nullptr; ///< gets the contacts of each step; borrowed; null: nobody asks

    /// Particles or bodies were added from outside.
    void changed();
    /// From `time` to `time + dt`.
    /// @throws std::runtime_error  positions are no longer finite
    void step(const World& world, double time, double dt, sdk::parallel::Executor& executor);
    /// Whether anything may fall asleep in such a world.
    bool maySleep(const World& world) const;
    /// Moves what overlaps apart, as after emission; nothing gains speed.
    void settle(const World& world, int passes, sdk::parallel::Executor& executor);

    struct Counts {
        std::size_t leftDomain = 0, taken = 0; ///< particles, so far
        std::size_t broken = 0;                ///< bodies, so far
        std::size_t leaked = 0;                ///< times a particle went through a thin wall
        std::size_t searches = 0;              ///< for candidates
    };
    Counts counts() const
    {
        return {leftDomain_, taken_, broken_, thinWalls_.leaked(), contacts_.searches()};
    }
    const Contacts& contacts() const { return contacts_; }
    Contacts& contacts() { return contacts_; }
    const Liquid& liquid() const { return liquid_; }
    Sheets& sheets() { return sheets_; }
    ThinWalls& thinWalls() { return thinWalls_; }
    const ThinWalls& thinWalls() const { return thinWalls_; }
    Sleep& sleep() { return sleep_; }
    const Sleep& sleep() const { return sleep_; }
    /// Begins a substep: colliders are where they will be.
    /// @return false: all sleep and nothing disturbs them, which is all of it
    bool beginSleep(const World& world, double dt);
    /// Makes what is remembered fit substeps of this length.
    void setStep(double dt);
    /// Takes out free particles. @param gone  one entry a particle
    void remove(const std::vector<std::uint8_t>& gone);
    /// Whether anything breaks where blows are hard enough.
    bool mayBreak() const;
    /// Breaks bodies that the blows of this substep are too much for, or remembers the blows.
    /// @param blow  of each body: impulse of its contacts [N s]
    /// @param begin  called before the first one breaks
    /// @return whether any did
    bool breakBodies(const std::vector<double>& blow, const std::function<void()>& begin = {});
    double lastStep() const { return lastStep_; } ///< [s]; 0: none yet
    void setLastStep(double dt) { lastStep_ = dt; }
    void setCounts(const Counts& counts)
    {
        leftDomain_ = counts.leftDomain;
        taken_ = counts.taken;
        broken_ = counts.broken;
    }

private:
    void applyForces(const World& world, double time, double dt, sdk::parallel::Executor& executor);
    /// Finds how far everything moves in a substep.
    void project(const World& world, double dt, sdk::parallel::Executor& executor);
    std::vector<double> blows(double dt) const;
    void predict(double dt, sdk::parallel::Executor& executor);
    void finish(double dt, sdk::parallel::Executor& executor);
    void removeGone(const World& world);

    Motion motion_;
    Contacts contacts_;
    Sleep sleep_;
    ThinWalls thinWalls_;
    Liquid liquid_;
    Matching matching_;
    Sheets sheets_;
    Joints joints_;
    std::size_t leftDomain_ = 0, taken_ = 0, broken_ = 0;
    double lastStep_ = 0;
};

} // namespace floe::pbd
