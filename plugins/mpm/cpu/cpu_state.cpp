#include "cpu_state.hpp"

#include <floe/sdk/world/coupled_bodies.hpp>

#include <algorithm>
#include <cmath>

namespace floe::mpm {

bool CpuState::mirrors(const Collider& collider) const
{
    return collider.contact == Contact::slip && !collider.isThin() && !thinWalls &&
           settings.integrator == Integrator::explicitEuler && !settings.localTimeSteps &&
           !dynamic_cast<const sdk::world::CoupledBodies*>(&collider);
}

bool CpuState::collidersMirror() const
{
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
    return std::any_of(
        surroundings.colliders.begin(), surroundings.colliders.end(), [&](const auto& collider) {
            return mirrors(*collider) &&
                   ((later && !collider->rests()) || collider->mayTouch(center, radius));
        });
}

} // namespace floe::mpm
