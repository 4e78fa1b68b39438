#include "fluid_rows.hpp"

#include <algorithm>
#include <utility>

namespace floe::coupled {

using namespace sdk::grid;

namespace {

/// Regularisation of rows: keeps closed containers, whose pressures have no level, solvable.
constexpr double kRegularisation = 1e-8;

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
    bool open = !walls_->near(b);
    for (int side = 0; side < 6 && !open; ++side) {
        const std::int64_t owner = ownerOf(b, c, side);
        open = owner >= 0 &&
               !walls_->closed(Lattice::faceOf(static_cast<std::size_t>(owner), side / 2));
    }
    return open;
}

void FluidRows::add(double cellSize, PressureSystem& system, std::vector<double>& flux)
{
    const double area = cellSize * cellSize;
    rows_.assign(lattice_->cells(), -1);
    std::vector<std::size_t> closed; // wall faces: 3 cell + axis
    for (std::size_t b = 0; b < lattice_->size(); ++b)
        for (int c = 0; c < kBlockNodes; ++c) {
            const std::size_t cell = b * kBlockNodes + static_cast<std::size_t>(c);
            if (scattered_->count[cell] == 0 || !isOpen(b, c))
                continue;
            rows_[cell] = static_cast<std::int32_t>(system.size());
            addCell(b, c, area, system, flux, closed);
        }
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
    PressureSystem::Entry entries[6];
    std::size_t count = 0;
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
        if (walls_->near(b) || walls_->near(at / kBlockNodes)) {
            if (walls_->closed(face)) {
                closed.push_back(3 * at + static_cast<std::size_t>(axis));
            } else {
                share = walls_->open(face);
                wallFlux -= sign * area * (1 - share) * static_cast<double>(walls_->velocity(face));
            }
        }
        entries[count++] = {static_cast<std::uint32_t>(face), sign * share * area};
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
        if (other < 0 || walls_->openVolume(at) > 0.5f)
            return true;
    }
    return false;
}

void FluidRows::extendIntoWalls(std::vector<double>& field, bool velocities) const
{
    std::vector<std::pair<std::size_t, double>> changes;
    for (std::size_t b = 0; b < lattice_->size(); ++b) {
        if (!walls_->near(b))
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
                if (walls_->open(face) >= 0.5f || !(scattered_->mass[face] > 0) ||
                    held(at[0], at[1], at[2]))
                    continue;
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
