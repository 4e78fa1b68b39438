/// Material point method on a sparse, unbounded grid.
///
/// MLS-MPM (Hu et al. 2018) with quadratic B-splines and APIC (Jiang et al. 2015), symplectic
/// Euler, single precision; optionally cubic kernels, PIC/FLIP and a semi-implicit integrator. The
/// Stepper chooses the time step, repeats it, rebins particles, activates blocks and reports
/// divergence. It drives a backend, which moves the particles: decisions are device-independent.
///
/// Independent of the plugin interface, so that it can be tested by itself. One thread at a time.
#pragma once

#include "activation.hpp"
#include "backend.hpp"
#include "world.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace floe::mpm {

class Stepper {
public:
    /// @param executor  for the decisions' own computations; must outlive the stepper
    /// @throws std::invalid_argument  settings out of range or not supported by this backend
    Stepper(const SolverSettings& settings, std::unique_ptr<Backend> backend, Executor& executor);

    /// Cell size and kernel cannot change while particles exist. @throws std::invalid_argument
    void setSettings(const SolverSettings& settings);
    const SolverSettings& settings() const { return settings_; }
    /// Materials keep their index; the table may grow, and laws may change their numbers but not
    /// their kind. @throws std::invalid_argument
    void setMaterials(std::vector<SolverMaterial> materials);
    const std::vector<SolverMaterial>& materials() const { return materials_; }
    /// Whether a liquid's volume is kept by position: the settings ask for it, and its density
    /// allows it.
    bool keepsVolume() const { return keepsVolume_; }
    void setDomain(const Domain& domain);
    void setForces(Forces forces);
    /// @throws std::invalid_argument  a collider that the backend does not support
    void setColliders(Colliders colliders);

    /// How takeContacts() is going to be called; nothing: not at all.
    /// @throws std::invalid_argument  the backend or the integrator cannot record contacts
    void recordContacts(const std::optional<sdk::ContactCells>& cells);
    /// Returns what matter got from colliders since the last call, by collider, then cell.
    std::vector<ColliderPush> takeContacts() { return backend_->takeContacts(); }

    /// Adds particles between steps, all or none. Ids count up in the given order. Particles beyond
    /// faces of the domain are not added (and not counted).
    /// @return how many would have begun behind walls
    /// @throws std::invalid_argument  unusable positions, velocities or volumes
    std::uint64_t addParticles(const NewParticles& particles);
    /// Sets occupied[i] to 1 where the cell of position i already holds a particle.
    /// @param part  NewParticles::part
    void findOccupied(const float* x, std::size_t count, std::uint8_t* occupied, bool part = false);
    /// With several ranks, before parts are added: whether divideNew() must come first, which says
    /// for which of them isGiven(). Each rank counts other new particles, between them all.
    bool undivided() const { return backend_->undivided(); }
    void divideNew(std::vector<sdk::grid::BlockCost> counts)
    {
        backend_->divideNew(std::move(counts));
    }
    bool isGiven(const BlockCoordinate& block) const { return backend_->isGiven(block); }
    /// Returns the ranks that hold the particles together; null: this one alone.
    const Ranks* ranks() const { return backend_->ranks(); }

    /// Takes one step, at most `longest` [s], chosen so that equal steps fill `longest`. The rest
    /// of `longest` is expected to follow: the next step may have begun when this returns.
    /// @return its length [s]  @throws Diverged
    double advance(double longest);
    double time() const { return time_; }
    /// Returns the maximum speed of all particles after the last step [m/s].
    double topSpeed() { return backend_->bounds().speed; }

    /// Returns the blocks of all ranks.
    ActivationRequest activationRequest()
    {
        return ofAllRanks(backend_->ranks(), makeRequest(backend_->blocks()));
    }
    /// Returns the speed field; with a guard, which detects colliders itself, of matter alone.
    SpeedField speedField();
    /// Applies `request.state`, finds boundary blocks, and puts sleeping blocks to rest.
    /// @param request  activationRequest() with other states; the same on every rank
    void applyActivation(const ActivationRequest& request);

    /// Between frames, with several ranks: balances them. @return the blocks that have moved
    std::uint64_t balance() { return backend_->balance(); }

