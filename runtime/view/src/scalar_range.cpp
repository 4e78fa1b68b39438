#include "scalar_range.hpp"

#include <algorithm>
#include <cmath>

namespace floe::view {

namespace {
constexpr std::uint64_t kRun = 256; // neighbours copied at once

constexpr float kNarrow = 1e-3f; // ends closer than this count as equal

/// Returns the smallest sample that at least this share of all do not exceed.
float quantile(std::vector<float>& samples, double share)
{
    const auto rank = static_cast<std::size_t>(
        std::max(1.0, std::ceil(share * static_cast<double>(samples.size()))));
    const auto at = samples.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    std::nth_element(samples.begin(), at, samples.end());
    return *at;
}

/// @param sign  1: the upper end; -1: the lower
float endOf(std::vector<float> samples, float sign)
{
    for (float& sample : samples)
        sample *= sign;
    const float middle = quantile(samples, 0.5);
    const float most = quantile(samples, 0.99);
    const float few = quantile(samples, 0.999);
    return sign * std::max(most, middle + (few - middle) / 4);
}
} // namespace

void ScalarRange::add(compute::Device& device, const float* scalars, std::uint64_t count)
{
    const std::uint64_t runs = std::min((count + kRun - 1) / kRun, kMaxSamples / kRun);
    const std::size_t before = samples_.size();
    samples_.resize(before + std::min(count, kMaxSamples));
    float* to = samples_.data() + before;
    if (count <= kMaxSamples) {
        device.copy(to, scalars, count * sizeof(float), compute::Copy::toHost);
    } else {
        for (std::uint64_t i = 0; i < runs; ++i)
            device.copy(to + i * kRun, scalars + (count - kRun) * i / (runs - 1),
                        kRun * sizeof(float), compute::Copy::toHost);
    }
    device.synchronise();
    std::erase_if(samples_, [](float sample) { return !std::isfinite(sample); });
}

std::optional<ScalarRange::Ends> ScalarRange::ends() const
{
    if (samples_.empty())
        return std::nullopt;
    Ends found{endOf(samples_, -1), endOf(samples_, 1)};
    // Magnitudes start at 0: a legend from 0.004 to 3 m/s would only raise questions.
    if (found.low > 0 && found.low < 0.1f * found.high)
        found.low = 0;
    if (found.low == found.high) { // even when a few differ
        const auto [low, high] = std::minmax_element(samples_.begin(), samples_.end());
        found = {*low, *high};
    }
    // Where all are equal, rounding must not span the whole map.
    const float size = std::max(std::abs(found.low), std::abs(found.high));
    if (found.high - found.low < kNarrow * size)
        (found.low > 0 ? found.low : found.high) = 0;
    return found.low < found.high ? std::optional(found) : std::nullopt;
}

} // namespace floe::view
