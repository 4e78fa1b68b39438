/// Record "floe.pbd.body": a mesh that is to become bodies.
#pragma once

#include "solver/scene.hpp"

#include "floe/sdk/node.hpp"

#include <cmath>
#include <string>

namespace floe::pbd {

/* record "floe.pbd.body"
 *   name        string   shown in legends
 *   color       vector   linear RGB
 *   mesh        mesh     closed, own space [m]
 *   soft        boolean
 *   voxel       number   edge of a voxel, diameter of the smallest particles [m]
 *   merge       number   how far inside voxels are merged [voxels]; 0: nowhere
 *   density     number   [kg/m^3]
 *   friction, slidingFriction, restitution   number
 *   frequency, damping   number   soft: [1/s]
 *   regions?    number   soft: along the longest side; 1: the whole
 *   position, rotation, velocity, spin       vector   [m], [degrees], [m/s], [degrees/s]
 *   pieces, generations, seed, strength?     number   rigid: what it breaks into, and when [m/s]
 *   parts?      mesh     rigid: closed parts that it breaks into, instead of pieces
 *   copies, spacing      vector   along x, y, z: whole numbers, [m]
 */

/// What a record says, checked.
struct BodyDescription {
    static constexpr int kMaxCopies = 100000;

    Material material;
    BodySettings shape;
    bool soft = false;
    float frequency = 10, damping = 0;
    float strength = INFINITY;         ///< Body::strength
    std::vector<Scene::Placed> places; ///< one a copy

    /// @throws Failure  a field is missing or out of its range
    explicit BodyDescription(const sdk::Value& record);
    /// Voxels and particles of its mesh. @throws Failure
    std::shared_ptr<const RestBody> makeRest(const sdk::Value& record,
                                             sdk::parallel::Executor& executor) const;
};

/// @param of  what the message is about
/// @throws Failure  the number is out of its range
double numberWithin(const sdk::Value& record, const char* name, double low, double high,
                    const std::string& of);
/// Fields friction and slidingFriction, and restitution where there is one. @throws Failure
void readFriction(Material& material, const sdk::Value& record, const std::string& of);
/// @param degrees  about x, then y, then z
Mat3d rotationOf(const Vec3d& degrees);

/// From a record "material" with law "grains" or "positionLiquid". Those of other solvers are taken
/// too: "liquid" as a liquid of its density, all else as grains.
/// @throws Failure  a number is out of its range
Material materialOf(const sdk::Value& record);

} // namespace floe::pbd
