/// The blocks of which a rank asks emitters for particles (floe_emission_region).
#pragma once

#include "particles.hpp"

#include "floe/sdk/records.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace floe::mpm {

using sdk::grid::BlockCoordinate;

class BlockRegion {
public:
    using Owns = std::function<bool(const BlockCoordinate&)>;

    /// @param cellSize  [m]  @param owns  called from any thread
    BlockRegion(double cellSize, Owns owns) : cellSize_(cellSize), owns_(std::move(owns))
    {
        table_.struct_size = sizeof table_;
        table_.self = this;
        table_.meets = [](const void* self, const double low[3], const double high[3]) -> int32_t {
            return static_cast<const BlockRegion*>(self)->meets(low, high);
        };
        table_.find = [](const void* self, const float* x, std::uint64_t count,
                         std::uint8_t* inside) {
            static_cast<const BlockRegion*>(self)->find(x, count, inside);
        };
    }
    BlockRegion(const BlockRegion&) = delete;
    BlockRegion& operator=(const BlockRegion&) = delete;

    /// Valid as long as this.
    const floe_emission_region& table() const { return table_; }

    /// inside[i]: 1 where particle i is in one of the blocks, or unusable: every rank is to refuse
    /// it.
    void find(const float* x, std::uint64_t count, std::uint8_t* inside) const
    {
        std::optional<BlockCoordinate> last; // near particles follow each other
        for (std::uint64_t i = 0; i < count; ++i) {
            if (!isUsablePosition(x + 3 * i, cellSize_)) {
                inside[i] = 1;
                last.reset();
                continue;
            }
            const BlockCoordinate block = blockOfParticle(x + 3 * i, cellSize_);
            inside[i] = last == block ? inside[i - 1] : owns_(block);
            last = block;
        }
    }

private:
    bool meets(const double low[3], const double high[3]) const
    {
        constexpr double kMany = 512; // then it probably does
        std::int32_t first[3], last[3];
        double blocks = 1;
        for (int axis = 0; axis < 3; ++axis) {
            const double inverse = 1 / cellSize_, from = low[axis] * inverse,
                         to = high[axis] * inverse;
            if (!(from > -kParticleReach && to < kParticleReach))
                return true; // the solver refuses what is there
            first[axis] = localPosition(from).block;
            last[axis] = localPosition(to).block;
            blocks *= static_cast<double>(last[axis] - first[axis]) + 1;
        }
        if (blocks > kMany)
            return true;
        for (std::int32_t x = first[0]; x <= last[0]; ++x)
            for (std::int32_t y = first[1]; y <= last[1]; ++y)
                for (std::int32_t z = first[2]; z <= last[2]; ++z)
                    if (owns_({x, y, z}))
                        return true;
        return false;
    }

    double cellSize_;
    Owns owns_;
    floe_emission_region table_{};
};

} // namespace floe::mpm
