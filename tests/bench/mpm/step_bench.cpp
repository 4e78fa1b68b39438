// MpmStep/cpu/<material>/<threads>: whole steps (scatter, grid, gather, regrouping) of a cube of
// material, 8 particles a cell, that turns and shears. BENCH_MPM_CELLS: cells along its edge
// (default 50: a million particles); FLOE_SIMD: baseline, avx2 or avx512.

#include "scene.hpp"

#include <benchmark/benchmark.h>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <cstdlib>

using namespace floe::mpm;

namespace {

class TbbExecutor final : public Executor {
public:
    void parallelFor(std::size_t count, std::size_t grain,
                     const std::function<void(std::size_t, std::size_t)>& body) override
    {
        tbb::parallel_for(
            tbb::blocked_range<std::size_t>(0, count, grain),
            [&](const auto& range) { body(range.begin(), range.end()); },
            tbb::simple_partitioner{});
    }
};

void step(benchmark::State& state, const char* law)
{
    const char* asked = std::getenv("BENCH_MPM_CELLS");
    const int cells = asked ? std::max(2, std::atoi(asked)) : 50;
    const auto threads = static_cast<std::size_t>(state.range(0));
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    TbbExecutor executor;
    SolverSettings settings;
    settings.cellSize = 1.0 / cells;
    Solver solver(settings, executor);
    solver.setMaterials({material(law, 1000)});
    Lattice cube({0, 0, 0}, {1, 1, 1}, settings.cellSize);
    for (std::size_t i = 0; i < cube.count(); ++i) {
        cube.v[3 * i] = 2 * cube.x[3 * i + 1] + std::sin(9 * cube.x[3 * i + 2]);
        cube.v[3 * i + 1] = -2 * cube.x[3 * i] + std::cos(7 * cube.x[3 * i]);
    }
    solver.addParticles(cube.particles());
    for (int i = 0; i < 3; ++i)
        solver.advance(1);
    solver.takeStatistics();
    for (auto _ : state)
        solver.advance(1);

    const StepStatistics s = solver.takeStatistics();
    const auto particles = static_cast<double>(cube.count());
    const double each = 1e9 / (particles * s.steps);
    state.counters["particle_steps_per_second"] = benchmark::Counter(
        particles * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
    state.counters["bytes_per_particle"] = static_cast<double>(solver.bytes()) / particles;
    state.counters["scatter_ns"] = s.scatterSeconds * each;
    state.counters["grid_ns"] = s.gridSeconds * each;
    state.counters["gather_ns"] = s.gatherSeconds * each;
    state.counters["regroup_ns"] = s.regroupSeconds * each;
    state.counters["steps_per_regroup"] =
        static_cast<double>(s.steps) / std::max(1u, s.regroupings);
    state.counters["redone"] = s.redone;
    state.SetLabel(solver.kernelsName());
}

} // namespace

int main(int argc, char** argv)
{
    for (const char* law : {"fixedCorotated", "neoHookean", "hencky", "liquid", "snow",
                            "druckerPrager", "vonMises", "herschelBulkley", "camClay"})
        benchmark::RegisterBenchmark((std::string("MpmStep/cpu/") + law).c_str(),
                                     [law](benchmark::State& state) { step(state, law); })
            ->Arg(1)
            ->Arg(2)
            ->UseRealTime()
            ->Unit(benchmark::kMillisecond);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
