/// The box around a simulation: walls, open faces, and colliders continued behind walls.
#pragma once

#include "floe/sdk/world/collider.hpp"
#include "floe/sdk/world/contact.hpp"

#include <algorithm>
#include <cmath>

namespace floe::sdk::world {

/// A contact for each face: xMin xMax yMin yMax zMin zMax.
struct Faces {
    Contact kind[6] = {};

    FLOE_HD Contact& operator[](int face) { return kind[face]; }
    FLOE_HD const Contact& operator[](int face) const { return kind[face]; }
    Contact* begin() { return kind; }
    void fill(Contact contact) { std::fill_n(kind, 6, contact); }
    bool operator==(const Faces&) const = default;
};

/// An oriented box around the simulation. Unbounded unless `bounded`. Trivially copyable, so
/// kernels take it by value.
struct Domain {
    bool bounded = false;
    Vec3d center{0, 0, 0};
    Vec3d halfSize{1, 1, 1}; ///< [m]
    physics::Mat3<double> axes =
        physics::Mat3<double>::identity(); ///< columns: the box's axes in the world
    Faces faces;                           ///< open by default; the others are walls
    /// Whether the two faces of an axis are one: what leaves through one of them enters through the
    /// other. Their contacts do not count then, and the box is not rotated.
    bool periodic[3] = {};
    float friction = 0; ///< for `separate`

    FLOE_HD bool isWall(int face) const
    {
        return bounded && faces[face] != Contact::open && !periodic[face / 2];
    }
    FLOE_HD bool isOpen(int face) const
    {
        return bounded && faces[face] == Contact::open && !periodic[face / 2];
    }
    bool isPeriodic() const { return bounded && (periodic[0] || periodic[1] || periodic[2]); }

    /// Returns whether a node or particle in the ball may be on or beyond a wall.
    bool nearWall(const Vec3d& at, double radius) const
    {
        return nearFace(at, radius, [this](int face) { return isWall(face); });
    }
    /// Returns whether it may be beyond an open face.
    bool nearOpenFace(const Vec3d& at, double radius) const
    {
        return nearFace(at, radius, [this](int face) { return isOpen(face); });
    }
    /// Returns a coordinate of the same point between the periodic faces, if those of the axis are.
    double wrapped(int axis, double coordinate) const
    {
        if (!bounded || !periodic[axis])
            return coordinate;
        const double length = 2 * halfSize[axis], low = center[axis] - halfSize[axis];
        return coordinate - length * std::floor((coordinate - low) / length);
    }
    bool sameAs(const Domain& other) const
    {
        bool same = bounded == other.bounded && faces == other.faces &&
                    friction == other.friction &&
                    std::equal(periodic, periodic + 3, other.periodic);
        for (int axis = 0; axis < 3; ++axis) {
            const Vec3d a = axes.column(axis), b = other.axes.column(axis);
            same = same && center[axis] == other.center[axis] &&
                   halfSize[axis] == other.halfSize[axis] && a.x == b.x && a.y == b.y && a.z == b.z;
        }
        return same;
    }

    /// Returns whether a point at `offset` [m] from `corner` is beyond an open face.
    FLOE_HD bool isOutside(const Vec3d& corner, const Vec3f& offset) const
    {
        bool outside = false;
        FLOE_UNROLL
        for (int face = 0; face < 6; ++face) {
            if (faces[face] != Contact::open || periodic[face / 2])
                continue;
            const Vec3d a = axes.column(face / 2);
            const double distance =
                distanceTo(face, corner) +
                sideOf(face) * (a.x * offset.x + a.y * offset.y + a.z * offset.z);
            outside = outside || distance < 0;
        }
        return outside;
    }
    /// Applies isOutside() to many points, for a bounded domain.
    void findOutside(const PointBatch& points, bool* outside) const
    {
        for (int i = 0; i < points.count; ++i)
            outside[i] = isOutside(points.corner, points.offset(i));
    }

    /// Samples a collider at nodes near walls as if it continued behind them, so that an obstacle
    /// that ends at a wall leaves no gap. Nodes on or beyond a wall outside the collider are
    /// sampled at their mirror images. Where the shortest way out of the collider leads through a
    /// wall, there is no way out and the normal is 0.
    /// @param cell  cell size [m]: ways out that end within a quarter of it from a wall end there
    void sampleWithin(const Collider& collider, const PointBatch& nodes, double cell,
                      ColliderSample& out) const;
    /// Applies the walls to the nodes on or beyond them.
    void applyWalls(PointBatch& nodes) const;

    /// 1 where the inward normal of a face points along its axis, -1 where it points against it.
    static FLOE_HD double sideOf(int face) { return face % 2 ? -1 : 1; }
    /// Distance of a point from a face, positive inside [m].
    FLOE_HD double distanceTo(int face, const Vec3d& point) const
    {
        const int axis = face / 2;
        return halfSize[axis] + sideOf(face) * physics::dot(axes.column(axis), point - center);
    }

private:
    template <class Wanted>
    bool nearFace(const Vec3d& at, double radius, Wanted&& wanted) const
    {
        for (int face = 0; bounded && face < 6; ++face) {
            const int axis = face / 2;
            const double s = physics::dot(axes.column(axis), at - center), h = halfSize[axis];
            if (wanted(face) && (face % 2 ? s + radius >= h : s - radius <= -h))
                return true;
        }
        return false;
    }
};

/// A face that is not open, relative to a corner in double precision: nearby points are offsets [m]
/// from the corner.
struct Wall {
    Vec3f inwards; ///< unit normal
    float corner;  ///< distance of the corner, positive inside [m]
    Contact contact;
    float friction;

