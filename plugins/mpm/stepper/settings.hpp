/// Settings of a solver: numbers of the step, and materials.
#pragma once

#include "custom_model.hpp"

#include <floe/sdk/physics/material.hpp>
#include <floe/sdk/physics/vec.hpp>

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace floe::mpm {

using Vec3d = physics::Vec3<double>;

/// How velocities are transferred to the grid and back.
enum class Transfer {
    apic,   ///< with their gradient (Jiang et al. 2015): conserves angular momentum, low noise
    picFlip ///< without it; keeps a share of what the grid cannot represent (SolverSettings::flip)
};

/// The interpolation kernel between particles and nodes.
enum class Kernel {
    quadratic, ///< 27 nodes per particle
    cubic      ///< 64: smoother, more expensive; moves at most half a cell per step
};

/// Time integration.
enum class Integrator {
    explicitEuler, ///< forces at the start: a step is limited by the time a wave takes through a
                   ///< cell
    semiImplicit   ///< forces at the end, found by solving (cpu/implicit.hpp); built-in laws only,
                   ///< and no sleeping blocks
};

struct SolverSettings {
    double cellSize = 0.1;      ///< [m] > 0
    Vec3d gravity{0, -9.81, 0}; ///< [m/s^2]
    /// No node moves farther than this share of a cell in a step; in (0, 1].
    double advectionLimit = 0.5;
    /// The fastest wave of any material moves at most this share of a cell in a step; in (0, 1].
    double materialLimit = 0.5;
    Transfer transfer = Transfer::apic;
    /// For picFlip, in [0, 1]: the share of the velocity finer than the grid that a particle keeps
    /// over kFlipInterval, whatever the steps. 0 is PIC, which damps; 1 is FLIP (Brackbill and
    /// Ruppel 1986), which keeps energy and noise. Particles move with the grid's velocity (Zhu and
    /// Bridson 2005).
    double flip = 0.99;
    static constexpr double kFlipInterval = 1.0 / 24; ///< [s]
    /// Returns the share kept over a step [s].
    double flipOver(double dt) const { return std::pow(flip, dt / kFlipInterval); }
    Kernel kernel = Kernel::quadratic; ///< cannot change while there are particles
    Integrator integrator = Integrator::explicitEuler;
    /// For semiImplicit: the material limit times this bounds a step, >= 1.
    double implicitReach = 50;
    /// For semiImplicit: relative error of the change of velocity in a step, in (0, 1).
    double solveTolerance = 0.01;
    /// For semiImplicit: linear iterations before the step is retried with half its length, >= 1.
    int solveIterations = 1000;
    /// Whether the particles of each entry of the material table are a body of their own, which
    /// meets others by contact. Otherwise all that share a node move as one.
    bool bodiesMeet = false;
    /// Whether liquids keep the volume that their particles have by position
    /// (stepper/liquid_volume.hpp); otherwise that which div v gives them.
    bool volumeByPosition = false;
    /// Whether blocks of soft matter take long steps while those of stiff matter take several
    /// (stepper/local_steps.cpp), where that pays and the backend knows how.
    bool localTimeSteps = false;
    double longestStep = 1; ///< [s]
    /// A shorter step counts as divergence [s].
    double shortestStep = 1e-9;
    double restSpeed = 0.01; ///< below it a block counts as at rest (Block::restTime) [m/s]
    /// The guard: a boundary block whose particles would move faster than this is woken before the
    /// step moves anything; <= 0: no guard [m/s].
    double wakeSpeed = 0;
    /// Memory of the guard, over which slow pushes accumulate [s] > 0.
    double guardMemory = 0.08;
    /// Connected blocks of material with at least this speed of sound wake together; <= 0: each
    /// block separately [m/s].
    double stiffSpeed = 0;
    bool startsPassive = false; ///< particles added at rest start passive
};

/// @throws std::invalid_argument  a number is out of range
void check(const SolverSettings& settings);

/// Friction with materials of some surface (setFriction()).
struct FrictionWith {
    std::uint16_t surface;
    double friction; ///< Coulomb's coefficient, >= 0
};

struct SolverMaterial {
    std::string name; ///< for messages
    physics::Material law;
    std::shared_ptr<const CustomModel>
        custom; ///< replaces `law`, of which only the density is then read
    float initialState[4] = {0, 0, 0, 0}; ///< custom only; otherwise the law's own
    bool sleeps = true;                   ///< false: its blocks stay active
    /// Whether its particles, all that are added at once, are one body that nothing tears: their
    /// strain is that of the grid at rest (cpu/rest_grid.hpp). Elastic laws only.
    bool staysWhole = false;
    /// Where bodies meet: Coulomb's coefficient, >= 0; of two bodies the geometric mean counts,
    /// unless there is one for the pair of their surfaces.
    double friction = 0.3;
    std::uint16_t surface = 0;              ///< materials that rub alike may share one
    std::vector<FrictionWith> frictionWith; ///< the last one of a surface counts
};

/// Gives all bodies of two surfaces a coefficient of their own, those of one surface among each
/// other where both are the same.
void setFriction(std::span<SolverMaterial> materials, std::uint16_t a, std::uint16_t b,
                 double friction);
/// Returns Coulomb's coefficient between the bodies of two materials.
double frictionBetween(const SolverMaterial& a, const SolverMaterial& b);

/// Returns whether it is a liquid with surface tension.
bool isTense(const SolverMaterial& material);
/// Returns its speed of sound at rest [m/s].
float soundSpeed(const SolverMaterial& material);

/// Checks that `materials` may replace `present` while particles of these exist: the same or more,
/// of the same laws. @throws std::invalid_argument
void check(std::span<const SolverMaterial> materials, std::span<const SolverMaterial> present);

} // namespace floe::mpm
