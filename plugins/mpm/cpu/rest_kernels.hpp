/// The kernels of bodies that stay whole, a template on the support of the splines. As in
/// step_kernels.hpp, nothing here may use the C++ library.
#pragma once

#include "group.hpp"
#include "particle_rules.hpp"

#include <floe/sdk/physics/material.hpp>

namespace floe::mpm {
namespace {

/// N particles of a bin of the grid at rest, copied from where they are.
struct RestGroup {
    alignas(64) float rows[row::moreState][N];
    int count; ///< up to the last that exists
};

/// Returns whether N particles lie beside each other in a bin, as they do until they change blocks.
FLOE_HD bool areTogether(float* const* particles)
{
    if (!particles[0])
        return false;
    for (int p = 1; p < N; ++p)
        if (particles[p] != particles[0] + p)
            return false;
    return true;
}
/// Reads rows [begin, end).
FLOE_HD void load(const RestTask& task, std::uint32_t bin, int first, int begin, int end,
                  RestGroup& group)
{
    float* const* const from = task.particles + bin * kLanes + first;
    group.count = 0;
    for (int p = 0; p < N; ++p)
        group.count = from[p] ? p + 1 : group.count;
    if (areTogether(from)) {
        for (int r = begin; r < end; ++r)
            Real::load(from[0] + r * kLanes).store(group.rows[r]);
        return;
    }
    static const float none[row::moreState * kLanes] = {};
    const float* data[N];
    for (int p = 0; p < N; ++p)
        data[p] = from[p] ? from[p] : none;
    for (int r = begin; r < end; ++r)
        FLOE_UNROLL
    for (int p = 0; p < N; ++p)
        group.rows[r][p] = data[p][r * kLanes];
}
/// Writes rows [begin, end) back.
FLOE_HD void store(const RestTask& task, std::uint32_t bin, int first, int begin, int end,
                   const RestGroup& group)
{
    float* const* const to = task.particles + bin * kLanes + first;
    if (areTogether(to)) {
        for (int r = begin; r < end; ++r)
            Real::load(group.rows[r]).store(to[0] + r * kLanes);
        return;
    }
    for (int p = 0; p < group.count; ++p)
        for (int r = begin; to[p] && r < end; ++r)
            to[p][r * kLanes] = group.rows[r][p];
}
FLOE_HD Vec3<Real> vectorOf(const RestGroup& group, int firstRow)
{
    return {Real::load(group.rows[firstRow]), Real::load(group.rows[firstRow + 1]),
            Real::load(group.rows[firstRow + 2])};
}
FLOE_HD Mat3<Real> matrixOf(const RestGroup& group, int firstRow)
{
    Mat3<Real> a;
    FLOE_UNROLL
    for (int i = 0; i < 9; ++i)
        a[i / 3][i % 3] = Real::load(group.rows[firstRow + i]);
    return a;
}
FLOE_HD void keep(RestGroup& group, int firstRow, const Mat3<Real>& a)
{
    FLOE_UNROLL
    for (int i = 0; i < 9; ++i)
        a[i / 3][i % 3].store(group.rows[firstRow + i]);
}

/// Returns a node's field at N particles: the mean, and its gradient per length at rest.
struct RestField {
    Vec3<Real> mean;
    Mat3<Real> gradient;
};
template <int kSupport>
FLOE_HD RestField gatherField(const Stencils<kSupport>& stencils, const Vec3<Real>& f, int count,
                              float cellSize, const float* arena)
{
    const Moments m = gatherParticles(stencils, count, arena);
    const Real scale(kInverseMoment<kSupport> / cellSize);
    RestField field;
    field.mean = m.mean;
    field.gradient.setColumn(0, scale * (m.alongX - f.x * m.mean));
    field.gradient.setColumn(1, scale * (m.alongY - f.y * m.mean));
    field.gradient.setColumn(2, scale * (m.alongZ - f.z * m.mean));
    return field;
}

/// F^-1, where the volume ratio is below 1/1000 as if it was that.
FLOE_HD Mat3<Real> heldInverse(const Mat3<Real>& F)
{
    const Real J = determinant(F), least(1e-3f);
    const Real held = select(J < Real(0.0f), min(J, Real(0.0f) - least), max(J, least));
    return (Real(1.0f) / held) * transpose(cofactor(F));
}

FLOE_HD Vec3<Real> restPosition(const RestTask& task, std::uint32_t bin, int first)
{
    const float* const from = task.positions + bin * 3 * kLanes + first;
    return {Real::load(from), Real::load(from + kLanes), Real::load(from + 2 * kLanes)};
}

template <int kSupport>
void restMomentum(const RestTask& task)
{
    memset(task.arena, 0, sizeof(float) * kArenaNodes * kNodeFloats);
    const Real affineShare(task.affine ? task.cellSize : 0.0f);
    Stencils<kSupport> stencils;
    RestGroup group;
    for (std::uint32_t b = 0; b < task.binCount; ++b)
        for (int first = 0; first < kLanes; first += N) {
            load(task, b, first, row::v, row::H + 9, group);
            if (group.count == 0)
                continue;
            const Mat3<Real> C = matrixOf(group, row::C);
            const Real mass = Real::load(group.rows[row::mass]);
            const Vec3<Real> f = computeStencils(restPosition(task, b, first), stencils);
            // C is a gradient in space: by length at rest it is C F.
            const Mat3<Real> A = (affineShare * mass) * (C + C * matrixOf(group, row::H));
            scatterParticles(stencils, mass * vectorOf(group, row::v) - A * f, A, mass, group.count,
                             task.arena);
        }
}

template <int kSupport, class Law>
float restForceOf(const RestTask& task, const Law& law, const float* nodes)
{
    Stencils<kSupport> stencils;
    RestGroup group;
    const Real smoothing(task.smoothing), one(1.0f);
    const float viscosity = shearViscosity(law);
    Real fastest(0.0f);
    for (std::uint32_t b = 0; b < task.binCount; ++b)
        for (int first = 0; first < kLanes; first += N) {
            load(task, b, first, row::v, row::H + 9, group);
            if (group.count == 0)
                continue;
            const Vec3<Real> f = computeStencils(restPosition(task, b, first), stencils);
            const RestField moves =
                gatherField<kSupport>(stencils, f, group.count, task.cellSize, nodes);
            const Mat3<Real> before = matrixOf(group, row::H);
            Mat3<Real> H = before + Real(task.strainStep) * moves.gradient;
            const Mat3<Real> F = Mat3<Real>::identity() + H, inverse = heldInverse(F);
            keep(group, row::H, H);

            const Vec3<Real> v = vectorOf(group, row::v);
            const Vec3<Real> smooth = v + smoothing * (moves.mean - v);
            const Mat3<Real> C0 = matrixOf(group, row::C) + matrixOf(group, row::C) * before;
            const Mat3<Real> C = (C0 + smoothing * (moves.gradient - C0)) * inverse;
            for (int i = 0; i < 3; ++i)
                smooth[i].store(group.rows[row::v + i]);
            keep(group, row::C, C);
            store(task, b, first, row::v, row::v + 3, group);
            store(task, b, first, row::C, row::H + 9, group);

            Real none(0.0f);
            Sym3<Real> tau = respondToGradient(law, H, none, none).tau;
            if (isDamped(law))
                addDamping(law, C, tau);
            const Real stiffness = Real::load(group.rows[row::stiffness]);
            const Real volume = Real::load(group.rows[row::volume]);
            const Real mass = Real::load(group.rows[row::mass]);
            const Real factor =
                Real(-kInverseMoment<kSupport> / task.cellSize) * volume * stiffness;
            const Mat3<Real> A = factor * (tau.matrix() * transpose(inverse));
            scatterParticles(stencils, Real(-1.0f) * (A * f), A, mass, group.count, task.arena);

            const Real b2 = largestInverseSquare(H);
            const Real specific = stiffness * volume / max(mass, Real(1e-30f));
            const Real signal =
                rules::signalSpeed(law.materialModulus(H, b2), specific, 0.0f, task.cellSize) +
                rules::signalSpeed(Real(0.0f), specific * max(b2, one), viscosity, task.cellSize);
            fastest = max(fastest, select(mass > Real(0.0f), signal, Real(0.0f)));
        }
    return maxLane(fastest);
}

template <int kSupport>
float restForce(const RestTask& task)
{
    alignas(64) float nodes[kArenaNodes * kNodeFloats];
    fillArena(task.nodes, nodes);
    memset(task.arena, 0, sizeof(float) * kArenaNodes * kNodeFloats);
    Material material;
    memcpy(static_cast<void*>(&material), task.material->law, sizeof material);
    float fastest = 0;
    visitLaw(material, [&]<class Law>(const Law& law) {
        if constexpr (kHasMaterialModulus<Law>)
            fastest = restForceOf<kSupport>(task, law, nodes);
    });
    return fastest;
}

template <int kSupport>
void restMotion(const RestTask& task)
{
    alignas(64) float nodes[kArenaNodes * kNodeFloats];
    alignas(64) float rows[12][N];
    fillArena(task.nodes, nodes);
    Stencils<kSupport> stencils;
    RestGroup group;
    for (std::uint32_t b = 0; b < task.binCount; ++b)
        for (int first = 0; first < kLanes; first += N) {
            load(task, b, first, row::H, row::H + 9, group);
            if (group.count == 0)
                continue;
            const Vec3<Real> f = computeStencils(restPosition(task, b, first), stencils);
            const RestField gained =
                gatherField<kSupport>(stencils, f, group.count, task.cellSize, nodes);
            const Mat3<Real> F = Mat3<Real>::identity() + matrixOf(group, row::H);
            const Mat3<Real> affine = gained.gradient * heldInverse(F);
            for (int i = 0; i < 3; ++i)
                gained.mean[i].store(rows[i]);
            for (int i = 0; i < 9; ++i)
                affine[i / 3][i % 3].store(rows[3 + i]);
            RestMotion* const to = task.motion + b * kLanes + first;
            for (int p = 0; p < group.count; ++p) {
                for (int i = 0; i < 3; ++i)
                    to[p].acceleration[i] = rows[i][p];
                for (int i = 0; i < 9; ++i)
                    to[p].affine[i] = rows[3 + i][p];
            }
        }
}

template <int kSupport>
inline constexpr RestKernels kRestKernels = {restMomentum<kSupport>, restForce<kSupport>,
                                             restMotion<kSupport>};

} // namespace
} // namespace floe::mpm
