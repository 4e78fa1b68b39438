// MpmStep/cpu/<material>/<N>thread: whole steps (scatter, grid, gather, regrouping) of a cube of a
// million particles, 8 a cell, that turns and shears. Variants: /8M, eight times as many; /mixed,
// after particles have left the blocks they began in; /shuffled, given in random order ten steps
// ago. FLOE_SIMD: baseline, avx2 or avx512.

#include "scene.hpp"

#include <benchmark/benchmark.h>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <chrono>
#include <random>
#include <string>

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

constexpr double kEdge = 1; // of the cube [m]

enum class Order { fresh, mixed, shuffled };

/// Swirls that shear and turn the cube without leaving it.
Vec3d velocityAt(Vec3d p)
{
    return {2 * p.y + std::sin(9 * p.z), -2 * p.x + std::cos(7 * p.x), std::sin(5 * p.y)};
}

Lattice cubeOf(int cells, Order order)
{
    Lattice cube({0, 0, 0}, {kEdge, kEdge, kEdge}, kEdge / cells);
    const std::size_t count = cube.count();
    std::vector<std::size_t> from(count);
    std::iota(from.begin(), from.end(), std::size_t{0});
    if (order == Order::shuffled)
        std::shuffle(from.begin(), from.end(), std::mt19937(7));
    const std::vector<float> x = cube.x;
    for (std::size_t i = 0; i < count; ++i) {
        const float* p = &x[3 * from[i]];
        const Vec3d v = velocityAt({p[0], p[1], p[2]});
        for (int axis = 0; axis < 3; ++axis) {
            cube.x[3 * i + static_cast<std::size_t>(axis)] = p[axis];
            cube.v[3 * i + static_cast<std::size_t>(axis)] = static_cast<float>(v[axis]);
        }
    }
    return cube;
}

void step(benchmark::State& state, const char* law, std::size_t threads, int cells, Order order)
{
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    TbbExecutor executor;
    SolverSettings settings;
    settings.cellSize = kEdge / cells;
    Solver solver(settings, executor);
    solver.setMaterials({material(law, 1000)});
    const Lattice cube = cubeOf(cells, order);
    solver.addParticles(cube.particles());
    const int before = order == Order::mixed ? 200 : order == Order::shuffled ? 10 : 3;
    for (int i = 0; i < before; ++i)
        solver.advance(1);
    solver.takeStatistics();
    const auto begin = std::chrono::steady_clock::now();
    for (auto _ : state)
        solver.advance(1);
    // By the clock on the wall; UseRealTime() would add to the benchmark's name.
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;

    const StepStatistics s = solver.takeStatistics();
    const auto particles = static_cast<double>(cube.count());
    const double each = 1e9 / (particles * s.steps);
    state.counters["particle_steps_per_second"] =
        particles * static_cast<double>(state.iterations()) / elapsed.count();
    state.counters["bytes_per_particle"] = static_cast<double>(solver.bytes()) / particles;
    state.counters["transfer_ns"] = s.transferSeconds * each;
    state.counters["grid_ns"] = s.gridSeconds * each;
    state.counters["regroup_ns"] = s.regroupSeconds * each;
    state.counters["steps_per_regroup"] =
        static_cast<double>(s.steps) / std::max(1u, s.regroupings);
    state.counters["redone"] = s.redone;
    state.SetLabel(solver.kernelsName());
}

const int registered = [] {
    struct Variant {
        const char* suffix;
        int cells;
        Order order;
    };
    for (const char* law : {"fixedCorotated", "neoHookean", "hencky", "liquid", "snow",
                            "druckerPrager", "vonMises", "herschelBulkley", "camClay"})
        for (const std::size_t threads : {std::size_t{1}, std::size_t{2}})
            for (const Variant& variant :
                 {Variant{"", 50, Order::fresh}, Variant{"/8M", 100, Order::fresh},
                  Variant{"/mixed", 50, Order::mixed}, Variant{"/shuffled", 50, Order::shuffled}})
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
