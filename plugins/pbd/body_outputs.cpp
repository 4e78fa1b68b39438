#include "body_outputs.hpp"

#include <cmath>

namespace floe::pbd {

namespace {

/// Points and triangles of all bodies so far.
struct Meshes {
    std::vector<Vec3f> points, velocities, colours;
    std::vector<std::uint32_t> triangles;
};

void addCloth(const Scene& scene, const Body& body, Meshes& out)
{
    const auto first = static_cast<std::uint32_t>(out.points.size());
    for (std::size_t k = 0; k < body.rest->particles.size(); ++k) {
        out.points.push_back(toFloat(scene.particles.x[body.first + k]));
        out.velocities.push_back(scene.particles.v[body.first + k]);
    }
    for (std::size_t t = 0; t < body.sheet->triangles.size(); ++t)
        for (std::size_t k = 0; k < 3 && !body.torn[t]; ++k)
            out.triangles.push_back(first + body.sheet->faces[3 * t + k]);
}

/// A tube around each part of a rope that holds together, its ring carried along without a twist.
void addRope(const Scene& scene, const Body& body, Meshes& out)
{
    constexpr std::uint32_t kSides = 8;
    const std::size_t count = body.rest->particles.size();
    std::vector<std::uint8_t> whole(count, 0); // the edge that begins at a particle
    for (std::size_t e = 0; e < body.sheet->edges.size(); ++e)
        whole[body.sheet->edges[e].at[0]] = !body.torn[e];
    const auto place = [&](std::size_t k) {
        return scene.particles.x[body.first + k];
    };
    Vec3d side{0, 0, 0};
    for (std::size_t k = 0; k < count; ++k) {
        const bool before = k > 0 && whole[k - 1], after = whole[k] != 0;
        if (!before && !after)
            continue;
        Vec3d way = place(after ? k + 1 : k) - place(before ? k - 1 : k);
        const double size = physics::length(way);
        way = size > 0 ? (1 / size) * way : Vec3d{1, 0, 0};
        if (!before)
            side = std::abs(way.y) < 0.9 ? Vec3d{0, 1, 0} : Vec3d{1, 0, 0};
        side = side - physics::dot(side, way) * way;
        const double length = physics::length(side);
        side = length > 1e-9
                   ? (1 / length) * side
                   : physics::cross(way, std::abs(way.x) < 0.9 ? Vec3d{1, 0, 0} : Vec3d{0, 0, 1});
        const Vec3d other = physics::cross(way, side);
        const auto ring = static_cast<std::uint32_t>(out.points.size());
        for (std::uint32_t s = 0; s < kSides; ++s) {
            const double angle = 2 * 3.14159265358979323846 * s / kSides;
            out.points.push_back(
                toFloat(place(k) + double{body.sheet->radius} *
                                       (std::cos(angle) * side + std::sin(angle) * other)));
            out.velocities.push_back(scene.particles.v[body.first + k]);
        }
        for (std::uint32_t s = 0; s < kSides; ++s) {
            const std::uint32_t t = (s + 1) % kSides;
            if (before)
                for (const std::uint32_t corner : {ring + s - kSides, ring + t, ring + s,
                                                   ring + s - kSides, ring + t - kSides, ring + t})
                    out.triangles.push_back(corner);
            if (s + 2 < kSides && !before)
                for (const std::uint32_t corner : {ring, ring + s + 2, ring + s + 1})
                    out.triangles.push_back(corner);
            if (s + 2 < kSides && !after)
                for (const std::uint32_t corner : {ring, ring + s + 1, ring + s + 2})
                    out.triangles.push_back(corner);
        }
    }
}

/// A solid: rigid ones turn with their frame, soft ones follow the particles near each point.
void addBody(const Scene& scene, const Body& body, Meshes& out)
{
    const Particles& from = scene.particles;
    auto& [points, velocities, colours, triangles] = out;
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
                at = at + share * (from.x[body.first + near] + body.turnAt(near) * off);
                speed = speed + share * toDouble(from.v[body.first + near]);
            }
        }
        points.push_back(toFloat(at));
        velocities.push_back(toFloat(speed));
    }
}

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
        if (scene.isHeld(i))
            continue;
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
        before_.push_back({body.rest, momentumOf(scene, body)});
}

Wrenches::Wrench Wrenches::of(const Scene& scene, std::size_t body, double duration,
                              const Vec3d& gravity) const
{
    if (!(duration > 0) || body >= before_.size() || before_[body].rest != scene.bodies[body].rest)
        return {};
    const Momentum now = momentumOf(scene, scene.bodies[body]);
    return {(1 / duration) * (now.linear - before_[body].momentum.linear) -
                scene.bodies[body].rest->mass * gravity,
            (1 / duration) * (now.angular - before_[body].momentum.angular)};
}

sdk::Value meshOfBodies(const Scene& scene, std::span<const Vec3f> colours)
{
    const Particles& from = scene.particles;
    Meshes all;
    for (const Body& body : scene.bodies) {
        (!body.sheet ? addBody : body.sheet->rope ? addRope : addCloth)(scene, body, all);
        all.colours.resize(all.points.size(), colours[from.material[body.first]]);
    }
    const auto& [points, velocities, colour, triangles] = all;
    floe_mesh mesh{};
    mesh.struct_size = sizeof mesh;
    mesh.point_count = static_cast<std::uint32_t>(points.size());
    mesh.points = points.empty() ? nullptr : &points[0].x;
    mesh.velocities = velocities.empty() ? nullptr : &velocities[0].x;
    mesh.colours = colour.empty() ? nullptr : &colour[0].x;
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
    const auto whole = states.addAttribute<std::uint32_t>("whole", 1);
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
        whole[b] = body.piece.body;
        material[b] = scene.particles.material[body.first];
    }
    return states;
}

sdk::Value contactsOf(const ContactLog& log, const std::optional<sdk::ContactScope>& scope)
{
    const auto numbers = [](const Vec3d& v) {
        return std::array<double, 3>{v.x, v.y, v.z};
    };
    const auto kindOf = [](const ContactLog::Side& side) {
        return static_cast<sdk::ContactKind>(side.kind);
    };
    std::vector<sdk::ContactRow> rows;
    for (const ContactLog::Entry& entry : log.entries())
        rows.push_back({.aKind = kindOf(entry.a),
                        .bKind = kindOf(entry.b),
                        .a = entry.a.number,
                        .b = entry.b.number,
                        .point = numbers(entry.point),
                        .normal = numbers(entry.normal),
                        .impulse = numbers(entry.impulse),
                        .couple = numbers(entry.couple)});
    return sdk::makeContacts(rows, scope);
}

} // namespace floe::pbd
