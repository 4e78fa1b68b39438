/// The collider of record "collider" (floe/sdk/records.h) on the CPU.
#pragma once

#include "floe/sdk/level_set.hpp"
#include "floe/sdk/motion.hpp"
#include "floe/sdk/node.hpp"
#include "floe/sdk/world/collider.hpp"
#include "floe/sdk/world/level_set.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>

namespace floe::sdk::world {

/// Maps a solver's time to frames of the graph: frame(t) = first + (t - begin) fps.
struct FrameClock {
    double begin = 0; ///< solver time at the start of this frame's step [s]
    double first = 0; ///< frame number at that time
    double fps = 24;
    double frameAt(double time) const { return first + (time - begin) * fps; }
};

/// A level set that moves rigidly between the keys of its track, and may change shape.
class LevelSetCollider final : public Collider, public LevelSetSource {
public:
    /// @param record  a record "collider"; its contact, friction and particles are not read
    /// @throws Failure  a shape is missing or invalid
    LevelSetCollider(const Value& record, const FrameClock& clock)
        : clock_(clock), shape_(record.require("shape")), track_(record.require("transform")),
          levelSet_(shape_.volume())
    {
        if (!levelSet_.valid())
            throw Failure("a collider's shape is not a grid of distances", FLOE_WRONG_KIND);
        keys_ = track_.transform();
        if (keys_.empty())
            throw Failure("a collider has no transform", FLOE_BAD_ARGUMENT);
        if ((next_ = record.field("nextShape"))) {
            nextSet_.emplace(next_.volume());
            if (!nextSet_->valid())
                throw Failure("a collider's next shape is not a grid of distances",
                              FLOE_WRONG_KIND);
        }
        if ((velocity_ = record.field("velocity"))) {
            field_.emplace(velocity_.volume());
            if (!field_->valid())
                throw Failure("a collider's velocity is not a grid of vectors", FLOE_WRONG_KIND);
        }
        motion_.frame = 1 / clock.fps;
        rests_ = !next_ && !velocity_;
        for (const floe_transform_key& key : keys_)
            rests_ = rests_ && samePose(key, keys_.front());
        moveTo(clock.begin, 1e-3 / clock.fps);
    }

    bool rests() const override { return rests_; }
    /// Returns whether both are at rest in the same place with the same shape.
    bool restsLike(const LevelSetCollider& other) const
    {
        return rests_ && other.rests_ && shape_.get() == other.shape_.get() &&
               samePose(keys_.front(), other.keys_.front());
    }

    void moveTo(double time, double dt) override
    {
        motion_.now = interpolate(keys_, clock_.frameAt(time));
        motion_.later = interpolate(keys_, clock_.frameAt(time + dt));
        motion_.timeStep = dt;
        motion_.share = std::clamp((time - clock_.begin) * clock_.fps, 0.0, 1.0);
    }

    bool mayTouch(const Vec3d& center, double radius) const override
    {
        const Vec3d own = toOwn(motion_.now, center);
        const double reach = radius / motion_.now.scale;
        const double distance = storedDistance(levelSet_, own, reach);
        if (nextSet_)
            return distance <= reach || storedDistance(*nextSet_, own, reach) <= reach;
        return distance <= reach && !isFar(distance, own, reach);
    }

    void sample(const PointBatch& points, ColliderSample& out) const override
    {
        LevelSetReader reader(Grids(*this), motion_);
        for (int i = 0; i < points.count; ++i) {
            if (points.mass[i] <= 0) // the velocity of an empty node does not matter
                out.distance[i] = 1;
            else
                out.set(i, reader.at(placeOf(points, i), points.margin));
        }
    }

    double topSpeed() const override
    {
        if (field_)
            return std::numeric_limits<double>::infinity();
        if (!moves() || levelSet_.empty())
            return 0;
        // Velocity varies linearly over a rigid body, so its maximum is at a corner of the box.
        const auto box = levelSet_.bounds();
        double top = 0;
        for (unsigned n = 0; n < 8; ++n) {
            const Vec3d corner{box[n >> 2][0], box[n >> 1 & 1][1], box[n & 1][2]};
            const Vec3d way = toWorld(motion_.later, corner) - toWorld(motion_.now, corner);
            top = std::max(top, std::hypot(way.x, way.y, way.z) / motion_.timeStep);
        }
        return top;
    }

