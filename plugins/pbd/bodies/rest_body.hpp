/// What copies of a body share: its particles at rest, its mass, and how its mesh hangs on them.
#pragma once

#include "voxeliser.hpp"

#include "floe/sdk/physics/vec.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace floe::pbd {

using Vec3f = physics::Vec3<float>;
using Vec3d = physics::Vec3<double>;

/// A particle of a body at rest. Offsets are from the centre of mass, along the mesh's axes.
struct RestParticle {
    Vec3f offset;   ///< [m]
    float radius;   ///< half the edge of the cube that it stands for [m]
    float mass;     ///< [kg]
    float distance; ///< of its centre from the body's surface, negative [m]
    Vec3f gradient; ///< of that distance: unit, outwards
    bool boundary;  ///< at the surface
};

struct RestBody {
    static constexpr int kSkinParticles = 4;

    std::vector<RestParticle> particles;
    Vec3d center;                  ///< of mass, in the mesh's space [m]
    double mass;                   ///< [kg]
    physics::Mat3<double> inertia; ///< about the centre of mass [kg m^2], that of the cubes
    float boundaryRadius;          ///< of the particles at the surface [m]
    float reach;                   ///< no part is farther from the centre [m]
    std::vector<Vec3f> meshPoints; ///< from the centre of mass [m]
    std::vector<std::uint32_t> triangles;
    /// The nearest particles of each mesh point, and their shares, which add up to 1.
    std::vector<std::array<std::uint32_t, kSkinParticles>> skin;
    std::vector<std::array<float, kSkinParticles>> skinShare;
};

struct BodySettings {
    double voxel = 0.05;        ///< edge, and diameter of the smallest particles [m]
    double density = 1000;      ///< [kg/m^3]
    double mergeThreshold = -1; ///< as mergeVoxels(); -infinity: all particles of one size [voxels]
    bool skinned = false;       ///< find the skin, for bodies that deform
};

/// Voxels, distances, merging, particles: one particle a cube, of its volume's mass.
/// @throws std::invalid_argument  as placeGrid() and voxelise(); no voxel's centre is inside
RestBody makeRestBody(const Triangles& mesh, const BodySettings& settings,
                      sdk::parallel::Executor& executor);

} // namespace floe::pbd
