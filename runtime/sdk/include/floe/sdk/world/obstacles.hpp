/// Where particles that no solver simulates may not be: in colliders and beyond the domain's sides.
#pragma once

#include "floe/sdk/level_set.hpp"
#include "floe/sdk/motion.hpp"
#include "floe/sdk/node.hpp"
#include "floe/sdk/world/domain.hpp"
#include "floe/sdk/world/records.hpp"

#include <array>
#include <cmath>
#include <vector>

namespace floe::sdk::world {

/// The colliders and the domain at the end of a frame. Colliders without a level set, such as a
/// mesh collider's surface, have no inside and count for nothing. May be read from many threads.
class Obstacles {
public:
    using Point = std::array<double, 3>; ///< in the world [m]

    /// @param domain  may be null
    /// @throws Failure  a record is no collider or no domain
    Obstacles(const std::vector<Value>& colliders, const Value& domain, double frame)
        : domain_(domain ? domainOf(domain) : Domain{})
    {
        for (const Value& collider : colliders) {
            // A deforming collider has its shape of this frame beside that of the last frame.
            Value shape = collider.field("nextShape");
            if (!shape && collider.field("surface") && !collider.field("shape"))
                continue;
            if (!shape)
                shape = collider.require("shape");
            const LevelSet levelSet(shape.volume());
            if (!levelSet.valid() || levelSet.empty())
                continue;
            const Value motion = collider.require("transform");
            all_.push_back({shape, levelSet, interpolate(motion.transform(), frame),
                            interpolate(motion.transform(), frame - 1)});
        }
    }

    const Domain& domain() const { return domain_; }

    /// Returns whether a point is in a collider or beyond a side, open or not.
    bool at(const Point& p) const
    {
        for (int face = 0; domain_.bounded && face < 6; ++face)
            if (!domain_.periodic[face / 2] && domain_.distanceTo(face, {p[0], p[1], p[2]}) < 0)
                return true;
        for (const Obstacle& obstacle : all_)
            if (obstacle.levelSet.sampler().distance(sdk::toOwn(obstacle.key, p)) < 0)
                return true;
        return false;
    }

    /// Moves a point beyond a wall or in a collider to its surface; walls count more where the two
    /// contradict each other. A point so deep inside a collider that its distance is not known
    /// stays.
    /// @return whether it was moved
    bool pushOut(Point& p) const
    {
        return pushOut(p, 0, [](const Point&, const Point&) {});
    }

    /// The same for a ball.
    /// @param radius  [m]
    /// @param struck  called as struck(normal, way) for each surface that the ball is pushed out
    /// of: the unit normal out of it, and how far it has moved there since the last frame [m]
    template <class Struck>
    bool pushOut(Point& p, double radius, const Struck& struck) const
    {
        bool moved = bringInside(p, radius, struck);
        bool left = false;
        for (const Obstacle& obstacle : all_) {
            const LevelSet::Sampler sampler = obstacle.levelSet.sampler();
            Point own = sdk::toOwn(obstacle.key, p);
            const double reach = radius / obstacle.key.scale;
            const double distance = double{sampler.distance(own)};
            if (!(distance < reach))
                continue;
            const Point slope = sampler.gradient(own);
            const double length = std::hypot(slope[0], slope[1], slope[2]);
            if (!(length > 0))
                continue;
            for (std::size_t axis = 0; axis < 3; ++axis)
                own[axis] += (reach - distance) * slope[axis] / length;
            p = sdk::toWorld(obstacle.key, own);
            const Point before = sdk::toWorld(obstacle.before, own);
            Point tip = own, normal{}, way{};
            for (std::size_t axis = 0; axis < 3; ++axis)
                tip[axis] += slope[axis] / (length * obstacle.key.scale);
            tip = sdk::toWorld(obstacle.key, tip);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                normal[axis] = tip[axis] - p[axis];
                way[axis] = p[axis] - before[axis];
            }
            struck(normal, way);
            left = true;
        }
        if (left)
            bringInside(p, radius, [](const Point&, const Point&) {});
        return moved || left;
    }

private:
    template <class Struck>
    bool bringInside(Point& p, double radius, const Struck& struck) const
    {
        bool moved = false;
        for (int face = 0; face < 6; ++face) {
            if (!domain_.isWall(face))
                continue;
            const double distance = domain_.distanceTo(face, {p[0], p[1], p[2]}) - radius;
            if (!(distance < 0))
                continue;
            const Vec3d inwards = Domain::sideOf(face) * domain_.axes.column(face / 2);
            for (int axis = 0; axis < 3; ++axis)
                p[static_cast<std::size_t>(axis)] -= distance * inwards[axis];
            struck(Point{inwards[0], inwards[1], inwards[2]}, Point{});
            moved = true;
        }
        return moved;
    }

    struct Obstacle {
        Value shape; ///< keeps the level set alive
        LevelSet levelSet;
        floe_transform_key key, before; ///< at the end of this frame and of the last one
    };
    Domain domain_;
    std::vector<Obstacle> all_;
};

} // namespace floe::sdk::world