    std::size_t particleCount();
    /// The same as far as it is known; never waits.
    std::size_t knownParticleCount() const { return counts_.alive; }
    Counts counts();
    StepStatistics takeStatistics();
    void snapshot(const Snapshot& to);
    /// With settings().localTimeSteps: returns why all blocks take the same steps, whatever their
    /// matter; empty: they need not.
    std::optional<std::string> whyNotLocal() const;
    /// With several ranks: the particles of this one, along Morton's curve as in snapshot().
    std::size_t ownParticleCount() { return backend_->ownParticleCount(); }
    void snapshotPart(const Snapshot& to);
    bool onDevice() const { return backend_->onDevice(); }
    /// Writes to arrays in device memory; enqueued on the device's stream.
    void snapshotOnDevice(const Snapshot& to);
    std::size_t bytes() const { return backend_->bytes(); } ///< memory held
    const char* backendName() const { return backend_->name(); }
    /// For tests and benchmarks.
    Backend& backend() { return *backend_; }

    /// Saves everything needed to continue, except settings, materials and surroundings. Bit for
    /// bit when the last step used up its `longest`. A state continues only on the kind of device
    /// that saved it.
    std::vector<unsigned char> save();
    /// @throws std::runtime_error  not a state this solver can continue from (truncated, another
    /// cell size, unknown materials)
    void load(std::span<const unsigned char> bytes);
    /// With several ranks: the same with what this one has taken.
    void loadOwn(const saved::OwnState& own);
    /// Makes a copy with the same state and surroundings, to look ahead with.
    std::unique_ptr<Stepper> fork();

private:
    // stepper.cpp
    void resume(const Clock& clock);
    void passMaterials();
    double advanceExplicit(double longest, double whole);
    double advanceImplicit(double longest);
    double advectionLimit() const;
    double chooseStep(double longest, double component);
    double standingStep(double longest);
    const Bounds& receive();
    void rebin();
    void moveColliders(double dt, double elapsed = 0);
    bool breaksMaterialLimit(double longest, double& dt);
    bool breaksAdvectionLimit(double longest, double& dt);
    bool needsRebin() const;
    void finishStep(double dt);
    [[noreturn]] void failNotANumber();
    [[noreturn]] void failStep(double dt);
    [[noreturn]] void failSolve(double dt);
    const std::string& stiffest();

    void countStep(double dt, std::uint64_t particles);

    // local_steps.cpp
    /// Steps in which slow blocks take one of `whole` while others begin with one of `first`.
    struct LocalPlan {
        double whole = 0, first = 0; ///< [s]; 0: no such step
        double speed = 0;            ///< waves in slow blocks are at most this fast [m/s]
        std::uint64_t slow = 0;      ///< particles in slow blocks
    };
    LocalPlan planLocal(double rest, double component);
    bool hasRoomFor(const LocalPlan& plan, double component);
    void beginLocal(double dt, const LocalPlan& plan);
    void scatterLocal(LocalPlan plan);
    double advanceLocal(double whole);

    // sleep.cpp
    double wakeBeforeColliders(double longest);
    Colliders movingNow();
    bool isNear(const BlockView& blocks, std::size_t block, const Colliders& moving, double reach,
                double speed) const;
    bool movesBodies() const { return !bodies_.empty() && !looksAhead_; }
    std::vector<std::int32_t> asleepUnderBodies(const BlockView& blocks, double window) const;
    void wakeUnderBodies(double longest);
    void spreadThroughStiff(const BlockView& blocks, std::vector<std::int32_t>& active) const;
    bool anywhere(bool here) const { return mpm::anywhere(backend_->ranks(), here); }
    void guard(double dt);
    void wake(std::vector<std::int32_t> blocks, double dt, bool update);
    double volumeTime(double dt) const;

    SolverSettings settings_;
    std::vector<SolverMaterial> materials_;
    bool keepsVolume_ = false;
    double soundTime_ = 0; ///< in which sound crosses a cell of the stiffest such liquid [s]; or 0
    Surroundings surroundings_;
    Colliders bodies_;        ///< those of the colliders that matter moves: CoupledBodies
    bool looksAhead_ = false; ///< a fork, which must not move them
    std::unique_ptr<Backend> backend_;
    Executor* executor_;

    double time_ = 0, lastStep_ = 0;
    double collidersFree_ = 0;  ///< time of the guard's next check for moving colliders [s]
    double bodiesFree_ = 0;     ///< time of the next check for bodies near what sleeps [s]
    std::uint64_t deleted_ = 0; ///< since the last binning
    std::uint64_t nextId_ = 0;
    Counts counts_;
    StepStatistics statistics_;
    LocalPlan local_; ///< for which the backend is scattered, if scatteredWhole() says so
};

} // namespace floe::mpm
