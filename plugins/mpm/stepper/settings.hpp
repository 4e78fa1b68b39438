/// What a solver is told: numbers of the step, and materials.
#pragma once

#include "custom_model.hpp"

#include <floe/sdk/physics/material.hpp>
#include <floe/sdk/physics/vec.hpp>

#include <cmath>
#include <memory>
#include <span>
#include <string>

namespace floe::mpm {

using Vec3d = physics::Vec3<double>;

/// How velocities go to the grid and back.
enum class Transfer {
    apic,   ///< with their gradient (Jiang et al. 2015): keeps angular momentum, calm
    picFlip ///< without; a share of what the grid cannot hold is kept (SolverSettings::flip)
};

/// The kernel that ties particles to nodes.
enum class Kernel {
    quadratic, ///< 27 nodes a particle
    cubic      ///< 64: smoother, dearer; moves at most half a cell a step
};

/// How a step's end is found.
enum class Integrator {
    explicitEuler, ///< forces of its begin: no step longer than a wave takes through a cell
    semiImplicit ///< forces of its end, by solving for them (cpu/implicit.hpp); built-in laws only,
                 ///< and no sleeping blocks
};

struct SolverSettings {
    double cellSize = 0.1;      ///< [m] > 0
    Vec3d gravity{0, -9.81, 0}; ///< [m/s^2]
    /// No node moves farther than this share of a cell in a step, 0 < .. <= 1.
    double advectionLimit = 0.5;
    /// The fastest wave of any living material moves at most this share of a cell in a step, 0 < ..
    /// <= 1.
    double materialLimit = 0.5;
    Transfer transfer = Transfer::apic;
    /// Of picFlip: 0 is PIC, which damps; 1 is FLIP (Brackbill and Ruppel 1986), which keeps energy
    /// and noise. 0 .. 1. Particles move with the grid's velocity (Zhu and Bridson 2005).
    double flip = 0.95;
    Kernel kernel = Kernel::quadratic; ///< cannot change while there are particles
    Integrator integrator = Integrator::explicitEuler;
    /// Of semiImplicit: the material limit times this bounds a step, >= 1.
    double implicitReach = 50;
    /// Of semiImplicit: what may be wrong about the change of velocity in a step, 0 < .. < 1.
    double solveTolerance = 0.01;
    /// Of semiImplicit: linear iterations in a step before it is tried with half its length, >= 1.
    int solveIterations = 1000;
    double longestStep = 1; ///< [s]
    /// A step shorter than this is taken as failure to converge [s].
    double shortestStep = 1e-9;
    double restSpeed = 0.01; ///< below it a block counts as resting (Block::restTime) [m/s]
    /// The guard: a boundary block whose particles would be moved faster than this is woken before
    /// the step moves anything; <= 0: it is not [m/s].
    double wakeSpeed = 0;
    /// How long the guard remembers what slow pushes add up to [s] > 0.
    double guardMemory = 0.08;
    /// Connected blocks of material whose sound is at least this fast wake together; <= 0: every
    /// block for itself [m/s].
    double stiffSpeed = 0;
    bool startsPassive = false; ///< particles added at rest begin passive
};

/// @throws std::invalid_argument  a number that is out of range
void check(const SolverSettings& settings);

struct SolverMaterial {
    std::string name; ///< for messages
    physics::Material law;
    std::shared_ptr<const CustomModel> custom; ///< instead of `law` (only its density is read then)
    float initialState[4] = {0, 0, 0, 0};      ///< custom only; else the law's own
    bool sleeps = true;                        ///< false: its blocks stay active
};

/// Sound in it at rest [m/s].
float soundSpeed(const SolverMaterial& material);

/// Whether `materials` may take the place of `present` while there are particles of those: the same
/// or more, of the same laws. @throws std::invalid_argument
void check(std::span<const SolverMaterial> materials, std::span<const SolverMaterial> present);

} // namespace floe::mpm
