#include "liquid_planes.hpp"

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

/// Whether addPlane() would take a plane, as far as others and distances show.
bool isWanted(const LiquidPlanes& planes, const LiquidPlane& plane, float nearest, float kernel)
{
    return plane.distance < kernel && nearest - plane.distance < 0.1f * kernel &&
           std::none_of(planes.plane.begin(), planes.plane.end(), [&](const LiquidPlane& other) {
               return other.weight > 0 && physics::dot(plane.normal, other.normal) > 0.9f;
           });
}

/// Adds a plane unless it is one of those that are there, or cuts off what is outside the collider.
/// @param nearest  distance of the particle from the collider [m]
void addPlane(LiquidPlanes& planes, LiquidPlane plane, float nearest, float kernel)
{
    // In a concave collider no plane is nearer than it; beside a convex edge those of faces are.
    plane.weight = std::clamp(1 - (nearest - plane.distance) / (0.1f * kernel), 0.0f, 1.0f);
    for (const LiquidPlane& other : planes.plane)
        if (other.weight > 0)
            plane.weight *=
                std::clamp(2.25f - 2.5f * physics::dot(plane.normal, other.normal), 0.0f, 1.0f);
    if (plane.weight <= 0 || plane.distance >= kernel)
        return;
    for (LiquidPlane& free : planes.plane)
        if (free.weight <= 0) {
            free = plane;
            return;
        }
}

/// Whether the collider's surface is a plane about a point of it: it goes on along two axes at
/// right angles, to one side at least. It does not where voxels round an edge, nor along a normal
/// between those of two sides.
/// @param slope  distance from the collider at steps of one length from the point, over that
///               length: every quarter of a turn
bool isSide(const std::array<float, 4>& slope)
{
    constexpr float kFlat = 0.1f, kBent = 0.4f;
    const auto goesOn = [](float a, float b) {
        return std::abs(a) < kFlat || std::abs(b) < kFlat || std::min(a, b) > 0 ||
               (std::abs(a - b) < 2 * kFlat && a + b > -kBent);
    };
    return goesOn(slope[0], slope[2]) && goesOn(slope[1], slope[3]);
}

/// Planes that were found from points of a batch, and whether the collider has such sides.
struct Candidates {
    PointBatch feet; ///< on the planes
    LiquidPlane plane[kRow];
    int of[kRow]; ///< number of the particle in the batch
    float step[kRow];

    void check(const Collider& collider, bool* holds) const
    {
        std::fill_n(holds, feet.count, false);
        // In a corner one pair of axes may end at sides where the one between does not.
        for (const float turn : {0.0f, 0.78539816f}) {
            const Chosen left(feet, [&](int k) { return !holds[k]; });
            if (left.points.count == 0)
                return;
            std::array<float, 4> slope[kRow];
            ColliderSample sample;
            for (std::size_t quarter = 0; quarter < 4; ++quarter) {
                const float angle = turn + 1.5707963f * static_cast<float>(quarter);
                PointBatch moved = left.points;
                for (int k = 0; k < moved.count; ++k) {
                    const Vec3f way = alongPlane(left.from[k], angle);
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

private:
    Vec3f alongPlane(int k, float angle) const
    {
        const Vec3f& n = plane[k].normal;
        const Vec3f across =
            physics::cross(n, std::abs(n.x) < 0.6f ? Vec3f{1, 0, 0} : Vec3f{0, 1, 0});
        const Vec3f u = (1 / physics::length(across)) * across, w = physics::cross(n, u);
        return step[k] * (std::cos(angle) * u + std::sin(angle) * w);
    }
};

/// Looks for planes from a particle and from points around it: where the collider is concave some
/// of them are nearest to another side of it. Those farther away see past voxels that round edges.
void meet(const Collider& collider, std::uint32_t number, const Row& row,
          std::vector<LiquidPlanes>& planes)
{
    constexpr float kLook[13][3] = {{0, 0, 0},     {0.5f, 0, 0}, {-0.5f, 0, 0}, {0, 0.5f, 0},
                                    {0, -0.5f, 0}, {0, 0, 0.5f}, {0, 0, -0.5f}, {0.8f, 0, 0},
                                    {-0.8f, 0, 0}, {0, 0.8f, 0}, {0, -0.8f, 0}, {0, 0, 0.8f},
                                    {0, 0, -0.8f}};
    constexpr float kCorner[4][3] = {{1, -1, -1}, {-1, -1, 1}, {-1, 1, -1}, {1, 1, 1}};
    constexpr float kStep = 0.5f; // of the kernel: how far a side goes on
    ColliderSample sample;
    collider.sample(row.points, sample);
    const Chosen near(row.points, [&](int i) { return sample.distance[i] < row.kernel[i]; });
    float nearest[kRow];
    for (int k = 0; k < near.points.count; ++k)
        nearest[k] = sample.distance[near.from[k]];
    const auto kernelOf = [&](int k) {
        return row.kernel[near.from[k]];
    };
    for (const auto& look : kLook) {
        if (near.points.count == 0)
            return;
        PointBatch moved = near.points;
        for (int k = 0; k < moved.count; ++k)
            for (int axis = 0; axis < 3; ++axis)
                moved.x[axis][k] += kernelOf(k) * look[axis];
        collider.sample(moved, sample);
        const Chosen seen(moved, [&](int k) { return sample.distance[k] < 0.8f * kernelOf(k); });
        float distance[kRow];
        Vec3f gradient[kRow] = {};
        for (int s = 0; s < seen.points.count; ++s)
            distance[s] = sample.distance[seen.from[s]];
        for (const auto& corner : kCorner) {
            PointBatch around = seen.points;
            for (int s = 0; s < around.count; ++s)
                for (int axis = 0; axis < 3; ++axis)
                    around.x[axis][s] += 0.02f * kernelOf(seen.from[s]) * corner[axis];
            if (around.count > 0)
                collider.sample(around, sample);
            for (int s = 0; s < around.count; ++s)
                gradient[s] =
                    gradient[s] + (sample.distance[s] / (0.08f * kernelOf(seen.from[s]))) *
                                      Vec3f{corner[0], corner[1], corner[2]};
        }
        Candidates found;
        found.feet.corner = moved.corner;
        for (int s = 0; s < seen.points.count; ++s) {
            // Shorter ones lie between two sides, or where the distance is no longer known.
            const float size = physics::length(gradient[s]);
            if (!(size > 0.98f))
                continue;
            const int k = seen.from[s], f = found.feet.count;
            LiquidPlane plane;
            plane.normal = (1 / size) * gradient[s];
            plane.distance =
                distance[s] -
                kernelOf(k) * physics::dot(plane.normal, Vec3f{look[0], look[1], look[2]});
            plane.collider = number;
            if (!isWanted(planes[row.particle[near.from[k]]], plane, nearest[k], kernelOf(k)))
                continue;
            found.plane[f] = plane;
            found.of[f] = k;
            found.step[f] = kStep * kernelOf(k);
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
