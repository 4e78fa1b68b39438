#include "thin_walls.hpp"

#include "floe/sdk/world/surface_collider.hpp"
#include "floe/sdk/world/thin_wall.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace floe::pbd {

namespace {

using sdk::parallel::Executor;
using sdk::world::SurfaceCollider;
using sdk::world::toOwn;
using sdk::world::toWorld;
using sdk::world::TriangleSurface;

/// Of its radius: how near to a triangle a particle's centre may come. Walls are thicker.
constexpr double kGap = 1e-3;
constexpr double kSame = 0.9; ///< cosine of sides that count as one

/// A triangle that a particle meets.
struct Met {
    Vec3d at, normal;    ///< the latter towards where the particle is
    double distance = 0; ///< as the substep begins
    bool face = false;   ///< not at an edge or corner
    std::uint32_t triangle = 0;
};

/// @return false: the triangle is too far from the way
bool meet(const TriangleSurface& surface, std::uint32_t triangle, const Vec3d& from,
          const Vec3d& to, double radius, Met& met)
{
    const TriangleSurface::Nearest nearest = surface.nearestOn(triangle, from);
    const Vec3d between = from - nearest.x;
    const double distance = physics::length(between);
    if (!(distance > 0))
        return false;
    met = {nearest.x, (1 / distance) * between, distance, nearest.inside, triangle};
    if (distance <= radius)
        return true;
    // On its way: at the plane of the face if it comes through, or ends beside it.
    const Vec3d end = surface.nearestOn(triangle, to).x;
    const Vec3d n = surface.normal(triangle);
    const double before = physics::dot(n, from - end), after = physics::dot(n, to - end);
    if (physics::length(to - end) > radius && !(before * after < 0))
        return false;
    if (before * after < 0) {
        const Vec3d through = from + (before / (before - after)) * (to - from);
        if (physics::length(through - surface.nearestOn(triangle, through).x) > radius)
            return false;
    }
    if (std::abs(before) <= 0.01 * distance)
        return true; // along the face: it comes against the edge
    met = {end, before > 0 ? n : -1.0 * n, std::abs(before), true, triangle};
    return true;
}

/// Calls work(triangle) for those in the box around a way.
template <class Work>
void nearWay(const TriangleSurface& surface, const Vec3d& from, const Vec3d& to, double reach,
             const Work& work)
{
    Vec3d low, high;
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = std::min(from[axis], to[axis]) - reach;
        high[axis] = std::max(from[axis], to[axis]) + reach;
    }
    surface.near(low, high, work);
}

} // namespace

std::size_t sidesNear(const SurfaceCollider& collider, const Vec3d& x, const Vec3d& way,
                      double radius, std::array<SurfaceSide, kMaxSides>& sides)
{
    const TriangleSurface& surface = collider.surface();
    const double scale = collider.now().scale, reach = radius / scale;
    const Vec3d from = toOwn(collider.now(), x), to = toOwn(collider.later(), x + way);
    std::vector<Met> all;
    nearWay(surface, from, to, reach, [&](std::uint32_t triangle) {
        if (Met met; meet(surface, triangle, from, to, reach, met))
            all.push_back(met);
    });
    std::sort(all.begin(), all.end(), [](const Met& l, const Met& r) {
        return l.distance != r.distance ? l.distance < r.distance : l.triangle < r.triangle;
    });
    std::size_t count = 0;
    std::array<Vec3d, kMaxSides> known;
    for (const Met& met : all) {
        // Behind the nearest only faces are sides of their own: edges beside it are its edges.
        const bool same = std::any_of(known.begin(), known.begin() + count, [&](const Vec3d& n) {
            return physics::dot(n, met.normal) > kSame;
        });
        if (count == kMaxSides || same || (count > 0 && !met.face))
            continue;
        known[count] = met.normal;
        sides[count++] = {met.at, toFloat(sdk::world::rotate(collider.now().rotation, met.normal)),
                          static_cast<float>(scale * met.distance), met.face};
    }
    return count;
}

void ThinWalls::begin(const Scene& scene, Colliders colliders, bool stand)
{
    walls_.clear();
    for (const auto& collider : colliders)
        if (auto surface = std::dynamic_pointer_cast<const SurfaceCollider>(collider)) {
            const floe_transform_key now = surface->now(), later = surface->later();
            walls_.push_back({std::move(surface), now, stand ? now : later});
        }
    if (before_.size() != walls_.size()) {
        before_.clear();
        for (const Wall& wall : walls_)
            before_.push_back(wall.now);
    }
    if (!walls_.empty())
        x_ = scene.particles.x;
}

void ThinWalls::keep(Scene& scene, std::size_t particle) const
{
    constexpr int kRounds = 3; // walls that move towards each other may hand it back
    bool kept = true;
    for (int round = 0; round < kRounds && kept; ++round) {
        kept = false;
        for (const Wall& wall : walls_)
            kept = keep(scene, particle, wall) || kept;
    }
}

/// @return whether it had to be taken back
bool ThinWalls::keep(Scene& scene, std::size_t i, const Wall& wall) const
{
    Particles& particles = scene.particles;
    const Vec3d from = toOwn(wall.now, x_[i]), to = toOwn(wall.later, particles.x[i]);
    const double gap = kGap * double{particles.radius[i]} / wall.later.scale;
    const auto stopped = sdk::world::stoppedBy(wall.collider->surface(), from, to, gap);
    if (!stopped)
        return false;
    particles.x[i] = toWorld(wall.later, stopped->x);
    const Vec3f normal = toFloat(sdk::world::rotate(wall.later.rotation, stopped->normal));
    const Vec3f velocity = toFloat(wall.collider->velocityAt(stopped->at));
    const float towards = physics::dot(normal, particles.v[i] - velocity);
    if (towards < 0)
        particles.v[i] = particles.v[i] - towards * normal;
    return true;
}

/// By a wall that was put elsewhere between two substeps, or in this one.
bool ThinWalls::changedSides(const Scene& scene, std::size_t i) const
{
    for (std::size_t k = 0; k < walls_.size(); ++k) {
        const Wall& wall = walls_[k];
        const TriangleSurface& surface = wall.collider->surface();
        const Vec3d from = toOwn(wall.now, x_[i]);
        if ((!sdk::world::samePose(before_[k], wall.now) &&
             surface.crossed(toOwn(before_[k], x_[i]), from)) ||
            surface.crossed(from, toOwn(wall.later, scene.particles.x[i])))
            return true;
    }
    return false;
}

void ThinWalls::end(Scene& scene, const Sleep& sleep, Executor& executor)
{
    if (walls_.empty())
        return;
    std::atomic<std::size_t> leaked = 0;
    executor.parallelFor(x_.size(), 256, [&](std::size_t from, std::size_t to) {
        std::size_t some = 0;
        for (std::size_t i = from; i < to; ++i) {
            if (!scene.isRigid(i) && !scene.isHeld(i) && !sleep.isAsleep(i))
                keep(scene, i);
            some += changedSides(scene, i);
        }
        leaked += some;
    });
    leaked_ += leaked;
    for (std::size_t k = 0; k < walls_.size(); ++k)
        before_[k] = walls_[k].later;
    walls_.clear();
}

} // namespace floe::pbd
