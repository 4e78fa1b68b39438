#include "block_system.hpp"

#include <algorithm>
#include <array>

namespace floe::pbd {

namespace {

using sdk::parallel::Executor;

constexpr std::size_t kPart = 128; ///< rows whose sum is taken together

/// Sums partOf(first row, last row) over parts, always in the same order.
template <class PartOf>
double sumOver(std::size_t rows, Executor& executor, const PartOf& partOf)
{
    std::vector<double> sums((rows + kPart - 1) / kPart);
    executor.parallelFor(sums.size(), 4, [&](std::size_t from, std::size_t to) {
        for (std::size_t part = from; part < to; ++part)
            sums[part] = partOf(part * kPart, std::min(rows, (part + 1) * kPart));
    });
    double sum = 0;
    for (const double part : sums)
        sum += part;
    return sum;
}

} // namespace

BlockMatrix::Pattern
BlockMatrix::Pattern::of(std::size_t rows, const std::vector<std::array<std::uint32_t, 2>>& pairs)
{
    auto sorted = pairs;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    Pattern pattern;
    pattern.begin.assign(rows + 1, 0);
    for (const auto& [row, column] : sorted) {
        ++pattern.begin[row + 1];
        pattern.column.push_back(column);
    }
    for (std::size_t i = 0; i < rows; ++i)
        pattern.begin[i + 1] += pattern.begin[i];
    return pattern;
}

void ConjugateGradients::solve(const BlockRows& A, const std::vector<Vec3d>& b, double tolerance,
                               std::vector<Vec3d>& x, Executor& executor)
{
    const std::size_t rows = A.count;
    x.assign(rows, {0, 0, 0});
    residual_ = b;
    inverse_.resize(rows);
    direction_.assign(rows, {0, 0, 0});
    product_.resize(rows);
    scaled_.resize(rows);
    double size = sumOver(rows, executor, [&](std::size_t from, std::size_t to) {
        double sum = 0;
        for (std::size_t i = from; i < to; ++i) {
            inverse_[i] = inverseOf(A.diagonalOf(static_cast<std::uint32_t>(i)));
            scaled_[i] = inverse_[i] * residual_[i];
            sum += physics::dot(residual_[i], scaled_[i]);
        }
        return sum;
    });
    scale_ = std::max(scale_, size);
    double forth = 0;
    for (std::size_t k = 0; k < kMaxGradientSteps; ++k) {
        if (!(size > tolerance * tolerance * scale_))
            break;
        ++iterations_;
        executor.parallelFor(rows, 4 * kPart, [&](std::size_t from, std::size_t to) {
            for (std::size_t i = from; i < to; ++i)
                direction_[i] = scaled_[i] + forth * direction_[i];
        });
        const double along = sumOver(rows, executor, [&](std::size_t from, std::size_t to) {
            double sum = 0;
            for (std::size_t i = from; i < to; ++i) {
                product_[i] = A.times(static_cast<std::uint32_t>(i), direction_.data());
                sum += physics::dot(direction_[i], product_[i]);
            }
            return sum;
        });
        if (!(along > 0))
            break;
        const double step = size / along;
        const double left = sumOver(rows, executor, [&](std::size_t from, std::size_t to) {
            double sum = 0;
            for (std::size_t i = from; i < to; ++i) {
                x[i] = x[i] + step * direction_[i];
                residual_[i] = residual_[i] - step * product_[i];
                scaled_[i] = inverse_[i] * residual_[i];
                sum += physics::dot(residual_[i], scaled_[i]);
            }
            return sum;
        });
        forth = left / size;
        size = left;
    }
    left_ = scale_ > 0 ? std::sqrt(size / scale_) : 0;
}

} // namespace floe::pbd
