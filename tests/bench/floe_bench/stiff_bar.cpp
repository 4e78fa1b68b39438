// StiffBar/<Young's modulus>/<integrator>: a twentieth of a second of a cantilever of metal, four
// cells thick and 36 long, 4608 particles, bending under its weight: what the semi-implicit
// integrator is for. The preset of plugins/materials has 1e8 Pa. Counters say how many steps and
// linear iterations it took, and where the tip was at the end [mm].

#include "scene.hpp"

#include <benchmark/benchmark.h>

#include <cstdio>

using namespace floe::mpm;

namespace {

void bend(benchmark::State& state, double youngModulus, double reach)
{
    StepStatistics steps;
    double sag = 0;
    for (auto _ : state) {
        SerialExecutor serial;
        SolverSettings settings;
        settings.cellSize = 0.025;
        settings.gravity = {0, -4, 0};
        if (reach > 0) {
            settings.integrator = Integrator::semiImplicit;
            settings.implicitReach = reach;
        }
        Solver solver(settings, serial);
        solver.setMaterials({material("vonMises", 2700,
                                      {{"youngModulus", youngModulus},
                                       {"poissonRatio", 0.33},
                                       {"yieldStress", 5e-3 * youngModulus},
                                       {"hardeningModulus", 1e-2 * youngModulus}})});
        Domain wall;
        wall.bounded = true;
        wall.center = {5, 0, 0};
        wall.halfSize = {5, 5, 5};
        wall.faces = {Contact::stick, Contact::open, Contact::open,
                      Contact::open,  Contact::open, Contact::open};
        solver.setDomain(wall);
        solver.addParticles(Lattice({-0.1, 0, 0}, {0.8, 0.1, 0.1}, 0.025).particles());
        run(solver, 0.05);
        steps = solver.takeStatistics();
        const Frame frame(solver);
        float lowest = 1;
        for (std::size_t i = 0; i < frame.id.size(); ++i)
            lowest = std::min(lowest, frame.x[3 * i + 1]);
        sag = 6.25 - 1000.0 * lowest;
    }
    state.counters["steps"] = steps.steps;
    state.counters["iterations"] = static_cast<double>(steps.solveIterations);
    state.counters["sag_mm"] = sag;
}

const int registered = [] {
    for (const double youngModulus : {1e8, 2e9, 7e10})
        for (const double reach : {0.0, 10.0, 50.0, 500.0}) {
            char name[64];
            std::snprintf(name, sizeof name,
                          reach > 0 ? "StiffBar/%.0e/reach%.0f" : "StiffBar/%.0e/explicit",
                          youngModulus, reach);
            benchmark::RegisterBenchmark(
                name, [=](benchmark::State& state) { bend(state, youngModulus, reach); })
                ->Unit(benchmark::kMillisecond)
                ->Iterations(1);
        }
    return 0;
}();

} // namespace
