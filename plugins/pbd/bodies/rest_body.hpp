/// What copies of a body share: its particles at rest, its mass, and how its mesh hangs on them.
#pragma once

#include "voxeliser.hpp"

#include "floe/sdk/physics/vec.hpp"

#include <array>
#include <cstdint>
#include <memory>
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

/// A part of a soft body that keeps its shape. Parts overlap, so that each holds its neighbours.
struct Region {
    struct Member {
        std::uint32_t particle;
        float mass; ///< what of the particle's belongs to the region [kg]
    };
    std::vector<Member> members;
    Vec3d center; ///< of mass, from the body's [m]
    double mass;  ///< [kg]
};

struct RestBody {
    static constexpr int kSkinParticles = 4;

    /// Those of its pieces one after the other, where it has any.
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
    /// Of a soft body; empty: it keeps its shape as a whole.
    std::vector<Region> regions;
    static constexpr int kRegionsOfParticle = 8;
    /// Regions that each particle belongs to, and its shares, which add up to 1; unused ones are 0.
    std::vector<std::array<std::uint32_t, kRegionsOfParticle>> regionsOf;
    std::vector<std::array<float, kRegionsOfParticle>> regionShare;
    /// What it breaks into, the heaviest first, along the same axes; empty: it does not break.
    /// Their particles are these in the same order, with distances of their own.
    std::vector<std::shared_ptr<const RestBody>> pieces;
};

struct BodySettings {
    double voxel = 0.05;        ///< edge, and diameter of the smallest particles [m]
    double density = 1000;      ///< [kg/m^3]
    double mergeThreshold = -1; ///< as mergeVoxels(); -infinity: all particles of one size [voxels]
    bool skinned = false;       ///< find the skin, for bodies that deform
    int regions = 1;            ///< along the longest side, for bodies that bend; 1: the whole
    int pieces = 0;             ///< it may break into; below 2: it stays whole
    int generations = 1;        ///< how often its pieces break again into as many
    std::uint64_t seed = 1;     ///< of where it breaks
    /// Closed parts that it breaks into, instead of cells; null: none are given. Borrowed.
    const Triangles* parts = nullptr;
};

/// Voxels, distances, merging, particles: one particle a cube, of its volume's mass.
/// One that breaks is cut into Voronoi cells of voxels drawn at random and spread, its mesh too;
/// its voxels are merged within a piece only. Pieces with too few voxels to break again stay whole.
/// Where parts are given it breaks once, as partsOf() has them.
/// @throws std::invalid_argument  as placeGrid() and voxelise(); no voxel's centre is inside, or
///         fewer than kVoxelsOfPiece for each piece; regions would not hold their neighbours;
///         as partsOf()
inline constexpr std::size_t kVoxelsOfPiece = 4;
RestBody makeRestBody(const Triangles& mesh, const BodySettings& settings,
                      sdk::parallel::Executor& executor);

} // namespace floe::pbd
