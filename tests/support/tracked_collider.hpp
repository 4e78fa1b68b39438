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
        auto sampler = set.sampler();
        for (int i = 0; i < points.count; ++i) {
            const std::array<double, 3> world{points.corner.x + points.x[0][i],
                                              points.corner.y + points.x[1][i],
                                              points.corner.z + points.x[2][i]};
            const auto own = sdk::toOwn(now_, world);
            const auto moved = sdk::toWorld(later_, own);
            const auto n = sdk::rotate(
                {now_.rotation[0], now_.rotation[1], now_.rotation[2], now_.rotation[3]},
                sampler.gradient(own));
            const double length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
            out.distance[i] = static_cast<float>(now_.scale * sampler.distance(own));
            for (std::size_t a = 0; a < 3; ++a) {
                out.normal[a][i] = length > 0.05 ? static_cast<float>(n[a] / length) : 0.0f;
                out.v[a][i] = static_cast<float>((moved[a] - world[a]) / dt_);
            }
        }
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
