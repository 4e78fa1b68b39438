#include "matching.hpp"

#include "matching_rules.hpp"

#include <cmath>

namespace floe::pbd {

namespace {

/// Fits one region, and adds what it wants of its members. As a particle's shares of mass add up to
/// its mass, the pulls of all regions together have no force and no torque.
template <class PlaceOf>
void addGoals(Body& body, std::size_t number, RotationMethod method, const PlaceOf& placeOf,
              std::vector<Vec3d>& goal)
{
    const Region& region = body.rest->regions[number];
    Vec3d center{0, 0, 0};
    for (const Region::Member& member : region.members)
        center = center + double{member.mass} * placeOf(member.particle);
    center = (1 / region.mass) * center;
    const auto restOf = [&](const Region::Member& member) {
        return toDouble(body.rest->particles[member.particle].offset) - region.center;
    };
    Mat3d A{};
    for (const Region::Member& member : region.members)
        addOuter(A, double{member.mass} * (placeOf(member.particle) - center), restOf(member));
    Mat3d& R = body.turns[number];
    R = nearestRotation(method, A, R);
    for (const Region::Member& member : region.members) {
        const double share = member.mass / body.rest->particles[member.particle].mass;
        goal[member.particle] = goal[member.particle] + share * (center + R * restOf(member));
    }
}

} // namespace

void Matching::begin(const Scene& scene)
{
    multiplier_.assign(scene.particles.size(), {0, 0, 0});
}

void Matching::project(Scene& scene, Motion& motion, const SolverSettings& settings, double dt,
                       sdk::parallel::Executor& executor)
{
    executor.parallelFor(scene.bodies.size(), 1, [&](std::size_t from, std::size_t to) {
        std::vector<Vec3d> goal; // of each particle, from the last centre
        for (std::size_t b = from; b < to; ++b) {
            Body& body = scene.bodies[b];
            if (body.rigid || body.sheet)
                continue;
            const std::size_t count = body.rest->particles.size();
            const auto placeOf = [&](std::size_t k) { // from the last centre
                const std::size_t i = body.first + k;
                return scene.particles.x[i] - body.x + toDouble(motion.particle[i]);
            };
            Vec3d center{0, 0, 0};
            for (std::size_t k = 0; k < count; ++k)
                center = center + double{body.rest->particles[k].mass} * placeOf(k);
            center = (1 / body.rest->mass) * center;
            Mat3d A{};
            for (std::size_t k = 0; k < count; ++k) {
                const RestParticle& rest = body.rest->particles[k];
                addOuter(A, double{rest.mass} * (placeOf(k) - center), toDouble(rest.offset));
            }
            body.R = nearestRotation(settings.rotation, A, body.R);
            goal.assign(count, {0, 0, 0});
            for (std::size_t k = 0; k < count && body.turns.empty(); ++k)
                goal[k] = center + body.R * toDouble(body.rest->particles[k].offset);
            for (std::size_t r = 0; r < body.turns.size(); ++r)
                addGoals(body, r, settings.rotation, placeOf, goal);
            const double compliance = complianceOf(body.frequency, dt);
            for (std::size_t k = 0; k < count; ++k) {
                const std::size_t i = body.first + k;
                if (scene.isHeld(i))
                    continue;
                drawToGoal(goal[k] - placeOf(k), compliance, multiplier_[i], motion.particle[i]);
            }
            body.x = body.x + center;
        }
    });
}

void Matching::damp(Scene& scene, double dt, sdk::parallel::Executor& executor)
{
    executor.parallelFor(scene.bodies.size(), 1, [&](std::size_t from, std::size_t to) {
        for (std::size_t b = from; b < to; ++b) {
            Body& body = scene.bodies[b];
            if (body.rigid || body.sheet)
                continue;
            Vec3d momentum{0, 0, 0}, spin{0, 0, 0}, center{0, 0, 0};
            const std::size_t count = body.rest->particles.size();
            for (std::size_t k = 0; k < count; ++k) {
                const std::size_t i = body.first + k;
                const double m = body.rest->particles[k].mass;
                momentum = momentum + m * toDouble(scene.particles.v[i]);
                center = center + m * scene.particles.x[i];
            }
            center = (1 / body.rest->mass) * center;
            body.v = (1 / body.rest->mass) * momentum;
            if (body.damping <= 0)
                continue;
            Mat3d I{};
            for (std::size_t k = 0; k < count; ++k) {
                const std::size_t i = body.first + k;
                const double m = body.rest->particles[k].mass;
                const Vec3d q = scene.particles.x[i] - center;
                spin = spin + m * physics::cross(q, toDouble(scene.particles.v[i]) - body.v);
                addInertia(I, m, q);
            }
            const double volume = physics::determinant(I);
            if (!(std::abs(volume) > 0))
                continue;
            const Vec3d w = (1 / volume) * (physics::transpose(physics::cofactor(I)) * spin);
            const double share = dampedShare(body.damping, dt);
            for (std::size_t k = 0; k < count; ++k) {
                const std::size_t i = body.first + k;
                if (scene.isHeld(i))
                    continue;
                const Vec3d rigid = body.v + physics::cross(w, scene.particles.x[i] - center);
                dampVelocity(scene.particles.v[i], rigid, share);
            }
        }
    });
}

} // namespace floe::pbd
