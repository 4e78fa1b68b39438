#include "contact_geometry.hpp"
#include "contacts.hpp"
#include "thin_walls.hpp"

#include "floe/sdk/world/surface_collider.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace floe::pbd {

namespace {

using sdk::parallel::Executor;
using sdk::world::ColliderSample;
using sdk::world::PointBatch;

/// Gradient of a collider's distance, unit or 0 where it is constant, by differences.
void gradientsOf(const sdk::world::Collider& collider, const PointBatch& points, float step,
                 Vec3f* normal)
{
    // Corners of a tetrahedron: four samples for a gradient.
    constexpr float kCorner[4][3] = {{1, -1, -1}, {-1, -1, 1}, {-1, 1, -1}, {1, 1, 1}};
    std::fill_n(normal, points.count, Vec3f{0, 0, 0});
    for (const auto& corner : kCorner) {
        PointBatch moved = points;
        for (int i = 0; i < points.count; ++i)
            for (int axis = 0; axis < 3; ++axis)
                moved.x[axis][i] += step * corner[axis];
        ColliderSample sample;
        collider.sample(moved, sample);
        for (int i = 0; i < points.count; ++i)
            normal[i] = normal[i] + sample.distance[i] * Vec3f{corner[0], corner[1], corner[2]};
    }
    for (int i = 0; i < points.count; ++i)
        if (const float size = physics::length(normal[i]); size > 0)
            normal[i] = (1 / size) * normal[i];
}

/// Normal of a collider outside it: its own is known inside only.
/// @param radius  of the smallest particle among the points [m]
void normalsOutside(const sdk::world::Collider& collider, const PointBatch& points,
                    const float* distance, float radius, Vec3f* normal)
{
    const float step = 0.25f * radius;
    gradientsOf(collider, points, step, normal);
    // Level sets know distances in a narrow band only, and the samples of a particle that touches
    // may lie beyond it. So that is a first guess, and the normal is that near the surface.
    PointBatch close = points;
    for (int i = 0; i < points.count; ++i)
        for (int axis = 0; axis < 3; ++axis)
            close.x[axis][i] -= std::max(distance[i] - 2 * step, 0.0f) * normal[i][axis];
    Vec3f better[PointBatch::kMax];
    gradientsOf(collider, close, step, better);
    for (int i = 0; i < points.count; ++i)
        if (physics::dot(better[i], better[i]) > 0)
            normal[i] = better[i];
}

/// Moves points that are far from a collider along their ways to where they touch it, by steps of
/// their distance (Hart 1996): what is fast must not pass through what is thin.
/// @param way       of each in this substep [m]; those that are not far are left alone
/// @param distance  in, out: of each point [m]
/// @param share     out: of its way that each was moved by
void advanceToSurface(const sdk::world::Collider& collider, PointBatch& points, const Vec3f* way,
                      const float* radius, float* distance, float* share)
{
    constexpr int kSteps = 24;
    std::fill_n(share, points.count, 0.0f);
    bool far = true;
    for (int step = 0; step < kSteps && far; ++step) {
        far = false;
        for (int i = 0; i < points.count; ++i) {
            const float length = physics::length(way[i]);
            const float left = distance[i] - radius[i];
            if (!(left > kMargin * radius[i]) || !(share[i] < 1) || !(length > left))
                continue;
            const float next = std::min(share[i] + left / length, 1.0f);
            for (int axis = 0; axis < 3; ++axis)
                points.x[axis][i] += (next - share[i]) * way[i][axis];
            share[i] = next;
            far = true;
        }
        if (!far)
            return;
        ColliderSample sample;
        collider.sample(points, sample);
        std::copy_n(sample.distance, points.count, distance);
    }
}

/// Particles in a row, which meet colliders together.
struct Row {
    std::size_t first = 0; ///< number of its first particle
    PointBatch points;
    Vec3d middle; ///< with `reach`, a ball that holds all they touch in a substep [m]
    double reach = 0;
};

/// Those of a row that may touch a collider in this substep.
struct Near {
    PointBatch points; ///< moved to where they touch it
    std::uint32_t particle[PointBatch::kMax];
    float distance[PointBatch::kMax]; ///< there [m]
    float now[PointBatch::kMax];      ///< where the particle is [m]
    float radius[PointBatch::kMax];   ///< [m]
    float smallest = 0;               ///< of the radii [m]
    Vec3f way[PointBatch::kMax];      ///< in this substep [m]
};

/// The contacts of one row of particles with colliders and walls.
class RowContacts {
public:
    RowContacts(const Scene& scene, const Motion& motion, const SolverSettings& settings, double dt,
                std::vector<Contact>& found, std::vector<std::uint32_t>& taken)
        : scene_(scene), particles_(scene.particles), motion_(motion),
          resting_(restingApproach(settings.gravity, dt)), step_(static_cast<float>(dt)),
          found_(found), taken_(taken)
    {}

