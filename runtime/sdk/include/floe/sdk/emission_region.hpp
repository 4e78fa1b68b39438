/// Which part of space an emitter is asked for (floe_emission::region), as the emitter sees it.
#pragma once

#include "floe/sdk/floe.h"
#include "floe/sdk/records.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace floe::sdk {

/// All of space, or what one rank owns. Refers to the request; from any thread.
class EmissionRegion {
public:
    explicit EmissionRegion(const floe_emission& request)
        : region_(FLOE_HAS(&request, region) ? request.region : nullptr)
    {}

    /// Returns whether it is not all of space: particles then need the attribute `place`.
    bool isPart() const { return region_ != nullptr; }
    /// Returns whether particles of a box may be in it.
    /// @param low, high  corners [m]; rounding of positions to single precision is allowed for
    bool meets(std::array<double, 3> low, std::array<double, 3> high) const
    {
        if (!region_)
            return true;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            low[axis] -= 1e-6 * std::fabs(low[axis]);
            high[axis] += 1e-6 * std::fabs(high[axis]);
        }
        return region_->meets(region_->self, low.data(), high.data()) != 0;
    }
    /// Sets inside[i] where position i is in it. @param x  3 numbers each [m]
    void find(const float* x, std::uint64_t count, std::uint8_t* inside) const
    {
        if (region_)
            region_->find(region_->self, x, count, inside);
        else
            for (std::uint64_t i = 0; i < count; ++i)
                inside[i] = 1;
    }

    /// Returns the attribute `place` of a particle.
    /// @param group  of near particles, some hundreds  @param number  in the group
    static std::uint64_t place(std::uint64_t group, std::uint64_t number)
    {
        return group << 32 | number;
    }

private:
    const floe_emission_region* region_;
};

} // namespace floe::sdk
