/// The step's kernels, a template on the support of the splines; included by one .cpp for each
/// instruction set and spline, which defines a table of them.
///
/// Nothing here may use the C++ library: the linker might keep the copy of an inline function
/// compiled for this instruction set for the whole program.
#pragma once

#include "divided.hpp"
#include "group.hpp"
#include "particle_rules.hpp"
#include "rest_kernels.hpp"

#include <floe/sdk/physics/material.hpp>
#include <floe/sdk/physics/rounding.hpp>
#include <floe/sdk/physics/twin.hpp>

namespace floe::mpm {
namespace {

FLOE_HD Twin loadRow(const Group (&pair)[2], int r)
{
    return {Real::load(pair[0].data + r * kLanes), Real::load(pair[1].data + r * kLanes)};
}
FLOE_HD void storeRow(const Group (&pair)[2], int r, Twin a)
{
    a.a.store(pair[0].data + r * kLanes);
    a.b.store(pair[1].data + r * kLanes);
}
FLOE_HD Mat3<Twin> loadMatrices(const float* first, const float* second)
{
    Mat3<Twin> a;
    FLOE_UNROLL
    for (int i = 0; i < 9; ++i)
        a[i / 3][i % 3] = {Real::load(first + i * kLanes), Real::load(second + i * kLanes)};
    return a;
}
FLOE_HD Mat3<Twin> loadMatrices(const Group (&pair)[2], int firstRow)
{
    return loadMatrices(pair[0].data + firstRow * kLanes, pair[1].data + firstRow * kLanes);
}
FLOE_HD Real stiffnessOf(const Group& group)
{
    return group.stiffness ? Real::load(group.stiffness) : Real(1.0f);
}
/// Computes stress and wave speed of two groups; writes back H and state.
/// @param moving  1, or 0 for particles of boundary blocks, which scatter as if at rest
template <class Law>
FLOE_HD Response<Twin> evaluate(const Law& law, const Group (&pair)[2], float moving,
                                Twin strainStep)
{
    const Mat3<Twin> C = loadMatrices(pair, row::C);
    Mat3<Twin> H = advanceGradient(loadMatrices(pair, row::H), C, strainStep);
    Twin state = loadRow(pair, row::state);
    Response<Twin> response = respondToGradient(law, H, state, strainStep);
    if (isDamped(law))
        addDamping(law, Twin(moving) * C, response.tau);
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i)
        FLOE_UNROLL
    for (int j = 0; j < 3; ++j)
        storeRow(pair, row::H + 3 * i + j, H[i][j]);
    if constexpr (Law::kPlastic)
        storeRow(pair, row::state, state);
    return response;
}
FLOE_HD Response<Twin> evaluate(const Liquid& law, const Group (&pair)[2], float moving, Twin)
{
    const Mat3<Twin> C = loadMatrices(pair[0].C, pair[1].C);
    return respond(law, loadRow(pair, row::state), Twin(moving) * C);
}

/// The affine field A = m C - dt V D^-1 tau of MLS-MPM, D^-1 = 4/dx^2 for quadratic splines (Hu et
/// al. 2018, eq. 16), times dx: a momentum per cell.
template <int kSupport>
FLOE_HD Mat3<Real> affineField(const ScatterTask& task, Real volume, Real mass, const Mat3<Real>& C,
                               const Sym3<Real>& tau)
{
    const Real stressFactor =
        Real(-task.timeStep * kInverseMoment<kSupport> / task.cellSize) * volume;
    const Real mh = mass * Real(task.cellSize);
    const Sym3<Real> S = stressFactor * tau;
    return {{{mh * C[0][0] + S.xx, mh * C[0][1] + S.xy, mh * C[0][2] + S.xz},
             {mh * C[1][0] + S.xy, mh * C[1][1] + S.yy, mh * C[1][2] + S.yz},
             {mh * C[2][0] + S.xz, mh * C[2][1] + S.yz, mh * C[2][2] + S.zz}}};
}

/// Adds surface tension to the stress of a group, and its ripples to the wave speed.
template <class Law>
FLOE_HD void addSurface(const Law&, const ScatterTask&, const Group&, Sym3<Real>&, Real&)
{}
FLOE_HD void addSurface(const Liquid& law, const ScatterTask& task, const Group& group,
                        Sym3<Real>& tau, Real& waveModulus)
{
    if (!group.surface)
        return;
    addSurfaceTension(law, loadVector(group.surface, 0),
                      Real::load(group.data + row::state * kLanes), tau);
    waveModulus = waveModulus + Real(rules::rippleModulus(law, task.cellSize));
}

/// Scatters a group.
/// @param tau          Kirchhoff stress, including the stiffness factor
/// @param waveModulus  excluding the stiffness factor
/// @param fastest      raised to the speed of the fastest wave
template <int kSupport>
__attribute__((noinline)) void scatterGroup(const ScatterTask& task, const Group& group,
                                            const Sym3<Real>& tau, Real waveModulus,
                                            float viscosity, float& fastest)
{
    const float* data = group.data;
    const Real zero(0.0f), moving(task.boundary ? 0.0f : 1.0f);
    const Real affineShare(task.affine ? moving : zero);
    const Vec3<Real> velocity = moving * loadVector(data, row::v);
    const Mat3<Real> C = affineShare * loadMatrix(group.C, 0);
    // rho0 = m/V; lanes without a particle have neither
    const Real mass = Real::load(data + row::mass * kLanes);
    const Real volume = Real::load(data + row::volume * kLanes);
    const Real specific = stiffnessOf(group) * volume / max(mass, Real(1e-30f));
    const Real signal = rules::signalSpeed(waveModulus, specific, viscosity, task.cellSize);
    const float largest = maxLane(select(mass > zero, signal, zero));
    fastest = largest > fastest ? largest : fastest;

    Stencils<kSupport> stencils;
    const Vec3<Real> f = computeStencils(loadVector(data, row::x), stencils);
    const Mat3<Real> A = affineField<kSupport>(task, volume, mass, C, tau);
    const Vec3<Real> momentum = mass * velocity;
    scatterParticles(stencils, momentum - A * f, A, mass, group, task.arena, task.behind);
    if (task.arenaBefore) {
        const Mat3<Real> own = (mass * Real(task.cellSize)) * C;
        scatterParticles(stencils, momentum - own * f, own, mass, group, task.arenaBefore,
                         task.behindBefore);
    }
}

/// Prefetches a bin: hardware cannot predict the addresses of a block's bins.
FLOE_HD void prefetch(const BinRef& bin)
{
    const int rows = kRows[static_cast<int>(bin.layout)];
    for (int r = 0; r < rows; ++r)
        __builtin_prefetch(bin.data + r * kLanes);
}

/// Prefetches what the gather reads or overwrites.
FLOE_HD void prefetchMoving(const BinRef& bin)
{
    for (int r = 0; r <= row::mass; ++r)
        __builtin_prefetch(bin.data + r * kLanes, 1);
    if (isLiquid(bin.layout))
        __builtin_prefetch(bin.rowAt(row::state), 1);
    if (keepsAffine(bin.layout))
        for (int r = 0; r < 9; ++r)
            __builtin_prefetch(bin.rowAt(row::C + r), 1);
}

/// Returns the particles of a bin from lane `first` on.
FLOE_HD Group groupOf(const ScatterTask& task, const BinRef& bin, int first)
{
    const bool keeps = keepsAffine(bin.layout);
    const float* C = keeps ? bin.rowAt(row::C) : task.affineRows[&bin - task.bins].C;
    return {bin.data + first,
            bin.count - first < N ? bin.count - first : N,
            C + first,
            keeps ? bin.rowAt(row::stiffness) + first : nullptr,
            bin.layout == Layout::tenseLiquid ? bin.rowAt(row::surface) + first : nullptr,
            hiddenOf(task.hidden, task.bins, bin, first)};
}

template <int kSupport, class Law>
__attribute__((noinline)) void scatterPair(const ScatterTask& task, const Group (&pair)[2],
                                           const Law& law, float& fastest)
{
    const float moving = task.boundary ? 0.0f : 1.0f;
    const Response<Twin> r = evaluate(law, pair, moving, Twin(moving * task.strainStep));
    const Sym3<Twin> tau = Twin{stiffnessOf(pair[0]), stiffnessOf(pair[1])} * r.tau;
    Sym3<Real> first{tau.xx.a, tau.xy.a, tau.xz.a, tau.yy.a, tau.yz.a, tau.zz.a};
    Real waveModulus = r.waveModulus.a;
    addSurface(law, task, pair[0], first, waveModulus);
    scatterGroup<kSupport>(task, pair[0], first, waveModulus, shearViscosity(law), fastest);
    if (pair[1].data == pair[0].data)
        return;
    Sym3<Real> second{tau.xx.b, tau.xy.b, tau.xz.b, tau.yy.b, tau.yz.b, tau.zz.b};
    waveModulus = r.waveModulus.b;
    addSurface(law, task, pair[1], second, waveModulus);
    scatterGroup<kSupport>(task, pair[1], second, waveModulus, shearViscosity(law), fastest);
}

/// Processes bins of one material, two groups at a time; a last odd group is paired with itself.
template <int kSupport, class Law>
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
            pair[waiting++] = groupOf(task, bin, first);
            if (waiting == 2) {
                scatterPair<kSupport>(task, pair, law, fastest);
                waiting = 0;
            }
        }
    }
    if (waiting == 1) {
        pair[1] = pair[0];
        scatterPair<kSupport>(task, pair, law, fastest);
    }
}

