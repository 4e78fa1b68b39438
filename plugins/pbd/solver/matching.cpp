#include "matching.hpp"

#include <cmath>

namespace floe::pbd {

void Matching::begin(const Scene& scene)
{
    multiplier_.assign(scene.particles.size(), {0, 0, 0});
}

void Matching::project(Scene& scene, Motion& motion, const SolverSettings& settings, double dt,
                       sdk::parallel::Executor& executor)
{
    executor.parallelFor(scene.bodies.size(), 1, [&](std::size_t from, std::size_t to) {
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
                const Vec3d q = placeOf(k) - center;
                const RestParticle& rest = body.rest->particles[k];
                for (int row = 0; row < 3; ++row)
                    for (int column = 0; column < 3; ++column)
                        A[row][column] += double{rest.mass} * q[row] * double{rest.offset[column]};
            }
            body.R = nearestRotation(settings.rotation, A, body.R);
            const double swing = 2 * 3.14159265358979323846 * body.frequency * dt;
            // alpha / dt^2 of a spring of this frequency, times the particle's inverse mass.
            const double compliance = 1 / (swing * swing);
            for (std::size_t k = 0; k < count; ++k) {
                const std::size_t i = body.first + k;
                const RestParticle& rest = body.rest->particles[k];
                const Vec3d goal = center + body.R * toDouble(rest.offset);
                const Vec3d off = goal - placeOf(k);
                const Vec3d step =
                    (1 / (1 + compliance)) * (off - compliance * toDouble(multiplier_[i]));
                multiplier_[i] = multiplier_[i] + toFloat(step);
                motion.particle[i] = motion.particle[i] + toFloat(step);
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
                const double m = scene.particles.mass[i];
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
                const double m = scene.particles.mass[i];
                const Vec3d q = scene.particles.x[i] - center;
                spin = spin + m * physics::cross(q, toDouble(scene.particles.v[i]) - body.v);
                for (int row = 0; row < 3; ++row)
                    for (int column = 0; column < 3; ++column)
                        I[row][column] +=
                            m * ((row == column ? physics::dot(q, q) : 0) - q[row] * q[column]);
            }
            const double volume = physics::determinant(I);
            if (!(std::abs(volume) > 0))
                continue;
            const Vec3d w = (1 / volume) * (physics::transpose(physics::cofactor(I)) * spin);
            const double share = 1 - std::exp(-body.damping * dt);
            for (std::size_t k = 0; k < count; ++k) {
                const std::size_t i = body.first + k;
                const Vec3d rigid = body.v + physics::cross(w, scene.particles.x[i] - center);
                scene.particles.v[i] = scene.particles.v[i] +
                                       toFloat(share * (rigid - toDouble(scene.particles.v[i])));
            }
        }
    });
}

} // namespace floe::pbd