    Wall() = default;
    FLOE_HD Wall(const Domain& domain, int face, const Vec3d& at)
        : corner(static_cast<float>(domain.distanceTo(face, at))), contact(domain.faces[face]),
          friction(domain.friction)
    {
        const double side = Domain::sideOf(face);
        const Vec3d a = domain.axes.column(face / 2);
        inwards = {static_cast<float>(side * a.x), static_cast<float>(side * a.y),
                   static_cast<float>(side * a.z)};
    }
    FLOE_HD float distance(const Vec3f& offset) const
    {
        return corner + inwards.x * offset.x + inwards.y * offset.y + inwards.z * offset.z;
    }
    /// Returns the velocity of a node that had `v`.
    FLOE_HD Vec3f velocityAt(const Vec3f& offset, const Vec3f& v) const
    {
        return distance(offset) > 0 ? v : contactVelocity(v, inwards, contact, friction);
    }
};

/// All walls of a domain.
///
/// Solvers apply contact in this order: colliders, each sampled by Domain::sampleWithin(), then
/// walls, which take precedence.
class Walls {
public:
    FLOE_HD Walls(const Domain& domain, const Vec3d& corner) : domain_(&domain)
    {
        FLOE_UNROLL
        for (int face = 0; face < 6; ++face)
            if (domain.isWall(face))
                wall_[face] = Wall(domain, face, corner);
    }

    /// Moves a point on or beyond walls to its mirror image. A point on a wall moves slightly
    /// inwards, since colliders end there, up to rounding.
    /// @return false: it is not on or beyond a wall and was not moved
    FLOE_HD bool mirror(Vec3f& offset, double cell) const
    {
        const auto skin = static_cast<float>(0.05 * cell);
        const Vec3f from = offset;
        bool moved = false;
        FLOE_UNROLL
        for (int face = 0; face < 6; ++face) {
            if (!domain_->isWall(face))
                continue;
            const float distance = wall_[face].distance(from);
            if (distance >= skin)
                continue;
            const float way = 2 * (-distance < skin ? skin : -distance);
            offset = offset + way * wall_[face].inwards;
            moved = true;
        }
        return moved;
    }
    /// Returns whether the way out of a collider, from a point inside it, leads through a wall. One
    /// along a wall does not, though it begins there and its direction has errors.
    FLOE_HD bool close(const SurfacePoint& at, const Vec3f& offset, double cell) const
    {
        constexpr float kAlong = -0.1f;
        const auto slack = static_cast<float>(0.25 * cell);
        bool closed = false;
        FLOE_UNROLL
        for (int face = 0; face < 6; ++face) {
            if (!domain_->isWall(face))
                continue;
            const float slope = physics::dot(at.normal, wall_[face].inwards);
            closed = closed ||
                     (slope < kAlong && wall_[face].distance(offset) - at.distance * slope < slack);
        }
        return closed;
    }
    /// Returns the velocity of a node that had `v`, after contact with its walls.
    FLOE_HD Vec3f velocityAt(const Vec3f& offset, Vec3f v) const
    {
        FLOE_UNROLL
        for (int face = 0; face < 6; ++face)
            if (domain_->isWall(face))
                v = wall_[face].velocityAt(offset, v);
        return v;
    }

private:
    const Domain* domain_;
    Wall wall_[6]; ///< of faces that are walls
};

inline void Domain::sampleWithin(const Collider& collider, const PointBatch& nodes, double cell,
                                 ColliderSample& out) const
{
    collider.sample(nodes, out);
    const Walls walls(*this, nodes.corner);
    PointBatch image = nodes;
    bool any = false;
    for (int i = 0; i < nodes.count; ++i) {
        Vec3f offset = nodes.offset(i);
        if (nodes.mass[i] > 0 && out.distance[i] > 0 && walls.mirror(offset, cell)) {
            for (int axis = 0; axis < 3; ++axis)
                image.x[axis][i] = offset[axis];
            any = true;
        } else {
            image.mass[i] = 0;
        }
    }
    ColliderSample behind;
    if (any)
        collider.sample(image, behind);
    for (int i = 0; i < nodes.count; ++i) {
        const bool mirrored = any && image.mass[i] > 0 && behind.distance[i] <= 0;
        if (mirrored)
            out.set(i, behind.at(i));
        else if (nodes.mass[i] <= 0 || out.distance[i] > 0)
            continue;
        if (walls.close(out.at(i), (mirrored ? image : nodes).offset(i), cell))
            out.normal[0][i] = out.normal[1][i] = out.normal[2][i] = 0;
    }
}

inline void Domain::applyWalls(PointBatch& nodes) const
{
    const Walls walls(*this, nodes.corner);
    for (int i = 0; i < nodes.count; ++i)
        nodes.setVelocity(i, walls.velocityAt(nodes.offset(i), nodes.velocity(i)));
}

} // namespace floe::sdk::world
