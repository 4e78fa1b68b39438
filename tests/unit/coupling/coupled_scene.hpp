/// Scenes of matter on a grid and rigid bodies that push each other.
#pragma once

#include "../mpm/scene.hpp"
#include "../pbd/solver_scene.hpp"
#include "solver/coupled_step.hpp"

#include <floe/sdk/world/coupled_bodies.hpp>

#include <memory>
#include <vector>

namespace floe::coupling {

using physics::Mat3;
using Vec3d = physics::Vec3<double>;

/// Rigid bodies behind the interface, as the PBD plugin's node has them.
struct Bodies {
    explicit Bodies(sdk::parallel::Executor& loops = pbd::serialLoops) : executor(&loops) {}

    pbd::Trial trial;
    pbd::CoupledStep step;
    sdk::parallel::Executor* executor;
    double longest = 1.0 / 480;
    int begun = 0, taken = 0; ///< steps
    Vec3d pushed{0, 0, 0};    ///< sum of all impulses [kg m/s]

    pbd::Body& body(std::size_t k = 0) { return trial.solver.scene.bodies[k]; }
    /// @param density  [kg/m^3]
    std::uint32_t addBox(double edge, double voxel, double density,
                         const pbd::Scene::Placed& placed)
    {
        trial.solver.scene.materials[0].density = static_cast<float>(density);
        return trial.addBox(edge, voxel, placed);
    }
    std::shared_ptr<sdk::world::CoupledBodies> collider()
    {
        return std::make_shared<sdk::world::CoupledBodies>(&kTable, this, nullptr, this, 1.0 / 24);
    }

private:
    static Bodies& of(void* self) { return *static_cast<Bodies*>(self); }
    static constexpr floe_coupling_interface kTable = {
        sizeof(floe_coupling_interface),
        0,
        [](void*, const floe_context*, const void*, double) -> floe_status { return FLOE_OK; },
        [](void* self, const floe_context*, double dt, const floe_coupling_body** bodies,
           std::uint32_t* count) -> floe_status {
            Bodies& own = of(self);
            ++own.begun;
            const auto found = own.step.begin(own.trial.solver.scene, own.trial.solver.settings, dt,
                                              *own.executor);
            *bodies = found.data();
            *count = static_cast<std::uint32_t>(found.size());
            return FLOE_OK;
        },
        [](void* self, std::uint32_t body, std::uint32_t count, const float* x, float* distance,
           float* normal) {
            of(self).step.distances(of(self).trial.solver.scene, body, count, x, distance, normal);
        },
        [](void* self, const floe_context*, const floe_coupling_push* pushes) -> floe_status {
            Bodies& own = of(self);
            ++own.taken;
            const std::size_t count = own.trial.solver.scene.bodies.size();
            for (std::size_t k = 0; k < count; ++k)
                own.pushed = own.pushed + Vec3d{pushes[k].impulse[0], pushes[k].impulse[1],
                                                pushes[k].impulse[2]};
            const pbd::World world{own.trial.colliders, {}, &own.trial.domain};
            own.step.end(own.trial.solver, world, {pushes, count}, own.trial.time, own.longest,
                         *own.executor);
            own.trial.time += own.step.length();
            return FLOE_OK;
        }};
};

/// Particles of a box but for those in another box.
inline mpm::Lattice boxWithout(Vec3d low, Vec3d high, Vec3d holeLow, Vec3d holeHigh, double cell)
{
    const mpm::Lattice all(low, high, cell);
    mpm::Lattice rest;
    for (std::size_t i = 0; i < all.count(); ++i) {
        const Vec3d x{all.x[3 * i], all.x[3 * i + 1], all.x[3 * i + 2]};
        bool inside = true;
        for (int axis = 0; axis < 3; ++axis)
            inside = inside && x[axis] > holeLow[axis] && x[axis] < holeHigh[axis];
        if (!inside)
            rest.add(x, {0, 0, 0}, double{all.volume[i]});
    }
    return rest;
}

/// A tank open above: 0 to size along x and z, its floor at 0.
inline mpm::Domain tank(Vec3d size, sdk::world::Contact faces, double friction = 0)
{
    mpm::Domain box;
    box.bounded = true;
    box.center = {0.5 * size.x, 0.5 * size.y, 0.5 * size.z};
    box.halfSize = {0.5 * size.x, 0.5 * size.y, 0.5 * size.z};
    box.faces.fill(faces);
    box.faces[3] = sdk::world::Contact::open;
    box.friction = static_cast<float>(friction);
    return box;
}

} // namespace floe::coupling
