// StiffBar/<stiffness>/<integrator>: a hundredth of a second of a cantilever of metal, four cells
// thick and 36 long, 4608 particles, bending under its weight: what the semi-implicit integrator is
// for. Preset: Young's modulus 1e8 Pa, as plugins/materials has it; real: 7e10 Pa. The bar is the
// same, so that time is what compares; counters say how many steps and linear iterations it took,
// and how far the tip came [mm].

#include "scene.hpp"

#include <benchmark/benchmark.h>

#include <string>

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
        wall.faces = {Face::stick, Face::open, Face::open, Face::open, Face::open, Face::open};
        solver.setDomain(wall);
        solver.addParticles(Lattice({-0.1, 0, 0}, {0.8, 0.1, 0.1}, 0.025).particles());
        run(solver, 0.01);
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

int registerAll()
{
    for (const auto& [stiffness, youngModulus] :
         {std::pair{"preset", 1e8}, std::pair{"real", 7e10}})
        for (const auto& [integrator, reach] :
             {std::pair{"explicit", 0.0}, std::pair{"reach10", 10.0}, std::pair{"reach50", 50.0},
              std::pair{"reach500", 500.0}})
            benchmark::RegisterBenchmark(
                ("StiffBar/" + std::string(stiffness) + "/" + integrator).c_str(),
                [=](benchmark::State& state) { bend(state, youngModulus, reach); })
                ->Unit(benchmark::kMillisecond)
                ->Iterations(1);
    return 0;
}
const int registered = registerAll();

} // namespace
