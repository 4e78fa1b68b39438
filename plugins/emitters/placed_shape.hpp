#pragma once

#include "floe/sdk/level_set.hpp"
#include "floe/sdk/motion.hpp"

#include <array>

namespace floe::emitters {

using Point = std::array<double, 3>;

/// A level set at its pose in the world.
class PlacedShape {
public:
    /// @param levelSet  kept by reference; must outlive this
    PlacedShape(const sdk::LevelSet& levelSet, const floe_transform_key& key);

    /// Signed distances; for one thread.
    class Sampler {
    public:
        explicit Sampler(const PlacedShape& shape)
            : sampler_(shape.levelSet_.sampler()), key_(shape.key_)
        {}
        double distance(const Point& world) const
        {
            return key_.scale * sampler_.distance(sdk::toOwn(key_, world));
        }

    private:
        sdk::LevelSet::Sampler sampler_;
        const floe_transform_key& key_;
    };

    std::array<Point, 2> bounds() const;
    Point middle() const;

private:
    const sdk::LevelSet& levelSet_;
    floe_transform_key key_;
};

} // namespace floe::emitters
