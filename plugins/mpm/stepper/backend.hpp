/// A device's part of a step. A backend works on particles and nodes and decides nothing: the
/// Stepper chooses the step, repeats it, rebins, activates blocks and reports faults.
#pragma once

#include "block_view.hpp"
#include "particles.hpp"
#include "settings.hpp"
#include "sharing.hpp"
#include "statistics.hpp"
#include "surroundings.hpp"

#include "floe/sdk/contact_cells.hpp"
#include "floe/sdk/grid/partition.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace floe::mpm {

namespace saved {
struct OwnState;
}

/// Thrown when a run left the range of meaningful numbers. The message is one sentence: what
/// happened to which material, when, and what would help. The state is that of the last valid step.
class Diverged : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// What matter got from a collider that it does not move, all in all or in one place.
struct ColliderPush {
    std::uint32_t collider = 0; ///< its place in setColliders()
    sdk::ContactCells::Cell cell{};
    double weight = 0;      ///< of all impulses' sizes [N s]
    Vec3d point{0, 0, 0};   ///< sum of places, each times its weight
    Vec3d normal{0, 0, 0};  ///< the same of normals, out of the collider
    Vec3d impulse{0, 0, 0}; ///< [N s]
    Vec3d moment{0, 0, 0};  ///< about the world's origin [N m s]
};

/// Bounds of the present state of particles and nodes.
struct Bounds {
    // particles, in their present state
    double signalSpeed = 0;           ///< of the fastest wave, viscous spreading included [m/s]
    std::uint32_t signalMaterial = 0; ///< material of that wave
    double component = 0;             ///< largest velocity component [m/s]
    double speed = 0;                 ///< of the fastest particle [m/s]
    double gradient = 0;              ///< largest stretching rate |C_ii| [1/s]
    bool finite = true;               ///< all their numbers are finite
    double slowSignalSpeed = 0; ///< the same as signalSpeed in slow blocks, after scatterSplit()
    // nodes of the last updateGrid() or solve()
    double nodeComponent = 0; ///< largest velocity component [m/s]
    bool nodesFinite = true;
    bool nodesExact = true; ///< false: contributions were larger than the sums have room for, and
                            ///< the step has to be scattered again
};

/// Numbers of particles deleted by colliders and open faces.
struct Deleted {
    std::uint64_t leftDomain = 0, byCollider = 0;
};

/// Parameters of the last part of a step.
struct GatherRequest {
    double time = 0;     ///< at the start of the step [s]
    double dt = 0;       ///< [s]
    double next = 0;     ///< length of the next step, if it is scattered at once [s]; else 0
    bool rebins = false; ///< rebin() and then scatter() follow
    /// Time for which liquids go towards the volume that positions give them, in this step [s]; 0:
    /// their volume follows their motion.
    double volumeTime = 0;
};

/// What setDomain() throws as std::invalid_argument.
inline constexpr char kPeriodMoved[] =
    "periodic sides cannot come, go or move while there are particles; keep the domain as it was "
    "at the start";

/// The part of a checkpoint besides the particles.
struct Clock {
    double time = 0;     ///< [s]
    double lastStep = 0; ///< [s]
    std::uint64_t nextId = 0;
    std::uint64_t deleted = 0; ///< since particles were binned
    Counts counts;
};

/// A step is scatter, updateGrid, then either gather, or scatter again when the step turns out too
/// long; particles do not change before gather. Calls come from one thread at a time. Functions
/// throw std::bad_alloc when memory runs out, and Diverged.
///
/// Where several ranks hold the particles together (cpu/halo.hpp), all get the same calls; bounds,
/// numbers of particles and snapshots are those of the whole. Snapshots come together at rank 0;
/// the others get nothing. What blocks() describes are a rank's own.
class Backend {
public:
    virtual ~Backend() = default;
    /// Returns the ranks that hold the particles together; null: this one alone.
    virtual const Ranks* ranks() const { return nullptr; }

    // -- inputs

    /// Returns why this backend does not support the settings; empty: it does. Every limitation of
    /// a backend is reported here, in words for the user.
    virtual std::optional<std::string> refusal(const SolverSettings& settings) const = 0;
    virtual std::optional<std::string> refusal(std::span<const SolverMaterial> materials) const = 0;
    virtual std::optional<std::string> refusal(const Collider& collider) const = 0;
    /// Takes settings that have been checked.
    virtual void setSettings(const SolverSettings& settings) = 0;
    virtual void setMaterials(std::span<const SolverMaterial> materials) = 0;
    virtual void setDomain(const Domain& domain) = 0;
    virtual void setForces(std::span<const std::shared_ptr<const Force>> forces) = 0;
    virtual void setColliders(std::span<const std::shared_ptr<Collider>> colliders) = 0;

    // -- a step

