#include "set/spikes.hpp"

#include "floe/sdk/node.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace floe::gaussians {

namespace {

constexpr int kMaxSide = 32;      ///< pieces on either side of the middle
constexpr double kApart = 2;      ///< pieces, in their standard deviations
constexpr double kRowReach = 1.8; ///< of the row's opacities, in their standard deviations

/// Opacities of a row: its middle, and one side of it.
class Row {
public:
    /// @param ratio    standard deviation of the spike over that of a piece, > 1
    /// @param opacity  of the spike's middle
    Row(int side, double ratio, double opacity) : spread_(ratio * ratio - 1)
    {
        double low = 0, high = opacity;
        for (int step = 0; step < 40; ++step) {
            middle_ = 0.5 * (low + high);
            double through = 1;
            for (int k = -side; k <= side; ++k)
                through *= 1 - at(k) * std::exp(-0.5 * kApart * kApart * k * k);
            (1 - through < opacity ? low : high) = middle_;
        }
    }
    double at(int k) const { return middle_ * std::exp(-0.5 * kApart * kApart * k * k / spread_); }

private:
    double spread_, middle_ = 0;
};

/// What becomes of one Gaussian.
struct Bound {
    std::size_t axis = 0; ///< its longest
    int side = 0;         ///< pieces on either side of the middle; 0: as it is, or clamped
    double longest = 0;   ///< allowed [m]
    bool tooLong = false;
};

Bound boundOf(const float* scale, const SpikeSettings& settings)
{
    Bound bound;
    std::array<float, 3> sorted = {scale[0], scale[1], scale[2]};
    std::sort(sorted.begin(), sorted.end());
    bound.axis = static_cast<std::size_t>(std::max_element(scale, scale + 3) - scale);
    bound.longest = settings.length * sorted[1];
    if (settings.size > 0)
        bound.longest = std::min(bound.longest, settings.size);
    bound.tooLong = bound.longest > 0 && sorted[2] > 1.0001 * bound.longest;
    if (bound.tooLong && settings.spikes == Spikes::Split) {
        const double ratio = sorted[2] / bound.longest;
        const double side = std::ceil(kRowReach * std::sqrt(ratio * ratio - 1) / kApart);
        bound.side = static_cast<int>(std::min<double>(side, kMaxSide));
    }
    return bound;
}

} // namespace

std::size_t boundSpikes(GaussianSet& set, const SpikeSettings& settings)
{
    std::vector<Bound> bounds(set.count());
    std::size_t total = 0, tooLong = 0;
    for (std::size_t i = 0; i < set.count(); ++i) {
        bounds[i] = boundOf(&set.scale[3 * i], settings);
        total += 1 + 2 * static_cast<std::size_t>(bounds[i].side);
        tooLong += bounds[i].tooLong;
    }
    if (tooLong == 0)
        return 0;
    if (total > std::max(settings.most, set.count()))
        throw sdk::Failure("splitting spikes would make " + std::to_string(total) +
                               " Gaussians of " + std::to_string(set.count()) +
                               "; allow longer ones, or clamp them",
                           FLOE_OUT_OF_MEMORY);
    GaussianSet result;
    result.degree = set.degree;
    for (const Property& property : set.properties)
        result.properties.push_back({property.name, {}});
    result.resize(total);
    const std::size_t components = set.shComponents();
    std::size_t to = 0;
    for (std::size_t i = 0; i < set.count(); ++i) {
        const Bound& bound = bounds[i];
        Quaternion q;
        std::copy_n(&set.rotation[4 * i], 4, q.begin());
        const Vec3 along = matrixOf(q).column(static_cast<int>(bound.axis));
        const double whole = set.scale[3 * i + bound.axis];
        const double length = bound.tooLong ? bound.longest : whole;
        std::optional<Row> row;
        if (bound.side > 0)
            row.emplace(bound.side, whole / length, set.opacity[i]);
        for (int k = -bound.side; k <= bound.side; ++k, ++to) {
            const Vec3 offset = (kApart * k * length) * along;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                result.x[3 * to + axis] =
                    set.x[3 * i + axis] + static_cast<float>(offset[static_cast<int>(axis)]);
                result.scale[3 * to + axis] =
                    axis == bound.axis ? static_cast<float>(length) : set.scale[3 * i + axis];
            }
            std::copy_n(&set.rotation[4 * i], 4, &result.rotation[4 * to]);
            result.opacity[to] = row ? static_cast<float>(row->at(k)) : set.opacity[i];
            std::copy_n(&set.sh[components * i], components, &result.sh[components * to]);
            for (std::size_t p = 0; p < set.properties.size(); ++p)
                result.properties[p].values[to] = set.properties[p].values[i];
        }
    }
    set = std::move(result);
    return tooLong;
}

} // namespace floe::gaussians
