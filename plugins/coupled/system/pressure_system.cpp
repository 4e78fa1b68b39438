#include "pressure_system.hpp"

#include <algorithm>
#include <utility>

namespace floe::coupled {

namespace {
constexpr std::size_t kGrain = 4096;
} // namespace

void PressureSystem::begin(std::vector<double> mobility)
{
    mobility_ = std::move(mobility);
    C_.clear();
    behind_.clear();
    first_ = {};
    cells_.clear();
    axes_.clear();
    diagonal_.clear();
}

void PressureSystem::add(Unknown kind, const Cell& cell, int axis, double diagonal, bool relative,
                         std::span<const Entry> entries)
{
    double own = 0;
    for (const Entry& e : entries) {
        C_.add(e.velocity, e.coefficient);
        behind_.push_back(e.behind);
        own += mobility_[e.velocity] * e.coefficient * e.coefficient;
    }
    C_.endRow();
    cells_.push_back(cell);
    axes_.push_back(static_cast<std::uint8_t>(axis));
    // A row that moves nothing stands for itself.
    diagonal_.push_back(!relative ? diagonal : own > 0 ? diagonal * own : 1);
    for (auto k = static_cast<std::size_t>(kind) + 1; k <= kUnknowns; ++k)
        first_[k] = cells_.size();
}

void PressureSystem::end()
{
    CT_ = C_.transposed(mobility_.size());
}

void PressureSystem::multiply(const std::vector<double>& x, std::vector<double>& y,
                              Executor& executor) const
{
    impulses_.resize(velocities());
    executor.parallelFor(velocities(), kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v)
            if (CT_.start[v] != CT_.start[v + 1])
                impulses_[v] = mobility_[v] * CT_.times(v, x.data());
    });
    executor.parallelFor(size(), kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r)
            y[r] = diagonal_[r] * x[r] + C_.times(r, impulses_.data());
    });
}

SparseRows PressureSystem::assembled() const
{
    SparseRows A;
    std::vector<double> row(size(), 0.0);
    std::vector<std::uint32_t> used;
    std::vector<bool> known(size(), false);
    for (std::uint32_t r = 0; r < size(); ++r) {
        const auto addTo = [&](std::uint32_t column, double value) {
            if (!known[column]) {
                known[column] = true;
                used.push_back(column);
            }
            row[column] += value;
        };
        addTo(r, diagonal_[r]);
        for (std::uint32_t k = C_.start[r]; k < C_.start[r + 1]; ++k) {
            const std::uint32_t v = C_.column[k];
            const double factor = C_.value[k] * mobility_[v];
            for (std::uint32_t j = CT_.start[v]; j < CT_.start[v + 1] && factor != 0; ++j)
                addTo(CT_.column[j], factor * CT_.value[j]);
        }
        std::sort(used.begin(), used.end());
        for (const std::uint32_t column : used) {
            A.add(column, row[column]);
            row[column] = 0;
            known[column] = false;
        }
        A.endRow();
        used.clear();
    }
    return A;
}

std::vector<double> PressureSystem::wholeDiagonal() const
{
    std::vector<double> whole = diagonal_;
    for (std::size_t r = 0; r < size(); ++r)
        for (std::uint32_t k = C_.start[r]; k < C_.start[r + 1]; ++k)
            whole[r] += mobility_[C_.column[k]] * C_.value[k] * C_.value[k];
    return whole;
}

std::vector<double> PressureSystem::rightSide(const std::vector<double>& v,
                                              const std::vector<double>& b,
                                              const std::vector<double>& last,
                                              Executor& executor) const
{
    std::vector<double> right(size());
    const std::size_t solids = rows(Unknown::solidPressure).last;
    executor.parallelFor(size(), kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r) {
            right[r] = C_.times(r, v.data());
            if (!b.empty())
                right[r] -= b[r];
            if (!last.empty() && r < solids)
                right[r] += diagonal_[r] * last[r];
        }
    });
    return right;
}

void PressureSystem::applyPressures(const std::vector<double>& x, std::vector<double>& v,
                                    Executor& executor) const
{
    executor.parallelFor(velocities(), kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            if (CT_.start[i] != CT_.start[i + 1])
                v[i] -= mobility_[i] * CT_.times(i, x.data());
    });
}

double dot(const std::vector<double>& a, const std::vector<double>& b, Executor& executor)
{
    return sumOver(a.size(), executor, [&](std::size_t begin, std::size_t end) {
        double sums[4] = {}; // one after the other, additions would wait for each other
        std::size_t i = begin;
        for (; i + 4 <= end; i += 4)
            for (std::size_t n = 0; n < 4; ++n)
                sums[n] += a[i + n] * b[i + n];
        for (; i < end; ++i)
            sums[0] += a[i] * b[i];
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    });
}

} // namespace floe::coupled