    /// Returns how far particles may drift before they are rebinned [cells]: the margin of arenas.
    virtual double maxDrift() const = 0;
    /// Returns an upper bound of the drift since the last binning [cells]. Never waits.
    virtual double drift() const = 0;
    /// Returns the present bounds. Waits for the device if necessary.
    virtual const Bounds& bounds() = 0;
    /// Returns whether bounds() returns without waiting.
    virtual bool boundsKnown() const { return true; }
    /// Returns the material of the fastest wave.
    virtual std::uint32_t signalMaterial() { return bounds().signalMaterial; }
    /// Returns the length of the step for which the grid holds the present particles [s]; 0: none.
    virtual double scatteredStep() = 0;
    /// Computes stress and scatters momentum and mass, for a step of this length [s].
    virtual void scatter(double dt) = 0;
    /// Computes node velocities at the end of the step from what was scattered, gravity, forces and
    /// contact. Colliders have been moved.
    virtual void updateGrid(double time, double dt) = 0;
    /// Gathers from nodes to particles and moves them. @pre drift and the motion of this step are
    /// at most maxDrift(), or rebin() follows
    virtual void gather(const GatherRequest& request) = 0;
    /// Hands the momentum that contact has taken from nodes in the last updateGrid() to the bodies
    /// that carry coupled colliders, which move by it (floe/sdk/coupling.h).
    virtual void endBodies() {}
    /// Contacts with colliders are to be recorded, by these cells; none: not at all.
    /// @return false: this backend cannot
    virtual bool recordContacts(const std::optional<sdk::ContactCells>& cells) { return !cells; }
    /// The last updateGrid() is the step's: what it recorded counts.
    virtual void endContacts() {}
    /// Returns what was recorded since the last call, by collider, then cell:
    /// sdk::kMaxContacts at most.
    virtual std::vector<ColliderPush> takeContacts() { return {}; }
    /// Rebins particles. After a gather with `rebins` they arrive in the scatter that must follow.
    virtual void rebin() = 0;
    virtual Deleted takeDeleted() = 0;
    /// Returns how many particles have crossed a thin collider since the last call.
    virtual std::uint64_t takeLeaked() { return 0; }
    /// Completes deferred work: particles are in their blocks, bounds are known.
    virtual void bringUpToDate() {}

    // -- the semi-implicit integrator

    /// Call after scatter(0).
    virtual void prepareSolve() = 0;
    /// Finds the node velocities under the forces of the step's end. @return whether it succeeded
    virtual bool solve(double time, double dt) = 0;
    /// Returns the linear iterations since the last call.
    virtual std::uint64_t takeSolveIterations() = 0;

    // -- local time steps: some blocks, the slow ones, take one long step while the others take
    //    several: scatterSplit(), updateSlowOnly(), then updateShared() and gatherFast() for each
    //    of the others', then gatherSlow(), then a scatter of all. bounds() are those of fast
    //    blocks in between. Only where localRefusal() is empty and nothing sleeps.

    /// Returns why blocks cannot take steps of their own here, in words for the user.
    virtual std::optional<std::string> localRefusal() const { return "only the CPU computes them"; }
    /// Returns the speed of the fastest wave in each material [m/s]; 0: it has no particles.
    virtual std::vector<double> signalSpeeds() { return {}; }
    /// Marks as slow the blocks in which, and near which, all waves are at most this fast [m/s].
    /// @return the number of their particles
    virtual std::uint64_t split(double speed)
    {
        static_cast<void>(speed);
        return 0;
    }
    /// Returns the length of the long step for which the grid holds the present particles [s]; 0:
    /// none.
    virtual double scatteredWhole() { return 0; }
    virtual void scatterSplit(double dt, double whole)
    {
        static_cast<void>(dt), static_cast<void>(whole);
    }
    /// What scatterSplit() has scattered is not used.
    virtual void dropSplit() {}
    /// Scatters fast blocks again.
    virtual void scatterFast(double dt) { static_cast<void>(dt); }
    /// Updates the nodes that slow blocks alone reach. @param again  scatters slow blocks before,
    /// for a long step that turned out shorter
    virtual void updateSlowOnly(double time, double whole, bool again)
    {
        static_cast<void>(time), static_cast<void>(whole), static_cast<void>(again);
    }
    /// Updates all other nodes.
    virtual void updateShared(double time, double dt)
    {
        static_cast<void>(time), static_cast<void>(dt);
    }
    /// Takes the last updateShared() back.
    virtual void undoShared() {}
    /// @param request  without rebinning
    virtual void gatherFast(const GatherRequest& request) { static_cast<void>(request); }
    virtual void gatherSlow(double time, double whole)
    {
        static_cast<void>(time), static_cast<void>(whole);
    }

    // -- sleep

