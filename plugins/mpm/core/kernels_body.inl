// The kernels' code; included by one .cpp for each instruction set, which defines FLOE_MPM_KERNELS
// (the name of the table) and FLOE_MPM_KERNELS_NAME.
//
// Nothing here may come from the C++ library: its inline functions would be compiled for this
// instruction set and might be the copy that the linker keeps for everyone.

#include "kernels.hpp"

#include <floe/sdk/physics/material.hpp>
#include <floe/sdk/physics/pack.hpp>
#include <floe/sdk/physics/spline.hpp>
#include <floe/sdk/physics/twin.hpp>

namespace floe::mpm {
namespace {

using namespace floe::physics;

constexpr int N = kNativeLanes;
using Real = Pack<float, N>;
using Int = Pack<std::int32_t, N>;

typedef float F4 __attribute__((vector_size(16)));
typedef float F8 __attribute__((vector_size(32)));
typedef std::int32_t I4 __attribute__((vector_size(16)));

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
FLOE_HD F4 lowHalf(F8 a)
{
    return __builtin_shufflevector(a, a, 0, 1, 2, 3);
}
FLOE_HD F4 highHalf(F8 a)
{
    return __builtin_shufflevector(a, a, 4, 5, 6, 7);
}

FLOE_HD void transpose4(F4& a, F4& b, F4& c, F4& d)
{
    const F4 ab0 = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    const F4 ab1 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const F4 cd0 = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const F4 cd1 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    a = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
    b = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
    c = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
    d = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}

/// Four attributes of N particles become N vectors of four.
FLOE_HD void storeByParticle(Real a, Real b, Real c, Real d, float (*to)[4])
{
    alignas(64) float rows[4][N];
    a.store(rows[0]);
    b.store(rows[1]);
    c.store(rows[2]);
    d.store(rows[3]);
    for (int first = 0; first < N; first += 4) {
        F4 p = load4(rows[0] + first), q = load4(rows[1] + first);
        F4 r = load4(rows[2] + first), s = load4(rows[3] + first);
        transpose4(p, q, r, s);
        store4(to[first], p);
        store4(to[first + 1], q);
        store4(to[first + 2], r);
        store4(to[first + 3], s);
    }
}
/// The first three attributes of N vectors of four.
FLOE_HD Vec3<Real> loadByAttribute(const float (*from)[4])
{
    alignas(64) float rows[3][N];
    for (int first = 0; first < N; first += 4) {
        F4 p = load4(from[first]), q = load4(from[first + 1]);
        F4 r = load4(from[first + 2]), s = load4(from[first + 3]);
        transpose4(p, q, r, s);
        store4(rows[0] + first, p);
        store4(rows[1] + first, q);
        store4(rows[2] + first, r);
    }
    return {Real::load(rows[0]), Real::load(rows[1]), Real::load(rows[2])};
}

FLOE_HD Vec3<Real> loadVector(const float* data, int firstRow)
{
    return {Real::load(data + firstRow * kLanes), Real::load(data + (firstRow + 1) * kLanes),
            Real::load(data + (firstRow + 2) * kLanes)};
}
FLOE_HD void storeVector(float* data, int firstRow, const Vec3<Real>& a)
{
    a.x.store(data + firstRow * kLanes);
    a.y.store(data + (firstRow + 1) * kLanes);
    a.z.store(data + (firstRow + 2) * kLanes);
}
FLOE_HD Mat3<Real> loadMatrix(const float* data, int firstRow)
{
    Mat3<Real> a;
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i)
        FLOE_UNROLL
    for (int j = 0; j < 3; ++j)
        a[i][j] = Real::load(data + (firstRow + 3 * i + j) * kLanes);
    return a;
}
FLOE_HD void storeMatrix(float* data, int firstRow, const Mat3<Real>& a)
{
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i)
        FLOE_UNROLL
    for (int j = 0; j < 3; ++j)
        a[i][j].store(data + (firstRow + 3 * i + j) * kLanes);
}

