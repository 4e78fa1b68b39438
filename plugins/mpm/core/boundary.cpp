#include "boundary.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace floe::mpm {

namespace {

struct V3 {
    float x, y, z;
};

/// Velocity after contact with something at rest whose unit outward normal is n.
V3 contactVelocity(V3 v, V3 n, Contact contact, float friction)
{
    // A level set knows no way out deep inside: without a normal the only right velocity is the
    // collider's.
    if (contact == Contact::stick || (n.x == 0 && n.y == 0 && n.z == 0))
        return {0, 0, 0};
    const float vn = v.x * n.x + v.y * n.y + v.z * n.z;
    if (contact == Contact::separate && vn >= 0)
        return v;
    V3 t{v.x - vn * n.x, v.y - vn * n.y, v.z - vn * n.z};
    if (contact == Contact::separate && friction > 0) {
        const float speed = std::sqrt(t.x * t.x + t.y * t.y + t.z * t.z);
        const float loss = -vn * friction;
        const float keep = speed > loss ? 1 - loss / speed : 0;
        t = {keep * t.x, keep * t.y, keep * t.z};
    }
    return t;
}

double along(const Domain& d, int axis, const Vec3d& p)
{
    return physics::dot(d.axes.column(axis), p - d.center);
}

/// A face that is not open, seen from the corner of a batch.
struct Wall {
    V3 n;         ///< inwards
    float corner; ///< distance of the batch's corner, positive inside [m]

    float distance(const PointBatch& nodes, int i) const
    {
        return corner + n.x * nodes.x[0][i] + n.y * nodes.x[1][i] + n.z * nodes.x[2][i];
    }
};

Wall wallOf(const Domain& d, int face, const Vec3d& corner)
{
    const int axis = face / 2;
    const double side = face % 2 ? -1 : 1; // inward normal = side * axis
    const Vec3d a = d.axes.column(axis);
    return {{static_cast<float>(side * a.x), static_cast<float>(side * a.y),
             static_cast<float>(side * a.z)},
            static_cast<float>(d.halfSize[axis] + side * along(d, axis, corner))};
}

template <class Wanted>
bool nearFace(const Domain& d, const Vec3d& center, double radius, Wanted&& wanted)
{
    if (!d.bounded)
        return false;
    for (int axis = 0; axis < 3; ++axis) {
        const double s = along(d, axis, center), h = d.halfSize[axis];
        if ((wanted(d.faces[2 * axis]) && s - radius <= -h) ||
            (wanted(d.faces[2 * axis + 1]) && s + radius >= h))
            return true;
    }
    return false;
}

} // namespace

std::uint64_t Collider::nextId()
{
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
}

void applyContact(const ColliderSample& sample, Contact contact, float friction, PointBatch& nodes)
{
    for (int i = 0; i < nodes.count; ++i) {
        if (sample.distance[i] > 0)
            continue;
        const V3 own{sample.v[0][i], sample.v[1][i], sample.v[2][i]};
        const V3 relative{nodes.v[0][i] - own.x, nodes.v[1][i] - own.y, nodes.v[2][i] - own.z};
        const V3 normal{sample.normal[0][i], sample.normal[1][i], sample.normal[2][i]};
        const V3 after = contactVelocity(relative, normal, contact, friction);
        nodes.v[0][i] = own.x + after.x;
        nodes.v[1][i] = own.y + after.y;
        nodes.v[2][i] = own.z + after.z;
    }
}

bool Domain::nearWall(const Vec3d& at, double radius) const
{
    return nearFace(*this, at, radius, [](Face face) { return face != Face::open; });
}

bool Domain::nearOpenFace(const Vec3d& at, double radius) const
{
    return nearFace(*this, at, radius, [](Face face) { return face == Face::open; });
}

bool Domain::sameAs(const Domain& other) const
{
    bool same = bounded == other.bounded && faces == other.faces && friction == other.friction;
    for (int axis = 0; axis < 3; ++axis) {
        const Vec3d a = axes.column(axis), b = other.axes.column(axis);
        same = same && center[axis] == other.center[axis] &&
               halfSize[axis] == other.halfSize[axis] && a.x == b.x && a.y == b.y && a.z == b.z;
    }
    return same;
}

