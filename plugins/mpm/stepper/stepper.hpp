/// Material point method on a sparse, unbounded grid.
///
/// MLS-MPM (Hu et al. 2018) with quadratic B-splines and APIC (Jiang et al. 2015), symplectic
/// Euler, single precision; cubic kernels, PIC/FLIP and a semi-implicit integrator as choices. The
/// Stepper owns time: how long the next step is, when it is redone, when particles change blocks,
/// who sleeps and wakes, what diverged and what the message says. It drives a backend, which moves
/// the particles: the same decisions on any machine.
///
/// Independent of the plugin interface, so that it can be tested by itself. One thread at a time.
#pragma once

#include "activation.hpp"
#include "backend.hpp"
#include "world.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace floe::mpm {

class Stepper {
public:
    /// @param executor  for what the decisions themselves compute; outlives the stepper
    /// @throws std::invalid_argument  settings that are out of range, or not for this backend
    Stepper(const SolverSettings& settings, std::unique_ptr<Backend> backend, Executor& executor);

    /// Cell size and kernel cannot change once particles exist. @throws std::invalid_argument
    void setSettings(const SolverSettings& settings);
    const SolverSettings& settings() const { return settings_; }
    /// Materials keep their index; the table may grow, and laws may change their numbers but not
    /// their kind. @throws std::invalid_argument
    void setMaterials(std::vector<SolverMaterial> materials);
    const std::vector<SolverMaterial>& materials() const { return materials_; }
    void setDomain(const Domain& domain);
    void setForces(Forces forces);
    /// @throws std::invalid_argument  one that the backend cannot take
    void setColliders(Colliders colliders);

    /// Adds particles between steps, all or none. Ids count up in the order given. Particles beyond
    /// open faces are not added (and not counted).
    /// @throws std::invalid_argument  positions, velocities or volumes that are not usable numbers
    void addParticles(const NewParticles& particles);
    /// occupied[i] = 1 where the cell of position i holds a particle already.
    void findOccupied(const float* x, std::size_t count, std::uint8_t* occupied);

    /// One step, at most `longest` [s], chosen so that equal steps fill `longest`. What is left of
    /// `longest` is expected to follow: the next step may have begun when this returns.
    /// @return its length [s]  @throws Diverged
    double advance(double longest);
    double time() const { return time_; }
    /// Of any particle, after the last step [m/s].
    double topSpeed() { return backend_->bounds().speed; }

    ActivationRequest activationRequest() { return makeRequest(backend_->blocks()); }
    /// With a guard, which looks ahead of colliders itself, of matter alone.
    SpeedField speedField();
    /// Takes `request.state`, finds the boundary blocks, puts what falls asleep to rest.
    void applyActivation(const ActivationRequest& request);

    std::size_t particleCount();
    Counts counts();
    StepStatistics takeStatistics();
    void snapshot(const Snapshot& to);
    bool onDevice() const { return backend_->onDevice(); }
    /// Into arrays in the memory of the device; enqueued on its stream.
    void snapshotOnDevice(const Snapshot& to);
    std::size_t bytes() const { return backend_->bytes(); } ///< memory held
    const char* backendName() const { return backend_->name(); }
    /// For tests and benchmarks.
    Backend& backend() { return *backend_; }

    /// Everything needed to go on, settings, materials and surroundings excepted. Bit for bit when
    /// the last step left nothing of its `longest`. A state goes on on the kind of device that
    /// saved it.
    std::vector<unsigned char> save();
    /// @throws std::runtime_error  not a state this solver can go on from (truncated, of another
    ///         cell size, of unknown materials)
    void load(std::span<const unsigned char> bytes);
    /// Another one in the same state, with the same surroundings, to look ahead with.
    std::unique_ptr<Stepper> fork();

private:
    // stepper.cpp
    double advanceExplicit(double longest, double whole);
    double advanceImplicit(double longest);
    double advectionLimit() const;
    double chooseStep(double longest, double component);
    double standingStep(double longest);
    const Bounds& receive();
    void rebin();
    void moveColliders(double dt);
    bool breaksMaterialLimit(double longest, double& dt);
    bool breaksAdvectionLimit(double longest, double& dt);
    bool needsRebin() const;
    void finishStep(double dt);
    [[noreturn]] void failNotANumber();
    [[noreturn]] void failStep(double dt);
    [[noreturn]] void failSolve(double dt);
    const std::string& stiffest();

    // sleep.cpp
    double wakeBeforeColliders(double longest);
    Colliders movingNow();
    bool isNear(const BlockView& blocks, std::size_t block, const Colliders& moving,
                double reach) const;
    void spreadThroughStiff(const BlockView& blocks, std::vector<std::int32_t>& active) const;
    void guard(double dt);
    void wake(std::vector<std::int32_t> blocks, double dt, bool update);

    SolverSettings settings_;
    std::vector<SolverMaterial> materials_;
    Surroundings surroundings_;
    std::unique_ptr<Backend> backend_;
    Executor* executor_;

    double time_ = 0, lastStep_ = 0;
    double collidersFree_ = 0;  ///< the guard looks at moving colliders again at this time [s]
    std::uint64_t deleted_ = 0; ///< since particles were binned
    std::uint64_t nextId_ = 0;
    Counts counts_;
    StepStatistics statistics_;
};

} // namespace floe::mpm