/// Weights of a group of N particles, laid out for reading one particle at a time.
struct alignas(64) Stencils {
    float xy[9][N]; ///< products of the weights along x and y
    float x[3][N], y[3][N], z[3][N];
    std::int32_t first[N]; ///< offset of the first node in an arena [floats]
};

/// @return distance to the first node along each axis [cells]
FLOE_HD Vec3<Real> computeStencils(const Vec3<Real>& position, Stencils& s)
{
    const SplineWeights<Real> wx = quadraticSpline(position.x), wy = quadraticSpline(position.y),
                              wz = quadraticSpline(position.z);
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i) {
        wx.w[i].store(s.x[i]);
        wy.w[i].store(s.y[i]);
        wz.w[i].store(s.z[i]);
        FLOE_UNROLL
        for (int j = 0; j < 3; ++j)
            (wx.w[i] * wy.w[j]).store(s.xy[3 * i + j]);
    }
    // Limited so that not even a particle with a broken position writes outside the arena.
    const Real least(-1.0f), most(kArenaEdge - 4.0f);
    const Int bx = toInt(clamp(wx.base, least, most)), by = toInt(clamp(wy.base, least, most)),
              bz = toInt(clamp(wz.base, least, most));
    const Int node = ((bx + Int(1)) << 6) + ((by + Int(1)) << 3) + (bz + Int(1));
    (node << 2).store(s.first);
    return {wx.f, wy.f, wz.f};
}

constexpr int kStrideX = kArenaEdge * kArenaEdge * kNodeFloats;
constexpr int kStrideY = kArenaEdge * kNodeFloats;

/// N particles of a bin.
struct Group {
    float* data; ///< their lanes of the bin's first row
    int count;   ///< particles among them; they come first
};

FLOE_HD Twin loadRow(const Group (&pair)[2], int r)
{
    return {Real::load(pair[0].data + r * kLanes), Real::load(pair[1].data + r * kLanes)};
}
FLOE_HD void storeRow(const Group (&pair)[2], int r, Twin a)
{
    a.a.store(pair[0].data + r * kLanes);
    a.b.store(pair[1].data + r * kLanes);
}
FLOE_HD Mat3<Twin> loadMatrix(const Group (&pair)[2], int firstRow)
{
    Mat3<Twin> a;
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i)
        FLOE_UNROLL
    for (int j = 0; j < 3; ++j)
        a[i][j] = loadRow(pair, firstRow + 3 * i + j);
    return a;
}
/// Stress and wave speed of two groups; writes back F and state.
/// @param moving  1, or 0 for frozen particles, whose velocity counts as zero
template <class Law>
FLOE_HD Response<Twin> evaluate(const Law& law, const Group (&pair)[2], float moving,
                                Twin strainStep)
{
    Mat3<Twin> F = loadMatrix(pair, row::F);
    F = F + strainStep * (loadMatrix(pair, row::C) * F);
    Twin state = loadRow(pair, row::state);
    Response<Twin> response = respond(law, F, state, strainStep);
    if (isDamped(law))
        addDamping(law, Twin(moving) * loadMatrix(pair, row::C), response.tau);
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i)
        FLOE_UNROLL
    for (int j = 0; j < 3; ++j)
        storeRow(pair, row::F + 3 * i + j, F[i][j]);
    if constexpr (Law::kPlastic)
        storeRow(pair, row::state, state);
    return response;
}
FLOE_HD Response<Twin> evaluate(const Liquid& law, const Group (&pair)[2], float moving,
                                Twin strainStep)
{
    const Mat3<Twin> grad = Twin(moving) * loadMatrix(pair, row::C);
    const Twin divergence = grad[0][0] + grad[1][1] + grad[2][2];
    const Twin J = advanceLiquidVolume(law, loadRow(pair, row::state), divergence, strainStep);
    storeRow(pair, row::state, J);
    return respond(law, J, grad);
}

