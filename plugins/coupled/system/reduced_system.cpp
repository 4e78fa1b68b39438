#include "reduced_system.hpp"

namespace floe::coupled {

namespace {
constexpr std::size_t kGrain = 2048;
} // namespace

void ReducedSystem::make(const PressureSystem& system, Executor& executor)
{
    system_ = &system;
    fluid_ = system.rows(Unknown::fluidPressure);
    wallRows_ = system.rows(Unknown::wallPressure);
    eliminateWalls();
    makeStencils(executor);
    collectOthers();
}

void ReducedSystem::eliminateWalls()
{
    const SparseRows& C = system_->constraints();
    const SparseRows& CT = system_->transpose();
    walls_.clear();
    wallMobility_.assign(wallRows_.size(), 1);
    for (auto row = static_cast<std::uint32_t>(wallRows_.first); row < wallRows_.last; ++row) {
        if (C.start[row + 1] - C.start[row] != 1)
            continue;
        const std::uint32_t v = C.column[C.start[row]];
        bool alone = true;
        for (std::uint32_t j = CT.start[v]; j < CT.start[v + 1]; ++j)
            alone = alone && (CT.column[j] == row ||
                              (CT.column[j] >= fluid_.first && CT.column[j] < fluid_.last));
        if (!alone)
            continue;
        const double c = C.value[C.start[row]], m = system_->mobility()[v];
        const double inverse = 1 / (system_->diagonal()[row] + m * c * c);
        walls_.push_back({row, v, m * c * inverse, inverse});
        wallMobility_[row - wallRows_.first] = system_->diagonal()[row] * inverse;
    }
}

inline ReducedSystem::Seen ReducedSystem::see(std::uint32_t v, std::uint32_t row) const
{
    const SparseRows& CT = system_->transpose();
    Seen seen{false, row, 0, system_->mobility()[v], 0};
    for (std::uint32_t j = CT.start[v]; j < CT.start[v + 1]; ++j) {
        const std::uint32_t held = CT.column[j];
        if (held == row)
            continue;
        if (held >= fluid_.first && held < fluid_.last) {
            seen.other = seen.other || seen.behind != row;
            seen.behind = held;
            seen.coefficient = CT.value[j];
            seen.side = sideTowards(system_->cell(row), system_->cell(held));
            seen.other = seen.other || seen.side < 0;
        } else if (held >= wallRows_.first && held < wallRows_.last &&
                   wallMobility_[held - wallRows_.first] != 1) {
            seen.mobility *= wallMobility_[held - wallRows_.first];
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
                if (seen.other) {
                    others += push * C.value[k];
                    seesOther_[i] = 1;
                    continue;
                }
                whole += push * C.value[k];
                if (seen.behind == row)
                    continue;
                const auto side = static_cast<std::size_t>(seen.side);
                stencil.link[side] -= push * seen.coefficient;
                stencil.beside[side] = seen.behind;
            }
            stencil.whole = whole;
            diagonal_[row] = whole + others;
        }
    });
}

/// Finds the velocities outside the stencils, and the diagonal of the rows that have none.
void ReducedSystem::collectOthers()
{
    const SparseRows& C = system_->constraints();
    if (isOther_.size() == system_->velocities()) {
        for (const Other& other : others_) {
            isOther_[other.velocity] = 0;
            impulses_[other.velocity] = 0;
        }
    } else {
        isOther_.assign(system_->velocities(), 0);
        impulses_.assign(system_->velocities(), 0);
    }
    others_.clear();
    const auto add = [&](std::uint32_t v, double mobility) {
        if (!isOther_[v])
            others_.push_back({v, mobility});
        isOther_[v] = 1;
    };
    for (std::uint32_t row = 0; row < size(); ++row) {
        if (row >= fluid_.first && row < fluid_.last) {
            for (std::uint32_t k = C.start[row];
                 k < C.start[row + 1] && seesOther_[row - fluid_.first]; ++k)
                if (const Seen seen = see(C.column[k], row); seen.other)
                    add(C.column[k], seen.mobility);
            continue;
        }
        double whole = system_->diagonal()[row];
        for (std::uint32_t k = C.start[row]; k < C.start[row + 1]; ++k)
            whole += system_->mobility()[C.column[k]] * C.value[k] * C.value[k];
        diagonal_[row] = whole;
        if (row >= wallRows_.first && row < wallRows_.last &&
            wallMobility_[row - wallRows_.first] != 1)
            continue;
        for (std::uint32_t k = C.start[row]; k < C.start[row + 1]; ++k)
            add(C.column[k], system_->mobility()[C.column[k]]);
    }
}

double ReducedSystem::multiply(const std::vector<double>& x, std::vector<double>& y,
                               Executor& executor) const
{
    const SparseRows& C = system_->constraints();
    const SparseRows& CT = system_->transpose();
    executor.parallelFor(others_.size(), kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t n = begin; n < end; ++n)
            impulses_[others_[n].velocity] =
                others_[n].mobility * CT.times(others_[n].velocity, x.data());
    });
    return sumOver(size(), executor, [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t row = begin; row < end; ++row) {
            if (row >= fluid_.first && row < fluid_.last) {
                const Stencil& s = stencils_[row - fluid_.first];
                y[row] =
                    s.whole * x[row] - ((s.link[0] * x[s.beside[0]] + s.link[1] * x[s.beside[1]]) +
                                        (s.link[2] * x[s.beside[2]] + s.link[3] * x[s.beside[3]]) +
                                        (s.link[4] * x[s.beside[4]] + s.link[5] * x[s.beside[5]]));
                if (seesOther_[row - fluid_.first])
                    y[row] += C.times(row, impulses_.data());
            } else {
                y[row] = system_->diagonal()[row] * x[row] + C.times(row, impulses_.data());
            }
            sum += x[row] * y[row];
        }
        return sum;
    });
}

void ReducedSystem::clearWalls(std::vector<double>& x) const
{
    for (const Wall& wall : walls_)
        x[wall.row] = 0;
}

void ReducedSystem::reduce(std::vector<double>& right) const
{
    const SparseRows& CT = system_->transpose();
    for (const Wall& wall : walls_) {
        for (std::uint32_t j = CT.start[wall.velocity]; j < CT.start[wall.velocity + 1]; ++j)
            if (CT.column[j] != wall.row)
                right[CT.column[j]] -= wall.coefficient * CT.value[j] * right[wall.row];
        right[wall.row] = 0;
    }
}

void ReducedSystem::restore(const std::vector<double>& b, std::vector<double>& x,
                            Executor& executor) const
{
    const SparseRows& CT = system_->transpose();
    executor.parallelFor(walls_.size(), kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t w = begin; w < end; ++w) {
            const Wall& wall = walls_[w];
            double p = wall.inverse * b[wall.row];
            for (std::uint32_t j = CT.start[wall.velocity]; j < CT.start[wall.velocity + 1]; ++j)
                if (CT.column[j] != wall.row)
                    p -= wall.coefficient * CT.value[j] * x[CT.column[j]];
            x[wall.row] = p;
        }
    });
}

} // namespace floe::coupled
