/// Soft bodies: particles drawn to where a fitted rest shape has them.
#pragma once

#include "motion.hpp"
#include "settings.hpp"

#include "floe/sdk/parallel/executor.hpp"

namespace floe::pbd {

/// Shape matching with compliance: each particle hangs on its goal by a spring of the body's
/// frequency, as XPBD has it (Macklin et al. 2016), so that stiffness depends neither on iterations
/// nor on the step. A body of several regions bends and twists: each fits a pose of its own, and a
/// goal is the mean over the regions that its particle belongs to. Linear momentum is kept to
/// rounding.
class Matching {
public:
    /// Before the iterations of a substep.
    void begin(const Scene& scene);
    /// Fits the soft bodies' poses and draws their particles to their goals.
    void project(Scene& scene, Motion& motion, const SolverSettings& settings, double dt,
                 sdk::parallel::Executor& executor);
    /// Takes velocity that deforms, from the particles of soft bodies that are damped.
    static void damp(Scene& scene, double dt, sdk::parallel::Executor& executor);

private:
    std::vector<Vec3f> multiplier_; ///< of the substep so far, one a particle [kg m]
};

} // namespace floe::pbd
