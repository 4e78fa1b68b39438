#include "solid_grid.hpp"

#include "fluid/arenas.hpp"
#include "system/pressure_system.hpp"

#include <algorithm>
#include <cmath>

namespace floe::coupled {

using namespace sdk::grid;

namespace {

using Vectors = std::vector<double>;

/// J is kept within these bounds, whatever the deformation.
constexpr float kMinChange = -0.7f, kMaxChange = 2;

/// The velocities of the nodes that a block's particles reach.
struct Reached {
    float v[3][kReachCells];

    Reached(const Lattice& lattice, std::size_t block, const Vectors& velocity)
    {
        for (int x = 0; x < kReachEdge; ++x)
            for (int y = 0; y < kReachEdge; ++y)
                for (int z = 0; z < kReachEdge; ++z) {
                    const std::int64_t from = lattice.cellAt(block, x - 1, y - 1, z - 1);
                    for (int axis = 0; axis < 3; ++axis)
                        v[axis][reachCell(x, y, z)] =
                            from < 0 ? 0
                                     : static_cast<float>(velocity[Lattice::faceOf(
                                           static_cast<std::size_t>(from), axis)]);
                }
    }
    Vec3f at(int node) const { return {v[0][node], v[1][node], v[2][node]}; }
};

int nodeOf(const SolidStencil& stencil, int dx, int dy, int dz)
{
    return reachCell(stencil.cell[0] + dx + 1, stencil.cell[1] + dy + 1, stencil.cell[2] + dz + 1);
}

/// Rows: the gradient of each component.
void gradientAt(const SolidStencil& stencil, const Reached& nodes, Vec3f (&gradient)[3])
{
    for (Vec3f& row : gradient)
        row = {0, 0, 0};
    stencil.forAll([&](int dx, int dy, int dz, float, const Vec3f& slope, const Vec3f&) {
        const Vec3f v = nodes.at(nodeOf(stencil, dx, dy, dz));
        for (int a = 0; a < 3; ++a)
            gradient[a] = gradient[a] + v[a] * slope;
    });
}

} // namespace

SolidStencil::SolidStencil(const Vec3f& x, float cellSize)
{
    for (int axis = 0; axis < 3; ++axis) {
        const float at = x[axis] / cellSize;
        cell[axis] = std::clamp(static_cast<int>(std::floor(at)), 0, kBlockEdge - 1);
        const float f = at - static_cast<float>(cell[axis]) + 0.5f; // from the first node
        const float a = 1.5f - f, b = f - 1, c = f - 0.5f;
        w[axis][0] = 0.5f * a * a;
        w[axis][1] = 0.75f - b * b;
        w[axis][2] = 0.5f * c * c;
        slope[axis][0] = -a / cellSize;
        slope[axis][1] = -2 * b / cellSize;
        slope[axis][2] = c / cellSize;
        for (int i = 0; i < 3; ++i)
            offset[axis][i] = (static_cast<float>(i) - f) * cellSize;
    }
}

namespace {

/// Adds the shares of boxes of a cell's size that a cube fills. A box belongs to a cell and lies
/// half a cell before it along `axis` (the box around its lower face); 3: it is the cell itself.
/// @param x     centre of the cube [cells] from the block's corner
/// @param edge  [cells], at most 1
void addShares(const Vec3f& x, float edge, int axis, float* shares)
{
    int first[3];
    float low[3], high[3]; // lengths within the first box and the next
    for (int a = 0; a < 3; ++a) {
        const float begin = x[a] - 0.5f * edge + (a == axis ? 0.5f : 0.0f);
        const float whole = std::clamp(std::floor(begin), -1.0f, float{kBlockEdge - 1});
        first[a] = static_cast<int>(whole) + 1;
        high[a] = std::clamp(begin + edge - (whole + 1), 0.0f, edge);
        low[a] = edge - high[a];
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            for (int k = 0; k < 2; ++k)
                shares[reachCell(first[0] + i, first[1] + j, first[2] + k)] +=
                    (i ? high[0] : low[0]) * (j ? high[1] : low[1]) * (k ? high[2] : low[2]);
}

} // namespace

void scatter(const Solid& solid, const Lattice& lattice, SolidNodes& out, Executor& executor)
{
    const auto cell = static_cast<float>(solid.cellSize());
    out.mass.assign(lattice.cells(), 0);
    out.velocity.assign(lattice.faces(), 0);
    out.volume.assign(lattice.cells(), 0);
    out.cellShare.assign(lattice.cells(), 0);
    out.faceShare.assign(lattice.faces(), 0);
    constexpr std::size_t kCellShare = 5, kFaceShares = 6;
    Arenas<9> arenas(solid, lattice); // mass, momentum, volume, shares
    arenas.fillAll(executor, [&](std::size_t i, auto& arena) {
        for (const SolidParticle& p : solid[i].particles) {
            const SolidStencil stencil(p.x, cell);
            stencil.forAll([&](int dx, int dy, int dz, float w, const Vec3f&, const Vec3f& offset) {
                const auto node = static_cast<std::size_t>(nodeOf(stencil, dx, dy, dz));
                arena[node] += w * p.mass;
                for (int a = 0; a < 3; ++a)
                    arena[static_cast<std::size_t>(a + 1) * kReachCells + node] +=
                        w * p.mass * (p.v[a] + physics::dot(p.gradient[a], offset));
                float linear = p.volume * (1 + p.change);
                const int d[3] = {dx, dy, dz};
                for (int a = 0; a < 3; ++a)
                    linear *= std::max(0.0f, 1 - std::abs(stencil.offset[a][d[a] + 1]) / cell);
                arena[4 * kReachCells + node] += linear;
            });
            const float edge = std::min(std::cbrt(p.volume * (1 + p.change)) / cell, 1.0f);
            addShares((1 / cell) * p.x, edge, 3, arena.data() + kCellShare * kReachCells);
            for (int a = 0; a < 3; ++a)
                addShares((1 / cell) * p.x, edge, a,
                          arena.data() + (kFaceShares + static_cast<std::size_t>(a)) * kReachCells);
        }
    });
    arenas.sumAll(executor, [&](std::size_t b, const auto& sums) {
        for (std::size_t c = 0; c < kBlockNodes; ++c) {
            const float mass = sums[0][c];
            out.mass[b * kBlockNodes + c] = mass;
            out.volume[b * kBlockNodes + c] = sums[4][c];
            out.cellShare[b * kBlockNodes + c] = sums[kCellShare][c];
            for (std::size_t a = 0; a < 3; ++a)
                out.faceShare[(3 * b + a) * kBlockNodes + c] = sums[kFaceShares + a][c];
            for (std::size_t a = 0; a < 3 && mass > 0; ++a)
                out.velocity[(3 * b + a) * kBlockNodes + c] =
                    static_cast<double>(sums[a + 1][c]) / mass;
        }
    });
}

namespace {

/// Sums of particles' stress times the gradients of nodes: minus the force of each node.
class StressSums {
public:
    StressSums(const Solid& solid, const Lattice& lattice)
        : solid_(&solid), lattice_(&lattice), arenas_(solid, lattice)
    {}
    /// @param stress  called as stress(particle, stencil, nodes reached, Sym3&) [J]
    template <class Stress>
    void find(const Vectors& velocity, Vectors& out, Executor& executor, const Stress& stress)
    {
        const auto cell = static_cast<float>(solid_->cellSize());
        arenas_.fillAll(executor, [&](std::size_t i, auto& arena) {
            const auto block = static_cast<std::size_t>(lattice_->find((*solid_)[i].block));
            const Reached nodes(*lattice_, block, velocity);
            for (const SolidParticle& p : (*solid_)[i].particles) {
                const SolidStencil stencil(p.x, cell);
                physics::Sym3<float> s{};
                stress(p, stencil, nodes, s);
                stencil.forAll([&](int dx, int dy, int dz, float, const Vec3f& g, const Vec3f&) {
                    const auto node = static_cast<std::size_t>(nodeOf(stencil, dx, dy, dz));
                    arena[node] += s.xx * g.x + s.xy * g.y + s.xz * g.z;
                    arena[kReachCells + node] += s.xy * g.x + s.yy * g.y + s.yz * g.z;
                    arena[2 * kReachCells + node] += s.xz * g.x + s.yz * g.y + s.zz * g.z;
                });
            }
        });
        arenas_.sumAll(executor, [&](std::size_t b, const auto& sums) {
            for (std::size_t a = 0; a < 3; ++a)
                for (std::size_t c = 0; c < kBlockNodes; ++c)
                    out[(3 * b + a) * kBlockNodes + c] = sums[a][c];
        });
    }

private:
    const Solid* solid_;
    const Lattice* lattice_;
    Arenas<3> arenas_;
};

} // namespace

ElasticReport applyElasticity(const Solid& solid, const std::vector<SolidMaterial>& materials,
                              const Lattice& lattice, const std::vector<std::uint8_t>& held,
                              const std::vector<double>& push, SolidNodes& nodes, double dt,
                              Executor& executor)
{
    ElasticReport report;
    const std::size_t count = lattice.faces();
    StressSums sums(solid, lattice);
    Vectors r(count), q(count), z(count), p(count);
    const auto massOf = [&](std::size_t i) {
        return nodes.mass[i / (3 * kBlockNodes) * kBlockNodes + i % kBlockNodes];
    };
    const auto forAll = [&](const auto& body) {
        executor.parallelFor(count, 4096, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                body(i);
        });
    };
    // dt (f - ...): the change of velocity is solved for, from 0.
    const auto step = static_cast<float>(dt);
    const auto tangent = [&](const Vectors& v, Vectors& out) {
        sums.find(v, out, executor,
                  [&](const SolidParticle& particle, const SolidStencil& stencil,
                      const Reached& reached, physics::Sym3<float>& s) {
                      const SolidMaterial& m = materials[particle.material];
                      Vec3f g[3];
                      gradientAt(stencil, reached, g);
                      const float f = m.mu * (step * step + step * m.damping) * particle.volume;
                      s = {2 * f * g[0].x, f * (g[0].y + g[1].x), f * (g[0].z + g[2].x),
                           2 * f * g[1].y, f * (g[1].z + g[2].y), 2 * f * g[2].z};
                  });
    };
    tangent(nodes.velocity, q);
    sums.find(nodes.velocity, r, executor,
              [&](const SolidParticle& particle, const SolidStencil&, const Reached&,
                  physics::Sym3<float>& s) {
                  const SolidMaterial& m = materials[particle.material];
                  physics::Mat3<float> H;
                  for (int i = 0; i < 3; ++i)
                      for (int j = 0; j < 3; ++j)
                          H[i][j] = particle.H[i][j];
                  float state = 0;
                  const auto tau = physics::visitLaw(m.law, [&](const auto& law) {
                      if constexpr (requires { law.damping; })
                          return physics::respondToGradient(law, H, state, step).tau;
                      else
                          return physics::Sym3<float>{};
                  });
                  s = (step * particle.volume) * tau;
              });
    forAll([&](std::size_t i) { r[i] = held[i] ? 0 : dt * push[i] - r[i] - q[i]; });
    const double norm = dot(r, r, executor);
    double rz = 0, rest = norm;
    Vectors change(count);
    while (rest > 1e-8 * norm && report.iterations < 200) { // 1e-4 in the norm
        forAll([&](std::size_t i) { z[i] = massOf(i) > 0 ? r[i] / massOf(i) : 0; });
        const double next = dot(r, z, executor);
        forAll([&, beta = report.iterations ? next / rz : 0.0](std::size_t i) {
            p[i] = z[i] + beta * p[i];
        });
        rz = next;
        tangent(p, q);
        forAll([&](std::size_t i) {
            q[i] = held[i] ? 0 : q[i] + static_cast<double>(massOf(i)) * p[i];
        });
        const double curvature = dot(p, q, executor);
        if (!(curvature > 0))
            break;
        forAll([&, alpha = rz / curvature](std::size_t i) {
            change[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        });
        rest = dot(r, r, executor);
        ++report.iterations;
    }
    report.converged = rest <= 1e-8 * norm;
    forAll([&](std::size_t i) {
        if (massOf(i) > 0)
            nodes.velocity[i] += change[i];
    });
    return report;
}

void gather(Solid& solid, const Lattice& lattice, const std::vector<double>& velocity, double dt,
            Executor& executor)
{
    const auto cell = static_cast<float>(solid.cellSize()), step = static_cast<float>(dt);
    executor.parallelFor(solid.size(), 4, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Reached nodes(lattice, static_cast<std::size_t>(lattice.find(solid[i].block)),
                                velocity);
            for (SolidParticle& p : solid[i].particles) {
                const SolidStencil stencil(p.x, cell);
                Vec3f g[3], affine[3] = {};
                gradientAt(stencil, nodes, g);
                p.v = {0, 0, 0};
                stencil.forAll(
                    [&](int dx, int dy, int dz, float w, const Vec3f&, const Vec3f& offset) {
                        const Vec3f v = nodes.at(nodeOf(stencil, dx, dy, dz));
                        p.v = p.v + w * v;
                        for (int a = 0; a < 3; ++a)
                            affine[a] = affine[a] + (w * v[a]) * offset;
                    });
                float H[3][3];
                for (int a = 0; a < 3; ++a) {
                    p.gradient[a] = (4 / (cell * cell)) * affine[a];
                    for (int b = 0; b < 3; ++b)
                        H[a][b] = p.H[a][b] + step * (g[a][b] + g[a].x * p.H[0][b] +
                                                      g[a].y * p.H[1][b] + g[a].z * p.H[2][b]);
                }
                std::copy_n(&H[0][0], 9, &p.H[0][0]);
                physics::Mat3<float> deformation;
                for (int a = 0; a < 3; ++a)
                    for (int b = 0; b < 3; ++b)
                        deformation[a][b] = H[a][b];
                p.change = std::clamp(physics::volumeChange(deformation), kMinChange, kMaxChange);
                p.x = p.x + step * p.v;
            }
        }
    });
}

} // namespace floe::coupled
