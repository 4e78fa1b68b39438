/// Liquids: particles that keep their density, among each other and beside solids.
#pragma once

#include "liquid_kernels.hpp"
#include "motion.hpp"
#include "settings.hpp"
#include "surroundings.hpp"

#include "floe/sdk/parallel/executor.hpp"

#include <span>
#include <vector>

namespace floe::pbd {

/// Position-based fluid (Macklin and Mueller 2013; Jia 2017, section 3.2.3, with the exact
/// gradients of unequal masses). Density may fall below rest but not exceed it. Volumes are summed,
/// not masses, so that liquids of unlike density keep theirs where they meet (Solenthaler and
/// Pajarola 2008). Solid particles near a liquid count as liquid of their cube's volume, and are
/// pushed as they push.
///
/// Behind the walls of a domain and inside colliders it is as if liquid went on: the share of the
/// kernel that lies there counts, with its gradient. At a free surface neighbours are missing on
/// one side: the layer there is compressed until its kernels are full.
class Liquid {
public:
    void invalidate() { known_ = false; }
    /// Finds neighbours, anew where the known ones may have changed.
    void find(const Scene& scene, const Motion& motion, const SolverSettings& settings,
              sdk::parallel::Executor& executor);
    /// Adds what surface tension moves in a substep, once neighbours are found.
    void pull(const Scene& scene, Motion& motion, double dt, sdk::parallel::Executor& executor);
    /// Projects all densities once.
    void project(const Scene& scene, Motion& motion, const Surroundings& around,
                 sdk::parallel::Executor& executor);
    /// What changes velocities once positions are known: smoothing and viscosity.
    void finish(Scene& scene, double dt, sdk::parallel::Executor& executor);

    /// Over rest density, one a particle; 0 of what is no liquid. As of the last projection.
    const std::vector<float>& density() const { return density_; }
    bool any() const { return any_; }
    bool isLiquid(std::size_t i) const { return trait_[i].liquid > 0; }
    /// Of a particle of liquid, or the place a solid one takes [m^3].
    float volume(std::size_t i) const { return trait_[i].volume; }
    /// Particles within the kernel's radius, ascending. What lies beyond `count` fills up.
    std::span<const std::uint32_t> row(std::size_t i) const
    {
        return {neighbours_.data() + begin_[i], neighbours_.data() + end_[i]};
    }
    /// The kernel's radius of two neighbours [m].
    float kernelRadius(std::size_t i, std::size_t j) const
    {
        const float ri = trait_[isLiquid(i) ? i : j].radius,
                    rj = trait_[isLiquid(j) ? j : i].radius;
        return halfSupport_ * (ri + rj);
    }
    float factor() const { return factor_; } ///< of the kernel

    /// Statistics of the last finish(). 0: nothing was viscous.
    int viscousIterations() const { return viscousIterations_; }

private:
    void search(const Scene& scene, const SolverSettings& settings,
                sdk::parallel::Executor& executor);
    void readTraits(const Scene& scene, const Motion& motion);
    LiquidRows rows();
    void meetWalls(const Scene& scene, const Motion& motion, const Surroundings& around,
                   sdk::parallel::Executor& executor);

    bool known_ = false, any_ = false;
    float factor_ = 1, halfSupport_ = 2, wallShift_ = 0;
    double support_ = 0;
    std::vector<Vec3d> searched_;
    std::vector<std::uint32_t> firstCandidate_, candidates_; ///< of each particle, ascending
    std::vector<std::uint32_t> begin_, end_, neighbours_;    ///< LiquidRows
    std::vector<LiquidSpot> spot_;
    std::vector<LiquidTrait> trait_;
    std::vector<LiquidWall> wall_; ///< empty: there are neither walls nor colliders
    bool uniform_ = false;
    std::vector<float> density_, multiplier_, impulse_;
    std::vector<LiquidMotion> motion_;
    std::vector<Vec3f> arm_; ///< of rigid bodies' particles [m]
    int viscousIterations_ = 0;
};

} // namespace floe::pbd