    void speedNear(const PointBatch& points, double reach, float* speed) const override
    {
        std::fill_n(speed, points.count, 0.0f);
        if (!moves() && !field_)
            return;
        const double scale = motion_.now.scale;
        LevelSetReader reader(Grids(*this), motion_);
        for (int i = 0; i < points.count; ++i) {
            reader.read(placeOf(points, i));
            if (scale * reader.distance > reach ||
                isFar(reader.distance, reader.own(), reach / scale))
                continue;
            const Vec3d v = reader.velocity();
            speed[i] = static_cast<float>(std::hypot(v.x, v.y, v.z));
        }
    }

    LevelSetShape shape() const override
    {
        const auto view = [](const Value& value) {
            if (!value)
                return GridView{};
            const floe_volume volume = value.volume();
            return GridView{volume.grid, volume.bytes, std::make_shared<const Value>(value)};
        };
        return {view(shape_), view(next_), view(velocity_)};
    }

    LevelSetMotion motion() const override { return motion_; }

private:
    /// The collider's grids, for one thread.
    class Grids {
    public:
        explicit Grids(const LevelSetCollider& collider) : shape_(collider.levelSet_.sampler())
        {
            if (collider.nextSet_)
                next_.emplace(collider.nextSet_->sampler());
            if (collider.field_)
                field_.emplace(collider.field_->sampler());
        }
        bool deforms() const { return next_.has_value(); }
        double distance(const Vec3d& p) const { return shape_.distance({p.x, p.y, p.z}); }
        double nextDistance(const Vec3d& p) const { return next_->distance({p.x, p.y, p.z}); }
        Vec3d gradient(const Vec3d& p) const { return gradientOf(shape_, p); }
        Vec3d nextGradient(const Vec3d& p) const { return gradientOf(*next_, p); }
        Vec3d velocity(const Vec3d& p) const
        {
            if (!field_)
                return {0, 0, 0};
            const auto v = field_->vector({p.x, p.y, p.z});
            return {v[0], v[1], v[2]};
        }

    private:
        static Vec3d gradientOf(const LevelSet::Sampler& sampler, const Vec3d& p)
        {
            const auto g = sampler.gradient({p.x, p.y, p.z});
            return {g[0], g[1], g[2]};
        }

        LevelSet::Sampler shape_;
        std::optional<LevelSet::Sampler> next_;
        std::optional<VectorField::Sampler> field_;
    };

    static Vec3d placeOf(const PointBatch& points, int i)
    {
        return {points.corner.x + points.x[0][i], points.corner.y + points.x[1][i],
                points.corner.z + points.x[2][i]};
    }
    bool moves() const { return !samePose(motion_.now, motion_.later); }
    /// Returns whether a ball in own space stays outside although it is larger than the stored
    /// distance at its center: beyond the band all stored distances are equal.
    bool isFar(double distance, const Vec3d& center, double radius) const
    {
        return !nextSet_ && distance >= levelSet_.background() &&
               !levelSet_.mayMeetSurface({center.x, center.y, center.z}, radius);
    }
    /// Returns a lower bound of the distance of a point in own space; infinite where the box alone
    /// shows that a ball does not reach the inside.
    static double storedDistance(const LevelSet& set, const Vec3d& center, double radius)
    {
        constexpr double kFar = std::numeric_limits<double>::infinity();
        if (set.empty())
            return kFar;
        const auto box = set.bounds();
        double outside2 = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double at = center[static_cast<int>(axis)];
            const double gap = std::max({box[0][axis] - at, at - box[1][axis], 0.0});
            outside2 += gap * gap;
        }
        return outside2 > radius * radius ? kFar
                                          : set.sampler().distance({center.x, center.y, center.z});
    }

    FrameClock clock_;
    Value shape_, track_, next_, velocity_;
    LevelSet levelSet_;
    std::optional<LevelSet> nextSet_;
    std::optional<VectorField> field_;
    std::span<const floe_transform_key> keys_;
    LevelSetMotion motion_;
    bool rests_ = false;
};

} // namespace floe::sdk::world
