/// Scenes that solver tests build, and what they measure.
#pragma once

#include "meshes.hpp"
#include "solver/solver.hpp"

#include "floe/sdk/world/collider.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace floe::pbd {

inline sdk::parallel::SerialExecutor serialLoops;

/// The half space below a plane through the origin; may move.
class Ground final : public sdk::world::Collider {
public:
    explicit Ground(float mu, Vec3f normal = {0, 1, 0}, Vec3f velocity = {0, 0, 0})
        : normal_(normal), velocity_(velocity)
    {
        friction = mu;
    }
    void moveTo(double time, double) override { time_ = static_cast<float>(time); }
    bool mayTouch(const Vec3d&, double) const override { return true; }
    bool rests() const override { return physics::length(velocity_) == 0; }
    double topSpeed() const override { return physics::length(velocity_); }
    void sample(const sdk::world::PointBatch& points,
                sdk::world::ColliderSample& out) const override
    {
        for (int i = 0; i < points.count; ++i) {
            const Vec3f x = toFloat(points.corner + toDouble(points.offset(i)));
            const float distance = physics::dot(normal_, x - time_ * velocity_);
            // As level sets do: outside, the distance is all that is known, and in a band only.
            if (distance > 0)
                out.set(i, {std::min(distance, kBand), {NAN, NAN, NAN}, {NAN, NAN, NAN}});
            else
                out.set(i, {distance, normal_, velocity_});
        }
    }

private:
    static constexpr float kBand = 0.06f; ///< 3 voxels of 2 cm [m]

    Vec3f normal_, velocity_;
    float time_ = 0;
};

struct Trial {
    Solver solver;
    std::vector<std::shared_ptr<sdk::world::Collider>> colliders;
    sdk::world::Domain domain;
    double time = 0;

    explicit Trial(Material material = {}) { solver.scene.materials = {material}; }
    std::uint32_t addBox(double edge, double voxel, const Scene::Placed& placed, bool rigid = true,
                         float frequency = 10, float damping = 0)
    {
        const auto rest = std::make_shared<RestBody>(makeRestBody(
            test::cube(edge).view(), {.voxel = voxel, .density = solver.scene.materials[0].density},
            serialLoops));
        return solver.scene.addBody(rest, 0, placed, rigid, frequency, damping);
    }
    void run(double seconds, double dt, sdk::parallel::Executor& executor = serialLoops)
    {
        const World world{colliders, {}, &domain};
        const int steps = static_cast<int>(std::lround(seconds / dt));
        for (int k = 0; k < steps; ++k, time += dt)
            solver.step(world, time, dt, executor);
    }

    double meanHeight() const
    {
        double sum = 0;
        for (const Vec3d& x : solver.scene.particles.x)
            sum += x.y / static_cast<double>(solver.scene.particles.size());
        return sum;
    }
    double kineticEnergy() const
    {
        double sum = 0;
        const Particles& p = solver.scene.particles;
        for (std::size_t i = 0; i < p.size(); ++i)
            if (!solver.scene.isRigid(i))
                sum += 0.5 * p.mass[i] * physics::dot(p.v[i], p.v[i]);
        for (const Body& body : solver.scene.bodies)
            if (body.rigid)
                sum += 0.5 * body.rest->mass * physics::dot(body.v, body.v) +
                       0.5 * physics::dot(body.angularMomentum,
                                          Scene::inverseInertia(body) * body.angularMomentum);
        return sum;
    }
    double energy() const
    {
        double sum = kineticEnergy();
        const Particles& p = solver.scene.particles;
        for (std::size_t i = 0; i < p.size(); ++i)
            if (!solver.scene.isRigid(i))
                sum -= p.mass[i] * physics::dot(solver.settings.gravity, p.x[i]);
        for (const Body& body : solver.scene.bodies)
            if (body.rigid)
                sum -= body.rest->mass * physics::dot(solver.settings.gravity, body.x);
        return sum;
    }
    Vec3d momentum() const
    {
        Vec3d sum{0, 0, 0};
        const Particles& p = solver.scene.particles;
        for (std::size_t i = 0; i < p.size(); ++i)
            if (!solver.scene.isRigid(i))
                sum = sum + double{p.mass[i]} * toDouble(p.v[i]);
        for (const Body& body : solver.scene.bodies)
            if (body.rigid)
                sum = sum + body.rest->mass * body.v;
        return sum;
    }
    Vec3d angularMomentum() const
    {
        Vec3d sum{0, 0, 0};
        const Particles& p = solver.scene.particles;
        for (std::size_t i = 0; i < p.size(); ++i)
            if (!solver.scene.isRigid(i))
                sum = sum + double{p.mass[i]} * physics::cross(p.x[i], toDouble(p.v[i]));
        for (const Body& body : solver.scene.bodies)
            if (body.rigid)
                sum = sum + body.angularMomentum + body.rest->mass * physics::cross(body.x, body.v);
        return sum;
    }
    /// Free particles on a lattice of cubes.
    void fill(Vec3d low, std::array<int, 3> counts, float radius, std::uint32_t material = 0)
    {
        for (int z = 0; z < counts[2]; ++z)
            for (int y = 0; y < counts[1]; ++y)
                for (int x = 0; x < counts[0]; ++x)
                    solver.scene.addParticle(low + 2.0 * double{radius} *
                                                       Vec3d{x + 0.5, y + 0.5, z + 0.5},
                                             {0, 0, 0}, radius, material);
    }
    /// Walls at 0 and size along x and z, a floor at 0, no ceiling.
    void basin(Vec3d size)
    {
        using sdk::world::Contact;
        domain.bounded = true;
        domain.halfSize = 0.5 * size;
        domain.center = 0.5 * size;
        domain.faces.fill(Contact::separate);
        domain.faces[3] = Contact::open;
    }
};

} // namespace floe::pbd
