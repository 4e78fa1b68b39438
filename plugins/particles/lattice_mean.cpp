#include "lattice_mean.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace floe::particles {

namespace {

/// Of corner 0 to 7 from corner 0, as a difference of keys.
std::uint64_t offsetOf(std::size_t corner, int bits)
{
    return (corner & 1) | (corner >> 1 & 1) << bits | (corner >> 2 & 1) << (2 * bits);
}

std::uint32_t find(const std::vector<std::uint64_t>& keys, std::uint64_t key, std::uint32_t none)
{
    const auto at = std::lower_bound(keys.begin(), keys.end(), key);
    return at != keys.end() && *at == key ? static_cast<std::uint32_t>(at - keys.begin()) : none;
}

} // namespace

std::optional<LatticeMean> LatticeMean::over(std::span<const float> x, const float* mass,
                                             double radius, const Parallel& parallel)
{
    LatticeMean mean;
    mean.x_ = x;
    mean.mass_ = mass;
    mean.radius_ = radius;
    mean.low_.fill(std::numeric_limits<double>::infinity());
    const std::size_t count = x.size() / 3;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double high = -std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < count; ++i) {
            const double at = x[3 * i + axis];
            if (!std::isfinite(at))
                return {};
            mean.low_[axis] = std::min(mean.low_[axis], at);
            high = std::max(high, at);
        }
        if (!(high - mean.low_[axis] < radius * (1 << (kBits - 1))))
            return {};
    }
    std::vector<std::uint64_t> key(count);
    parallel(count, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            key[i] = mean.keyAt(i);
    });
    mean.order_.resize(count);
    std::iota(mean.order_.begin(), mean.order_.end(), 0u);
    std::sort(mean.order_.begin(), mean.order_.end(), [&](std::uint32_t a, std::uint32_t b) {
        return key[a] != key[b] ? key[a] < key[b] : a < b;
    });
    for (std::size_t at = 0; at < count; ++at)
        if (at == 0 || key[mean.order_[at]] != key[mean.order_[at - 1]]) {
            mean.cells_.push_back(key[mean.order_[at]]);
            mean.begin_.push_back(at);
        }
    mean.begin_.push_back(count);
    for (const std::uint64_t cell : mean.cells_)
        for (std::size_t corner = 0; corner < 8; ++corner)
            mean.nodes_.push_back(cell + offsetOf(corner, kBits));
    std::sort(mean.nodes_.begin(), mean.nodes_.end());
    mean.nodes_.erase(std::unique(mean.nodes_.begin(), mean.nodes_.end()), mean.nodes_.end());
    mean.corners_.resize(mean.cells_.size());
    parallel(mean.cells_.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t cell = begin; cell < end; ++cell)
            for (std::size_t corner = 0; corner < 8; ++corner)
                mean.corners_[cell][corner] =
                    find(mean.nodes_, mean.cells_[cell] + offsetOf(corner, kBits), kNone);
    });
    mean.around_.resize(mean.nodes_.size());
    parallel(mean.nodes_.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t node = begin; node < end; ++node)
            for (std::size_t corner = 0; corner < 8; ++corner)
                mean.around_[node][corner] =
                    find(mean.cells_, mean.nodes_[node] - offsetOf(corner, kBits), kNone);
    });
    return mean;
}

/// Of its cell. Coordinates begin at 1, so that no neighbour's key borrows from the next axis.
std::uint64_t LatticeMean::keyAt(std::size_t particle) const
{
    std::uint64_t key = 0;
    for (std::size_t axis = 3; axis-- > 0;) {
        const double at = (double{x_[3 * particle + axis]} - low_[axis]) / radius_;
        key = key << kBits | (static_cast<std::uint64_t>(at) + 1);
    }
    return key;
}

double LatticeMean::weight(std::size_t particle, std::uint64_t node) const
{
    double product = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto at = static_cast<double>((node & ((1u << kBits) - 1)) - 1);
        const double away = (double{x_[3 * particle + axis]} - low_[axis]) / radius_ - at;
        product *= std::max(1 - std::abs(away), 0.0);
        node >>= kBits;
    }
    return product;
}

void LatticeMean::apply(std::span<float> values, std::size_t components,
                        const Parallel& parallel) const
{
    std::vector<double> mean(nodes_.size() * components), total(nodes_.size());
    parallel(nodes_.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t node = begin; node < end; ++node) {
            double* sum = &mean[node * components];
            for (const std::uint32_t cell : around_[node])
                for (std::size_t at = cell == kNone ? 0 : begin_[cell];
                     cell != kNone && at < begin_[cell + 1]; ++at) {
                    const std::uint32_t i = order_[at];
                    const double w = (mass_ ? double{mass_[i]} : 1.0) * weight(i, nodes_[node]);
                    total[node] += w;
                    for (std::size_t c = 0; c < components; ++c)
                        sum[c] += w * double{values[i * components + c]};
                }
            for (std::size_t c = 0; c < components && total[node] > 0; ++c)
                sum[c] /= total[node];
        }
    });
    parallel(cells_.size(), [&](std::size_t begin, std::size_t end) {
        std::vector<double> sum(components);
        for (std::size_t cell = begin; cell < end; ++cell)
            for (std::size_t at = begin_[cell]; at < begin_[cell + 1]; ++at) {
                const std::uint32_t i = order_[at];
                std::fill(sum.begin(), sum.end(), 0.0);
                double all = 0;
                for (const std::uint32_t node : corners_[cell]) {
                    const double w = total[node] > 0 ? weight(i, nodes_[node]) : 0;
                    all += w;
                    for (std::size_t c = 0; c < components; ++c)
                        sum[c] += w * mean[node * components + c];
                }
                for (std::size_t c = 0; c < components && all > 0; ++c)
                    values[i * components + c] = static_cast<float>(sum[c] / all);
            }
    });
}

} // namespace floe::particles