    void find(std::size_t first, std::size_t count, const Surroundings& around)
    {
        const Row row = rowOf(first, count);
        for (std::size_t c = 0; c < around.colliders.size(); ++c)
            if (around.colliders[c]->mayTouch(row.middle, row.reach)) {
                const auto number = static_cast<std::uint32_t>(c);
                if (const auto* surface =
                        dynamic_cast<const sdk::world::SurfaceCollider*>(around.colliders[c].get()))
                    meetSides(row, *surface, number);
                else
                    meet(row, *around.colliders[c], number, around.planes);
            }
        if (around.domain && around.domain->bounded)
            meet(row, *around.domain);
        std::sort(found_.begin(), found_.end(), ContactOrder());
    }

private:
    Row rowOf(std::size_t first, std::size_t count) const
    {
        Row row{.first = first, .points = {}, .middle = {}};
        PointBatch& points = row.points;
        points.corner = particles_.x[first];
        points.count = static_cast<int>(count);
        Vec3d low = points.corner, high = low;
        float reach = 0;
        for (int i = 0; i < points.count; ++i) {
            const std::size_t at = first + static_cast<std::size_t>(i);
            const Vec3f offset = toFloat(particles_.x[at] - points.corner);
            points.mass[i] = 1;
            const float way = step_ * physics::length(particles_.v[at]);
            reach = std::max(reach, (1 + kMargin) * particles_.radius[at] + way);
            for (int axis = 0; axis < 3; ++axis) {
                points.x[axis][i] = offset[axis];
                points.v[axis][i] = particles_.v[at][axis];
                low[axis] = std::min(low[axis], particles_.x[at][axis]);
                high[axis] = std::max(high[axis], particles_.x[at][axis]);
            }
        }
        row.middle = 0.5 * (low + high);
        row.reach = 0.5 * physics::length(high - low) + reach;
        return row;
    }

    Near nearTo(const sdk::world::Collider& collider, const Row& row) const
    {
        ColliderSample sample;
        collider.sample(row.points, sample);
        Near near;
        near.points = row.points;
        near.points.count = 0;
        const auto fast = static_cast<float>(std::min(collider.topSpeed(), 1e6));
        for (int i = 0; i < row.points.count; ++i) {
            const std::size_t at = row.first + static_cast<std::size_t>(i);
            const float radius = particles_.radius[at];
            const float way = step_ * (physics::length(particles_.v[at]) + fast);
            if (sample.distance[i] > (1 + kMargin) * radius + way)
                continue;
            const int k = near.points.count++;
            for (int axis = 0; axis < 3; ++axis)
                near.points.x[axis][k] = row.points.x[axis][i];
            near.particle[k] = static_cast<std::uint32_t>(at);
            near.now[k] = near.distance[k] = sample.distance[i];
            near.radius[k] = radius;
            near.smallest = k == 0 ? radius : std::min(near.smallest, radius);
            near.way[k] = motion_.at(scene_, near.particle[k],
                                     armOf(scene_, near.particle[k], particles_.x[at]));
        }
        return near;
    }

    void meet(const Row& row, const sdk::world::Collider& collider, std::uint32_t number,
              std::span<const LiquidPlanes> planes)
    {
        Near near = nearTo(collider, row);
        PointBatch& points = near.points;
        if (points.count == 0)
            return;
        Vec3f normal[PointBatch::kMax];
        float share[PointBatch::kMax];
        advanceToSurface(collider, points, near.way, near.radius, near.distance, share);
        normalsOutside(collider, points, near.distance, near.smallest, normal);
        // Just inside the surface it also says how fast it is.
        for (int k = 0; k < points.count; ++k) {
            const float inwards = std::max(near.distance[k], 0.0f) + 0.05f * near.smallest;
            for (int axis = 0; axis < 3; ++axis)
                points.x[axis][k] -= inwards * normal[k][axis];
        }
        ColliderSample inside;
        collider.sample(points, inside);
        using sdk::world::ParticleContact;
        for (int k = 0; k < points.count; ++k) {
            const std::uint32_t at = near.particle[k];
            if (collider.particles == ParticleContact::remove && near.now[k] <= 0 &&
                particles_.body[at] == kNoBody) {
                taken_.push_back(at);
                continue;
            }
            const auto surface = inside.at(k);
            const Vec3f velocity = surface.distance <= 0 ? surface.v : Vec3f{0, 0, 0};
            const float grip = gripOf(collider.contact, collider.friction);
            const float restitution = collider.particles == ParticleContact::bounce ? 1.0f : 0.0f;
            if (share[k] == 0 && !planes.empty() &&
                addPlanes(at, number, planes[at], velocity, grip, restitution))
                continue;
            if (normal[k].x == 0 && normal[k].y == 0 && normal[k].z == 0)
                continue; // deep inside there is no way out
            // From where it is to the plane that it touches on its way.
            const float plane = near.distance[k] - share[k] * physics::dot(normal[k], near.way[k]);
            add(at, number, normal[k], plane, velocity, grip, restitution);
        }
    }