/// Momentum, mass and their linear variation over the stencil, one vector of four for each
/// particle.
struct alignas(64) Affine {
    float atFirst[N][4], alongX[N][4], alongY[N][4], alongZ[N][4];
};

FLOE_HD void scatterParticles(const Stencils& s, const Affine& a, int count, float* arena)
{
    for (int p = 0; p < count; ++p) {
        const F4 value = load4(a.atFirst[p]), dx = load4(a.alongX[p]), dy = load4(a.alongY[p]),
                 dz = load4(a.alongZ[p]);
        if (value[3] == 0.0f) // deleted
            continue;
        // Nodes are read back by the next particle, one node further on as likely as not, before
        // they have left the store buffer. That is fast only when it reads what was written as a
        // whole: one node at a time.
        const F4 w0 = s.z[0][p] - F4{}, w1 = s.z[1][p] - F4{}, w2 = s.z[2][p] - F4{};
        F4 row0 = w0 * value, row1 = w1 * (value + dz), row2 = w2 * (value + dz + dz);
        const F4 dx0 = w0 * dx, dx1 = w1 * dx, dx2 = w2 * dx;
        const F4 dy0 = w0 * dy, dy1 = w1 * dy, dy2 = w2 * dy;
        float* node = arena + s.first[p];
        FLOE_UNROLL
        for (int i = 0; i < 3; ++i) {
            F4 r0 = row0, r1 = row1, r2 = row2;
            FLOE_UNROLL
            for (int j = 0; j < 3; ++j) {
                const float w = s.xy[3 * i + j][p];
                float* to = node + i * kStrideX + j * kStrideY;
                store4(to, load4(to) + w * r0);
                store4(to + 4, load4(to + 4) + w * r1);
                store4(to + 8, load4(to + 8) + w * r2);
                r0 += dy0;
                r1 += dy1;
                r2 += dy2;
            }
            row0 += dx0;
            row1 += dx1;
            row2 += dx2;
        }
    }
}

/// The affine field A = m C - dt V 4/dx^2 tau of MLS-MPM (Hu et al. 2018, eq. 16) and what it gives
/// at the stencil's first node.
FLOE_HD void prepareAffine(const ScatterTask& task, const float* data, const Vec3<Real>& f,
                           const Vec3<Real>& velocity, const Mat3<Real>& C, const Sym3<Real>& tau,
                           Affine& out)
{
    const Real mass = Real::load(data + row::mass * kLanes);
    const Real volume = Real::load(data + row::volume * kLanes);
    // A dx: C [1/s] and stress times the spacing, so that A dx is a momentum per cell.
    const Real h(task.cellSize);
    const Real stressFactor = Real(-task.timeStep * 4.0f / task.cellSize) * volume;
    const Real mh = mass * h;
    const Sym3<Real> S = stressFactor * tau;
    const Mat3<Real> A{{{mh * C[0][0] + S.xx, mh * C[0][1] + S.xy, mh * C[0][2] + S.xz},
                        {mh * C[1][0] + S.xy, mh * C[1][1] + S.yy, mh * C[1][2] + S.yz},
                        {mh * C[2][0] + S.xz, mh * C[2][1] + S.yz, mh * C[2][2] + S.zz}}};
    const Vec3<Real> atFirst = mass * velocity - A * f;
    const Real zero(0.0f);
    storeByParticle(atFirst.x, atFirst.y, atFirst.z, mass, out.atFirst);
    storeByParticle(A[0][0], A[1][0], A[2][0], zero, out.alongX);
    storeByParticle(A[0][1], A[1][1], A[2][1], zero, out.alongY);
    storeByParticle(A[0][2], A[1][2], A[2][2], zero, out.alongZ);
}

