#include "contact_geometry.hpp"
#include "contacts.hpp"

#include <algorithm>
#include <cmath>

namespace floe::pbd {

namespace {

using sdk::parallel::Executor;
using sdk::world::ColliderSample;
using sdk::world::PointBatch;

constexpr std::uint32_t kWalls = 0x8000; ///< number of the first wall among surfaces

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

} // namespace

void Contacts::findSurfaces(const Scene& scene, const Motion& motion,
                            const SolverSettings& settings, double dt, const Surroundings& around,
                            std::vector<std::vector<Contact>>& found, Executor& executor)
{
    const Particles& particles = scene.particles;
    constexpr auto kBatch = static_cast<std::size_t>(PointBatch::kMax);
    const std::size_t chunks = (particles.size() + kBatch - 1) / kBatch;
    found.resize(chunks);
    std::vector<std::vector<std::uint32_t>> taken(chunks);
    const auto step = static_cast<float>(dt);
    const auto add = [&](std::size_t chunk, std::uint32_t i, std::uint32_t surface,
                         const Vec3f& normal, float distance, const Vec3f& velocity, float hold,
                         float restitution) {
        const float r = particles.radius[i];
        if (scene.isHeld(i))
            return;
        Contact contact{};
        contact.a = i;
        contact.b = kSurface + surface;
        contact.normal = normal;
        contact.gap = distance - r;
        contact.overlapLimit = r;
        contact.armA = armOf(scene, i, particles.x[i] - toDouble(std::min(distance, r) * normal));
        contact.surface = step * velocity;
        const Vec3f u = motion.at(scene, i, contact.armA) - contact.surface;
        const float un = physics::dot(normal, u);
        if (contact.gap + std::min(un, 0.0f) > kTouching * r)
            return;
        contact.staticFriction = contact.kineticFriction = hold;
        const float own = scene.materials[particles.material[i]].restitution;
        contact.bounce = bounceOf(std::max(own, restitution), un, contact.gap, settings, dt);
        found[chunk].push_back(contact);
    };
    constexpr float kSticks = 1e6f;
    const auto holds = [](sdk::world::Contact kind, float friction) {
        return kind == sdk::world::Contact::stick  ? kSticks
               : kind == sdk::world::Contact::slip ? 0
                                                   : friction;
    };
    executor.parallelFor(chunks, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t chunk = begin; chunk < end; ++chunk) {
            const std::size_t first = chunk * kBatch;
            PointBatch batch;
            batch.corner = particles.x[first];
            batch.count = static_cast<int>(std::min(kBatch, particles.size() - first));
            Vec3d low = batch.corner, high = low;
            float reach = 0;
            for (int i = 0; i < batch.count; ++i) {
                const std::size_t at = first + static_cast<std::size_t>(i);
                const Vec3f offset = toFloat(particles.x[at] - batch.corner);
                batch.mass[i] = 1;
                const float way = step * physics::length(particles.v[at]);
                reach = std::max(reach, (1 + kMargin) * particles.radius[at] + way);
                for (int axis = 0; axis < 3; ++axis) {
                    batch.x[axis][i] = offset[axis];
                    batch.v[axis][i] = particles.v[at][axis];
                    low[axis] = std::min(low[axis], particles.x[at][axis]);
                    high[axis] = std::max(high[axis], particles.x[at][axis]);
                }
            }
            const Vec3d middle = 0.5 * (low + high);
            const double ball = 0.5 * physics::length(high - low) + reach;
            for (std::size_t c = 0; c < around.colliders.size(); ++c) {
                const sdk::world::Collider& collider = *around.colliders[c];
                if (!collider.mayTouch(middle, ball))
                    continue;
                ColliderSample sample;
                collider.sample(batch, sample);
                PointBatch near = batch; // those that may touch it
                int which[PointBatch::kMax];
                near.count = 0;
                const auto fast = static_cast<float>(std::min(collider.topSpeed(), 1e6));
                for (int i = 0; i < batch.count; ++i) {
                    const std::size_t at = first + static_cast<std::size_t>(i);
                    const float way = step * (physics::length(particles.v[at]) + fast);
                    if (sample.distance[i] > (1 + kMargin) * particles.radius[at] + way)
                        continue;
                    for (int axis = 0; axis < 3; ++axis)
                        near.x[axis][near.count] = batch.x[axis][i];
                    which[near.count++] = i;
                }
                if (near.count == 0)
                    continue;
                float smallest = particles.radius[first + static_cast<std::size_t>(which[0])];
                for (int k = 0; k < near.count; ++k)
                    smallest = std::min(
                        smallest, particles.radius[first + static_cast<std::size_t>(which[k])]);
                Vec3f normal[PointBatch::kMax], way[PointBatch::kMax];
                float distance[PointBatch::kMax], radius[PointBatch::kMax], share[PointBatch::kMax];
                for (int k = 0; k < near.count; ++k) {
                    const auto at =
                        static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(which[k]);
                    distance[k] = sample.distance[which[k]];
                    radius[k] = particles.radius[at];
                    way[k] = motion.at(scene, at, armOf(scene, at, particles.x[at]));
                }
                advanceToSurface(collider, near, way, radius, distance, share);
                normalsOutside(collider, near, distance, smallest, normal);
                // Just inside the surface it also says how fast it is.
                for (int k = 0; k < near.count; ++k) {
                    const float inwards = std::max(distance[k], 0.0f) + 0.05f * smallest;
                    for (int axis = 0; axis < 3; ++axis)
                        near.x[axis][k] -= inwards * normal[k][axis];
                }
                ColliderSample inside;
                collider.sample(near, inside);
                for (int k = 0; k < near.count; ++k) {
                    const int i = which[k];
                    const auto at =
                        static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(i);
                    if (collider.particles == sdk::world::ParticleContact::remove &&
                        sample.distance[i] <= 0 && particles.body[at] == kNoBody) {
                        taken[chunk].push_back(at);
                        continue;
                    }
                    const auto surface = inside.at(k);
                    const bool known = surface.distance <= 0;
                    if (normal[k].x == 0 && normal[k].y == 0 && normal[k].z == 0)
                        continue; // deep inside there is no way out
                    // From where it is to the plane that it touches on its way.
                    const float plane = distance[k] - share[k] * physics::dot(normal[k], way[k]);
                    add(chunk, at, static_cast<std::uint32_t>(c), normal[k], plane,
                        known ? surface.v : Vec3f{0, 0, 0},
                        holds(collider.contact, collider.friction),
                        collider.particles == sdk::world::ParticleContact::bounce ? 1.0f : 0.0f);
                }
            }
            if (around.domain && around.domain->bounded)
                for (int i = 0; i < batch.count; ++i)
                    for (int face = 0; face < 6; ++face) {
                        if (!around.domain->isWall(face))
                            continue;
                        const auto at =
                            static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(i);
                        const sdk::world::Wall wall(*around.domain, face, particles.x[at]);
                        add(chunk, at, kWalls + static_cast<std::uint32_t>(face), wall.inwards,
                            wall.corner, {0, 0, 0}, holds(wall.contact, wall.friction), 0);
                    }
            std::sort(found[chunk].begin(), found[chunk].end(),
                      [](const Contact& l, const Contact& r) {
                          return l.a != r.a ? l.a < r.a : l.b < r.b;
                      });
        }
    });
    taken_.clear();
    for (const auto& some : taken)
        taken_.insert(taken_.end(), some.begin(), some.end());
}

} // namespace floe::pbd
