#include "cpu_state.hpp"

#include <floe/sdk/world/coupled_bodies.hpp>

#include <algorithm>
#include <cmath>

namespace floe::mpm {

bool CpuState::mirrors(const Collider& collider) const
{
    return imagesWork() &&
           (collider.contact == Contact::slip || collider.contact == Contact::separate) &&
           !collider.isThin() && !dynamic_cast<const sdk::world::CoupledBodies*>(&collider);
}

bool CpuState::mirrors(int face) const
{
    return imagesWork() && surroundings.domain.isWall(face) &&
           surroundings.domain.faces[face] == Contact::separate;
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
    for (int face = 0; face < 6; ++face)
        if (mirrors(face) && surroundings.domain.distanceTo(face, center) <= radius)
            return true;
    return std::any_of(
        surroundings.colliders.begin(), surroundings.colliders.end(), [&](const auto& collider) {
            return mirrors(*collider) &&
                   ((later && !collider->rests()) || collider->mayTouch(center, radius));
        });
}

} // namespace floe::mpm
