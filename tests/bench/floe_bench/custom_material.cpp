// CustomMaterial/cpu/<N>thread: what a third party's material costs beside a built-in one of the
// same law. Both solvers take their steps by turns, so that `ratio` does not depend on what else
// the machine does.

#include "scene.hpp"
#include "tbb_executor.hpp"

#include "kelvin_voigt.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <string>

using namespace floe::mpm;

namespace {

/// The example plugin's law, called as the plugin is.
bool update(void* self, double, float* const F[9], float* const*, const float* const gradient[9],
            const float* stiffness, float* const stress[6])
{
    static_cast<const KelvinVoigt*>(self)->stresses(F, gradient, stiffness, stress, kLanes);
    return true;
}

void customMaterial(benchmark::State& state, std::size_t threads)
{
    TbbExecutor executor(threads);
    constexpr int kCells = 50;
    SolverSettings settings;
    settings.cellSize = 1.0 / kCells;
    Lattice cube({0, 0, 0}, {1, 1, 1}, settings.cellSize);
    for (std::size_t i = 0; i < cube.count(); ++i) { // a turn and a shear
        cube.v[3 * i] = 2 * cube.x[3 * i + 1];
        cube.v[3 * i + 1] = -2 * cube.x[3 * i];
        cube.v[3 * i + 2] = std::sin(5 * cube.x[3 * i + 1]);
    }

    KelvinVoigt law = KelvinVoigt::of(1e5, 0.3, 0); // without its damper it is neo-Hookean
    SolverMaterial custom;
    custom.name = "custom";
    custom.law.density = 1000;
    const auto speed = law.soundSpeed(1000);
    custom.custom = std::make_shared<CustomModel>(
        CustomModel{update, &law, static_cast<float>(1000 * speed * speed)});
    Solver builtIn(settings, executor), third(settings, executor);
    builtIn.setMaterials({material("neoHookean", 1000)});
    third.setMaterials({custom});
    double seconds[2] = {};
    Solver* solvers[2] = {&builtIn, &third};
    for (Solver* solver : solvers) {
        solver->addParticles(cube.particles());
        for (int i = 0; i < 3; ++i)
            solver->advance(1);
    }
    for (auto _ : state)
        for (int i = 0; i < 2; ++i) {
            const auto begin = std::chrono::steady_clock::now();
            solvers[i]->advance(1);
            seconds[i] +=
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        }
    const double each =
        1e9 / (static_cast<double>(cube.count()) * static_cast<double>(state.iterations()));
    state.counters["built_in_ns"] = seconds[0] * each;
    state.counters["custom_ns"] = seconds[1] * each;
    state.counters["ratio"] = seconds[1] / seconds[0];
    state.SetLabel(builtIn.backendName());
}

const int registered = [] {
    for (const std::size_t threads : {std::size_t{1}, std::size_t{2}})
        benchmark::RegisterBenchmark(
            ("CustomMaterial/cpu/" + std::to_string(threads) + "thread").c_str(),
            [=](benchmark::State& state) { customMaterial(state, threads); })
            ->Unit(benchmark::kMillisecond);
    return 0;
}();

} // namespace
