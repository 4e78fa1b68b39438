#include "coupled_step.hpp"

#include <algorithm>
#include <cmath>

namespace floe::pbd {

namespace {

void store(double* to, const Vec3d& a)
{
    for (int axis = 0; axis < 3; ++axis)
        to[axis] = a[axis];
}

} // namespace

std::span<const floe_coupling_body> CoupledStep::begin(const Scene& scene,
                                                       const SolverSettings& settings, double dt,
                                                       sdk::parallel::Executor& executor)
{
    dt_ = dt;
    bodies_.clear();
    number_.clear();
    fieldOf_.clear();
    for (std::uint32_t b = 0; b < scene.bodies.size(); ++b) {
        const Body& body = scene.bodies[b];
        if (!body.rigid)
            continue;
        auto& field = fields_[body.rest.get()];
        if (!field)
            field = std::make_shared<BodyField>(*body.rest, executor);
        fieldOf_.push_back(field.get());
        number_.push_back(b);
        floe_coupling_body out{};
        out.struct_size = sizeof out;
        const Mat3d inverse = Scene::inverseInertia(body);
        store(out.center, body.x);
        store(out.velocity, body.v + dt * settings.gravity);
        store(out.spin, inverse * body.angularMomentum);
        out.inverse_mass = 1 / body.rest->mass;
        for (int i = 0; i < 9; ++i)
            out.inverse_inertia[i] = inverse[i / 3][i % 3];
        out.reach = body.rest->reach;
        out.friction = scene.materials[scene.particles.material[body.first]].staticFriction;
        bodies_.push_back(out);
    }
    return bodies_;
}

void CoupledStep::distances(const Scene& scene, std::uint32_t body, std::uint32_t count,
                            const float* x, float* distance, float* normal) const
{
    const Mat3d& R = scene.bodies[number_[body]].R;
    float turn[3][3];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            turn[i][j] = static_cast<float>(R[i][j]);
    for (std::uint32_t k = 0; k < count; ++k) {
        const float* at = x + 3 * k;
        Vec3f own, gradient, world;
        for (int i = 0; i < 3; ++i)
            own[i] = turn[0][i] * at[0] + turn[1][i] * at[1] + turn[2][i] * at[2];
        distance[k] = fieldOf_[body]->at(own, gradient);
        for (int i = 0; i < 3; ++i)
            world[i] = turn[i][0] * gradient.x + turn[i][1] * gradient.y + turn[i][2] * gradient.z;
        const float size = physics::length(world);
        for (int i = 0; i < 3; ++i)
            normal[3 * k + static_cast<std::uint32_t>(i)] = size > 0.1f ? world[i] / size : 0;
    }
}

void CoupledStep::end(Solver& solver, const World& world,
                      std::span<const floe_coupling_push> pushes, double time, double longest,
                      sdk::parallel::Executor& executor)
{
    for (std::size_t k = 0; k < pushes.size(); ++k) {
        Body& body = solver.scene.bodies[number_[k]];
        const double* p = pushes[k].impulse;
        const double* m = pushes[k].moment;
        body.v = body.v + (1 / body.rest->mass) * Vec3d{p[0], p[1], p[2]};
        body.angularMomentum = body.angularMomentum + Vec3d{m[0], m[1], m[2]};
    }
    const int steps = std::max(1, static_cast<int>(std::ceil(dt_ / longest * (1 - 1e-9))));
    solver.pushed = true;
    for (int k = 0; k < steps; ++k)
        solver.step(world, time + k * dt_ / steps, dt_ / steps, executor);
}

} // namespace floe::pbd