/// Scatters a group.
/// @param tau          Kirchhoff stress, stiffness factor included
/// @param waveModulus  stiffness factor excluded
/// @param fastest      raised to the speed of the fastest wave
__attribute__((noinline)) void scatterGroup(const ScatterTask& task, const Group& group,
                                            const Sym3<Real>& tau, Real waveModulus,
                                            float viscosity, float& fastest)
{
    const float* data = group.data;
    const Real zero(0.0f), moving(task.frozen ? 0.0f : 1.0f);
    const Real affineShare(task.affine ? moving : zero);
    const Vec3<Real> velocity = moving * loadVector(data, row::v);
    const Mat3<Real> C = affineShare * loadMatrix(data, row::C);
    // rho0 = m/V; lanes without a particle have neither
    const Real mass = Real::load(data + row::mass * kLanes);
    const Real specific = Real::load(data + row::stiffness * kLanes) *
                          Real::load(data + row::volume * kLanes) / max(mass, Real(1e-30f));
    const Real signal =
        sqrt(waveModulus * specific) + Real(4.0f * viscosity / task.cellSize) * specific;
    const float most = maxLane(select(mass > zero, signal, zero));
    fastest = most > fastest ? most : fastest;

    Stencils stencils;
    Affine affine;
    const Vec3<Real> f = computeStencils(loadVector(data, row::x), stencils);
    prepareAffine(task, data, f, velocity, C, tau, affine);
    scatterParticles(stencils, affine, group.count, task.arena);
    if (task.arenaBefore) {
        const Vec3<Real> momentum = mass * velocity;
        memset(&affine, 0, sizeof affine);
        storeByParticle(momentum.x, momentum.y, momentum.z, mass, affine.atFirst);
        scatterParticles(stencils, affine, group.count, task.arenaBefore);
    }
}

/// Bins of a block lie anywhere in memory, which hardware does not foresee.
FLOE_HD void prefetch(const BinRef& bin)
{
    const int rows = kRows[static_cast<int>(bin.layout)];
    for (int r = 0; r < rows; ++r)
        __builtin_prefetch(bin.data + r * kLanes);
}

/// Position, velocity, C and mass: what the gather reads or overwrites.
FLOE_HD void prefetchMoving(const BinRef& bin)
{
    for (int r = 0; r <= row::mass; ++r)
        __builtin_prefetch(bin.data + r * kLanes, 1);
}

template <class Law>
__attribute__((noinline)) void scatterPair(const ScatterTask& task, const Group (&pair)[2],
                                           const Law& law, float& fastest)
{
    const float moving = task.frozen ? 0.0f : 1.0f;
    const Response<Twin> r = evaluate(law, pair, moving, Twin(moving * task.strainStep));
    const Sym3<Twin> tau = loadRow(pair, row::stiffness) * r.tau;
    scatterGroup(task, pair[0], {tau.xx.a, tau.xy.a, tau.xz.a, tau.yy.a, tau.yz.a, tau.zz.a},
                 r.waveModulus.a, shearViscosity(law), fastest);
    if (pair[1].data != pair[0].data)
        scatterGroup(task, pair[1], {tau.xx.b, tau.xy.b, tau.xz.b, tau.yy.b, tau.yz.b, tau.zz.b},
                     r.waveModulus.b, shearViscosity(law), fastest);
}

/// Bins of one material, two groups at a time; a last odd one is paired with itself.
template <class Law>
void scatterLaw(const ScatterTask& task, const BinRef* bins, std::uint32_t binCount, const Law& law,
                float& fastest)
{
    Group pair[2];
    int waiting = 0;
    for (std::uint32_t b = 0; b < binCount; ++b) {
        const BinRef& bin = bins[b];
        if (&bin + 1 < task.bins + task.binCount)
            prefetch(*(&bin + 1));
        for (int first = 0; first < bin.count; first += N) {
            const int count = bin.count - first < N ? bin.count - first : N;
            pair[waiting++] = {bin.data + first, count};
            if (waiting == 2) {
                scatterPair(task, pair, law, fastest);
                waiting = 0;
            }
        }
    }
    if (waiting == 1) {
        pair[1] = pair[0];
        scatterPair(task, pair, law, fastest);
    }
}

