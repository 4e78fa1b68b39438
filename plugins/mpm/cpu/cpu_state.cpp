#include "cpu_state.hpp"

#include "collider_image.hpp"

#include <floe/sdk/world/coupled_bodies.hpp>

#include <algorithm>
#include <cmath>

namespace floe::mpm {

bool CpuState::mirrors(const Collider& collider) const
{
    return imagesWork() && mpm::mirrors(collider.contact) && !collider.isThin() &&
           !dynamic_cast<const sdk::world::CoupledBodies*>(&collider);
}

bool CpuState::mirrors(int face) const
{
    return imagesWork() && mpm::mirrors(surroundings.domain, face);
}

bool CpuState::surfacesMirror() const
{
    for (int face = 0; face < 6; ++face)
        if (mirrors(face))
            return true;
    return std::any_of(surroundings.colliders.begin(), surroundings.colliders.end(),
                       [&](const auto& collider) { return mirrors(*collider); });
}

bool CpuState::mirrorsNear(const BlockCoordinate& block, double cells, bool later) const
{
    const double h = settings.cellSize, middle = 0.5 * (kBlockEdge - 1),
                 radius = (std::sqrt(3.0) * middle + cells) * h;
    Vec3d center;
    for (std::size_t axis = 0; axis < 3; ++axis)
        center[static_cast<int>(axis)] =
            (kBlockEdge * static_cast<double>(block[axis]) + middle) * h;
    // Beside a periodic side lies what is at the other one, too.
    const Domain& domain = surroundings.domain;
    int sides[3];
    for (int axis = 0; axis < 3; ++axis)
        sides[axis] = domain.bounded && domain.periodic[axis] ? 1 : 0;
    const auto isNear = [&](const Collider& collider) {
        for (int x = -sides[0]; x <= sides[0]; ++x)
            for (int y = -sides[1]; y <= sides[1]; ++y)
                for (int z = -sides[2]; z <= sides[2]; ++z) {
                    const Vec3d at{center.x + 2 * x * domain.halfSize.x,
                                   center.y + 2 * y * domain.halfSize.y,
                                   center.z + 2 * z * domain.halfSize.z};
                    if (collider.mayTouch(at, radius))
                        return true;
                }
        return false;
    };
    for (int face = 0; face < 6; ++face)
        if (mirrors(face) && surroundings.domain.distanceTo(face, center) <= radius)
            return true;
    return std::any_of(
        surroundings.colliders.begin(), surroundings.colliders.end(), [&](const auto& collider) {
            return mirrors(*collider) && ((later && !collider->rests()) || isNear(*collider));
        });
}

} // namespace floe::mpm
