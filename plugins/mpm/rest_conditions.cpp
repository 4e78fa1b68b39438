#include "rest_conditions.hpp"

#include "activation.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace floe::mpm {

namespace {

/// Returns the acceleration of matter at rest by gravity and forces [m/s^2].
std::array<float, 3> accelerationAt(const Vec3d& centre, const Vec3d& gravity,
                                    std::span<const std::shared_ptr<const Force>> forces,
                                    double time, double step)
{
    std::array<float, 3> result{static_cast<float>(gravity.x), static_cast<float>(gravity.y),
                                static_cast<float>(gravity.z)};
    if (forces.empty())
        return result;
    PointBatch point{};
    point.count = 1;
    point.corner = centre;
    point.mass[0] = 1;
    for (const auto& force : forces)
        force->apply(point, time, static_cast<float>(step));
    for (std::size_t axis = 0; axis < 3; ++axis)
        result[axis] += point.v[axis][0] / static_cast<float>(step);
    return result;
}

float lengthOf(const float* v)
{
    return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

} // namespace

void RestConditions::wake(ActivationRequest& asked, Stepper& solver,
                          std::span<const std::shared_ptr<Collider>> colliders,
                          std::span<const std::shared_ptr<const Force>> forces, double frame)
{
    const double time = solver.time(), passed = looked_ >= 0 ? time - looked_ : 0;
    if (looked_ >= 0 && passed >= 0 && passed < 0.999 * frame)
        return;
    looked_ = time;
    const SolverSettings& settings = solver.settings();
    const double h = settings.cellSize, step = std::min(settings.longestStep, frame);
    for (const auto& collider : colliders)
        collider->moveTo(time, step);
    const auto moving = movingOf(colliders);
    std::vector<Rest> now;
    for (std::size_t i = 0; i < asked.state.size(); ++i) {
        if (asked.state[i] == static_cast<std::uint8_t>(BlockState::active))
            continue;
        Rest rest{{asked.block[3 * i], asked.block[3 * i + 1], asked.block[3 * i + 2]}, {}, 0};
        const Vec3d centre{(4 * rest.block[0] + 2.5) * h, (4 * rest.block[1] + 2.5) * h,
                           (4 * rest.block[2] + 2.5) * h};
        const auto felt = accelerationAt(centre, settings.gravity, forces, time, step);
        std::copy(felt.begin(), felt.end(), rest.acceleration);
        const auto before =
            std::lower_bound(rests_.begin(), rests_.end(), rest.block,
                             [](const Rest& a, const BlockCoordinate& b) { return a.block < b; });
        if (before != rests_.end() && before->block == rest.block) {
            CellSpeeds speed{};
            raiseToColliders(moving, h, rest.block, h, speed);
            rest.crept =
                before->crept + static_cast<float>(passed) * largestSpeed(speed, asked.cells[i]);
            float change[3];
            for (std::size_t axis = 0; axis < 3; ++axis)
                change[axis] = felt[axis] - before->acceleration[axis];
            std::copy_n(before->acceleration, 3, rest.acceleration);
            if (lengthOf(change) >
                    kTurn * std::max(lengthOf(felt.data()), lengthOf(before->acceleration)) ||
                rest.crept > kCreep * h) {
                asked.state[i] = static_cast<std::uint8_t>(BlockState::active);
                continue;
            }
        }
        now.push_back(rest);
    }
    std::sort(now.begin(), now.end(),
              [](const Rest& a, const Rest& b) { return a.block < b.block; });
    rests_ = std::move(now);
}

void RestConditions::save(sdk::Writer& writer) const
{
    writer.array(rests_);
    writer.value(looked_);
}

void RestConditions::load(sdk::Reader& reader)
{
    rests_ = reader.array<Rest>();
    std::sort(rests_.begin(), rests_.end(),
              [](const Rest& a, const Rest& b) { return a.block < b.block; });
    looked_ = reader.value<double>();
}

} // namespace floe::mpm
