// PressureSolve/<solver>/<n>: pressures of a pool of n x n/2 x n cells, from nothing and to a
// residual of 1e-3 and 1e-5: setup and solve. Counters: iterations, million cells a second.

#include "../../unit/coupled/pool.hpp"
#include "tbb_executor.hpp"

#include "system/linear_solver.hpp"
#if FLOE_HAVE_HYPRE
#include "boomer_amg.hpp"
#endif

#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>

using namespace floe::coupled;

namespace {

void solve(benchmark::State& state, int n, double tolerance,
           std::unique_ptr<LinearSolver> (*make)())
{
    floe::sdk::parallel::SerialExecutor serial;
    const test::Pool pool(n);
    const auto right = pool.system.rightSide(pool.flow(), {}, {}, serial);
    const auto solver = make();
    SolveReport report;
    for (auto _ : state) {
        std::vector<double> x(right.size(), 0.0);
        solver->prepare(pool.system, serial);
        report = solver->solve(right, x, {tolerance, 20000}, serial);
    }
    state.counters["iterations"] = report.iterations;
    state.counters["setup_ms"] = 1e3 * report.setupSeconds;
    state.counters["Mcells/s"] =
        benchmark::Counter(0.5e-6 * n * n * n, benchmark::Counter::kIsIterationInvariantRate);
}

const int registered = [] {
    struct Named {
        const char* name;
        std::unique_ptr<LinearSolver> (*make)();
        int most; ///< resolution
    };
    const Named solvers[] = {{"multigrid", makeMultigridSolver, 128},
#if FLOE_HAVE_HYPRE
                             {"boomerAmg", makeBoomerAmgSolver, 128},
#endif
                             {"diagonal", makeDiagonalSolver, 128},
                             {"gaussSeidel", makeGaussSeidelSolver, 32}};
    for (const Named& solver : solvers)
        for (const int n : {32, 64, 128})
            for (const double tolerance : {1e-3, 1e-5})
                if (n <= solver.most) {
                    char name[64];
                    std::snprintf(name, sizeof name, "PressureSolve/%s/%d/%.0e", solver.name, n,
                                  tolerance);
                    benchmark::RegisterBenchmark(name, [=](benchmark::State& state) {
                        solve(state, n, tolerance, solver.make);
                    })->Unit(benchmark::kMillisecond);
                }
    return 0;
}();

} // namespace