template <int kSupport>
__attribute__((noinline)) bool scatterCustom(const ScatterTask& task, const BinRef& bin,
                                             const CustomModel& model, float& fastest)
{
    alignas(64) float stressRows[6][kLanes];
    alignas(64) float zeroRow[kLanes];
    alignas(64) float trialRows[9][kLanes], rows[9][kLanes];
    float *F[9], *state[4], *stress[6];
    const float* gradient[9];
    memset(zeroRow, 0, sizeof zeroRow);
    for (int i = 0; i < 9; ++i) {
        F[i] = rows[i];
        gradient[i] = task.boundary ? zeroRow : bin.rowAt(row::C + i);
    }
    state[0] = bin.rowAt(row::state);
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i)
        state[i + 1] = bin.rowAt(row::moreState + i);
    for (int i = 0; i < 6; ++i)
        stress[i] = stressRows[i];
    const float strainStep = task.boundary ? 0.0f : task.strainStep;
    for (int first = 0; first < kLanes; first += N) {
        Mat3<Real> H = loadMatrix(bin.data + first, row::H);
        if (!task.boundary) {
            H = advanceGradient(H, loadMatrix(bin.data + first, row::C), Real(strainStep));
            storeMatrix(bin.data + first, row::H, H);
        }
        const Mat3<Real> G = Mat3<Real>::identity() + H;
        storeMatrix(trialRows[0] + first, 0, G);
        storeMatrix(rows[0] + first, 0, G);
    }
    if (!model.update(model.self, strainStep, F, state, gradient, bin.rowAt(row::stiffness),
                      stress))
        return false;
    // Where a model leaves F unchanged, H keeps its precision.
    for (int first = 0; first < kLanes; first += N) {
        const Mat3<Real> change =
            loadMatrix(rows[0] + first, 0) - loadMatrix(trialRows[0] + first, 0);
        storeMatrix(bin.data + first, row::H, loadMatrix(bin.data + first, row::H) + change);
    }
    for (int first = 0; first < bin.count; first += N) {
        const auto at = [&](int i) __attribute__((always_inline))
        {
            return Real::load(stressRows[i] + first);
        };
        scatterGroup<kSupport>(task, groupOf(task, bin, first),
                               {at(0), at(3), at(4), at(1), at(5), at(2)}, Real(model.waveModulus),
                               0, fastest);
    }
    return true;
}

