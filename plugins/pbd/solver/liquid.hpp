/// Liquids: particles that keep their density, among each other and beside solids.
#pragma once

#include "motion.hpp"
#include "settings.hpp"

#include "floe/sdk/parallel/executor.hpp"

namespace floe::pbd {

/// Position-based fluid (Macklin and Mueller 2013; Jia 2017, section 3.2.3, with the exact
/// gradients of unequal masses). Density may fall below rest, as at a surface, but not exceed it.
/// Solid particles near a liquid count as rest-density liquid of their cube's volume, and are
/// pushed as they push.
class Liquid {
public:
    void invalidate() { known_ = false; }
    /// Finds neighbours where they may have changed.
    void find(const Scene& scene, const SolverSettings& settings,
              sdk::parallel::Executor& executor);
    /// Projects all densities once.
    void project(const Scene& scene, Motion& motion, sdk::parallel::Executor& executor);
    /// Lets neighbours share velocity (XSPH, Schechter and Bridson 2012), momentum kept.
    void shareVelocity(Scene& scene, double dt, sdk::parallel::Executor& executor) const;
    /// Over rest density, one a particle; 0 of what is no liquid. As of the last projection.
    const std::vector<float>& density() const { return density_; }

private:
    struct Neighbour {
        std::uint32_t other;
        float radius; ///< of the kernel of the two [m]
    };
    Vec3f between(const Scene& scene, const Motion& motion, std::uint32_t i, std::uint32_t j) const;

    bool known_ = false, any_ = false;
    float factor_ = 1, support_ = 4;
    std::vector<Vec3d> searched_;
    std::vector<std::uint32_t> begin_; ///< of each particle's neighbours
    std::vector<Neighbour> neighbours_;
    std::vector<float> density_, multiplier_;
    std::vector<std::uint8_t> liquid_;
    std::vector<Vec3f> arm_;   ///< of rigid bodies' particles [m]
    std::vector<Vec3f> place_; ///< with the displacement so far, from the first particle [m]
    std::vector<Vec3f> step_;  ///< impulses of a projection [kg m]
};

} // namespace floe::pbd
