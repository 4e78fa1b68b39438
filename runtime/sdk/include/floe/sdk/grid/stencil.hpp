/// Transfers between particles and nodes on SIMD lanes: B-spline stencils, scattering mass and
/// momentum to a block's arena, gathering from it. This code is compiled once per instruction set,
/// so it uses nothing of the C++ library: the linker might keep the copy of an inline function
/// compiled for a newer instruction set for the whole program.
///
/// A stencil has `kSupport` nodes along each axis: 3 for quadratic splines, 4 for cubic ones.
/// Positions are in cells, relative to the first node of the particle's block. A node is four
/// floats: momentum (or velocity) and mass.
#pragma once

#include "floe/sdk/grid/block.hpp"
#include "floe/sdk/physics/pack.hpp"
#include "floe/sdk/physics/spline.hpp"

namespace floe::sdk::grid {

inline namespace FLOE_ISA {
namespace stencil {

using namespace floe::physics;

constexpr int N = kNativeLanes; ///< particles per group
using Real = Pack<float, N>;
using Int = Pack<std::int32_t, N>;

typedef float F4 __attribute__((vector_size(16)));
typedef float F8 __attribute__((vector_size(32)));

FLOE_HD F4 load4(const float* from)
{
    F4 a;
    memcpy(&a, from, sizeof a);
    return a;
}
FLOE_HD F8 load8(const float* from)
{
    F8 a;
    memcpy(&a, from, sizeof a);
    return a;
}
FLOE_HD void store4(float* to, F4 a)
{
    memcpy(to, &a, sizeof a);
}
/// Weights of a group of N particles, laid out for reading one particle at a time.
template <int kSupport>
struct alignas(64) Stencils {
    float x[kSupport][N], y[kSupport][N], z[kSupport][N];
    std::int32_t first[N]; ///< offset of the first node in an arena [floats]
};

/// Returns the number, in an arena, of a stencil's first node, from its position [cells]. Clamped,
/// so that a particle with an invalid position cannot write outside the arena.
template <int kSupport>
FLOE_HD Int arenaNode(Real x, Real y, Real z)
{
    const Real least(-1.0f), most(kArenaEdge - 1.0f - kSupport);
    const Int bx = toInt(clamp(x, least, most)), by = toInt(clamp(y, least, most)),
              bz = toInt(clamp(z, least, most));
    return ((bx + Int(1)) << 6) + ((by + Int(1)) << 3) + (bz + Int(1));
}

/// @return distance to the first node along each axis [cells]
template <int kSupport>
FLOE_HD Vec3<Real> computeStencils(const Vec3<Real>& position, Stencils<kSupport>& s)
{
    const auto wx = spline<kSupport>(position.x), wy = spline<kSupport>(position.y),
               wz = spline<kSupport>(position.z);
    FLOE_UNROLL
    for (int i = 0; i < kSupport; ++i) {
        wx.w[i].store(s.x[i]);
        wy.w[i].store(s.y[i]);
        wz.w[i].store(s.z[i]);
    }
    (arenaNode<kSupport>(wx.base, wy.base, wz.base) << 2).store(s.first);
    return {wx.f, wy.f, wz.f};
}

constexpr int kStrideX = kArenaEdge * kArenaEdge * kNodeFloats;
constexpr int kStrideY = kArenaEdge * kNodeFloats;

/// The consecutive nodes of a stencil along z.
template <int kSupport>
struct Column {
    F8 a, b;
};
template <>
struct Column<3> {
    F8 a;
    F4 b;
};
template <int kSupport>
FLOE_HD Column<kSupport> loadColumn(const float* from)
{
    Column<kSupport> c;
    memcpy(&c.a, from, sizeof c.a);
    memcpy(&c.b, from + 8, sizeof c.b);
    return c;
}
template <int kSupport>
FLOE_HD void storeColumn(float* to, const Column<kSupport>& c)
{
    memcpy(to, &c.a, sizeof c.a);
    memcpy(to + 8, &c.b, sizeof c.b);
}
template <int kSupport>
FLOE_HD Column<kSupport> operator+(const Column<kSupport>& p, const Column<kSupport>& q)
{
    return {p.a + q.a, p.b + q.b};
}
FLOE_HD F8 broadcast(float w)
{
    return w - F8{};
}
template <int kSupport>
FLOE_HD Column<kSupport> operator*(const Column<kSupport>& p, const Column<kSupport>& q)
{
    return {p.a * q.a, p.b * q.b};
}
template <int kSupport>
FLOE_HD Column<kSupport> operator*(F8 w, const Column<kSupport>& c)
{
    if constexpr (kSupport == 3) {
        return {w * c.a, __builtin_shufflevector(w, w, 0, 1, 2, 3) * c.b};
    } else {
        return {w * c.a, w * c.b};
    }
}

/// Returns the same four numbers, or one number four times, at each node of a column.
template <int kSupport>
FLOE_HD Column<kSupport> repeated(F4 a)
{
    const F8 twice = __builtin_shufflevector(a, a, 0, 1, 2, 3, 0, 1, 2, 3);
    if constexpr (kSupport == 3) {
        return {twice, a};
    } else {
        return {twice, twice};
    }
}
template <int kSupport>
FLOE_HD Column<kSupport> column(const F4 (&nodes)[kSupport])
{
    const F8 a = __builtin_shufflevector(nodes[0], nodes[1], 0, 1, 2, 3, 4, 5, 6, 7);
    if constexpr (kSupport == 3) {
        return {a, nodes[2]};
    } else {
        return {a, __builtin_shufflevector(nodes[2], nodes[3], 0, 1, 2, 3, 4, 5, 6, 7)};
    }
}
template <int kSupport>
FLOE_HD void split(const Column<kSupport>& c, F4 (&nodes)[kSupport])
{
    nodes[0] = __builtin_shufflevector(c.a, c.a, 0, 1, 2, 3);
    nodes[1] = __builtin_shufflevector(c.a, c.a, 4, 5, 6, 7);
    if constexpr (kSupport == 3) {
        nodes[2] = c.b;
    } else {
        nodes[2] = __builtin_shufflevector(c.b, c.b, 0, 1, 2, 3);
        nodes[3] = __builtin_shufflevector(c.b, c.b, 4, 5, 6, 7);
    }
}
/// Returns a particle's weights along z.
template <int kSupport>
FLOE_HD Column<kSupport> weightsAlongZ(const Stencils<kSupport>& s, int particle)
{
    F4 w[kSupport];
    FLOE_UNROLL
    for (int k = 0; k < kSupport; ++k)
        w[k] = s.z[k][particle] - F4{};
    return column(w);
}

/// Four numbers of each particle of a group: their value at its first node and their slope per node
/// along x, y and z; or, when gathered, weighted sums over the nodes and first moments about the
/// first node. Particles are processed one at a time, so their order and shared cells do not
/// matter. Particle p is stored at slotOf(p).
struct alignas(64) Fields {
    float first[N][4], alongX[N][4], alongY[N][4], alongZ[N][4];
};

/// Returns the place of a particle among the N of a group after transposeFours: 0, 4, 8, ... come
/// first, then 1, 5, 9, ....
constexpr int slotOf(int particle)
{
    return particle % 4 * (N / 4) + particle / 4;
}

/// Applies the same shuffle to every four lanes of p and q; indices from N on select from q.
#if defined(__AVX512F__)
#define FLOE_FOURS(p, q, i, j, k, l)                                                               \
    __builtin_shufflevector(p, q, i, j, k, l, i + 4, j + 4, k + 4, l + 4, i + 8, j + 8, k + 8,     \
                            l + 8, i + 12, j + 12, k + 12, l + 12)
#elif defined(__AVX2__)
#define FLOE_FOURS(p, q, i, j, k, l)                                                               \
    __builtin_shufflevector(p, q, i, j, k, l, i + 4, j + 4, k + 4, l + 4)
#else
#define FLOE_FOURS(p, q, i, j, k, l) __builtin_shufflevector(p, q, i, j, k, l)
#endif

/// Transposes each group of four lanes, so that a particle's four numbers are adjacent. Shuffles
/// that cross groups of four would go through memory.
FLOE_HD void transposeFours(Real& a, Real& b, Real& c, Real& d)
{
    const auto ab0 = FLOE_FOURS(a.v, b.v, 0, N, 1, N + 1);
    const auto ab1 = FLOE_FOURS(a.v, b.v, 2, N + 2, 3, N + 3);
    const auto cd0 = FLOE_FOURS(c.v, d.v, 0, N, 1, N + 1);
    const auto cd1 = FLOE_FOURS(c.v, d.v, 2, N + 2, 3, N + 3);
    a = FLOE_FOURS(ab0, cd0, 0, 1, N, N + 1);
    b = FLOE_FOURS(ab0, cd0, 2, 3, N + 2, N + 3);
    c = FLOE_FOURS(ab1, cd1, 0, 1, N, N + 1);
    d = FLOE_FOURS(ab1, cd1, 2, 3, N + 2, N + 3);
}
#undef FLOE_FOURS

/// Stores four attributes of N particles as four consecutive floats per particle.
FLOE_HD void storeFours(Real a, Real b, Real c, Real d, float (*to)[4])
{
    transposeFours(a, b, c, d);
    a.store(to[0]);
    b.store(to[N / 4]);
    c.store(to[N / 2]);
    d.store(to[3 * N / 4]);
}

/// Loads four consecutive floats of each of N particles.
/// @param fourth  set to the last of them
FLOE_HD Vec3<Real> loadFours(const float (*from)[4], Real& fourth)
{
    Real x = Real::load(from[0]), y = Real::load(from[N / 4]), z = Real::load(from[N / 2]);
    fourth = Real::load(from[3 * N / 4]);
    transposeFours(x, y, z, fourth);
    return {x, y, z};
}

/// Lays out what particles scatter: mass, and a momentum that is `atFirst` at the first node and
/// changes by the columns of A from node to node.
FLOE_HD void storeFields(const Vec3<Real>& atFirst, const Mat3<Real>& A, Real mass, Fields& fields)
{
    const Real zero(0.0f);
    storeFours(atFirst.x, atFirst.y, atFirst.z, mass, fields.first);
    storeFours(A[0][0], A[1][0], A[2][0], zero, fields.alongX);
    storeFours(A[0][1], A[1][1], A[2][1], zero, fields.alongY);
    storeFours(A[0][2], A[1][2], A[2][2], zero, fields.alongZ);
}

/// Adds the mass and momentum of particles to an arena. The momentum is `atFirst` at the first node
/// and changes by the columns of A from node to node.
/// @param count  number of particles; they come first in the group
template <int kSupport>
FLOE_HD void scatterParticles(const Stencils<kSupport>& s, const Vec3<Real>& atFirst,
                              const Mat3<Real>& A, Real mass, int count, float* arena)
{
    Fields fields;
    storeFields(atFirst, A, mass, fields);
    for (int p = 0; p < count; ++p) {
        const int at = slotOf(p);
        const Column<kSupport> wz = weightsAlongZ(s, p);
        F4 nodes[kSupport];
        nodes[0] = load4(fields.first[at]);
        const F4 dz = load4(fields.alongZ[at]);
        FLOE_UNROLL
        for (int k = 1; k < kSupport; ++k)
            nodes[k] = nodes[k - 1] + dz;
        Column<kSupport> plane = wz * column(nodes);
        const Column<kSupport> dx = wz * repeated<kSupport>(load4(fields.alongX[at]));
        const Column<kSupport> dy = wz * repeated<kSupport>(load4(fields.alongY[at]));
        float* const node = arena + s.first[p];
        FLOE_UNROLL
        for (int i = 0; i < kSupport; ++i) {
            const F8 wx = broadcast(s.x[i][p]);
            Column<kSupport> c = wx * plane;
            const Column<kSupport> step = wx * dy;
            FLOE_UNROLL
            for (int j = 0; j < kSupport; ++j) {
                float* const to = node + i * kStrideX + j * kStrideY;
                storeColumn(to, loadColumn<kSupport>(to) + broadcast(s.y[j][p]) * c);
                c = c + step;
            }
            plane = plane + dx;
        }
    }
}

/// Sums the nodes of a block over the arenas that overlap it. Along each axis nodes 0 to 3 are
/// nodes 1 to 4 of the block's own arena; nodes 0 to 2 are also nodes 5 to 7 of the previous
/// block's, and node 3 is node 0 of the next block's.
FLOE_HD void sumArenas(const float* const (&arenas)[27], float* sum)
{
    for (int i = 0; i < kBlockEdge; ++i)
        for (int j = 0; j < kBlockEdge; ++j) {
            F8 low{}, high{}; // nodes 0 and 1, 2 and 3
            F4 third{}, fourth{};
            for (int p = 0; p < 2; ++p)
                for (int q = 0; q < 2; ++q) {
                    const int ox = p == 0 ? 1 : i < 3 ? 0 : 2, oy = q == 0 ? 1 : j < 3 ? 0 : 2;
                    const int x = p == 0 ? i + 1 : i < 3 ? i + 5 : 0;
                    const int y = q == 0 ? j + 1 : j < 3 ? j + 5 : 0;
                    const float* const* const from = arenas + 9 * ox + 3 * oy;
                    const int at = x * kStrideX + y * kStrideY;
                    if (from[1]) {
                        low = low + load8(from[1] + at + kNodeFloats);
                        high = high + load8(from[1] + at + 3 * kNodeFloats);
                    }
                    if (from[0]) {
                        low = low + load8(from[0] + at + 5 * kNodeFloats);
                        third = third + load4(from[0] + at + 7 * kNodeFloats);
                    }
                    if (from[2])
                        fourth = fourth + load4(from[2] + at);
                }
            high = high + __builtin_shufflevector(third, fourth, 0, 1, 2, 3, 4, 5, 6, 7);
            float* const to = sum + (i * kBlockEdge + j) * kBlockEdge * kNodeFloats;
            memcpy(to, &low, sizeof low);
            memcpy(to + 8, &high, sizeof high);
        }
}

/// Weighted sums over the nodes of each particle's stencil: the means, and the first moments about
/// the first node.
struct Moments {
    Vec3<Real> mean, alongX, alongY, alongZ; ///< of velocity
    Real mass;                               ///< its mean
    Vec3<Real> massAlong;                    ///< its moments along x, y and z
};

/// @param sums  of each particle's nodes (Fields)
template <class Fields>
FLOE_HD Moments momentsOf(const Fields& sums)
{
    Moments m;
    m.mean = loadFours(sums.first, m.mass);
    m.alongX = loadFours(sums.alongX, m.massAlong.x);
    m.alongY = loadFours(sums.alongY, m.massAlong.y);
    m.alongZ = loadFours(sums.alongZ, m.massAlong.z);
    return m;
}

template <int kSupport>
FLOE_HD Moments gatherParticles(const Stencils<kSupport>& s, int count, const float* arena)
{
    constexpr int kLast = kSupport - 1;
    Fields sums;
    for (int p = 0; p < count; ++p) {
        const float* const node = arena + s.first[p];
        // First moments w1 a1 + 2 w2 a2 + .. are sums of partial sums: (w2 a2) + (w2 a2 + w1 a1).
        Column<kSupport> mean, alongX, alongY;
        FLOE_UNROLL
        for (int i = kLast; i >= 0; --i) {
            const float* const from = node + i * kStrideX;
            Column<kSupport> plane =
                broadcast(s.y[kLast][p]) * loadColumn<kSupport>(from + kLast * kStrideY);
            Column<kSupport> planeY = plane;
            FLOE_UNROLL
            for (int j = kLast - 1; j >= 0; --j) {
                plane = broadcast(s.y[j][p]) * loadColumn<kSupport>(from + j * kStrideY) + plane;
                if (j > 0)
                    planeY = planeY + plane;
            }
            const F8 wx = broadcast(s.x[i][p]);
            if (i == kLast) {
                mean = alongX = wx * plane;
                alongY = wx * planeY;
            } else {
                mean = wx * plane + mean;
                alongY = wx * planeY + alongY;
                if (i > 0)
                    alongX = alongX + mean;
            }
        }
        const int at = slotOf(p);
        const Column<kSupport> wz = weightsAlongZ(s, p);
        F4 nodes[kSupport], nodesX[kSupport], nodesY[kSupport];
        split(wz * mean, nodes);
        split(wz * alongX, nodesX);
        split(wz * alongY, nodesY);
        F4 sum = nodes[kLast], sumX = nodesX[kLast], sumY = nodesY[kLast], sumZ = sum;
        FLOE_UNROLL
        for (int k = kLast - 1; k >= 0; --k) {
            sum = sum + nodes[k];
            sumX = sumX + nodesX[k];
            sumY = sumY + nodesY[k];
            if (k > 0)
                sumZ = sumZ + sum;
        }
        store4(sums.first[at], sum);
        store4(sums.alongX[at], sumX);
        store4(sums.alongY[at], sumY);
        store4(sums.alongZ[at], sumZ);
    }
    for (int p = count; p < N; ++p) {
        const int at = slotOf(p);
        store4(sums.first[at], F4{});
        store4(sums.alongX[at], F4{});
        store4(sums.alongY[at], F4{});
        store4(sums.alongZ[at], F4{});
    }
    return momentsOf(sums);
}

/// Fills an arena with the nodes that a block's particles touch, from the blocks that own them:
/// node 3 of the previous block is node 0 of the arena, nodes of the block itself are 1 to 4.
FLOE_HD void fillArena(const float* const (&blocks)[27], float* arena)
{
    static const float none[kBlockNodes * kNodeFloats] = {};
    const float* from[27];
    for (int o = 0; o < 27; ++o)
        from[o] = blocks[o] ? blocks[o] : none;
    for (int x = 0; x < kArenaEdge; ++x)
        for (int y = 0; y < kArenaEdge; ++y) {
            const int ox = (x + 3) / 4, i = (x + 3) % 4, oy = (y + 3) / 4, j = (y + 3) % 4;
            const float* const* const beside = from + 9 * ox + 3 * oy;
            const int at = (i * kBlockEdge + j) * kBlockEdge * kNodeFloats;
            float* const to = arena + x * kStrideX + y * kStrideY;
            memcpy(to, beside[0] + at + 3 * kNodeFloats, kNodeFloats * sizeof(float));
            memcpy(to + kNodeFloats, beside[1] + at, 4 * kNodeFloats * sizeof(float));
            memcpy(to + 5 * kNodeFloats, beside[2] + at, 3 * kNodeFloats * sizeof(float));
        }
}

} // namespace stencil
} // namespace FLOE_ISA
} // namespace floe::sdk::grid
