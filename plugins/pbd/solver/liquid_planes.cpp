#include "liquid_plane_rules.hpp"
#include "thin_walls.hpp"

#include "floe/sdk/world/surface_collider.hpp"

#include <algorithm>
#include <cmath>

namespace floe::pbd {

namespace {

using sdk::parallel::Executor;
using sdk::world::Collider;
using sdk::world::ColliderSample;
using sdk::world::PointBatch;

constexpr int kRow = PointBatch::kMax;

/// Particles of liquid in a row, which meet colliders together.
struct Row {
    PointBatch points;
    std::uint32_t particle[kRow];
    float kernel[kRow]; ///< radius [m]
    Vec3d middle;       ///< with `reach`, a ball that holds all kernels [m]
    double reach = 0;
};

Row rowOf(const Scene& scene, double support, std::size_t first, std::size_t end)
{
    Row row;
    PointBatch& points = row.points;
    points.corner = scene.particles.x[first];
    Vec3d low{INFINITY, INFINITY, INFINITY}, high = -1.0 * low;
    float largest = 0;
    for (std::size_t i = first; i < end; ++i) {
        if (!scene.isLiquid(i))
            continue;
        const int k = points.count++;
        row.particle[k] = static_cast<std::uint32_t>(i);
        row.kernel[k] = static_cast<float>(support) * scene.particles.radius[i];
        largest = std::max(largest, row.kernel[k]);
        const Vec3d& x = scene.particles.x[i];
        const Vec3f offset = toFloat(x - points.corner);
        points.mass[k] = 1;
        for (int axis = 0; axis < 3; ++axis) {
            points.x[axis][k] = offset[axis];
            points.v[axis][k] = 0;
            low[axis] = std::min(low[axis], x[axis]);
            high[axis] = std::max(high[axis], x[axis]);
        }
    }
    row.middle = 0.5 * (low + high);
    row.reach = 0.5 * physics::length(high - low) + double{largest};
    return row;
}

/// Leaves those of a batch's points that a mask names.
struct Chosen {
    PointBatch points;
    int from[kRow]; ///< number in the row

    template <class Wanted>
    Chosen(const PointBatch& all, const Wanted& wanted)
    {
        points.corner = all.corner;
        for (int i = 0; i < all.count; ++i) {
            if (!wanted(i))
                continue;
            const int k = points.count++;
            from[k] = i;
            points.mass[k] = 1;
            for (int axis = 0; axis < 3; ++axis) {
                points.x[axis][k] = all.x[axis][i];
                points.v[axis][k] = 0;
            }
        }
    }
};

/// Planes that were found from points of a batch, and whether the collider has such sides.
struct Candidates {
    PointBatch feet; ///< on the planes
    LiquidPlane plane[kRow];
    int of[kRow]; ///< number of the particle in the batch
    float step[kRow];

