/// What the solver's tests build their little worlds from.
#pragma once

#include "cpu_backend.hpp"
#include "threads.hpp"

#include <floe/sdk/physics/parameters.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <vector>

namespace floe::mpm {

using test::ThreadExecutor;

/// A stepper on one of the backends (backends.hpp).
template <class Where>
class SolverOn : public Stepper {
public:
    SolverOn(const SolverSettings& settings, Executor& executor)
        : Stepper(settings, Where::backend(settings, executor), executor)
    {}
};

struct OnCpu {
    static std::unique_ptr<Backend> backend(const SolverSettings& settings, Executor& executor)
    {
        return std::make_unique<CpuBackend>(settings, executor, plainMemory());
    }
};

/// A stepper on a CPU, whose backend tests may ask directly.
class Solver : public Stepper {
public:
    Solver(const SolverSettings& settings, Executor& executor, MemorySource& memory = plainMemory())
        : Stepper(settings, std::make_unique<CpuBackend>(settings, executor, memory), executor)
    {}
    void setKernels(const Kernels& kernels)
    {
        static_cast<CpuBackend&>(backend()).setKernels(kernels);
    }
};

/// A block sleeps when its particles have been slower than a threshold for a while, and wakes when
/// active neighbours move its nodes faster than that.
struct SpeedThreshold {
    float speed, delay;

    void evaluate(ActivationRequest& request) const
    {
        for (std::size_t i = 0; i < request.state.size(); ++i) {
            const bool active = request.state[i] == static_cast<std::uint8_t>(BlockState::active);
            const bool moves = active ? request.restTime[i] < delay
                                      : request.pushKnown[i] && request.pushSpeed[i] > speed;
            request.state[i] =
                static_cast<std::uint8_t>(moves ? BlockState::active : BlockState::passive);
        }
    }
};

/// A material with the law's defaults, but for the parameters named.
struct Parameter {
    std::string_view name;
    double value;
};
inline SolverMaterial material(const char* law, float density,
                               std::initializer_list<Parameter> changes = {})
{
    SolverMaterial m;
    m.name = law;
    m.law = physics::makeMaterial(physics::findLaw(law)->kind, density,
                                  [&](const physics::LawParameter& parameter) {
                                      for (const Parameter& change : changes)
                                          if (change.name == parameter.name)
                                              return change.value;
                                      return parameter.value;
                                  });
    return m;
}

/// Particles on a regular lattice, `perCell` along each axis of a cell.
struct Lattice {
    std::vector<float> x, v, volume;

    Lattice() = default;
    Lattice(Vec3d low, Vec3d high, double cell, Vec3d velocity = {0, 0, 0}, int perCell = 2)
    {
        const double step = cell / perCell;
        for (double a = low.x + step / 2; a < high.x; a += step)
            for (double b = low.y + step / 2; b < high.y; b += step)
                for (double c = low.z + step / 2; c < high.z; c += step)
                    add({a, b, c}, velocity, step * step * step);
    }
    void add(Vec3d position, Vec3d velocity, double cellVolume)
    {
        for (int axis = 0; axis < 3; ++axis) {
            x.push_back(static_cast<float>(position[axis]));
            v.push_back(static_cast<float>(velocity[axis]));
        }
        volume.push_back(static_cast<float>(cellVolume));
    }
    std::size_t count() const { return volume.size(); }
    NewParticles particles(std::uint16_t material = 0) const
    {
        NewParticles p;
        p.count = count();
        p.material = material;
        p.x = x.data();
        p.v = v.data();
        p.volume = volume.data();
        return p;
    }
};

/// A snapshot sorted by id.
struct Frame {
    std::vector<float> x, v, F, J, mass;
    std::vector<std::uint64_t> id;
    std::vector<std::uint8_t> activation;

