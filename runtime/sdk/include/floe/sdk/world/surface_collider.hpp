/// The collider of a record "collider" that has a surface of triangles instead of a shape.
#pragma once

#include "floe/sdk/motion.hpp"
#include "floe/sdk/node.hpp"
#include "floe/sdk/world/collider.hpp"
#include "floe/sdk/world/level_set_collider.hpp"
#include "floe/sdk/world/triangle_surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace floe::sdk::world {

/// Triangles that move rigidly between the keys of their track. They have two sides and no inside:
/// whoever meets them stays on the side that he is on. Solvers ask the triangles themselves; a
/// question for signed distances finds nothing near.
class SurfaceCollider final : public Collider {
public:
    /// A mesh's triangles, which colliders share from frame to frame.
    struct Shared {
        Value mesh; ///< keeps its identity; empty: of no mesh
        std::shared_ptr<const TriangleSurface> surface;
    };

    static Shared share(Value mesh)
    {
        const floe_mesh view = mesh.mesh();
        auto surface = std::make_shared<TriangleSurface>(
            std::span(view.points, std::size_t{3} * view.point_count),
            std::span(view.triangles, std::size_t{3} * view.triangle_count));
        return {std::move(mesh), std::move(surface)};
    }

    /// @param keys  own space to world, in increasing order of frame
    /// @throws Failure  there are none
    SurfaceCollider(Shared shared, std::span<const floe_transform_key> keys,
                    const FrameClock& clock)
        : clock_(clock), shared_(std::move(shared)), keys_(keys.begin(), keys.end())
    {
        if (keys_.empty())
            throw Failure("a collider has no transform", FLOE_BAD_ARGUMENT);
        rests_ = std::all_of(keys_.begin(), keys_.end(), [&](const floe_transform_key& key) {
            return samePose(key, keys_.front());
        });
        moveTo(clock.begin, 1e-3 / clock.fps);
    }

    const TriangleSurface& surface() const { return *shared_.surface; }
    const Shared& shared() const { return shared_; }
    const floe_transform_key& now() const { return now_; }     ///< as a step begins
    const floe_transform_key& later() const { return later_; } ///< as it ends

    bool isThin() const override { return true; }
    bool rests() const override { return rests_; }
    void moveTo(double time, double dt) override
    {
        now_ = interpolate(keys_, clock_.frameAt(time));
        later_ = interpolate(keys_, clock_.frameAt(time + dt));
        timeStep_ = dt;
    }
    /// Within the step: the ball moves by the surface as the surface by the ball.
    bool mayTouch(const Vec3d& center, double radius) const override
    {
        if (surface().size() == 0)
            return false;
        const Vec3d from = toOwn(now_, center), to = toOwn(later_, center);
        const Vec3d low = surface().low(), high = surface().high();
        const double reach = radius / std::min(now_.scale, later_.scale);
        for (int axis = 0; axis < 3; ++axis)
            if (std::min(from[axis], to[axis]) - reach > high[axis] ||
                std::max(from[axis], to[axis]) + reach < low[axis])
                return false;
        return true;
    }
    void sample(const PointBatch& points, ColliderSample& out) const override
    {
        std::fill_n(out.distance, points.count, std::numeric_limits<float>::max());
    }
    double topSpeed() const override
    {
        if (samePose(now_, later_))
            return 0;
        // Velocity varies linearly over a rigid body, so its maximum is at a corner of the box.
        const Vec3d low = surface().low(), high = surface().high();
        double top = 0;
        for (unsigned n = 0; n < 8; ++n) {
            const Vec3d corner{n & 1 ? low.x : high.x, n & 2 ? low.y : high.y,
                               n & 4 ? low.z : high.z};
            top = std::max(top, physics::length(velocityAt(corner)));
        }
        return top;
    }
    /// @param own  a point in own space
    /// @return its velocity in the world [m/s]
    Vec3d velocityAt(const Vec3d& own) const
    {
        return (1 / timeStep_) * (toWorld(later_, own) - toWorld(now_, own));
    }

private:
    FrameClock clock_;
    Shared shared_;
    std::vector<floe_transform_key> keys_;
    floe_transform_key now_{}, later_{};
    double timeStep_ = 1;
    bool rests_ = false;
};

} // namespace floe::sdk::world
