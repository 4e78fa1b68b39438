#include "solid_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace floe::coupled {

using namespace sdk::grid;

namespace {

/// J is kept within these bounds, whatever the pressure.
constexpr float kLeastChange = -0.7f, kMostChange = 2;

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
                  std::vector<double>& last, std::vector<std::int32_t>& rows)
{
    struct Sums {
        Around gradient;
        double softness = 0, volume = 0, pressure = 0;
    };
    rows.assign(lattice.cells(), -1);
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
            rows[b * kBlockNodes + static_cast<std::size_t>(c)] =
                static_cast<std::int32_t>(last.size());
            last.push_back(sums.pressure / sums.volume);
            system.add(Unknown::solidPressure, lattice.coordinates(b, c), 0, sums.softness / dt,
                       false, entries);
        }
    }
}

void addInterfaceRows(const Interface& interface, const Solid& solid, const Lattice& lattice,
                      double regularisation, PressureSystem& system)
{
    const auto cell = static_cast<float>(solid.cellSize());
    std::vector<std::pair<std::size_t, std::size_t>> byCell; // cell of the lattice, point
    for (std::size_t n = 0; n < interface.points.size(); ++n) {
        const auto& bin = solid[interface.points[n].bin];
        const SolidStencil stencil(bin.particles[interface.points[n].particle].x, cell);
        const auto b = static_cast<std::size_t>(lattice.find(bin.block));
        byCell.emplace_back(b * kBlockNodes +
                                static_cast<std::size_t>(
                                    cellNumber(stencil.cell[0], stencil.cell[1], stencil.cell[2])),
                            n);
    }
    std::sort(byCell.begin(), byCell.end());
    std::vector<PressureSystem::Entry> entries;
    for (std::size_t i = 0; i < byCell.size();) {
        const std::size_t at = byCell[i].first;
        Around fluid, nodes;
        for (; i < byCell.size() && byCell[i].first == at; ++i) {
            const InterfacePoint& point = interface.points[byCell[i].second];
            const Vec3f& x = solid[point.bin].particles[point.particle].x;
            const SolidStencil stencil(x, cell);
            stencil.forAll([&](int dx, int dy, int dz, float w, const Vec3f&, const Vec3f&) {
                for (int axis = 0; axis < 3; ++axis)
                    nodes.at(axis, dx, dy, dz) -= point.area * w * point.normal[axis];
            });
            for (int axis = 0; axis < 3; ++axis) {
                int low[3]; // first of the two faces along each axis, relative to the cell
                float share[3];
                for (int a = 0; a < 3; ++a) {
                    const float f = x[a] / cell - static_cast<float>(stencil.cell[a]) -
                                    (a == axis ? 0.0f : 0.5f);
                    low[a] = f < 0 ? -1 : 0;
                    share[a] = f - static_cast<float>(low[a]);
                }
                for (int k = 0; k < 8; ++k) {
                    const int o[3] = {k >> 2, k >> 1 & 1, k & 1};
                    double w = point.area * point.normal[axis];
                    for (int a = 0; a < 3; ++a)
                        w *= o[a] ? share[a] : 1 - share[a];
                    fluid.at(axis, low[0] + o[0], low[1] + o[1], low[2] + o[2]) += w;
                }
            }
        }
        const std::size_t b = at / kBlockNodes;
        const int c = static_cast<int>(at % kBlockNodes);
        entries.clear();
        fluid.append(lattice, b, c, 0, entries);
        nodes.append(lattice, b, c, lattice.faces(), entries);
        system.add(Unknown::interfacePressure, lattice.coordinates(b, c), 0, regularisation, true,
                   entries);
    }
}

void takePressures(Solid& solid, const std::vector<SolidMaterial>& materials,
                   const Lattice& lattice, const std::vector<double>& pressures,
                   const std::vector<std::int32_t>& rows, Executor& executor)
{
    executor.parallelFor(solid.size(), 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto b = static_cast<std::size_t>(lattice.find(solid[i].block));
            for (SolidParticle& p : solid[i].particles) {
                const SolidStencil stencil(p.x, static_cast<float>(solid.cellSize()));
                const std::int32_t row =
                    rows[b * kBlockNodes + static_cast<std::size_t>(cellNumber(
                                               stencil.cell[0], stencil.cell[1], stencil.cell[2]))];
                const double change =
                    -pressures[static_cast<std::size_t>(row)] / materials[p.material].lambda;
                p.change = std::clamp(static_cast<float>(change), kLeastChange, kMostChange);
            }
        }
    });
}

} // namespace floe::coupled
