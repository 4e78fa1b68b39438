/// What an incompressible fluid is made of, and what surrounds it.
#pragma once

#include "floe/sdk/grid/bins.hpp"
#include "floe/sdk/parallel/executor.hpp"
#include "floe/sdk/world/collider.hpp"
#include "floe/sdk/world/domain.hpp"
#include "floe/sdk/world/force.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace floe::coupled {

using physics::Vec3;
using sdk::parallel::Executor;
using Vec3f = Vec3<float>;
using Vec3d = Vec3<double>;

struct FluidParticle {
    Vec3f x;           ///< offset from the corner of its block [m]
    Vec3f v;           ///< [m/s]
    Vec3f gradient[3]; ///< of each component of the velocity [1/s] (APIC, Jiang et al. 2015)
    float mass;        ///< [kg]
    float volume;      ///< [m^3]
    std::uint32_t material;
    std::uint64_t id;
};
using Fluid = sdk::grid::Bins<FluidParticle>;

struct Surroundings {
    Vec3d gravity{0, -9.81, 0}; ///< [m/s^2]
    sdk::world::Domain domain;
    std::vector<std::shared_ptr<sdk::world::Collider>> colliders;
    std::vector<std::shared_ptr<const sdk::world::Force>> forces;
};

} // namespace floe::coupled