__attribute__((noinline)) bool scatterCustom(const ScatterTask& task, const BinRef& bin,
                                             const CustomModel& model, float& fastest)
{
    alignas(64) float stressRows[6][kLanes];
    alignas(64) float stillRow[kLanes];
    float *F[9], *state[4], *stress[6];
    const float* gradient[9];
    memset(stillRow, 0, sizeof stillRow);
    for (int i = 0; i < 9; ++i) {
        F[i] = bin.rowAt(row::F + i);
        gradient[i] = task.frozen ? stillRow : bin.rowAt(row::C + i);
    }
    state[0] = bin.rowAt(row::state);
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i)
        state[i + 1] = bin.rowAt(row::moreState + i);
    for (int i = 0; i < 6; ++i)
        stress[i] = stressRows[i];
    const float strainStep = task.frozen ? 0.0f : task.strainStep;
    for (int first = 0; first < kLanes; first += N) {
        Mat3<Real> G = loadMatrix(bin.data + first, row::F);
        if (!task.frozen)
            G = G + Real(strainStep) * (loadMatrix(bin.data + first, row::C) * G);
        storeMatrix(bin.data + first, row::F, G);
    }
    if (!model.update(model.self, strainStep, F, state, gradient, bin.rowAt(row::stiffness),
                      stress))
        return false;
    for (int first = 0; first < bin.count; first += N) {
        const auto at = [&](int i) __attribute__((always_inline))
        {
            return Real::load(stressRows[i] + first);
        };
        const int count = bin.count - first < N ? bin.count - first : N;
        scatterGroup(task, {bin.data + first, count}, {at(0), at(3), at(4), at(1), at(5), at(2)},
                     Real(model.waveModulus), 0, fastest);
    }
    return true;
}

void scatter(const ScatterTask& task, ScatterResult& result)
{
    memset(task.arena, 0, sizeof(float) * kArenaNodes * kNodeFloats);
    if (task.arenaBefore)
        memset(task.arenaBefore, 0, sizeof(float) * kArenaNodes * kNodeFloats);
    result = {0, 0, false};
    for (std::uint32_t begin = 0, end = 0; begin < task.binCount; begin = end) {
        const std::uint16_t index = task.bins[begin].material;
        while (end < task.binCount && task.bins[end].material == index)
            ++end;
        const KernelMaterial& entry = task.materials[index];
        float fastest = 0;
        if (entry.custom) {
            for (std::uint32_t b = begin; b < end; ++b)
                if (!scatterCustom(task, task.bins[b], *entry.custom, fastest)) {
                    result.failed = true;
                    result.material = index;
                    return;
                }
        } else {
            Material material;
            static_assert(sizeof material <= sizeof entry.law);
            memcpy(static_cast<void*>(&material), entry.law, sizeof material);
            visitLaw(material, [&](const auto& law) {
                scatterLaw(task, task.bins + begin, end - begin, law, fastest);
            });
        }
        if (fastest > result.signalSpeed) {
            result.signalSpeed = fastest;
            result.material = index;
        }
    }
}

/// Nodes [begin, end) of a block that lie in the arena of its neighbour at `offset`, and where
/// there.
struct Overlap {
    int begin, end, shift;
};
constexpr Overlap kOverlaps[3] = {{0, 3, 5}, {0, 4, 1}, {3, 4, -3}};

/// Adds up what arenas hold of a block's nodes.
FLOE_HD void sumArenas(const float* const (&arenas)[27], float* sum)
{
    memset(sum, 0, sizeof(float) * kBlockNodes * kNodeFloats);
    for (int o = 0; o < 27; ++o) {
        const float* arena = arenas[o];
        if (!arena)
            continue;
        const Overlap x = kOverlaps[o / 9], y = kOverlaps[o / 3 % 3], z = kOverlaps[o % 3];
        for (int i = x.begin; i < x.end; ++i)
            for (int j = y.begin; j < y.end; ++j) {
                const float* from =
                    arena + (((i + x.shift) * 8 + j + y.shift) * 8 + z.shift) * kNodeFloats;
                float* to = sum + (i * 4 + j) * 4 * kNodeFloats;
                for (int k = z.begin; k < z.end; ++k)
                    store4(to + 4 * k, load4(to + 4 * k) + load4(from + 4 * k));
            }
    }
}