/// Scatters particles of a whole body, whose stress has become their acceleration.
template <int kSupport>
__attribute__((noinline)) void scatterWhole(const ScatterTask& task, const BinRef& bin)
{
    const Real h(task.cellSize), dt(task.timeStep), affineShare(task.affine ? 1.0f : 0.0f);
    for (int first = 0; first < bin.count; first += N) {
        const Group group = groupOf(task, bin, first);
        alignas(64) float rows[12][N] = {};
        for (int p = 0; p < group.count; ++p) {
            std::uint32_t place;
            memcpy(&place, group.data + row::rest * kLanes + p, sizeof place);
            const RestMotion& motion = task.rest[place];
            for (int i = 0; i < 3; ++i)
                rows[i][p] = motion.acceleration[i];
            for (int i = 0; i < 9; ++i)
                rows[3 + i][p] = motion.affine[i];
        }
        Vec3<Real> gained;
        Mat3<Real> C = loadMatrix(group.C, 0);
        for (int i = 0; i < 3; ++i) {
            gained[i] = dt * Real::load(rows[i]);
            for (int j = 0; j < 3; ++j)
                C[i][j] = C[i][j] + dt * Real::load(rows[3 + 3 * i + j]);
        }
        const Real mass = Real::load(group.data + row::mass * kLanes);
        const Vec3<Real> velocity = loadVector(group.data, row::v);
        const Mat3<Real> A = (affineShare * mass * h) * C;
        Stencils<kSupport> stencils;
        const Vec3<Real> f = computeStencils(loadVector(group.data, row::x), stencils);
        scatterParticles(stencils, mass * (velocity + gained) - A * f, A, mass, group, task.arena,
                         task.behind);
        if (task.arenaBefore)
            scatterParticles(stencils, mass * velocity, Mat3<Real>{}, mass, group, task.arenaBefore,
                             task.behindBefore);
    }
}

