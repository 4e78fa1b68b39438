#pragma once

#include "floe/compute/device.hpp"

#include <optional>
#include <vector>

namespace floe::view {

/// Some of a picture's scalars, one a particle, of which a colour map takes its ends.
///
/// The ends are not the extremes: one drop that flies off at ten times the speed of the rest would
/// leave all of them in the map's lowest colour. They are the 1st and the 99th percentile; what
/// lies beyond has the end's colour. Where fewer than a hundredth do something else than the rest,
/// a ball on a bed at rest, the end reaches a quarter of the way to theirs (the 999th thousandth),
/// so that they still can be told apart. Where all are the same, or but for rounding, one end is 0.
class ScalarRange {
public:
    struct Ends {
        float low, high; ///< low < high
    };

    /// Copies at most kMaxSamples of `count` floats out of the memory of `device`, spread evenly
    /// and always the same ones. What is not finite is left out. Waits for the device.
    void add(compute::Device& device, const float* scalars, std::uint64_t count);

    /// @return nothing when there are no scalars but 0
    std::optional<Ends> ends() const;

    static constexpr std::uint64_t kMaxSamples = 1 << 16;

private:
    std::vector<float> samples_; ///< finite
};

} // namespace floe::view
