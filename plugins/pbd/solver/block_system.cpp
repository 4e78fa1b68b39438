#include "block_system.hpp"

#include <algorithm>
#include <array>

namespace floe::pbd {

namespace {

using sdk::parallel::Executor;

constexpr std::size_t kPart = 128; ///< rows whose sum is taken together
constexpr std::size_t kMaxIterations = 2000;

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

std::uint32_t BlockMatrix::Pattern::at(std::uint32_t row, std::uint32_t of) const
{
    const auto first = column.begin() + begin[row], last = column.begin() + begin[row + 1];
    return static_cast<std::uint32_t>(std::lower_bound(first, last, of) - column.begin());
}

void solveBanded(const BlockMatrix& A, const std::vector<Vec3d>& b, std::vector<Vec3d>& x)
{
    // L D L^T number by number: inverses of whole blocks would lose a rope's mass beside its
    // stiffness. Row i has its entries from column i - kWidth on; D is where they end.
    constexpr std::size_t kWidth = 8; // as far as the second block beside the diagonal
    const std::size_t numbers = 3 * A.rows();
    std::vector<std::array<double, kWidth + 1>> L(numbers);
    const auto add = [&](std::size_t row, std::size_t column, double value) {
        if (column <= row)
            L[row][column + kWidth - row] += value;
    };
    for (std::size_t i = 0; i < A.rows(); ++i) {
        for (std::uint32_t k = A.dense.begin[i]; k < A.dense.begin[i + 1]; ++k)
            for (std::size_t r = 0; r < 3; ++r)
                for (std::size_t c = 0; c < 3 && A.dense.column[k] <= i; ++c)
                    add(3 * i + r, 3 * std::size_t{A.dense.column[k]} + c,
                        A.block[k][static_cast<int>(r)][c]);
        for (std::uint32_t k = A.light.begin[i]; k < A.light.begin[i + 1]; ++k)
            for (std::size_t axis = 0; axis < 3 && A.light.column[k] <= i; ++axis)
                add(3 * i + axis, 3 * std::size_t{A.light.column[k]} + axis, A.number[k]);
    }
    std::vector<double> y(numbers);
    const auto diagonal = [&](std::size_t row) -> double& {
        return L[row][kWidth];
    };
    for (std::size_t i = 0; i < numbers; ++i) {
        const std::size_t first = i < kWidth ? 0 : i - kWidth;
        y[i] = b[i / 3][static_cast<int>(i % 3)];
        for (std::size_t j = first; j < i; ++j) { // L[i][j] D[j], with what is left of j done
            double& entry = L[i][j + kWidth - i];
            for (std::size_t k = std::max(first, j < kWidth ? 0 : j - kWidth); k < j; ++k)
                entry -= L[i][k + kWidth - i] * L[j][k + kWidth - j];
        }
        for (std::size_t j = first; j < i; ++j) {
            double& entry = L[i][j + kWidth - i];
            const double scaled = entry / diagonal(j);
            diagonal(i) -= scaled * entry;
            entry = scaled;
            y[i] -= scaled * y[j];
        }
    }
    for (std::size_t i = numbers; i-- > 0;) {
        y[i] /= diagonal(i);
        for (std::size_t j = i + 1; j < std::min(numbers, i + kWidth + 1); ++j)
            y[i] -= L[j][i + kWidth - j] * y[j];
    }
    x.resize(A.rows());
    for (std::size_t i = 0; i < A.rows(); ++i)
        x[i] = {y[3 * i], y[3 * i + 1], y[3 * i + 2]};
}

void ConjugateGradients::solve(const BlockMatrix& A, const std::vector<Vec3d>& b, double tolerance,
                               std::vector<Vec3d>& x, Executor& executor)
{
    const std::size_t rows = A.rows();
    x.assign(rows, {0, 0, 0});
    residual_ = b;
    inverse_.resize(rows);
    direction_.assign(rows, {0, 0, 0});
    product_.resize(rows);
    scaled_.resize(rows);
    double size = sumOver(rows, executor, [&](std::size_t from, std::size_t to) {
        double sum = 0;
        for (std::size_t i = from; i < to; ++i) {
            const auto own = static_cast<std::uint32_t>(i);
            Mat3d diagonal = A.block[A.dense.at(own, own)];
            for (std::uint32_t k = A.light.begin[i]; k < A.light.begin[i + 1]; ++k)
                for (int axis = 0; axis < 3 && A.light.column[k] == own; ++axis)
                    diagonal[axis][axis] += A.number[k];
            inverse_[i] = inverseOf(diagonal);
            scaled_[i] = inverse_[i] * residual_[i];
            sum += physics::dot(residual_[i], scaled_[i]);
        }
        return sum;
    });
    scale_ = std::max(scale_, size);
    double forth = 0;
    for (std::size_t k = 0; k < kMaxIterations; ++k) {
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
                Vec3d y{0, 0, 0};
                for (std::uint32_t e = A.dense.begin[i]; e < A.dense.begin[i + 1]; ++e)
                    y = y + A.block[e] * direction_[A.dense.column[e]];
                for (std::uint32_t e = A.light.begin[i]; e < A.light.begin[i + 1]; ++e)
                    y = y + A.number[e] * direction_[A.light.column[e]];
                product_[i] = y;
                sum += physics::dot(direction_[i], y);
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
