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
    eliminateWalls();
    makeStencils(executor);
    collectOthers();
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
    wallInverse_.assign(range.size(), 0);
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
        const double c = C.value[C.start[row]], m = system_->mobility()[v];
        const double inverse = 1 / (system_->diagonal()[row] + m * c * c);
        walls_.push_back({row, v, m * c * inverse, inverse});
        wallInverse_[row - range.first] = inverse;
    }
}

ReducedSystem::Seen ReducedSystem::see(std::uint32_t v, std::uint32_t row) const
{
    const SparseRows& CT = system_->transpose();
    const std::size_t walls = system_->rows(Unknown::wallPressure).first;
    Seen seen{false, row, system_->mobility()[v], 0};
    for (std::uint32_t j = CT.start[v]; j < CT.start[v + 1]; ++j) {
        const std::uint32_t held = CT.column[j];
        if (held == row)
            continue;
        if (held >= fluid_.first && held < fluid_.last) {
            seen.other = seen.other || seen.behind != row;
            seen.behind = held;
            seen.coefficient = CT.value[j];
        } else if (unknownOf_[held] == kNone) {
            seen.mobility *= system_->diagonal()[held] * wallInverse_[held - walls];
        } else {
            seen.other = true;
        }
    }
    return seen;
}

void ReducedSystem::makeStencils(Executor& executor)
{
    const SparseRows& C = system_->constraints();
    stencils_.resize(fluid_.size());
    seesOther_.assign(fluid_.size(), 0);
    diagonal_.resize(size());
    executor.parallelFor(fluid_.size(), kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = static_cast<std::uint32_t>(fluid_.first + i);
            Stencil& stencil = stencils_[i];
            stencil.link.fill(0);
            stencil.beside.fill(row);
            double whole = system_->diagonal()[row], others = 0;
            for (std::uint32_t k = C.start[row]; k < C.start[row + 1]; ++k) {
                const Seen seen = see(C.column[k], row);
                const double push = seen.mobility * C.value[k];
                const int side = seen.behind == row
                                     ? 0
                                     : sideTowards(system_->cell(row), system_->cell(seen.behind));
                if (seen.other || side < 0) {
                    others += push * C.value[k];
                    seesOther_[i] = 1;
                    continue;
                }
                whole += push * C.value[k];
                if (seen.behind == row)
                    continue;
                stencil.link[static_cast<std::size_t>(side)] -= push * seen.coefficient;
                stencil.beside[static_cast<std::size_t>(side)] = seen.behind;
            }
            stencil.whole = whole;
            diagonal_[row] = whole + others;
        }
    });
}

/// Numbers the velocities outside the stencils.
void ReducedSystem::collectOthers()
{
    const SparseRows& C = system_->constraints();
    const SparseRows& CT = system_->transpose();
    if (numbers_.size() != system_->velocities())
        numbers_.assign(system_->velocities(), kNone);
    byOther_.clear();
    otherMobility_.clear();
    std::vector<std::uint32_t> velocities;
    const auto number = [&](std::uint32_t v) {
        if (numbers_[v] != kNone)
            return;
        numbers_[v] = static_cast<std::uint32_t>(velocities.size());
        velocities.push_back(v);
        for (std::uint32_t j = CT.start[v]; j < CT.start[v + 1]; ++j)
            if (const std::uint32_t i = unknownOf_[CT.column[j]]; i != kNone)
                byOther_.add(i, CT.value[j]);
        byOther_.endRow();
        otherMobility_.push_back(system_->mobility()[v]);
    };
    for (std::uint32_t i = 0; i < size(); ++i) {
        const std::uint32_t row = rows_[i];
        const bool isFluid = row >= fluid_.first && row < fluid_.last;
        if (isFluid && !seesOther_[row - fluid_.first])
            continue;
        double whole = isFluid ? diagonal_[i] : system_->diagonal()[row];
        for (std::uint32_t k = C.start[row]; k < C.start[row + 1]; ++k) {
            const std::uint32_t v = C.column[k];
            if (!isFluid) {
                number(v);
                whole += system_->mobility()[v] * C.value[k] * C.value[k];
            } else if (const Seen seen = see(v, row);
                       seen.other ||
                       (seen.behind != row &&
                        sideTowards(system_->cell(row), system_->cell(seen.behind)) < 0)) {
                number(v);
            }
        }
        diagonal_[i] = whole;
    }
    for (const std::uint32_t v : velocities)
        numbers_[v] = kNone;
    others_ = byOther_.rows() > 0 ? byOther_.transposed(size()) : SparseRows{};
    impulses_.resize(byOther_.rows());
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
                own = s.whole * x[i] - ((s.link[0] * x[s.beside[0]] + s.link[1] * x[s.beside[1]]) +
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
