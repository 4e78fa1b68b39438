// MpmStep/cpu/<material>/<N>thread: whole steps (scatter, grid, gather, rebinning) of a cube of a
// million particles, 8 a cell, that turns and shears, on 1, 2 and all threads. Variants: /1k, a
// thousand particles; /8M, eight million; /mixed, after particles have left the blocks they began
// in; /shuffled, given in random order ten steps ago. FLOE_SIMD: baseline, avx2 or avx512.

#include "swirling_cube.hpp"
#include "tbb_executor.hpp"

#include <chrono>
#include <set>
#include <thread>

using namespace floe::mpm;

namespace {

void step(benchmark::State& state, const char* law, std::size_t threads, int cells, Order order)
{
    TbbExecutor executor(threads);
    SolverSettings settings;
    settings.cellSize = kEdge / cells;
    Solver solver(settings, executor);
    solver.setMaterials({cubeMaterial(law)});
    const Lattice cube = cubeOf(cells, order);
    solver.addParticles(cube.particles());
    for (int i = 0; i < stepsBefore(order); ++i)
        solver.advance(1);
    solver.takeStatistics();
    const auto begin = std::chrono::steady_clock::now();
    for (auto _ : state)
        solver.advance(1);
    // By the clock on the wall; UseRealTime() would add to the benchmark's name.
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;

    const StepStatistics s = solver.takeStatistics();
    count(state, s, cube.count(), elapsed.count(), solver.bytes());
    state.counters["rebin_ns"] =
        s.rebinSeconds * 1e9 / (static_cast<double>(cube.count()) * s.steps);
    state.counters["steps_per_rebin"] = static_cast<double>(s.steps) / std::max(1u, s.rebins);
    state.SetLabel(solver.backendName());
}

const int registered = [] {
    struct Variant {
        const char* suffix;
        int cells;
        Order order;
    };
    for (const char* law : kLaws)
        for (const std::size_t threads :
             std::set<std::size_t>{1, 2, std::max(1u, std::thread::hardware_concurrency())})
            for (const Variant& variant :
                 {Variant{"", 50, Order::fresh}, Variant{"/1k", 5, Order::fresh},
                  Variant{"/8M", 100, Order::fresh}, Variant{"/mixed", 50, Order::mixed},
                  Variant{"/shuffled", 50, Order::shuffled}})
                benchmark::RegisterBenchmark((std::string("MpmStep/cpu/") + law + '/' +
                                              std::to_string(threads) + "thread" + variant.suffix)
                                                 .c_str(),
                                             [=](benchmark::State& state) {
                                                 step(state, law, threads, variant.cells,
                                                      variant.order);
                                             })
                    ->Unit(benchmark::kMillisecond);
    return 0;
}();

} // namespace
