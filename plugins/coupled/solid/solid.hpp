/// What elastic solids are made of.
#pragma once

#include "fluid/fluid.hpp"

#include "floe/sdk/physics/material.hpp"

#include <cstdint>
#include <vector>

namespace floe::coupled {

/// An elastic law, split: what its shear modulus gives stays with the law, whose lambda is 0; the
/// rest is the energy lambda/2 (J - 1)^2, whose pressure the pressure system knows.
struct SolidMaterial {
    physics::Material law;
    float mu = 0, lambda = 0; ///< [Pa]
    float damping = 0;        ///< [s]
};

struct SolidParticle {
    Vec3f x;           ///< offset from the corner of its block [m]
    Vec3f v;           ///< [m/s]
    Vec3f gradient[3]; ///< of each component of the velocity [1/s] (APIC)
    float H[3][3];     ///< F - I
    float change;      ///< J - 1
    float mass;        ///< [kg]
    float volume;      ///< at rest [m^3]
    std::uint32_t material;
    std::uint64_t id;
};
using Solid = sdk::grid::Bins<SolidParticle>;

} // namespace floe::coupled
