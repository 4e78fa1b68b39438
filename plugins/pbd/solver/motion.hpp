/// How far everything moves in a substep, while constraints change it.
#pragma once

#include "motion_rules.hpp"
#include "scene.hpp"

namespace floe::pbd {

/// Displacements from where a substep began. Rigid bodies have one each, of their centre and a
/// rotation; other particles one each. Positions stay in double precision, displacements need not.
struct Motion {
    std::vector<Vec3f> particle;   ///< of particles that are not a rigid body's [m]
    std::vector<Vec3d> body, turn; ///< of rigid bodies: centre [m], rotation [rad]
    std::vector<float> weight;     ///< of particles not rigid: inverse mass in contact [1/kg]
    std::vector<float> bodyWeight; ///< of bodies [1/kg]
    std::vector<Mat3d> turnWeight; ///< of rigid bodies: inverse inertia, world [1/(kg m^2)]
    std::vector<Vec3d> freeTurn;   ///< of rigid bodies: rotation without constraints [rad]
    std::vector<Mat3d> inertia;    ///< of rigid bodies, world, as the substep began [kg m^2]

    /// Of a particle's point of contact. @param arm  to it from its rigid body's centre [m]
    Vec3f at(const Scene& scene, std::size_t i, const Vec3f& arm) const
    {
        if (!scene.isRigid(i))
            return particle[i];
        const std::uint32_t b = scene.particles.body[i];
        return pointMotion(body[b], turn[b], arm);
    }
    /// How much a point yields along a unit direction: displacement for an impulse [1/kg].
    float yields(const Scene& scene, std::size_t i, const Vec3f& arm, const Vec3f& n) const
    {
        if (!scene.isRigid(i))
            return weight[i];
        const std::uint32_t b = scene.particles.body[i];
        return pointYields(bodyWeight[b], turnWeight[b], arm, n);
    }
};

} // namespace floe::pbd