template <int kSupport>
void scatter(const ScatterTask& task, ScatterResult& result)
{
    for (float* arena : {task.arena, task.arenaBefore, task.behind, task.behindBefore})
        if (arena)
            memset(arena, 0, sizeof(float) * kArenaNodes * kNodeFloats);
    result = {0, 0, false};
    for (std::uint32_t begin = 0, end = 0; begin < task.binCount; begin = end) {
        const std::uint16_t index = task.bins[begin].material;
        while (end < task.binCount && task.bins[end].material == index)
            ++end;
        const KernelMaterial& entry = task.materials[index];
        float fastest = 0;
        if (entry.whole) {
            for (std::uint32_t b = begin; b < end; ++b)
                scatterWhole<kSupport>(task, task.bins[b]);
        } else if (entry.custom) {
            for (std::uint32_t b = begin; b < end; ++b)
                if (!scatterCustom<kSupport>(task, task.bins[b], *entry.custom, fastest)) {
                    result.failed = true;
                    result.material = index;
                    return;
                }
        } else {
            Material material;
            static_assert(sizeof material <= sizeof entry.law);
            memcpy(static_cast<void*>(&material), entry.law, sizeof material);
            visitLaw(material, [&](const auto& law) {
                scatterLaw<kSupport>(task, task.bins + begin, end - begin, law, fastest);
            });
        }
        if (fastest > result.signalSpeed) {
            result.signalSpeed = fastest;
            result.material = index;
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
    for (int n = 0; task.held && n < kBlockNodes; ++n)
        store4(sum + 4 * n, load4(sum + 4 * n) + load4(task.held + 4 * n));
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

/// Returns C from weighted sums over the nodes.
FLOE_HD Mat3<Real> affineOf(const Moments& m, const Vec3<Real>& f, const MaskOf<Real>& live,
                            Real scale)
{
    const Vec3<Real> zero{Real(0.0f), Real(0.0f), Real(0.0f)};
    Mat3<Real> C;
    C.setColumn(0, select<Real>(live, scale * (m.alongX - f.x * m.mean), zero));
    C.setColumn(1, select<Real>(live, scale * (m.alongY - f.y * m.mean), zero));
    C.setColumn(2, select<Real>(live, scale * (m.alongZ - f.z * m.mean), zero));
    return C;
}

/// Updates the volume and the surface of liquid particles.
/// @param first  lane
/// @param x  before their motion  @param f  their distance from the first node [cells]
template <int kSupport>
void advanceVolumes(const GatherTask& task, const BinRef& bin, int first, const Mat3<Real>& C,
                    const Moments& m, const Vec3<Real>& x, const Vec3<Real>& f)
{
    float* const data = bin.data + first;
    Material material;
    memcpy(static_cast<void*>(&material), task.materials[bin.material].law, sizeof material);
    const Liquid& law = material.liquid;
    Real change = Real::load(data + row::state * kLanes);
    const bool tense = bin.layout == Layout::tenseLiquid;
    const bool corrects = law.matterDensity > 0 && task.volumeTime > 0;
    if (corrects || tense) {
        const Real mass = Real::load(data + row::mass * kLanes);
        const Real volume = Real::load(data + row::volume * kLanes);
        Real mean = m.mass;
        Vec3<Real> slope = Real(kInverseMoment<kSupport>) * (m.massAlong - m.mass * f);
        if (task.open) {
            const float* const open = task.open + 4 * kLanes * (&bin - task.bins) + first;
            slope = slope - mean * loadVector(open, 1);
            mean = Real::load(open) * mean;
            slope = Real::load(open) * slope;
        }
        const rules::NearMass<Real> near = rules::nearMass<kSupport>(task.walls, x, mean, slope);
        if (tense) {
            const Vec3<Real> zero{Real(0.0f), Real(0.0f), Real(0.0f)};
            const Real density = mass / max(volume, Real(1e-30f));
            storeVector(
                data, row::surface,
                select<Real>(mass > Real(0.0f),
                             rules::surfaceAfter(near, density, C, task.timeStep, task.cellSize),
                             zero));
        }
        if (corrects) {
            const Real after = rules::advanceVolume(law, near, mass, volume, change, trace(C),
                                                    task.timeStep, task.volumeTime, task.cellSize);
            change = select(mass > Real(0.0f), after, change);
        }
    }
    if (!corrects)
        change = advanceLiquidVolume(law, change, trace(C), Real(task.timeStep));
    change.store(data + row::state * kLanes);
}

/// Returns x + d [cells] as displaced() does. Ids, which nothing else in the gather needs, are read
/// only where a displacement is short: their rows stay out of the cache.
FLOE_HD Vec3<Real> moved(const float* data, const Vec3<Real>& x, const Vec3<Real>& d,
                         std::int32_t seed)
{
    if (!any(max(abs(d.x), max(abs(d.y), abs(d.z))) < Real(kShortStep)))
        return x + d;
    return displaced(x, d, asInt(Real::load(data + row::id * kLanes)), Int(seed));
}

template <int kSupport>
void gather(const GatherTask& task, GatherResult& result)
{
    alignas(64) float arena[kArenaNodes * kNodeFloats];
    alignas(64) float arenaBefore[kArenaNodes * kNodeFloats];
    fillArena(task.nodes, arena);
    const bool blends = task.flip >= 0.0f;
    if (blends)
        fillArena(task.before, arenaBefore);
    alignas(64) float behind[kArenaNodes * kNodeFloats];
    alignas(64) float behindBefore[kArenaNodes * kNodeFloats];
    if (task.hidden) {
        fillArena(task.behind, behind);
        if (blends)
            fillArena(task.behindBefore, behindBefore);
    }

    Stencils<kSupport> stencils;
    const Real scale(kInverseMoment<kSupport> / task.cellSize), step(task.timeStep / task.cellSize);
    Real speed2(0.0f), component(0.0f), gradient(0.0f);
    for (std::uint32_t b = 0; b < task.binCount; ++b) {
        const BinRef& bin = task.bins[b];
        if (b + 1 < task.binCount)
            prefetchMoving(task.bins[b + 1]);
        for (int first = 0; first < bin.count; first += N) {
            float* data = bin.data + first;
            const int count = bin.count - first < N ? bin.count - first : N;
            const Vec3<Real> x = loadVector(data, row::x);
            const Vec3<Real> f = computeStencils(x, stencils);
            const std::uint64_t* const hidden = hiddenOf(task.hidden, task.bins, bin, first);
            const Moments m = gatherParticles(stencils, count, hidden, arena, behind);
            const MaskOf<Real> live = Real::load(data + row::mass * kLanes) > Real(0.0f);
            const Vec3<Real> zero{Real(0.0f), Real(0.0f), Real(0.0f)};
            const Vec3<Real> v = select<Real>(live, m.mean, zero);
            const Mat3<Real> C = affineOf(m, f, live, scale);
            Vec3<Real> own = v;
            if (blends) {
                const Vec3<Real> kept =
                    loadVector(data, row::v) -
                    gatherParticles(stencils, count, hidden, arenaBefore, behindBefore).mean;
                own = select<Real>(live, v + Real(task.flip) * kept, zero);
            }
            storeVector(data, row::v, own);
            if (keepsAffine(bin.layout))
                storeMatrix(data, row::C, C);
            else
                storeMatrix(task.affineRows[b].C + first, 0, C);
            if (isLiquid(bin.layout))
                advanceVolumes<kSupport>(task, bin, first, C, m, x, f);
            storeVector(data, row::x, moved(data, x, step * v, task.roundingSeed));
            speed2 = max(speed2, dot(own, own));
            component = max(component, max(abs(own.x), max(abs(own.y), abs(own.z))));
            gradient = max(gradient, max(abs(C[0][0]), max(abs(C[1][1]), abs(C[2][2]))));
        }
    }
    result = {maxLane(sqrt(speed2)), maxLane(component), maxLane(gradient)};
}

template <int kSupport>
void gatherAffine(const GatherTask& task)
{
    alignas(64) float arena[kArenaNodes * kNodeFloats];
    fillArena(task.nodes, arena);
    Stencils<kSupport> stencils;
    const Real scale(kInverseMoment<kSupport> / task.cellSize), step(task.timeStep / task.cellSize);
    for (std::uint32_t b = 0; b < task.binCount; ++b) {
        const BinRef& bin = task.bins[b];
        if (b + 1 < task.binCount)
            prefetch(task.bins[b + 1]);
        if (keepsAffine(bin.layout))
            continue;
        for (int first = 0; first < bin.count; first += N) {
            const float* data = bin.data + first;
            const int count = bin.count - first < N ? bin.count - first : N;
            const Vec3<Real> v = loadVector(data, row::v);
            const Vec3<Real> f = computeStencils(loadVector(data, row::x) - step * v, stencils);
            const MaskOf<Real> moves = dot(v, v) > Real(0.0f);
            float* const to = task.affineRows[b].C + first;
            storeMatrix(to, 0, affineOf(gatherParticles(stencils, count, arena), f, moves, scale));
            for (int p = 0; p < count; ++p) {
                std::uint32_t id;
                memcpy(&id, data + row::id * kLanes + p, sizeof id);
                for (int i = 0; i < 9 && id >= task.newFrom; ++i)
                    to[i * kLanes + p] = 0;
            }
        }
    }
}

template <int kSupport>
void extents(const ExtentTask& task)
{
    memset(task.arena, 0, sizeof(float) * kArenaNodes * kNodeFloats);
    Stencils<kSupport> stencils;
    for (std::uint32_t b = 0; b < task.binCount; ++b) {
        const BinRef& bin = task.bins[b];
        if (b + 1 < task.binCount)
            for (int r : {row::x, row::x + 1, row::x + 2, row::volume})
                __builtin_prefetch(task.bins[b + 1].rowAt(r));
        for (int first = 0; first < bin.count; first += N) {
            const float* data = bin.data + first;
            const int count = bin.count - first < N ? bin.count - first : N;
            const Vec3<Real> f = computeStencils(loadVector(data, row::x), stencils);
            const Real volume = Real::load(data + row::volume * kLanes), zero(0.0f);
            const Mat3<Real> slope{
                {{-volume, zero, zero}, {zero, -volume, zero}, {zero, zero, -volume}}};
            scatterParticles(stencils, volume * f, slope, volume, count, task.arena);
        }
    }
}

/// Returns the table of one instruction set and spline.
/// @param cubic  null: this one is cubic
template <int kSupport>
constexpr Kernels kernelsOf(const char* name, const ImplicitKernels& implicit, const Kernels* cubic)
{
    return {name,
            scatter<kSupport>,
            grid,
            gather<kSupport>,
            gatherAffine<kSupport>,
            extents<kSupport>,
            &implicit,
            &kRestKernels<kSupport>,
            cubic};
}

} // namespace
} // namespace floe::mpm
