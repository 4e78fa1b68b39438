#include "solid_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace floe::coupled {

using namespace sdk::grid;

namespace {

/// Coefficients for three components on the cells around one.
struct Around {
    double of[3][27] = {};

    double& at(int axis, int dx, int dy, int dz) { return of[axis][offsetNumber(dx, dy, dz)]; }
    /// Appends those that are not 0.
    void append(const Lattice& lattice, std::size_t block, int cell, std::size_t first,
                std::vector<PressureSystem::Entry>& entries) const
    {
        for (int axis = 0; axis < 3; ++axis)
            for (int n = 0; n < kOffsets; ++n) {
                const double a = of[axis][n];
                if (a == 0)
                    continue;
                const std::int64_t other =
                    lattice.cellAt(block, (cell >> 4) + n / 9 - 1, (cell >> 2 & 3) + n / 3 % 3 - 1,
                                   (cell & 3) + n % 3 - 1);
                if (other >= 0)
                    entries.push_back(
                        {static_cast<std::uint32_t>(
                             first + Lattice::faceOf(static_cast<std::size_t>(other), axis)),
                         a});
            }
    }
};

} // namespace

void addSolidRows(const Solid& solid, const std::vector<SolidMaterial>& materials,
                  const Lattice& lattice, double dt, PressureSystem& system,
                  std::vector<double>& last)
{
    struct Sums {
        Around gradient;
        double softness = 0, volume = 0, pressure = 0;
    };
    last.clear();
    std::vector<PressureSystem::Entry> entries;
    for (std::size_t b = 0; b < lattice.size(); ++b) {
        const Solid::Bin* bin = solid.find(lattice.block(b));
        if (!bin)
            continue;
        std::vector<Sums> cells(kBlockNodes);
        for (const SolidParticle& p : bin->particles) {
            const SolidStencil stencil(p.x, static_cast<float>(solid.cellSize()));
            Sums& sums = cells[static_cast<std::size_t>(
                cellNumber(stencil.cell[0], stencil.cell[1], stencil.cell[2]))];
            const double lambda = materials[p.material].lambda;
            const double volume = static_cast<double>(p.volume) * (1 + p.change);
            sums.softness += p.volume / lambda;
            sums.volume += volume;
            sums.pressure -= volume * lambda * p.change;
            stencil.forAll([&](int dx, int dy, int dz, float, const Vec3f& slope, const Vec3f&) {
                for (int axis = 0; axis < 3; ++axis)
                    sums.gradient.at(axis, dx, dy, dz) -= volume * slope[axis];
            });
        }
        for (int c = 0; c < kBlockNodes; ++c) {
            const Sums& sums = cells[static_cast<std::size_t>(c)];
            if (!(sums.volume > 0))
                continue;
            entries.clear();
            sums.gradient.append(lattice, b, c, lattice.faces(), entries);
            last.push_back(sums.pressure / sums.volume);
            system.add(Unknown::solidPressure, lattice.coordinates(b, c), 0, sums.softness / dt,
                       false, entries);
        }
    }
}

} // namespace floe::coupled