void grid(const GridTask& task)
{
    alignas(64) float sum[kBlockNodes * kNodeFloats];
    if (task.before) {
        sumArenas(task.arenasBefore, sum);
        for (int n = 0; n < kBlockNodes; ++n) {
            const F4 p = load4(sum + 4 * n);
            store4(task.before + 4 * n, p[3] > 0.0f ? p / p[3] : F4{});
        }
    }
    sumArenas(task.arenas, sum);
    const F4 change{task.velocityChange[0], task.velocityChange[1], task.velocityChange[2], 0};
    for (int n = 0; n < kBlockNodes; ++n) {
        const F4 p = load4(sum + 4 * n);
        const float m = p[3];
        F4 v = {};
        if (m > 0.0f) {
            v = p / m + change;
            v[3] = m;
        }
        store4(task.nodes + 4 * n, v);
    }
}

/// Weighted sums of node velocities over one particle's stencil: the mean, and the first moments.
FLOE_HD void gatherParticle(const Stencils& s, int p, const float* arena, float* mean,
                            float* alongX, float* alongY, float* alongZ)
{
    const float* node = arena + s.first[p];
    const float y0 = s.y[0][p], y1 = s.y[1][p], y2 = s.y[2][p];
    F8 sum01 = {}, x01 = {}, dy01 = {};
    F4 sum2 = {}, x2 = {}, dy2 = {};
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i) {
        const float* from = node + i * kStrideX;
        const F8 b01 = y1 * load8(from + kStrideY), c01 = y2 * load8(from + 2 * kStrideY);
        const F4 b2 = y1 * load4(from + kStrideY + 8), c2 = y2 * load4(from + 2 * kStrideY + 8);
        const float wx = s.x[i][p];
        const F8 t01 = wx * (y0 * load8(from) + b01 + c01);
        const F4 t2 = wx * (y0 * load4(from + 8) + b2 + c2);
        sum01 += t01;
        sum2 += t2;
        dy01 += wx * (b01 + c01 + c01);
        dy2 += wx * (b2 + c2 + c2);
        if (i > 0) {
            x01 += static_cast<float>(i) * t01;
            x2 += static_cast<float>(i) * t2;
        }
    }
    const float z0 = s.z[0][p], z1 = s.z[1][p], z2 = s.z[2][p];
    const F4 m1 = z1 * highHalf(sum01), m2 = z2 * sum2;
    store4(mean, z0 * lowHalf(sum01) + m1 + m2);
    store4(alongX, z0 * lowHalf(x01) + z1 * highHalf(x01) + z2 * x2);
    store4(alongY, z0 * lowHalf(dy01) + z1 * highHalf(dy01) + z2 * dy2);
    store4(alongZ, m1 + m2 + m2);
}

/// The nodes that a block's particles touch, from the blocks that own them.
FLOE_HD void fillArena(const float* const (&blocks)[27], float* arena)
{
    for (int o = 0; o < 27; ++o) {
        const Overlap x = kOverlaps[2 - o / 9], y = kOverlaps[2 - o / 3 % 3],
                      z = kOverlaps[2 - o % 3];
        // The neighbour's nodes seen from this block's arena: the overlap of the opposite offset
        // mirrored.
        const float* nodes = blocks[o];
        const int ox = o / 9 - 1, oy = o / 3 % 3 - 1, oz = o % 3 - 1;
        for (int i = x.begin; i < x.end; ++i)
            for (int j = y.begin; j < y.end; ++j) {
                float* to = arena + (((i + 4 * ox + 1) * 8 + j + 4 * oy + 1) * 8 + 4 * oz + 1) *
                                        kNodeFloats;
                for (int k = z.begin; k < z.end; ++k)
                    store4(to + 4 * k,
                           nodes ? load4(nodes + ((i * 4 + j) * 4 + k) * kNodeFloats) : F4{});
            }
    }
}

