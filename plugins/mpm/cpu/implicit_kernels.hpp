/// The kernels of the semi-implicit integrator, a template on the support of the splines; included
/// by one .cpp for each instruction set and spline, which defines a table of them. As in
/// step_kernels.hpp, nothing here may use the C++ library.
#pragma once

#include "group.hpp"

#include <floe/sdk/physics/differential.hpp>
#include <floe/sdk/physics/material.hpp>

namespace floe::mpm {
namespace {

/// Rows of a tangent. All are momentum per cell and unit of velocity gradient, including the step's
/// factors. A liquid has only the first and the viscous one.
namespace tangent {
constexpr int U = 0;        ///< left singular vectors of F'
constexpr int B = 9;        ///< F V
constexpr int normal = 18;  ///< StressDifferential, six numbers
constexpr int shear = 24;   ///< three
constexpr int spin = 27;    ///< three
constexpr int viscous = 30; ///< Kirchhoff shear viscosity
constexpr int pressure = 0; ///< of a liquid: resists div v
static_assert(viscous < kTangentRows);
} // namespace tangent

/// Returns the gradient, at N particles, of the nodes of an arena.
template <int kSupport>
FLOE_HD Mat3<Real> gatherGradient(const Stencils<kSupport>& s, const Vec3<Real>& f, int count,
                                  float cellSize, const float* arena)
{
    const Moments m = gatherParticles(s, count, arena);
    const Real scale(kInverseMoment<kSupport> / cellSize);
    Mat3<Real> G;
    G.setColumn(0, scale * (m.alongX - f.x * m.mean));
    G.setColumn(1, scale * (m.alongY - f.y * m.mean));
    G.setColumn(2, scale * (m.alongZ - f.z * m.mean));
    return G;
}

/// Adds A (x_i - x_p), A a momentum per cell, to the nodes of N particles.
template <int kSupport>
FLOE_HD void scatterGradient(const Stencils<kSupport>& s, const Vec3<Real>& f, int count,
                             const Real& mass, const Mat3<Real>& A, float* arena)
{
    scatterParticles(s, Real(-1.0f) * (A * f), A, mass, count, arena);
}

/// G + G^T
FLOE_HD Mat3<Real> twiceSymmetric(const Mat3<Real>& G)
{
    return G + transpose(G);
}

/// One group's momentum-per-cell matrix and its tangent.
struct GroupForce {
    const float* data; ///< in its bin's first row
    float* tangent;
    Real dt;
    Real weight; ///< dt D^-1 V times the stiffness factor / cell size
};

template <class Law>
__attribute__((noinline)) Mat3<Real> forceOf(const Law& law, const GroupForce& group,
                                             const Mat3<Real>& G)
{
    const Mat3<Real> H = loadMatrix(group.data, row::H);
    const Real state = Real::load(group.data + row::state * kLanes);
    const Stretching<Real> s = stretching(advanceGradient(H, G, group.dt));
    const PrincipalResponse<Real> r = principalResponse(law, s.extension, state, group.dt);
    const Mat3<Real> B = s.V + H * s.V;                                 // F V
    Mat3<Real> W = compose(s.U, principalPiola(s.extension, r.tau), B); // P F^T
    Real viscous(0.0f);
    if (isDamped(law)) {
        viscous = Real(shearViscosity(law));
        W = W + viscous * twiceSymmetric(G);
    }

    const StressDifferential<Real> K = positivePart(stressDifferential(s.extension, r));
    const Real c = group.dt * group.weight;
    float* to = group.tangent;
    storeMatrix(to, tangent::U, s.U);
    storeMatrix(to, tangent::B, B);
    const Real normal[6] = {K.normal.xx, K.normal.xy, K.normal.xz,
                            K.normal.yy, K.normal.yz, K.normal.zz};
    FLOE_UNROLL
    for (int i = 0; i < 6; ++i)
        (c * normal[i]).store(to + (tangent::normal + i) * kLanes);
    storeVector(to, tangent::shear, c * K.shear);
    storeVector(to, tangent::spin, c * K.spin);
    (group.weight * viscous).store(to + tangent::viscous * kLanes);
    return group.weight * W;
}

__attribute__((noinline)) Mat3<Real> forceOf(const Liquid& law, const GroupForce& group,
                                             const Mat3<Real>& G)
{
    const Real change = Real::load(group.data + row::state * kLanes), divergence = trace(G);
    const LiquidResponse<Real> r = liquidResponse(law, change, divergence, group.dt);
    const Real viscous = Real(law.viscosity) * (Real(1.0f) + change);
    Mat3<Real> W = viscous * twiceSymmetric(G);
    const Real mean = r.minusPJ - viscous * Real(2.0f / 3.0f) * divergence;
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i)
        W[i][i] = W[i][i] + mean;
    (group.dt * group.weight * r.stiffness).store(group.tangent + tangent::pressure * kLanes);
    (group.weight * viscous).store(group.tangent + tangent::viscous * kLanes);
    return group.weight * W;
}

FLOE_HD Mat3<Real> changeOf(const float* from, const Mat3<Real>& G, bool liquid)
{
    const Real viscous = Real::load(from + tangent::viscous * kLanes);
    Mat3<Real> W = viscous * twiceSymmetric(G);
    if (liquid) {
        const Real stiffness = Real::load(from + tangent::pressure * kLanes);
        const Real mean = (stiffness - viscous * Real(2.0f / 3.0f)) * trace(G);
        FLOE_UNROLL
        for (int i = 0; i < 3; ++i)
            W[i][i] = W[i][i] + mean;
        return W;
    }
    const Mat3<Real> U = loadMatrix(from, tangent::U), B = loadMatrix(from, tangent::B);
    const auto at = [&](int i) __attribute__((always_inline))
    {
        return Real::load(from + (tangent::normal + i) * kLanes);
    };
    const StressDifferential<Real> K{{at(0), at(1), at(2), at(3), at(4), at(5)},
                                     loadVector(from, tangent::shear),
                                     loadVector(from, tangent::spin)};
    return W + U * apply(K, transpose(U) * (G * B)) * transpose(B);
}

template <int kSupport>
bool force(const ImplicitTask& task)
{
    alignas(64) float arena[kArenaNodes * kNodeFloats];
    fillArena(task.nodes, arena);
    memset(task.arena, 0, sizeof(float) * kArenaNodes * kNodeFloats);
    const Real step(task.timeStep), scale(task.timeStep * kInverseMoment<kSupport> / task.cellSize);
    Stencils<kSupport> stencils;
    for (std::uint32_t b = 0; b < task.binCount; ++b) {
        const BinRef& bin = task.bins[b];
        const KernelMaterial& entry = task.materials[bin.material];
        if (entry.custom)
            return false;
        Material material;
        memcpy(static_cast<void*>(&material), entry.law, sizeof material);
        for (int first = 0; first < bin.count; first += N) {
            const float* data = bin.data + first;
            const int count = bin.count - first < N ? bin.count - first : N;
            const Vec3<Real> f = computeStencils(loadVector(data, row::x), stencils);
            const Mat3<Real> G = gatherGradient(stencils, f, count, task.cellSize, arena);
            const Real mass = Real::load(data + row::mass * kLanes);
            const GroupForce group{data, task.tangent + b * (kTangentRows * kLanes) + first, step,
                                   scale * Real::load(data + row::volume * kLanes) *
                                       Real::load(data + row::stiffness * kLanes)};
            const Mat3<Real> A =
                visitLaw(material, [&](const auto& law) { return forceOf(law, group, G); });
            scatterGradient(stencils, f, count, mass, A, task.arena);
        }
    }
    return true;
}

template <int kSupport>
void product(const ImplicitTask& task)
{
    alignas(64) float arena[kArenaNodes * kNodeFloats];
    fillArena(task.nodes, arena);
    memset(task.arena, 0, sizeof(float) * kArenaNodes * kNodeFloats);
    Stencils<kSupport> stencils;
    for (std::uint32_t b = 0; b < task.binCount; ++b) {
        const BinRef& bin = task.bins[b];
        for (int first = 0; first < bin.count; first += N) {
            const float* data = bin.data + first;
            const float* from = task.tangent + b * (kTangentRows * kLanes) + first;
            const int count = bin.count - first < N ? bin.count - first : N;
            const Vec3<Real> f = computeStencils(loadVector(data, row::x), stencils);
            const Mat3<Real> G = gatherGradient(stencils, f, count, task.cellSize, arena);
            const Mat3<Real> A = changeOf(from, G, isLiquid(bin.layout));
            scatterGradient(stencils, f, count, Real::load(data + row::mass * kLanes), A,
                            task.arena);
        }
    }
}

void sum(const float* const (&arenas)[27], float* nodes)
{
    sumArenas(arenas, nodes);
}

template <int kSupport>
inline constexpr ImplicitKernels kImplicitKernels = {force<kSupport>, product<kSupport>, sum};

} // namespace
} // namespace floe::mpm
