// DamBreak/<solver>/<cell in mm>: a second of a dam break of 0.6 x 0.55 x 0.6 m in a tank 2 m long,
// with eight particles a cell, on two threads: the incompressible solver, and MPM's weakly
// compressible water with the stiffness of graphs/dam_break.floe.json. Both draw their water at the
// same particles. Counters: steps, and how far the front came.

#include "scene.hpp"
#include "tbb_executor.hpp"

#include "step/coupled_solver.hpp"

#include <benchmark/benchmark.h>

#include <cstdio>

namespace {

constexpr double kSeconds = 1, kFps = 24;

floe::sdk::world::Domain tank()
{
    using floe::sdk::world::Contact;
    floe::sdk::world::Domain domain;
    domain.bounded = true;
    domain.center = {0, 0.75, 0};
    domain.halfSize = {1, 0.75, 0.3};
    domain.faces = {Contact::slip, Contact::slip, Contact::slip,
                    Contact::open, Contact::slip, Contact::slip};
    return domain;
}

floe::mpm::Lattice column(double cell)
{
    return floe::mpm::Lattice({-1, 0, -0.3}, {-0.4, 0.55, 0.3}, cell);
}

void weaklyCompressible(benchmark::State& state, double cell)
{
    double steps = 0, front = 0, count = 0;
    for (auto _ : state) {
        floe::mpm::TbbExecutor executor(2);
        floe::mpm::SolverSettings settings;
        settings.cellSize = cell;
        floe::mpm::Solver solver(settings, executor);
        solver.setMaterials({floe::mpm::material(
            "liquid", 1000, {{"bulkModulus", 2e5}, {"exponent", 7}, {"viscosity", 1e-3}})});
        solver.setDomain(tank());
        const floe::mpm::Lattice particles = column(cell);
        solver.addParticles(particles.particles());
        for (int frame = 0; frame < kSeconds * kFps; ++frame)
            for (const double end = (frame + 1) / kFps; end - solver.time() > 1e-9;)
                solver.advance(end - solver.time());
        steps = static_cast<double>(solver.takeStatistics().steps);
        const floe::mpm::Frame last(solver);
        for (std::size_t i = 0; i < last.x.size(); i += 3)
            front = std::max<double>(front, last.x[i]);
        count = static_cast<double>(particles.count());
    }
    state.counters["steps"] = steps;
    state.counters["front_m"] = front;
    state.counters["particles"] = count;
}

void incompressible(benchmark::State& state, double cell, double tolerance)
{
    using namespace floe::coupled;
    double front = 0, count = 0, iterations = 0, steps = 0;
    for (auto _ : state) {
        floe::mpm::TbbExecutor executor(2);
        CoupledSettings settings;
        settings.cellSize = cell;
        settings.limits.tolerance = tolerance;
        CoupledSolver solver(settings);
        Surroundings surroundings;
        surroundings.domain = tank();
        const floe::mpm::Lattice particles = column(cell);
        FluidParticle particle{};
        for (std::size_t i = 0; i < particles.count(); ++i) {
            particle.volume = particles.volume[i];
            particle.mass = 1000 * particle.volume;
            solver.fluid().add({particles.x[3 * i], particles.x[3 * i + 1], particles.x[3 * i + 2]},
                               particle);
        }
        solver.fluid().rebin();
        for (double time = 0; time < kSeconds - 1e-9;) {
            const double left = 1 / kFps - std::fmod(time + 1e-9, 1 / kFps);
            const double dt = left / std::ceil(left / longestStep(solver, surroundings, 1));
            solver.step(surroundings, time, dt, executor);
            time += dt;
        }
        const CoupledStatistics statistics = solver.takeStatistics();
        steps = static_cast<double>(statistics.steps);
        iterations = static_cast<double>(statistics.iterations) / steps;
        for (std::size_t b = 0; b < solver.fluid().size(); ++b)
            for (const FluidParticle& p : solver.fluid()[b].particles)
                front = std::max(front, solver.fluid().placeOf(solver.fluid()[b], p).x);
        count = static_cast<double>(particles.count());
    }
    state.counters["steps"] = steps;
    state.counters["iterations"] = iterations;
    state.counters["front_m"] = front;
    state.counters["particles"] = count;
}

const int registered = [] {
    for (const int millimetres : {50, 25}) {
        const double cell = 1e-3 * millimetres;
        const auto add = [&](const char* name, auto run) {
            char full[64];
            std::snprintf(full, sizeof full, "DamBreak/%s/%d", name, millimetres);
            benchmark::RegisterBenchmark(full, run)->Unit(benchmark::kMillisecond)->Iterations(1);
        };
        add("weaklyCompressible",
            [=](benchmark::State& state) { weaklyCompressible(state, cell); });
        add("incompressible", [=](benchmark::State& state) { incompressible(state, cell, 1e-4); });
        add("incompressible1e-3",
            [=](benchmark::State& state) { incompressible(state, cell, 1e-3); });
    }
    return 0;
}();

} // namespace
