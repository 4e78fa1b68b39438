#include "activation.hpp"

#include <algorithm>
#include <cmath>

namespace floe::mpm {

namespace {

constexpr int kArenaCount = 512;

} // namespace

ActivationRequest makeRequest(const BlockView& blocks)
{
    ActivationRequest request;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const std::uint32_t particles = blocks.particles(b);
        if (particles == 0)
            continue;
        const BlockState state = blocks.state(b);
        const BlockCoordinate coordinate = blocks.coordinate(b);
        const BlockMotion motion = blocks.motion(b);
        const BlockMatter matter = blocks.matter(b);
        const bool active = state == BlockState::active, boundary = state == BlockState::boundary;
        request.block.insert(request.block.end(), coordinate.begin(), coordinate.end());
        request.maxSpeed.push_back(active ? motion.speed : 0);
        request.restTime.push_back(motion.restTime);
        request.pushKnown.push_back(boundary);
        request.pushSpeed.push_back(boundary ? motion.pushSpeed : 0);
        request.soundSpeed.push_back(matter.soundSpeed);
        request.liquidShare.push_back(static_cast<float>(matter.liquid) /
                                      static_cast<float>(particles));
        request.cells.push_back(active ? 0 : blocks.occupiedCells(b));
        request.state.push_back(static_cast<std::uint8_t>(state));
    }
    return request;
}

double lookInterval(const SolverSettings& settings, double fastest)
{
    return std::isfinite(fastest)
               ? std::clamp(settings.cellSize / fastest,
                            std::min(16 * settings.shortestStep, settings.longestStep),
                            settings.longestStep)
               : 0;
}
double lookReach(const SolverSettings& settings, double fastest, double window)
{
    return 0.25 * settings.cellSize +
           (std::isfinite(fastest) ? fastest * window : settings.cellSize);
}

Colliders movingOf(std::span<const std::shared_ptr<Collider>> colliders)
{
    Colliders moving;
    for (const auto& collider : colliders)
        if (collider->topSpeed() > 0)
            moving.push_back(collider);
    return moving;
}

double fastestOf(std::span<const std::shared_ptr<Collider>> colliders)
{
    double fastest = 0;
    for (const auto& collider : colliders)
        fastest = std::max(fastest, collider->topSpeed());
    return fastest;
}

void raiseToColliders(std::span<const std::shared_ptr<Collider>> colliders, double cellSize,
                      const BlockCoordinate& block, double reach, CellSpeeds& speed)
{
    const double h = cellSize, edge = kBlockEdge * h;
    const Vec3d corner{block[0] * edge, block[1] * edge, block[2] * edge};
    const Vec3d center = corner + (2.5 * h) * Vec3d{1, 1, 1};
    const double radius = 1.5 * std::sqrt(3.0) * h * 1.001 + reach;
    PointBatch batch;
    batch.count = 0;
    for (const auto& collider : colliders) {
        if (!collider->mayTouch(center, radius))
            continue;
        if (batch.count == 0) {
            batch.count = kBlockNodes;
            batch.corner = corner;
            for (int n = 0; n < kBlockNodes; ++n) {
                const int index[3] = {n / 16, n / 4 % 4, n % 4};
                for (int axis = 0; axis < 3; ++axis) {
                    batch.x[axis][n] = static_cast<float>((index[axis] + 1) * h);
                    batch.v[axis][n] = 0;
                }
                batch.mass[n] = 1;
            }
        }
        float near[kBlockNodes];
        collider->speedNear(batch, reach, near);
        for (int n = 0; n < kBlockNodes; ++n)
            speed[n] = std::max(speed[n], near[n]);
    }
}

float speedAtNodes(std::span<const std::shared_ptr<Collider>> colliders, double cellSize,
                   const BlockCoordinate& block, double reach, const ArenaNodes& nodes,
                   float enough)
{
    const double h = cellSize, edge = kBlockEdge * h;
    PointBatch batch;
    batch.corner = {block[0] * edge, block[1] * edge, block[2] * edge};
    const Vec3d center = batch.corner + (2.5 * h) * Vec3d{1, 1, 1};
    float largest = 0;
    for (const auto& collider : colliders) {
        // No particle is farther from its nearest node than half a cell's diagonal.
        const double far =
            reach + (collider->particles == ParticleContact::none ? 0 : std::sqrt(0.75) * h);
        if (!collider->mayTouch(center, 3.5 * std::sqrt(3.0) * h * 1.001 + far))
            continue;
        batch.count = 0;
        for (int n = 0; n < kArenaCount && largest <= enough; ++n) {
            if (nodes[static_cast<std::size_t>(n)]) {
                const int index[3] = {n / 64 - 1, n / 8 % 8 - 1, n % 8 - 1};
                for (int axis = 0; axis < 3; ++axis) {
                    batch.x[axis][batch.count] = static_cast<float>(index[axis] * h);
                    batch.v[axis][batch.count] = 0;
                }
                batch.mass[batch.count++] = 1;
            }
            if (batch.count < PointBatch::kMax && n + 1 < kArenaCount)
                continue;
            float near[PointBatch::kMax];
            collider->speedNear(batch, far, near);
            for (int i = 0; i < batch.count; ++i)
                largest = std::max(largest, near[i]);
            batch.count = 0;
        }
    }
    return largest;
}

float largestSpeed(const CellSpeeds& speed, std::uint64_t cells)
{
    float largest = 0;
    for (unsigned cell = 0; cell < kBlockNodes; ++cell)
        if (cells >> cell & 1)
            largest = std::max(largest, speed[cell]);
    return largest;
}

} // namespace floe::mpm