    /// Returns the present blocks; valid until the next call that changes anything.
    /// @param cellSpeeds  whether to include the speeds of their cells
    virtual const BlockView& blocks(bool cellSpeeds = false) = 0;
    /// With several ranks: the number of all of them.
    virtual std::size_t activeBlocks() = 0;
    /// Returns the number of blocks that hold particles and are not active, of all ranks.
    virtual std::size_t sleepingBlocks() = 0;
    /// Call after updateGrid(): returns the boundary blocks whose nodes push them faster than
    /// `wakeSpeed` [m/s]. If there is none on any rank, all keep the velocity gained in this step.
    /// @param wakeSpeed  <= 0: no block is returned
    virtual std::vector<std::int32_t> findPushed(double dt, double wakeSpeed) = 0;
    /// Returns whether the last findPushed() has found blocks on other ranks.
    virtual bool pushedElsewhere() const { return false; }
    /// With several ranks: tells the others which blocks have a mark, one for each block of
    /// blocks(); blocks of others that lie beside one's own get the marks of their owners.
    /// @return whether any block of any rank has got a new one by that
    virtual bool shareMarks(std::span<std::uint8_t> marks)
    {
        static_cast<void>(marks);
        return false;
    }
    /// Activates blocks, none of them active, with the velocity that they gained as boundary
    /// blocks. A grid that held the particles still does so afterwards. With several ranks, all
    /// call this for blocks of their own, maybe none.
    /// @param dt      of that scatter [s]
    /// @param update  between updateGrid() and gather(): update nodes again where needed
    virtual void wake(std::span<const std::int32_t> blocks, double time, double dt,
                      bool update) = 0;
    /// Between steps: sets blocks active or passive. Particles of passive blocks are put to rest.
    /// With several ranks, as wake().
    virtual void setStates(std::span<const std::int32_t> active,
                           std::span<const std::int32_t> passive) = 0;

    // -- particles

    /// Adds checked particles that lie inside open faces; ids count up from `firstId`.
    virtual void add(const NewParticles& particles, std::uint32_t firstId) = 0;
    /// With several ranks: adds those of this one, NewParticles::part, and their numbers to
    /// `firstId`.
    virtual void addPart(const NewParticles& particles, std::uint32_t firstId,
                         const Numbering& numbering)
    {
        static_cast<void>(particles), static_cast<void>(firstId), static_cast<void>(numbering);
    }
    /// With several ranks: returns whether it is unknown yet who is given new particles.
    virtual bool undivided() const { return false; }
    /// With several ranks: decides that. @param counts  of new particles that this rank has
    /// counted; nothing is decided where no rank has any
    virtual void divideNew(std::vector<sdk::grid::BlockCost> counts) { static_cast<void>(counts); }
    /// With several ranks: returns whether new particles of a block are given to this one.
    virtual bool isGiven(const BlockCoordinate& block) const
    {
        static_cast<void>(block);
        return true;
    }
    /// Marks the cells that hold particles.
    virtual void findOccupied(CellSet& cells) = 0;
    /// With several ranks, each of which has marked what its cells occupy: makes the marks common.
    virtual void shareOccupied(std::span<std::uint8_t> occupied) { static_cast<void>(occupied); }
    /// With several ranks: returns whether others may hold particles in a cell.
    virtual bool isCellOfOthers(const std::array<std::int64_t, 3>& cell) const
    {
        static_cast<void>(cell);
        return false;
    }
    virtual void snapshot(const Snapshot& to) = 0;
    /// With several ranks: those of this one alone.
    virtual std::size_t ownParticleCount() const { return 0; }
    virtual void snapshotPart(const Snapshot& to) { static_cast<void>(to); }
    /// Returns whether particles are in device memory.
    virtual bool onDevice() const { return false; }
    /// Writes a snapshot to arrays there; enqueued on the device's stream.
    virtual void snapshotOnDevice(const Snapshot& to) { snapshot(to); }
    /// Returns the material of a particle with a number that is NaN or infinite, if there is one.
    virtual std::optional<std::uint16_t> findNotFinite() = 0;
    /// Returns the material and speed [m/s] of the fastest particle.
    virtual std::pair<std::uint16_t, double> findFastest() = 0;

    // -- state

    /// With several ranks: each returns its part (cpu/saved_parts.hpp); or, where the backend knows
    /// none, rank 0 the whole and the others nothing.
    virtual std::vector<unsigned char> save(const Clock& clock) = 0;
    /// Replaces the whole state. With several ranks, all are given the whole one.
    /// @throws std::runtime_error  not a state this solver can continue from; it is empty then
    virtual Clock load(std::span<const unsigned char> bytes) = 0;
    /// The same with what this rank has taken of a state on the CPU.
    virtual Clock loadOwn(const saved::OwnState& own)
    {
        static_cast<void>(own);
        throw std::runtime_error("the solver's saved state is of a run on the CPU");
    }
    /// Makes an empty backend on the same device.
    virtual std::unique_ptr<Backend> makeEmpty(const SolverSettings& settings) const = 0;
    virtual std::size_t bytes() const = 0;
    /// Between frames, with several ranks: moves blocks from one to another where that pays.
    /// @return how many, of all ranks
    virtual std::uint64_t balance() { return 0; }
    virtual const char* name() const = 0; ///< for users: "CUDA", "AVX2", ...
};

} // namespace floe::mpm
