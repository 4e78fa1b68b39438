#include "fluid_rows.hpp"

#include <algorithm>
#include <utility>

namespace floe::coupled {

using namespace sdk::grid;

namespace {

/// Regularisation of rows: keeps closed containers, whose pressures have no level, solvable.
constexpr double kRegularisation = 1e-8;
/// A cell without fluid of which a solid fills more is the solid's.
constexpr float kFull = 0.75f;

} // namespace

std::int64_t FluidRows::ownerOf(std::size_t b, int c, int side) const
{
    const int axis = side / 2;
    return side % 2 ? lattice_->cellAt(b, (c >> 4) + (axis == 0), (c >> 2 & 3) + (axis == 1),
                                       (c & 3) + (axis == 2))
                    : static_cast<std::int64_t>(b * kBlockNodes) + c;
}

bool FluidRows::isOpen(std::size_t b, int c) const
{
    bool isOpen = !walls_->near(b) && covered_.empty();
    for (int side = 0; side < 6 && !isOpen; ++side) {
        const std::int64_t owner = ownerOf(b, c, side);
        isOpen = owner >= 0 &&
                 open(Lattice::faceOf(static_cast<std::size_t>(owner), side / 2)) >= Walls::kClosed;
    }
    return isOpen;
}

/// Returns whether a cell without fluid is a solid's.
bool FluidRows::isFilled(std::int64_t cell) const
{
    return cell >= 0 && !isFluid(cell) && nodes_->cellShare[static_cast<std::size_t>(cell)] > kFull;
}

/// Returns whether a cell without fluid, that solids fill at least in part, is reached by fluid and
/// not by air.
bool FluidRows::isEnclosed(std::size_t b, int c) const
{
    const float share = nodes_->cellShare[b * kBlockNodes + static_cast<std::size_t>(c)];
    if (!(share > 0))
        return false;
    bool wet = false;
    for (int side = 0; side < 6; ++side) {
        const int step = side % 2 ? 1 : -1, axis = side / 2;
        const std::int64_t owner = ownerOf(b, c, side);
        const std::int64_t other = lattice_->cellAt(b, (c >> 4) + (axis == 0 ? step : 0),
                                                    (c >> 2 & 3) + (axis == 1 ? step : 0),
                                                    (c & 3) + (axis == 2 ? step : 0));
        if (owner >= 0 &&
            open(Lattice::faceOf(static_cast<std::size_t>(owner), axis)) < Walls::kClosed)
            continue;
        wet = wet || isFluid(other);
        if (!isFluid(other) && !isFilled(other))
            return false;
    }
    return wet;
}

FluidRows::Beside FluidRows::beside(std::size_t b, int c, int axis) const
{
    const std::size_t cell = b * kBlockNodes + static_cast<std::size_t>(c);
    const std::int64_t below = lattice_->cellAt(b, (c >> 4) - (axis == 0),
                                                (c >> 2 & 3) - (axis == 1), (c & 3) - (axis == 2));
    const double upper = nodes_->mass[cell];
    const double lower = below < 0 ? 0 : nodes_->mass[static_cast<std::size_t>(below)];
    const double sum = lower + upper;
    if (!(sum > 0))
        return {{0, 0}, {0, 0}};
    const auto velocity = [&](std::size_t of) {
        return lattice_->faces() + Lattice::faceOf(of, axis);
    };
    return {{velocity(below < 0 ? cell : static_cast<std::size_t>(below)), velocity(cell)},
            {lower / sum, upper / sum}};
}

void FluidRows::findCovered()
{
    covered_ = nodes_->faceShare;
    for (std::size_t b = 0; b < lattice_->size(); ++b)
        for (int c = 0; c < kBlockNodes; ++c)
            for (int axis = 0; axis < 3; ++axis) {
                const std::size_t face =
                    Lattice::faceOf(b * kBlockNodes + static_cast<std::size_t>(c), axis);
                float& covered = covered_[face];
                const float whole = walls_->open(face);
                const Beside solid = beside(b, c, axis);
                if (walls_->closed(face) || !(solid.share[0] + solid.share[1] > 0))
                    covered = 0;
                else if (covered > 0 &&
                         (covered > whole - Walls::kClosed || !(scattered_->mass[face] > 0)))
                    covered = whole;
            }
}

/// Solids cover what is left open between fluid and the cells that they fill.
void FluidRows::closeFilled()
{
    for (std::size_t b = 0; b < lattice_->size(); ++b)
        for (int c = 0; c < kBlockNodes; ++c) {
            const auto cell = static_cast<std::int64_t>(b * kBlockNodes) + c;
            if (!isFilled(cell))
                continue;
            for (int side = 0; side < 6; ++side) {
                const std::int64_t owner = ownerOf(b, c, side);
                if (owner < 0)
                    continue;
                const std::size_t face = Lattice::faceOf(static_cast<std::size_t>(owner), side / 2);
                if (!walls_->closed(face))
                    covered_[face] = walls_->open(face);
            }
        }
}

void FluidRows::find()
{
    rows_.assign(lattice_->cells(), -1);
    covered_.clear();
    const bool solids = !nodes_->cellShare.empty();
    if (solids)
        findCovered();
    for (std::size_t b = 0; b < lattice_->size(); ++b)
        for (int c = 0; c < kBlockNodes; ++c) {
            const std::size_t cell = b * kBlockNodes + static_cast<std::size_t>(c);
            if (scattered_->count[cell] > 0 && isOpen(b, c))
                rows_[cell] = 0;
        }
    if (!solids)
        return;
    std::vector<std::size_t> enclosed;
    for (std::size_t b = 0; b < lattice_->size(); ++b)
        for (int c = 0; c < kBlockNodes; ++c)
            if (const std::size_t cell = b * kBlockNodes + static_cast<std::size_t>(c);
                rows_[cell] < 0 && isEnclosed(b, c))
                enclosed.push_back(cell);
    for (const std::size_t cell : enclosed)
        rows_[cell] = 0;
    closeFilled();
}

void FluidRows::add(double cellSize, PressureSystem& system, std::vector<double>& flux)
{
    const double area = cellSize * cellSize;
    std::vector<std::size_t> closed; // wall faces: 3 cell + axis
    auto next = static_cast<std::int32_t>(system.size());
    for (std::int32_t& row : rows_)
        if (row >= 0)
            row = next++;
    for (std::size_t b = 0; b < lattice_->size(); ++b)
        for (int c = 0; c < kBlockNodes; ++c)
            if (rows_[b * kBlockNodes + static_cast<std::size_t>(c)] >= 0)
                addCell(b, c, area, system, flux, closed);
    std::sort(closed.begin(), closed.end());
    closed.erase(std::unique(closed.begin(), closed.end()), closed.end());
    for (const std::size_t place : closed) {
        const std::size_t cell = place / 3;
        const int axis = static_cast<int>(place % 3);
        const std::size_t face = Lattice::faceOf(cell, axis);
        const PressureSystem::Entry entry{static_cast<std::uint32_t>(face), area};
        flux.push_back(area * static_cast<double>(walls_->velocity(face)));
        system.add(Unknown::wallPressure,
                   lattice_->coordinates(cell / kBlockNodes, static_cast<int>(cell % kBlockNodes)),
                   axis, kRegularisation, true, {&entry, 1});
    }
}

void FluidRows::addCell(std::size_t b, int c, double area, PressureSystem& system,
                        std::vector<double>& flux, std::vector<std::size_t>& closed) const
{
    PressureSystem::Entry entries[6 + 9]; // faces, and three nodes of solids along each axis
    std::size_t count = 0;
    const auto addSolid = [&](std::size_t velocity, double coefficient) {
        std::size_t n = 0;
        while (n < count && entries[n].velocity != velocity)
            ++n;
        if (n == count)
            entries[count++] = {static_cast<std::uint32_t>(velocity), 0};
        entries[n].coefficient += coefficient;
    };
    double wallFlux = 0;
    for (int side = 0; side < 6; ++side) {
        const std::int64_t owner = ownerOf(b, c, side);
        if (owner < 0)
            continue;
        const int axis = side / 2;
        const auto at = static_cast<std::size_t>(owner);
        const std::size_t face = Lattice::faceOf(at, axis);
        // Minus the divergence: what flows in through the lower face counts positive.
        const double sign = side % 2 ? -1 : 1;
        double share = 1;
        std::uint32_t behind = PressureSystem::Entry::kNothing;
        if (walls_->near(b) || walls_->near(at / kBlockNodes)) {
            if (walls_->closed(face)) {
                closed.push_back(3 * at + static_cast<std::size_t>(axis));
                behind = PressureSystem::Entry::kWall;
            } else {
                share = walls_->open(face);
                wallFlux -= sign * area * (1 - share) * static_cast<double>(walls_->velocity(face));
            }
        }
        if (const double solid = covered(face); solid > 0) {
            const Beside nodes = beside(at / kBlockNodes, static_cast<int>(at % kBlockNodes), axis);
            for (int n = 0; n < 2; ++n)
                if (nodes.share[n] > 0)
                    addSolid(nodes.velocity[n], sign * solid * area * nodes.share[n]);
            share -= solid;
        }
        if (!(share > 0))
            continue;
        const std::int64_t other =
            side % 2 ? owner
                     : lattice_->cellAt(b, (c >> 4) - (axis == 0), (c >> 2 & 3) - (axis == 1),
                                        (c & 3) - (axis == 2));
        if (behind == PressureSystem::Entry::kNothing && isFluid(other))
            behind = static_cast<std::uint32_t>(rowOf(static_cast<std::size_t>(other)));
        entries[count++] = {static_cast<std::uint32_t>(face), sign * share * area, behind};
    }
    flux.push_back(wallFlux);
    system.add(Unknown::fluidPressure, lattice_->coordinates(b, c), 0, kRegularisation, true,
               {entries, count});
}

double FluidRows::roomOf(std::size_t b, int c) const
{
    if (!walls_->near(b))
        return 1;
    double room = 0;
    for (int n = 0; n < kOffsets; ++n) {
        const int d[3] = {n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
        const std::int64_t other =
            lattice_->cellAt(b, (c >> 4) + d[0], (c >> 2 & 3) + d[1], (c & 3) + d[2]);
        // A box of fluid under a linear kernel: 1/8, 3/4 and 1/8 along each axis.
        const double w = (d[0] ? 0.125 : 0.75) * (d[1] ? 0.125 : 0.75) * (d[2] ? 0.125 : 0.75);
        room += w * (other < 0 ? 1 : walls_->openVolume(static_cast<std::size_t>(other)));
    }
    return std::max(room, 0.1);
}

bool FluidRows::atSurface(std::size_t b, int c) const
{
    for (int n = 0; n < kOffsets; ++n) {
        const std::int64_t other = lattice_->cellAt(
            b, (c >> 4) + n / 9 - 1, (c >> 2 & 3) + n / 3 % 3 - 1, (c & 3) + n % 3 - 1);
        if (isFluid(other))
            continue;
        const auto at = static_cast<std::size_t>(other);
        const float solid = other < 0 || covered_.empty() ? 0 : nodes_->cellShare[at];
        if (other < 0 || walls_->openVolume(at) - solid > 0.5f)
            return true;
    }
    return false;
}

void FluidRows::extend(std::vector<double>& field, bool velocities) const
{
    std::vector<std::pair<std::size_t, double>> changes;
    for (std::size_t b = 0; b < lattice_->size(); ++b) {
        if (!walls_->near(b) && covered_.empty())
            continue;
        for (int c = 0; c < kBlockNodes; ++c) {
            const int at[3] = {c >> 4, c >> 2 & 3, c & 3};
            const std::size_t cell = b * kBlockNodes + static_cast<std::size_t>(c);
            for (int axis = 0; axis < 3; ++axis) {
                const std::size_t face = Lattice::faceOf(cell, axis);
                const auto held = [&](int x, int y, int z) {
                    return isFluid(lattice_->cellAt(b, x, y, z)) ||
                           isFluid(lattice_->cellAt(b, x - (axis == 0), y - (axis == 1),
                                                    z - (axis == 2)));
                };
                if (open(face) >= 0.5f || !(scattered_->mass[face] > 0))
                    continue;
                if (held(at[0], at[1], at[2])) {
                    if (covered(face) > 0 && open(face) < Walls::kClosed) {
                        const Beside solid = beside(b, c, axis);
                        changes.emplace_back(face, solid.share[0] * field[solid.velocity[0]] +
                                                       solid.share[1] * field[solid.velocity[1]]);
                    }
                    continue;
                }
                if (walls_->sticks(face)) {
                    changes.emplace_back(
                        face, velocities ? static_cast<double>(walls_->velocity(face)) : 0.0);
                    continue;
                }
                double sum = 0;
                int count = 0;
                for (int side = 0; side < 6; ++side) {
                    int n[3] = {at[0], at[1], at[2]};
                    n[side / 2] += side % 2 ? 1 : -1;
                    const std::int64_t other = lattice_->cellAt(b, n[0], n[1], n[2]);
                    if (other >= 0 && held(n[0], n[1], n[2])) {
                        sum += field[Lattice::faceOf(static_cast<std::size_t>(other), axis)];
                        ++count;
                    }
                }
                if (count > 0)
                    changes.emplace_back(face, sum / count);
            }
        }
    }
    for (const auto& [face, value] : changes)
        field[face] = value;
}

} // namespace floe::coupled