    void meetSides(const Row& row, const sdk::world::SurfaceCollider& collider,
                   std::uint32_t number)
    {
        std::array<SurfaceSide, kMaxSides> sides;
        const float grip = gripOf(collider.contact, collider.friction);
        for (int k = 0; k < row.points.count; ++k) {
            const auto at = static_cast<std::uint32_t>(row.first) + static_cast<std::uint32_t>(k);
            const Vec3d& x = particles_.x[at];
            const Vec3f way = motion_.at(scene_, at, armOf(scene_, at, x));
            const double reach = (1 + double{kMargin}) * double{particles_.radius[at]};
            const std::size_t count = sidesNear(collider, x, toDouble(way), reach, sides);
            for (std::uint32_t side = 0; side < count; ++side)
                if (hasSide(number, side))
                    add(at, surfaceOf(number, side), sides[side].normal, sides[side].distance,
                        toFloat(collider.velocityAt(sides[side].at)), grip, 0);
        }
    }

    /// In the edges and corners of a collider liquid touches several of its sides at once.
    /// @return false: there are none
    bool addPlanes(std::uint32_t i, std::uint32_t number, const LiquidPlanes& planes,
                   const Vec3f& velocity, float grip, float restitution)
    {
        std::uint32_t sides = 0;
        for (const LiquidPlane& plane : planes.plane) {
            if (plane.weight < 0.5f || plane.collider != number)
                continue;
            if (hasSide(number, sides))
                add(i, surfaceOf(number, sides), plane.normal,
                    planes.distance(plane, particles_.x[i]), velocity, grip, restitution);
            ++sides;
        }
        return sides > 0;
    }

    void meet(const Row& row, const sdk::world::Domain& domain)
    {
        std::array<int, 6> near;
        int count = 0;
        for (int face = 0; face < 6; ++face)
            if (domain.isWall(face) && domain.distanceTo(face, row.middle) < row.reach)
                near[static_cast<std::size_t>(count++)] = face;
        for (int i = 0; i < row.points.count; ++i)
            for (int k = 0; k < count; ++k) {
                const int face = near[static_cast<std::size_t>(k)];
                const auto at =
                    static_cast<std::uint32_t>(row.first) + static_cast<std::uint32_t>(i);
                const sdk::world::Wall wall(domain, face, particles_.x[at]);
                add(at, kWalls + static_cast<std::uint32_t>(face), wall.inwards, wall.corner,
                    {0, 0, 0}, gripOf(wall.contact, wall.friction), 0);
            }
    }

    /// @param distance  of the particle's centre from the surface [m]
    /// @param velocity  of the surface [m/s]
    void add(std::uint32_t i, std::uint32_t surface, const Vec3f& normal, float distance,
             const Vec3f& velocity, float grip, float restitution)
    {
        const float r = particles_.radius[i];
        if (scene_.isHeld(i))
            return;
        Contact contact{};
        beginSurface(contact, i, surface, normal, distance, r, step_ * velocity);
        contact.armA = armOf(scene_, i, touchOfSurface(particles_.x[i], normal, distance, r));
        const Vec3f u = motion_.at(scene_, i, contact.armA) - contact.surface;
        const float own = scene_.materials[particles_.material[i]].restitution;
        if (!touchSurface(contact, u, r, grip, std::max(own, restitution), resting_))
            return;
        found_.push_back(contact);
    }

    const Scene& scene_;
    const Particles& particles_;
    const Motion& motion_;
    float resting_;
    float step_; ///< dt
    std::vector<Contact>& found_;
    std::vector<std::uint32_t>& taken_;
};

} // namespace

void Contacts::findSurfaces(const Scene& scene, const Motion& motion,
                            const SolverSettings& settings, double dt, const Surroundings& around,
                            const Sleep* sleep, Executor& executor)
{
    constexpr auto kRow = static_cast<std::size_t>(PointBatch::kMax);
    const std::size_t count = scene.particles.size(), rows = (count + kRow - 1) / kRow;
    found_.resize(std::max(found_.size(), rows));
    std::vector<std::vector<std::uint32_t>> taken(rows);
    executor.parallelFor(rows, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
            found_[row].clear();
            const std::size_t first = row * kRow, last = std::min(count, first + kRow);
            const auto sleeps = [&](std::size_t i) {
                return sleep && sleep->isAsleep(i);
            };
            std::size_t awake = first;
            while (awake < last && sleeps(awake))
                ++awake;
            if (awake == last)
                continue;
            RowContacts(scene, motion, settings, dt, found_[row], taken[row])
                .find(first, last - first, around);
            std::erase_if(found_[row], [&](const Contact& contact) { return sleeps(contact.a); });
        }
    });
    gather(rows);
    taken_.clear();
    for (const auto& some : taken)
        taken_.insert(taken_.end(), some.begin(), some.end());
}

} // namespace floe::pbd
