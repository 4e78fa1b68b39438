#include "reduced_system.hpp"

namespace floe::coupled {

namespace {
using Entry = PressureSystem::Entry;
constexpr std::size_t kGrain = 2048;
} // namespace

void ReducedSystem::make(const PressureSystem& system, Executor& executor)
{
    system_ = &system;
    fluid_ = system.rows(Unknown::fluidPressure);
    wallRows_ = system.rows(Unknown::wallPressure);
    makeStencils(executor);
    eliminateWalls();
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
        const double left = system_->diagonal()[row] * inverse;
        wallMobility_[row - wallRows_.first] = left;
        closeFace(v, m * left);
    }
}

/// Adds what is left of a face between wall and fluid, or between two cells of fluid.
void ReducedSystem::closeFace(std::uint32_t v, double mobility)
{
    const SparseRows& C = system_->constraints();
    const SparseRows& CT = system_->transpose();
    for (std::uint32_t j = CT.start[v]; j < CT.start[v + 1]; ++j) {
        const std::uint32_t row = CT.column[j];
        if (row >= fluid_.last)
            continue;
        std::uint32_t k = C.start[row];
        while (C.column[k] != v)
            ++k;
        if (system_->behind(k) != Entry::kWall)
            continue;
        Stencil& stencil = stencils_[row - fluid_.first];
        stencil.whole += mobility * CT.value[j] * CT.value[j];
        diagonal_[row] = stencil.whole;
        for (std::uint32_t i = CT.start[v]; i < CT.start[v + 1]; ++i) {
            const std::uint32_t other = CT.column[i];
            const int side = other == row || other >= fluid_.last
                                 ? -1
                                 : sideTowards(system_->cell(row), system_->cell(other));
            if (side >= 0) {
                stencil.link[static_cast<std::size_t>(side)] -=
                    mobility * CT.value[i] * CT.value[j];
                stencil.beside[static_cast<std::size_t>(side)] = other;
            }
        }
    }
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
            double whole = system_->diagonal()[row];
            for (std::uint32_t k = C.start[row]; k < C.start[row + 1]; ++k) {
                const std::uint32_t behind = system_->behind(k);
                if (behind == Entry::kAnything || behind == Entry::kWall) {
                    seesOther_[i] = seesOther_[i] || behind == Entry::kAnything;
                    continue;
                }
                const double link = system_->mobility()[C.column[k]] * C.value[k] * C.value[k];
                whole += link;
                if (behind == Entry::kNothing)
                    continue;
                const auto side = static_cast<std::size_t>(
                    sideTowards(system_->cell(row), system_->cell(behind)));
                stencil.link[side] = link;
                stencil.beside[side] = behind;
            }
            stencil.whole = diagonal_[row] = whole;
        }
    });
}

/// Returns the mobility of a velocity with what walls leave of it.
double ReducedSystem::mobilityOf(std::uint32_t v) const
{
    const SparseRows& CT = system_->transpose();
    double mobility = system_->mobility()[v];
    for (std::uint32_t j = CT.start[v]; j < CT.start[v + 1]; ++j)
        if (CT.column[j] >= wallRows_.first && CT.column[j] < wallRows_.last)
            mobility *= wallMobility_[CT.column[j] - wallRows_.first];
    return mobility;
}

/// Finds the velocities outside the stencils, and the diagonal of the rows that have none.
void ReducedSystem::collectOthers()
{
    const SparseRows& C = system_->constraints();
    for (const Other& other : others_) {
        isOther_[other.velocity] = 0;
        impulses_[other.velocity] = 0;
    }
    others_.clear();
    if (isOther_.size() < system_->velocities()) {
        isOther_.resize(system_->velocities(), 0);
        impulses_.resize(system_->velocities(), 0);
    }
    for (std::uint32_t row = 0; row < size(); ++row) {
        const bool isFluid = row >= fluid_.first && row < fluid_.last;
        if (isFluid && !seesOther_[row - fluid_.first])
            continue;
        const bool eliminated = isEliminated(row);
        if (eliminated)
            diagonal_[row] = 1;
        else if (!isFluid)
            diagonal_[row] = system_->diagonal()[row];
        for (std::uint32_t k = C.start[row]; k < C.start[row + 1] && !eliminated; ++k) {
            if (isFluid && system_->behind(k) != Entry::kAnything)
                continue;
            const std::uint32_t v = C.column[k];
            // Of an eliminated wall there are only rows of the fluid beside.
            const double mobility = isFluid ? mobilityOf(v) : system_->mobility()[v];
            diagonal_[row] += mobility * C.value[k] * C.value[k];
            if (!isOther_[v])
                others_.push_back({v, mobility});
            isOther_[v] = 1;
        }
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
            } else if (isEliminated(row)) {
                y[row] = 0;
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