void Domain::sampleWithin(const Collider& collider, const PointBatch& nodes, double cell,
                          ColliderSample& out) const
{
    collider.sample(nodes, out);
    Wall walls[6];
    int count = 0;
    for (int face = 0; bounded && face < 6; ++face)
        if (faces[face] != Face::open)
            walls[count++] = wallOf(*this, face, nodes.corner);

    // Nodes that lie on a wall are moved in a little: the collider ends there, give or take
    // rounding.
    const auto skin = static_cast<float>(0.05 * cell), slack = static_cast<float>(0.25 * cell);
    PointBatch image = nodes;
    bool any = false;
    for (int i = 0; i < nodes.count; ++i) {
        bool moved = false;
        for (int w = 0; w < count && nodes.mass[i] > 0 && out.distance[i] > 0; ++w) {
            const float distance = walls[w].distance(nodes, i);
            if (distance >= skin)
                continue;
            const float way = 2 * std::max(-distance, skin);
            image.x[0][i] += way * walls[w].n.x;
            image.x[1][i] += way * walls[w].n.y;
            image.x[2][i] += way * walls[w].n.z;
            moved = true;
        }
        if (!moved)
            image.mass[i] = 0;
        any = any || moved;
    }
    ColliderSample behind;
    if (any)
        collider.sample(image, behind);
    for (int i = 0; i < nodes.count; ++i) {
        const bool mirrored = any && image.mass[i] > 0 && behind.distance[i] <= 0;
        if (mirrored) {
            out.distance[i] = behind.distance[i];
            for (int axis = 0; axis < 3; ++axis) {
                out.normal[axis][i] = behind.normal[axis][i];
                out.v[axis][i] = behind.v[axis][i];
            }
        } else if (nodes.mass[i] <= 0 || out.distance[i] > 0) {
            continue;
        }
        const V3 n{out.normal[0][i], out.normal[1][i], out.normal[2][i]};
        for (int w = 0; w < count; ++w) {
            const float slope = n.x * walls[w].n.x + n.y * walls[w].n.y + n.z * walls[w].n.z;
            const float from = walls[w].distance(mirrored ? image : nodes, i);
            if (slope < 0 && from - out.distance[i] * slope < slack)
                out.normal[0][i] = out.normal[1][i] = out.normal[2][i] = 0;
        }
    }
}

void Domain::applyWalls(PointBatch& nodes) const
{
    for (int face = 0; face < 6; ++face) {
        if (faces[face] == Face::open)
            continue;
        const Wall wall = wallOf(*this, face, nodes.corner);
        const Contact contact = faces[face] == Face::stick  ? Contact::stick
                                : faces[face] == Face::slip ? Contact::slip
                                                            : Contact::separate;
        for (int i = 0; i < nodes.count; ++i) {
            if (wall.distance(nodes, i) > 0)
                continue;
            const V3 after = contactVelocity({nodes.v[0][i], nodes.v[1][i], nodes.v[2][i]}, wall.n,
                                             contact, friction);
            nodes.v[0][i] = after.x;
            nodes.v[1][i] = after.y;
            nodes.v[2][i] = after.z;
        }
    }
}

void Domain::findOutside(const PointBatch& points, bool* outside) const
{
    for (int i = 0; i < points.count; ++i)
        outside[i] = false;
    for (int face = 0; face < 6; ++face) {
        if (faces[face] != Face::open)
            continue;
        const int axis = face / 2;
        const double side = face % 2 ? -1 : 1;
        const Vec3d a = axes.column(axis);
        const double cornerDistance = halfSize[axis] + side * along(*this, axis, points.corner);
        for (int i = 0; i < points.count; ++i) {
            const double distance =
                cornerDistance +
                side * (a.x * points.x[0][i] + a.y * points.x[1][i] + a.z * points.x[2][i]);
            outside[i] = outside[i] || distance < 0;
        }
    }
}

} // namespace floe::mpm
