#include "body_outputs.hpp"

#include <cmath>

namespace floe::pbd {

namespace {

/// Unit quaternion x, y, z, w of a rotation (Shepperd 1978).
std::array<float, 4> quaternionOf(const Mat3d& R)
{
    const double square[4] = {1 + R[0][0] - R[1][1] - R[2][2], 1 - R[0][0] + R[1][1] - R[2][2],
                              1 - R[0][0] - R[1][1] + R[2][2], 1 + R[0][0] + R[1][1] + R[2][2]};
    int largest = 0;
    for (int k = 1; k < 4; ++k)
        if (square[k] > square[largest])
            largest = k;
    const double s = 0.5 / std::sqrt(square[largest]);
    double q[4];
    for (int k = 0; k < 4; ++k)
        q[k] = 0.5 * std::sqrt(square[largest]);
    if (largest == 3) {
        q[0] = s * (R[2][1] - R[1][2]);
        q[1] = s * (R[0][2] - R[2][0]);
        q[2] = s * (R[1][0] - R[0][1]);
    } else {
        const int i = largest, j = (i + 1) % 3, k = (i + 2) % 3;
        q[j] = s * (R[j][i] + R[i][j]);
        q[k] = s * (R[k][i] + R[i][k]);
        q[3] = s * (R[k][j] - R[j][k]);
    }
    const double sign = q[3] < 0 ? -1 : 1;
    return {static_cast<float>(sign * q[0]), static_cast<float>(sign * q[1]),
            static_cast<float>(sign * q[2]), static_cast<float>(sign * q[3])};
}

} // namespace

Wrenches::Momentum Wrenches::momentumOf(const Scene& scene, const Body& body)
{
    if (body.rigid)
        return {body.rest->mass * body.v, body.angularMomentum};
    Momentum sum{{0, 0, 0}, {0, 0, 0}};
    for (std::size_t k = 0; k < body.rest->particles.size(); ++k) {
        const std::size_t i = body.first + k;
        const Vec3d p = double{scene.particles.mass[i]} * toDouble(scene.particles.v[i]);
        sum.linear = sum.linear + p;
        sum.angular = sum.angular + physics::cross(scene.particles.x[i] - body.x, p);
    }
    return sum;
}

void Wrenches::begin(const Scene& scene)
{
    before_.clear();
    for (const Body& body : scene.bodies)
        before_.push_back(momentumOf(scene, body));
}

Wrenches::Wrench Wrenches::of(const Scene& scene, std::size_t body, double duration,
                              const Vec3d& gravity) const
{
    if (!(duration > 0) || body >= before_.size())
        return {};
    const Momentum now = momentumOf(scene, scene.bodies[body]);
    return {(1 / duration) * (now.linear - before_[body].linear) -
                scene.bodies[body].rest->mass * gravity,
            (1 / duration) * (now.angular - before_[body].angular)};
}

sdk::Value meshOfBodies(const Scene& scene)
{
    const Particles& from = scene.particles;
    std::vector<Vec3f> points, velocities;
    std::vector<std::uint32_t> triangles;
    for (const Body& body : scene.bodies) {
        const RestBody& rest = *body.rest;
        const auto first = static_cast<std::uint32_t>(points.size());
        for (const std::uint32_t corner : rest.triangles)
            triangles.push_back(first + corner);
        const Vec3d spin =
            body.rigid ? Scene::inverseInertia(body) * body.angularMomentum : Vec3d{0, 0, 0};
        for (std::size_t p = 0; p < rest.meshPoints.size(); ++p) {
            Vec3d at{0, 0, 0}, speed{0, 0, 0};
            if (body.rigid) {
                const Vec3d arm = body.R * toDouble(rest.meshPoints[p]);
                at = body.x + arm;
                speed = body.v + physics::cross(spin, arm);
            } else {
                for (std::size_t k = 0; k < RestBody::kSkinParticles; ++k) {
                    const std::uint32_t near = rest.skin[p][k];
                    const double share = rest.skinShare[p][k];
                    const Vec3d off =
                        toDouble(rest.meshPoints[p]) - toDouble(rest.particles[near].offset);
                    at = at + share * (from.x[body.first + near] + body.R * off);
                    speed = speed + share * toDouble(from.v[body.first + near]);
                }
            }
            points.push_back(toFloat(at));
            velocities.push_back(toFloat(speed));
        }
    }
    floe_mesh mesh{};
    mesh.struct_size = sizeof mesh;
    mesh.point_count = static_cast<std::uint32_t>(points.size());
    mesh.points = points.empty() ? nullptr : &points[0].x;
    mesh.velocities = velocities.empty() ? nullptr : &velocities[0].x;
    mesh.triangle_count = static_cast<std::uint32_t>(triangles.size() / 3);
    mesh.triangles = triangles.data();
    return sdk::made(sdk::host().values->make_mesh(&mesh));
}

sdk::Value statesOfBodies(const Scene& scene, const Wrenches& wrenches, double duration,
                          const Vec3d& gravity)
{
    sdk::Value states = sdk::makeParticles(scene.bodies.size());
    const auto vector = [&](const char* name, std::uint32_t components) {
        return states.addAttribute<float>(name, components);
    };
    const auto x = vector("x", 3), v = vector("v", 3), orientation = vector("orientation", 4),
               spin = vector("spin", 3), force = vector("force", 3), torque = vector("torque", 3),
               mass = vector("mass", 1);
    const auto id = states.addAttribute<std::uint64_t>("id", 1);
    const auto material = states.addAttribute<std::uint32_t>("material", 1);
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
        const Body& body = scene.bodies[b];
        const auto put = [&](std::span<float> to, const Vec3d& a) {
            for (std::size_t axis = 0; axis < 3; ++axis)
                to[3 * b + axis] = static_cast<float>(a[static_cast<int>(axis)]);
        };
        put(x, body.x);
        put(v, body.v);
        put(spin, body.rigid ? Scene::inverseInertia(body) * body.angularMomentum : Vec3d{0, 0, 0});
        const auto wrench = wrenches.of(scene, b, duration, gravity);
        put(force, wrench.force);
        put(torque, wrench.torque);
        const auto q = quaternionOf(body.R);
        std::copy(q.begin(), q.end(), orientation.begin() + static_cast<std::ptrdiff_t>(4 * b));
        mass[b] = static_cast<float>(body.rest->mass);
        id[b] = b;
        material[b] = scene.particles.material[body.first];
    }
    return states;
}

} // namespace floe::pbd
