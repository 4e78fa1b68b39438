#include "transfer.hpp"

#include "arenas.hpp"

#include <algorithm>
#include <cmath>

namespace floe::coupled {

using namespace sdk::grid;

namespace {

constexpr int kFields = 10; // mass, momentum and volume of each component, volume of cells

/// Linear weights of the two nearest of the points that lie `shift` beside whole numbers.
struct Stencil {
    int first[3];
    float share[3]; ///< of the second

    /// @param x  [cells] from the block's corner
    Stencil(const Vec3f& x, const Vec3f& shift)
    {
        for (int axis = 0; axis < 3; ++axis) {
            const float at = x[axis] - shift[axis];
            const float whole = std::clamp(std::floor(at), -1.0f, float{kBlockEdge - 1});
            first[axis] = static_cast<int>(whole) + 1;
            share[axis] = at - whole;
        }
    }
    /// Calls body(arena cell, weight, offset of the point from the position [cells]).
    template <class Body>
    void forAll(const Body& body) const
    {
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j)
                for (int k = 0; k < 2; ++k) {
                    const float w = (i ? share[0] : 1 - share[0]) * (j ? share[1] : 1 - share[1]) *
                                    (k ? share[2] : 1 - share[2]);
                    body(reachCell(first[0] + i, first[1] + j, first[2] + k), w,
                         Vec3f{i - share[0], j - share[1], k - share[2]});
                }
    }
};

/// Faces of component `axis` lie at the centre of a cell along the other axes; 3: centres of cells.
Vec3f shiftOf(int axis)
{
    return {axis == 0 ? 0.0f : 0.5f, axis == 1 ? 0.0f : 0.5f, axis == 2 ? 0.0f : 0.5f};
}

void fill(const Fluid::Bin& bin, float cell, Arenas<kFields>::Arena& arena, std::uint16_t* count)
{
    for (const FluidParticle& p : bin.particles) {
        const Vec3f x = (1 / cell) * p.x;
        const auto at = [&](int axis) {
            return std::clamp(static_cast<int>(x[axis]), 0, kBlockEdge - 1);
        };
        std::uint16_t& n = count[cellNumber(at(0), at(1), at(2))];
        n += n < 65535;
        for (int axis = 0; axis < 3; ++axis) {
            float* const mass = arena.data() + 3 * axis * kReachCells;
            const Vec3f slope = cell * p.gradient[axis];
            Stencil(x, shiftOf(axis)).forAll([&](int c, float w, const Vec3f& offset) {
                mass[c] += w * p.mass;
                mass[2 * kReachCells + c] += w * p.volume;
                mass[kReachCells + c] += w * p.mass * (p.v[axis] + physics::dot(slope, offset));
            });
        }
        float* const volume = arena.data() + 9 * kReachCells;
        Stencil(x, shiftOf(3)).forAll([&](int c, float w, const Vec3f&) {
            volume[c] += w * p.volume;
        });
    }
}

} // namespace

void scatter(const Fluid& fluid, const Lattice& lattice, Scattered& out, Executor& executor)
{
    out.mass.assign(lattice.faces(), 0);
    out.density.assign(lattice.faces(), 0);
    out.velocity.assign(lattice.faces(), 0);
    out.volume.assign(lattice.cells(), 0);
    out.count.assign(lattice.cells(), 0);
    Arenas<kFields> arenas(fluid, lattice);
    arenas.fillAll(executor, [&](std::size_t i, auto& arena) {
        const auto block = static_cast<std::size_t>(lattice.find(fluid[i].block));
        fill(fluid[i], static_cast<float>(fluid.cellSize()), arena,
             out.count.data() + block * kBlockNodes);
    });
    arenas.sumAll(executor, [&](std::size_t b, const auto& sums) {
        for (std::size_t c = 0; c < kBlockNodes; ++c) {
            out.volume[b * kBlockNodes + c] = sums[9][c];
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const std::size_t face = (3 * b + axis) * kBlockNodes + c;
                const float mass = sums[3 * axis][c];
                out.mass[face] = mass;
                if (mass > 0) {
                    out.velocity[face] = static_cast<double>(sums[3 * axis + 1][c]) / mass;
                    out.density[face] = mass / sums[3 * axis + 2][c];
                }
            }
        }
    });
}

void gather(Fluid& fluid, const Lattice& lattice, const std::vector<double>& velocity,
            const std::vector<double>& displacement, float most, double dt, Executor& executor)
{
    const auto cell = static_cast<float>(fluid.cellSize());
    const auto step = static_cast<float>(dt);
    executor.parallelFor(fluid.size(), 4, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto b = static_cast<std::size_t>(lattice.find(fluid[i].block));
            float v[3][kReachCells], way[3][kReachCells];
            for (int x = 0; x < kReachEdge; ++x)
                for (int y = 0; y < kReachEdge; ++y)
                    for (int z = 0; z < kReachEdge; ++z) {
                        const std::int64_t from = lattice.cellAt(b, x - 1, y - 1, z - 1);
                        const int to = reachCell(x, y, z);
                        for (int axis = 0; axis < 3; ++axis) {
                            const std::size_t face =
                                from < 0 ? 0
                                         : Lattice::faceOf(static_cast<std::size_t>(from), axis);
                            v[axis][to] = from < 0 ? 0 : static_cast<float>(velocity[face]);
                            way[axis][to] = from < 0 ? 0 : static_cast<float>(displacement[face]);
                        }
                    }
            for (FluidParticle& p : fluid[i].particles) {
                const Vec3f at = (1 / cell) * p.x;
                Vec3f moved = p.x;
                for (int axis = 0; axis < 3; ++axis) {
                    const Stencil stencil(at, shiftOf(axis));
                    float sum = 0, shift = 0;
                    Vec3f slope{0, 0, 0};
                    stencil.forAll([&](int c, float w, const Vec3f&) {
                        sum += w * v[axis][c];
                        shift += w * way[axis][c];
                    });
                    const float* const s = stencil.share;
                    for (int i0 = 0; i0 < 2; ++i0)
                        for (int j = 0; j < 2; ++j)
                            for (int k = 0; k < 2; ++k) {
                                const float value =
                                    v[axis][reachCell(stencil.first[0] + i0, stencil.first[1] + j,
                                                      stencil.first[2] + k)];
                                const float wx = i0 ? s[0] : 1 - s[0], wy = j ? s[1] : 1 - s[1],
                                            wz = k ? s[2] : 1 - s[2];
                                slope = slope + value * Vec3f{(i0 ? 1.0f : -1.0f) * wy * wz,
                                                              (j ? 1.0f : -1.0f) * wx * wz,
                                                              (k ? 1.0f : -1.0f) * wx * wy};
                            }
                    p.v[axis] = sum;
                    p.gradient[axis] = (1 / cell) * slope;
                    moved[axis] += step * sum + std::clamp(shift, -most, most);
                }
                p.x = moved;
            }
        }
    });
}

} // namespace floe::coupled