    explicit Frame(Stepper& solver)
    {
        const std::size_t n = solver.particleCount();
        std::vector<float> x0(3 * n), v0(3 * n), F0(9 * n), J0(n), m0(n);
        std::vector<std::uint64_t> id0(n);
        std::vector<std::uint8_t> a0(n);
        Snapshot to;
        to.x = x0.data();
        to.v = v0.data();
        to.F = F0.data();
        to.J = J0.data();
        to.mass = m0.data();
        to.id = id0.data();
        to.activation = a0.data();
        solver.snapshot(to);
        std::vector<std::size_t> order(n);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(),
                  [&](std::size_t a, std::size_t b) { return id0[a] < id0[b]; });
        for (const std::size_t i : order) {
            x.insert(x.end(), &x0[3 * i], &x0[3 * i] + 3);
            v.insert(v.end(), &v0[3 * i], &v0[3 * i] + 3);
            F.insert(F.end(), &F0[9 * i], &F0[9 * i] + 9);
            J.push_back(J0[i]);
            mass.push_back(m0[i]);
            id.push_back(id0[i]);
            activation.push_back(a0[i]);
        }
    }
    bool operator==(const Frame&) const = default;

    Vec3d meanPosition() const { return mean(x); }
    Vec3d meanVelocity() const { return mean(v); }

private:
    Vec3d mean(const std::vector<float>& a) const
    {
        Vec3d sum{0, 0, 0};
        for (std::size_t i = 0; i < id.size(); ++i)
            for (int axis = 0; axis < 3; ++axis)
                sum[axis] += a[3 * i + axis];
        return (1.0 / static_cast<double>(std::max<std::size_t>(1, id.size()))) * sum;
    }
};

struct Totals {
    double mass = 0;                ///< [kg]
    Vec3d momentum{0, 0, 0};        ///< [kg m/s]
    Vec3d angularMomentum{0, 0, 0}; ///< about the origin, with APIC's affine share [kg m^2/s]
    double kineticEnergy = 0;       ///< with the affine share [J]
    double elasticEnergy = 0;       ///< built-in laws only, of particles without a stiffness [J]
};
inline Totals totals(Stepper& solver)
{
    const std::size_t n = solver.particleCount();
    std::vector<float> x(3 * n), v(3 * n), F(9 * n), C(9 * n), mass(n), volume(n), state(n);
    std::vector<std::uint32_t> index(n);
    Snapshot to;
    to.x = x.data();
    to.v = v.data();
    to.F = F.data();
    to.C = C.data();
    to.mass = mass.data();
    to.volume = volume.data();
    to.state = state.data();
    to.material = index.data();
    solver.snapshot(to);
    // B = C D, D the second moment of the weights, carries rotation and kinetic energy of its own
    // (Jiang et al. 2015, section 5.3).
    const SolverSettings& settings = solver.settings();
    const double h2 = settings.cellSize * settings.cellSize;
    const double D = settings.transfer != Transfer::apic ? 0
                     : settings.kernel == Kernel::cubic  ? h2 / 3
                                                         : h2 / 4;
    Totals t;
    for (std::size_t i = 0; i < n; ++i) {
        const double m = mass[i];
        const Vec3d at{x[3 * i], x[3 * i + 1], x[3 * i + 2]};
        const Vec3d moves{v[3 * i], v[3 * i + 1], v[3 * i + 2]};
        const float* c = &C[9 * i];
        const Vec3d spin{double{c[7]} - c[5], double{c[2]} - c[6], double{c[3]} - c[1]};
        double square = 0;
        for (int k = 0; k < 9; ++k)
            square += double{c[k]} * c[k];
        t.mass += m;
        t.momentum = t.momentum + m * moves;
        t.angularMomentum =
            t.angularMomentum + m * floe::physics::cross(at, moves) + (m * D) * spin;
        t.kineticEnergy += 0.5 * m * (floe::physics::dot(moves, moves) + D * square);
        const SolverMaterial& material = solver.materials()[index[i]];
        if (material.custom)
            continue;
        t.elasticEnergy +=
            volume[i] * floe::physics::visitLaw(material.law, [&](const auto& law) -> double {
                const double own = state[i] - (material.law.isLiquid() ? 1.0 : 0.0);
                if constexpr (requires { law.energy(1.0); })
                    return law.energy(own);
                else {
                    floe::physics::Mat3<double> H;
                    for (int k = 0; k < 9; ++k)
                        H[k / 3][k % 3] =
                            double{F[9 * i + static_cast<std::size_t>(k)]} - (k % 4 == 0 ? 1 : 0);
                    return law.energy(floe::physics::stretching(H).extension, own);
                }
            });
    }
    return t;
}

/// Advances by `duration`.
inline void run(Stepper& solver, double duration)
{
    const double end = solver.time() + duration;
    while (end - solver.time() > 1e-9 * duration)
        solver.advance(end - solver.time());
}

} // namespace floe::mpm