/// The grid's velocity, before forces, where N particles are.
FLOE_HD Vec3<Real> velocityBefore(const Stencils& s, int count, const float* arena)
{
    alignas(64) float mean[N][4];
    float unused[3][4];
    for (int p = 0; p < N; ++p)
        if (p < count)
            gatherParticle(s, p, arena, mean[p], unused[0], unused[1], unused[2]);
        else
            store4(mean[p], F4{});
    return loadByAttribute(mean);
}

void gather(const GatherTask& task, GatherResult& result)
{
    alignas(64) float arena[kArenaNodes * kNodeFloats];
    alignas(64) float arenaBefore[kArenaNodes * kNodeFloats];
    fillArena(task.nodes, arena);
    const bool blends = task.flip >= 0.0f;
    if (blends)
        fillArena(task.before, arenaBefore);

    Stencils stencils;
    alignas(64) float mean[N][4], alongX[N][4], alongY[N][4], alongZ[N][4];
    const Real scale(4.0f / task.cellSize), step(task.timeStep / task.cellSize);
    Real speed2(0.0f), component(0.0f), gradient(0.0f);
    for (std::uint32_t b = 0; b < task.binCount; ++b) {
        const BinRef& bin = task.bins[b];
        if (b + 1 < task.binCount)
            prefetchMoving(task.bins[b + 1]);
        for (int first = 0; first < bin.count; first += N) {
            float* data = bin.data + first;
            const Vec3<Real> x = loadVector(data, row::x);
            const Vec3<Real> f = computeStencils(x, stencils);
            const int count = bin.count - first < N ? bin.count - first : N;
            for (int p = 0; p < count; ++p)
                gatherParticle(stencils, p, arena, mean[p], alongX[p], alongY[p], alongZ[p]);
            for (int p = count; p < N; ++p) {
                store4(mean[p], F4{});
                store4(alongX[p], F4{});
                store4(alongY[p], F4{});
                store4(alongZ[p], F4{});
            }
            const MaskOf<Real> live = Real::load(data + row::mass * kLanes) > Real(0.0f);
            const Vec3<Real> zero{Real(0.0f), Real(0.0f), Real(0.0f)};
            const Vec3<Real> v = select<Real>(live, loadByAttribute(mean), zero);
            const Vec3<Real> cx = scale * (loadByAttribute(alongX) - f.x * v);
            const Vec3<Real> cy = scale * (loadByAttribute(alongY) - f.y * v);
            const Vec3<Real> cz = scale * (loadByAttribute(alongZ) - f.z * v);
            Mat3<Real> C;
            C.setColumn(0, select<Real>(live, cx, zero));
            C.setColumn(1, select<Real>(live, cy, zero));
            C.setColumn(2, select<Real>(live, cz, zero));
            Vec3<Real> own = v;
            if (blends) {
                const Vec3<Real> kept =
                    loadVector(data, row::v) - velocityBefore(stencils, count, arenaBefore);
                own = select<Real>(live, v + Real(task.flip) * kept, zero);
            }
            storeVector(data, row::v, own);
            storeMatrix(data, row::C, C);
            storeVector(data, row::x, x + step * v);
            speed2 = max(speed2, dot(own, own));
            component = max(component, max(abs(own.x), max(abs(own.y), abs(own.z))));
            gradient = max(gradient, max(abs(C[0][0]), max(abs(C[1][1]), abs(C[2][2]))));
        }
    }
    result = {maxLane(sqrt(speed2)), maxLane(component), maxLane(gradient)};
}

} // namespace

extern const Kernels FLOE_MPM_KERNELS;
const Kernels FLOE_MPM_KERNELS = {FLOE_MPM_KERNELS_NAME, scatter, grid, gather};

} // namespace floe::mpm
