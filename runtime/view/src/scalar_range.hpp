#pragma once

#include "floe/compute/device.hpp"

#include <optional>
#include <vector>

namespace floe::view {

/// Samples of a picture's scalars, one per particle, that determine the ends of a colour map.
///
/// The ends are not the extremes: one drop at ten times the speed of the rest would give all others
/// the map's lowest colour. They are the 1st and the 99th percentile; values beyond are clamped.
/// Where less than a hundredth differ from the rest, like a ball on a bed at rest, the end reaches
/// a quarter of the way to their value (the 999th thousandth), so that they remain visible. Where
/// all values are equal up to rounding, one end is 0.
class ScalarRange {
public:
    struct Ends {
        float low, high; ///< low < high
    };

    /// Copies at most kMaxSamples of `count` floats from the memory of `device`, evenly spread and
    /// always the same ones. Skips values that are not finite. Waits for the device.
    void add(compute::Device& device, const float* scalars, std::uint64_t count);

    /// @return nothing when all scalars are 0 or there are none
    std::optional<Ends> ends() const;

    static constexpr std::uint64_t kMaxSamples = 1 << 16;

private:
    std::vector<float> samples_; ///< finite
};

} // namespace floe::view
