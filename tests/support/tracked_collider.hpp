/// A collider with a level set, which every backend takes.
#pragma once

#include "floe/sdk/level_set.hpp"
#include "floe/sdk/motion.hpp"
#include "floe/sdk/world/collider.hpp"
#include "floe/sdk/world/level_set.hpp"

#include <nanovdb/util/GridHandle.h>

#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace floe::test {

/// One grid, for LevelSetReader.
class OneGrid {
public:
    explicit OneGrid(const sdk::LevelSet::Sampler& sampler) : sampler_(sampler) {}
    bool deforms() const { return false; }
    double distance(const sdk::world::Vec3d& p) const { return sampler_.distance({p.x, p.y, p.z}); }
    double nextDistance(const sdk::world::Vec3d&) const { return 0; }
    sdk::world::Vec3d gradient(const sdk::world::Vec3d& p) const
    {
        const auto g = sampler_.gradient({p.x, p.y, p.z});
        return {g[0], g[1], g[2]};
    }
    sdk::world::Vec3d nextGradient(const sdk::world::Vec3d&) const { return {0, 0, 0}; }
    sdk::world::Vec3d velocity(const sdk::world::Vec3d&) const { return {0, 0, 0}; }

private:
    sdk::LevelSet::Sampler sampler_;
};

/// A level set on the move, for both solvers.
class MovingCollider : public sdk::world::Collider, public sdk::world::LevelSetSource {
public:
    MovingCollider(std::shared_ptr<const nanovdb::GridHandle<>> grid,
                   std::vector<floe_transform_key> keys)
        : grid_(std::move(grid)), keys_(std::move(keys))
    {
        volume_.struct_size = sizeof volume_;
        volume_.grid = grid_->data();
        volume_.bytes = grid_->size();
        volume_.space = FLOE_SPACE_HOST;
        MovingCollider::moveTo(0, 1e-3);
    }
    void moveTo(double time, double dt) override
    {
        now_ = sdk::interpolate(keys_, time);
        later_ = sdk::interpolate(keys_, time + dt);
        dt_ = dt;
    }
    bool mayTouch(const sdk::world::Vec3d&, double) const override { return true; }
    void sample(const sdk::world::PointBatch& points,
                sdk::world::ColliderSample& out) const override
    {
        const sdk::LevelSet set(volume_);
        const sdk::world::LevelSetMotion moves = motion();
        sdk::world::LevelSetReader reader(OneGrid(set.sampler()), moves);
        for (int i = 0; i < points.count; ++i)
            out.set(i,
                    reader.at({points.corner.x + points.x[0][i], points.corner.y + points.x[1][i],
                               points.corner.z + points.x[2][i]},
                              points.margin));
    }
    sdk::world::LevelSetShape shape() const override
    {
        return {{grid_->data(), grid_->size(), grid_}, {}, {}};
    }
    sdk::world::LevelSetMotion motion() const override
    {
        sdk::world::LevelSetMotion set;
        set.now = now_;
        set.later = later_;
        set.timeStep = dt_;
        return set;
    }

private:
    std::shared_ptr<const nanovdb::GridHandle<>> grid_;
    std::vector<floe_transform_key> keys_; ///< a frame is a second
    floe_volume volume_{};
    floe_transform_key now_{}, later_{};
    double dt_ = 1;
};

} // namespace floe::test
