/// What one machine does of a step. A backend touches particles and nodes and decides nothing: how
/// long steps are, when one is redone, when particles change blocks, who sleeps and what a fault is
/// called is the Stepper's, for all backends alike.
#pragma once

#include "block_view.hpp"
#include "particles.hpp"
#include "settings.hpp"
#include "statistics.hpp"
#include "surroundings.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace floe::mpm {

/// A run that left the range of meaningful numbers. The message is one sentence: what happened to
/// which material, when, and what would help. The solver's state is that of the last good step.
class Diverged : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// What is known of particles and nodes.
struct Bounds {
    // of the particles, as they are
    double signalSpeed = 0;           ///< of the fastest wave, viscous spreading included [m/s]
    std::uint32_t signalMaterial = 0; ///< whose it is
    double component = 0;             ///< largest velocity component [m/s]
    double speed = 0;                 ///< of the fastest [m/s]
    double gradient = 0;              ///< largest stretching rate |C_ii| [1/s]
    bool finite = true;               ///< all their numbers are
    // of the nodes of the last updateGrid() or solve()
    double nodeComponent = 0; ///< largest velocity component [m/s]
    bool nodesFinite = true;
    bool nodesExact = true; ///< false: contributions were larger than the sums have room for, and
                            ///< the step has to be scattered again
};

/// Particles that colliders and open faces have deleted.
struct Deleted {
    std::uint64_t leftDomain = 0, byCollider = 0;
};

/// How a step ends.
struct GatherRequest {
    double time = 0; ///< at the step's begin [s]
    double dt = 0;   ///< [s]
    double next = 0; ///< length of the next step, to be scattered at once [s]; 0: that comes later
    bool rebins = false; ///< rebin() and then scatter() follow
};

/// What a checkpoint keeps beside the particles.
struct Clock {
    double time = 0;     ///< [s]
    double lastStep = 0; ///< [s]
    std::uint64_t nextId = 0;
    std::uint64_t deleted = 0; ///< since particles were binned
    Counts counts;
};

/// A step is scatter, updateGrid, then either gather, or scatter again when it turns out too long;
/// nothing of a particle changes before gather. Calls come from one thread at a time. Functions
/// throw std::bad_alloc when memory runs out, and Diverged.
class Backend {
public:
    virtual ~Backend() = default;

    // -- what it is told

    /// Why this backend cannot do what is asked; nothing: it can. All that one backend lacks is
    /// told here, in words for the person who asked.
    virtual std::optional<std::string> refusal(const SolverSettings& settings) const = 0;
    virtual std::optional<std::string> refusal(std::span<const SolverMaterial> materials) const = 0;
    virtual std::optional<std::string> refusal(const Collider& collider) const = 0;
    /// Checked already.
    virtual void setSettings(const SolverSettings& settings) = 0;
    virtual void setMaterials(std::span<const SolverMaterial> materials) = 0;
    virtual void setDomain(const Domain& domain) = 0;
    virtual void setForces(std::span<const std::shared_ptr<const Force>> forces) = 0;
    virtual void setColliders(std::span<const std::shared_ptr<Collider>> colliders) = 0;

    // -- a step

    /// How far particles may drift before they are binned again [cells]: what arenas have room for.
    virtual double maxDrift() const = 0;
    /// Most that any may have moved since they were binned [cells]. Never waits.
    virtual double drift() const = 0;
    /// What is known now. Waits for the device where that is needed.
    virtual const Bounds& bounds() = 0;
    /// Whether bounds() need not wait.
    virtual bool boundsKnown() const { return true; }
    /// Length of the step for which the grid holds the particles as they are [s]; 0: it does not.
    virtual double scatteredStep() = 0;
    /// Stress, then momentum and mass to the grid, for a step of this length [s].
    virtual void scatter(double dt) = 0;
    /// Velocities of the nodes at the step's end: what was scattered, gravity, forces, contact.
    /// Colliders have been moved.
    virtual void updateGrid(double time, double dt) = 0;
    /// Nodes to particles, which move. @pre drift and what they move now is at most maxDrift(),
    /// or rebin() follows
    virtual void gather(const GatherRequest& request) = 0;
    /// Particles change their blocks. After a gather with `rebins` they arrive in the scatter that
    /// must follow.
    virtual void rebin() = 0;
    virtual Deleted takeDeleted() = 0;
    /// Finishes what a step has left for later: particles lie in their blocks, bounds are known.
    virtual void bringUpToDate() {}

    // -- the semi-implicit integrator

    /// After scatter(0).
    virtual void prepareSolve() = 0;
    /// Velocities of the nodes at the end of a step, forces of that end. @return whether found
    virtual bool solve(double time, double dt) = 0;
    /// Linear iterations since this was last asked.
    virtual std::uint64_t takeSolveIterations() = 0;

    // -- sleep

    /// Blocks as they are; valid until the next call that changes anything.
    /// @param cellSpeeds  with the speeds of their cells
    virtual const BlockView& blocks(bool cellSpeeds = false) = 0;
    virtual std::size_t activeBlocks() = 0;
    /// That hold particles and are not active.
    virtual std::size_t sleepingBlocks() = 0;
    /// After updateGrid(): the boundary blocks that the nodes push faster than `wakeSpeed` [m/s].
    /// Where there is none, all keep what they have gained in this step.
    /// @param wakeSpeed  <= 0: none is
    virtual std::vector<std::int32_t> findPushed(double dt, double wakeSpeed) = 0;
    /// Blocks, none of them active, become active, and start with the velocity that they gained as
    /// boundary blocks. Where the grid held the particles it does so afterwards, too.
    /// @param dt      of that scatter [s]
    /// @param update  between updateGrid() and gather(): the nodes are updated anew where needed
    virtual void wake(std::span<const std::int32_t> blocks, double time, double dt,
                      bool update) = 0;
    /// Between steps: some blocks become active, others passive. What falls asleep comes to rest.
    virtual void setStates(std::span<const std::int32_t> active,
                           std::span<const std::int32_t> passive) = 0;

    // -- particles

    /// Checked already, and inside open faces; ids count up from `firstId`.
    virtual void add(const NewParticles& particles, std::uint32_t firstId) = 0;
    /// Marks the cells that hold particles.
    virtual void findOccupied(CellSet& cells) = 0;
    virtual void snapshot(const Snapshot& to) = 0;
    /// Whether particles lie in the memory of a device.
    virtual bool onDevice() const { return false; }
    /// A snapshot into arrays there; enqueued on its stream.
    virtual void snapshotOnDevice(const Snapshot& to) { snapshot(to); }
    /// The material of a particle with a number that is none, if there is one.
    virtual std::optional<std::uint16_t> findNotFinite() = 0;
    /// The material and speed [m/s] of the fastest particle.
    virtual std::pair<std::uint16_t, double> findFastest() = 0;

    // -- the whole

    virtual std::vector<unsigned char> save(const Clock& clock) = 0;
    /// Instead of all there was. @throws std::runtime_error  not a state this solver can go on
    /// from; it is empty then
    virtual Clock load(std::span<const unsigned char> bytes) = 0;
    /// Another one on the same device, empty.
    virtual std::unique_ptr<Backend> makeEmpty(const SolverSettings& settings) const = 0;
    virtual std::size_t bytes() const = 0;
    virtual const char* name() const = 0; ///< for people: "CUDA", "AVX2", ...
};

} // namespace floe::mpm
