#include "reduced_system.hpp"

#include <algorithm>

namespace floe::coupled {

namespace {
constexpr std::size_t kGrain = 2048;
constexpr std::uint32_t kNone = ~0u;
} // namespace

void ReducedSystem::make(const PressureSystem& system, Executor& executor)
{
    system_ = &system;
    fluid_ = system.rows(Unknown::fluidPressure);
    mobility_ = system.mobility();
    eliminateWalls();
    findOthers(executor);
    makeStencils(executor);
}

void ReducedSystem::eliminateWalls()
{
    const auto range = system_->rows(Unknown::wallPressure);
    const SparseRows& C = system_->constraints();
    const SparseRows& CT = system_->transpose();
    const auto isWall = [&](std::size_t row) {
        return row >= range.first && row < range.last;
    };
    walls_.clear();
    rows_.clear();
    rows_.reserve(system_->size());
    unknownOf_.assign(system_->size(), kNone);
    const auto keep = [&](std::uint32_t row) {
        unknownOf_[row] = static_cast<std::uint32_t>(rows_.size());
        rows_.push_back(row);
    };
    for (std::uint32_t row = 0; row < system_->size(); ++row) {
        if (!isWall(row) || C.start[row + 1] - C.start[row] != 1) {
            keep(row);
            continue;
        }
        const std::uint32_t v = C.column[C.start[row]];
        std::size_t sharing = 0;
        for (std::uint32_t j = CT.start[v]; j < CT.start[v + 1]; ++j)
            sharing += isWall(CT.column[j]);
        if (sharing != 1) {
            keep(row);
            continue;
        }
        const double c = C.value[C.start[row]], m = mobility_[v], own = system_->diagonal()[row];
        const double inverse = 1 / (own + m * c * c);
        walls_.push_back({row, v, m * c * inverse, inverse});
        mobility_[v] = m * own * inverse;
    }
}

/// Finds the velocities that are no face between two cells of fluid, or between one and air.
void ReducedSystem::findOthers(Executor& executor)
{
    const SparseRows& CT = system_->transpose();
    const std::size_t velocities = system_->velocities();
    isOther_.resize(velocities);
    executor.parallelFor(velocities, 4 * kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v) {
            std::uint32_t held[2] = {};
            std::size_t count = 0;
            bool other = false;
            for (std::uint32_t j = CT.start[v]; j < CT.start[v + 1]; ++j) {
                const std::uint32_t row = CT.column[j];
                if (unknownOf_[row] == kNone)
                    continue;
                other = other || count == 2 || row < fluid_.first || row >= fluid_.last;
                if (!other)
                    held[count++] = row;
            }
            isOther_[v] =
                other ||
                (count == 2 && sideTowards(system_->cell(held[0]), system_->cell(held[1])) < 0);
        }
    });
    others_ = byOther_ = {};
    otherMobility_.clear();
    for (std::size_t v = 0; v < velocities; ++v) {
        if (!isOther_[v])
            continue;
        for (std::uint32_t j = CT.start[v]; j < CT.start[v + 1]; ++j)
            if (const std::uint32_t i = unknownOf_[CT.column[j]]; i != kNone)
                byOther_.add(i, CT.value[j]);
        byOther_.endRow();
        otherMobility_.push_back(mobility_[v]);
    }
    if (byOther_.rows() > 0)
        others_ = byOther_.transposed(size());
    impulses_.resize(byOther_.rows());
}

void ReducedSystem::makeStencils(Executor& executor)
{
    const SparseRows& C = system_->constraints();
    const SparseRows& CT = system_->transpose();
    stencils_.resize(fluid_.size());
    diagonal_.resize(size());
    executor.parallelFor(size(), kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint32_t row = rows_[i];
            double whole = system_->diagonal()[row], others = 0;
            const bool isFluid = i >= fluid_.first && i < fluid_.last;
            Stencil* const stencil = isFluid ? &stencils_[i - fluid_.first] : nullptr;
            if (stencil) {
                stencil->link.fill(0);
                stencil->beside.fill(static_cast<std::uint32_t>(i));
            }
            for (std::uint32_t k = C.start[row]; k < C.start[row + 1]; ++k) {
                const std::uint32_t v = C.column[k];
                const double push = mobility_[v] * C.value[k];
                (isOther_[v] ? others : whole) += push * C.value[k];
                if (isOther_[v])
                    continue;
                for (std::uint32_t j = CT.start[v]; j < CT.start[v + 1]; ++j) {
                    const std::uint32_t other = CT.column[j];
                    if (other == row || other >= fluid_.last) // itself, or the face's wall
                        continue;
                    const auto side = static_cast<std::size_t>(
                        sideTowards(system_->cell(row), system_->cell(other)));
                    stencil->link[side] -= push * CT.value[j];
                    stencil->beside[side] = other;
                }
            }
            if (stencil)
                stencil->whole = whole;
            diagonal_[i] = whole + others;
        }
    });
}

double ReducedSystem::multiply(const std::vector<double>& x, std::vector<double>& y,
                               Executor& executor) const
{
    executor.parallelFor(byOther_.rows(), kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v)
            impulses_[v] = otherMobility_[v] * byOther_.times(v, x.data());
    });
    const bool others = byOther_.rows() > 0;
    return sumOver(size(), executor, [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t i = begin; i < end; ++i) {
            double own;
            if (i >= fluid_.first && i < fluid_.last) {
                const Stencil& s = stencils_[i - fluid_.first];
                own = s.whole * x[i] -
                      ((s.link[0] * x[s.beside[0]] + s.link[1] * x[s.beside[1]]) +
                       (s.link[2] * x[s.beside[2]] + s.link[3] * x[s.beside[3]]) +
                       (s.link[4] * x[s.beside[4]] + s.link[5] * x[s.beside[5]]));
            } else {
                own = system_->diagonal()[rows_[i]] * x[i];
            }
            if (others)
                own += others_.times(i, impulses_.data());
            y[i] = own;
            sum += x[i] * own;
        }
        return sum;
    });
}

void ReducedSystem::take(const std::vector<double>& whole, std::vector<double>& x) const
{
    x.resize(size());
    for (std::size_t i = 0; i < size(); ++i)
        x[i] = whole[rows_[i]];
}

void ReducedSystem::reduce(const std::vector<double>& whole, std::vector<double>& reduced) const
{
    const SparseRows& CT = system_->transpose();
    take(whole, reduced);
    for (const Wall& wall : walls_)
        for (std::uint32_t j = CT.start[wall.velocity]; j < CT.start[wall.velocity + 1]; ++j)
            if (const std::uint32_t row = CT.column[j]; row != wall.row)
                reduced[unknownOf_[row]] -= wall.coefficient * CT.value[j] * whole[wall.row];
}

void ReducedSystem::restore(const std::vector<double>& x, const std::vector<double>& b,
                            std::vector<double>& whole, Executor& executor) const
{
    const SparseRows& CT = system_->transpose();
    for (std::size_t i = 0; i < size(); ++i)
        whole[rows_[i]] = x[i];
    executor.parallelFor(walls_.size(), kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t w = begin; w < end; ++w) {
            const Wall& wall = walls_[w];
            double p = wall.inverse * b[wall.row];
            for (std::uint32_t j = CT.start[wall.velocity]; j < CT.start[wall.velocity + 1]; ++j)
                if (CT.column[j] != wall.row)
                    p -= wall.coefficient * CT.value[j] * whole[CT.column[j]];
            whole[wall.row] = p;
        }
    });
}

} // namespace floe::coupled