    void check(const Collider& collider, bool* holds) const
    {
        std::fill_n(holds, feet.count, false);
        for (const bool turned : {false, true}) {
            const Chosen left(feet, [&](int k) { return !holds[k]; });
            if (left.points.count == 0)
                return;
            float slope[kRow][4];
            ColliderSample sample;
            for (int quarter = 0; quarter < 4; ++quarter) {
                const float angle = planeAngle(turned, quarter);
                PointBatch moved = left.points;
                for (int k = 0; k < moved.count; ++k) {
                    const Vec3f way =
                        alongPlane(plane[left.from[k]].normal, step[left.from[k]], angle);
                    for (int axis = 0; axis < 3; ++axis)
                        moved.x[axis][k] += way[axis];
                }
                collider.sample(moved, sample);
                for (int k = 0; k < moved.count; ++k)
                    slope[k][quarter] = sample.distance[k] / step[left.from[k]];
            }
            for (int k = 0; k < left.points.count; ++k)
                holds[left.from[k]] = isSide(slope[k]);
        }
    }
};

/// Looks for planes from a particle and from points around it.
void meet(const Collider& collider, std::uint32_t number, const Row& row,
          std::vector<LiquidPlanes>& planes)
{
    ColliderSample sample;
    collider.sample(row.points, sample);
    const Chosen near(row.points, [&](int i) { return sample.distance[i] < row.kernel[i]; });
    float nearest[kRow];
    for (int k = 0; k < near.points.count; ++k)
        nearest[k] = sample.distance[near.from[k]];
    const auto kernelOf = [&](int k) {
        return row.kernel[near.from[k]];
    };
    for (int from = 0; from < kPlaneLooks; ++from) {
        const Vec3f look = planeLook(from);
        if (near.points.count == 0)
            return;
        PointBatch moved = near.points;
        for (int k = 0; k < moved.count; ++k)
            for (int axis = 0; axis < 3; ++axis)
                moved.x[axis][k] += kernelOf(k) * look[axis];
        collider.sample(moved, sample);
        const Chosen seen(moved,
                          [&](int k) { return sample.distance[k] < kPlaneSees * kernelOf(k); });
        float distance[kRow];
        Vec3f gradient[kRow] = {};
        for (int s = 0; s < seen.points.count; ++s)
            distance[s] = sample.distance[seen.from[s]];
        for (int vertex = 0; vertex < 4; ++vertex) {
            const Vec3f corner = tetrahedronCorner(vertex);
            PointBatch around = seen.points;
            for (int s = 0; s < around.count; ++s)
                for (int axis = 0; axis < 3; ++axis)
                    around.x[axis][s] += kPlaneGradient * kernelOf(seen.from[s]) * corner[axis];
            if (around.count > 0)
                collider.sample(around, sample);
            for (int s = 0; s < around.count; ++s)
                gradient[s] =
                    gradient[s] +
                    (sample.distance[s] / (4 * kPlaneGradient * kernelOf(seen.from[s]))) * corner;
        }
        Candidates found;
        found.feet.corner = moved.corner;
        for (int s = 0; s < seen.points.count; ++s) {
            const float size = physics::length(gradient[s]);
            if (!(size > kPlaneSize))
                continue;
            const int k = seen.from[s], f = found.feet.count;
            LiquidPlane plane;
            plane.normal = (1 / size) * gradient[s];
            plane.distance = distance[s] - kernelOf(k) * physics::dot(plane.normal, look);
            plane.collider = number;
            if (!isWanted(planes[row.particle[near.from[k]]], plane, nearest[k], kernelOf(k)))
                continue;
            found.plane[f] = plane;
            found.of[f] = k;
            found.step[f] = kPlaneStep * kernelOf(k);
            found.feet.mass[f] = 1;
            for (int axis = 0; axis < 3; ++axis) {
                found.feet.x[axis][f] = seen.points.x[axis][s] - distance[s] * plane.normal[axis];
                found.feet.v[axis][f] = 0;
            }
            ++found.feet.count;
        }
        bool holds[kRow];
        found.check(collider, holds);
        for (int f = 0; f < found.feet.count; ++f) {
            const int k = found.of[f];
            if (holds[f])
                addPlane(planes[row.particle[near.from[k]]], found.plane[f], nearest[k],
                         kernelOf(k));
        }
    }
}

/// Sides of triangles are planes where the particle is beside them, not beyond their edge: behind
/// that there is no wall.
void meet(const sdk::world::SurfaceCollider& collider, std::uint32_t number, const Row& row,
          std::vector<LiquidPlanes>& planes)
{
    std::array<SurfaceSide, kMaxSides> sides;
    for (int k = 0; k < row.points.count; ++k) {
        LiquidPlanes& own = planes[row.particle[k]];
        const std::size_t count = sidesNear(collider, own.at, {0, 0, 0}, row.kernel[k], sides);
        for (std::size_t side = 0; side < count; ++side)
            if (sides[side].face)
                addPlane(own, {sides[side].normal, sides[side].distance, number}, sides[0].distance,
                         row.kernel[k]);
    }
}

} // namespace

std::vector<LiquidPlanes> planesOfColliders(const Scene& scene, double support,
                                            std::span<const std::shared_ptr<Collider>> colliders,
                                            Executor& executor)
{
    if (colliders.empty())
        return {};
    const std::size_t count = scene.particles.size();
    constexpr auto kLength = static_cast<std::size_t>(kRow);
    std::vector<LiquidPlanes> planes(count);
    executor.parallelFor((count + kLength - 1) / kLength, 1, [&](std::size_t from, std::size_t to) {
        for (std::size_t k = from; k < to; ++k) {
            const Row row = rowOf(scene, support, k * kLength, std::min((k + 1) * kLength, count));
            for (int n = 0; n < row.points.count; ++n)
                planes[row.particle[n]].at = scene.particles.x[row.particle[n]];
            for (std::size_t c = 0; c < colliders.size(); ++c)
                if (row.points.count > 0 &&
                    colliders[c]->particles != sdk::world::ParticleContact::remove &&
                    colliders[c]->mayTouch(row.middle, row.reach)) {
                    const auto number = static_cast<std::uint32_t>(c);
                    if (const auto* surface =
                            dynamic_cast<const sdk::world::SurfaceCollider*>(colliders[c].get()))
                        meet(*surface, number, row, planes);
                    else
                        meet(*colliders[c], number, row, planes);
                }
        }
    });
    return planes;
}

} // namespace floe::pbd
