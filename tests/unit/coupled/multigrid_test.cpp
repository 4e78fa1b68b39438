// The solvers of the pressure system: the same answer, and how much work it takes.
#include "pool.hpp"
#include "threads.hpp"

#include "system/linear_solver.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace floe::coupled {
namespace {

struct Solved {
    std::vector<double> x;
    SolveReport report;
    double residual = 0; ///< computed here
};

Solved solve(const test::Pool& pool, std::unique_ptr<LinearSolver> solver, double tolerance,
             Executor& executor, std::vector<double> start = {})
{
    const PressureSystem& system = pool.system;
    const auto right = system.rightSide(pool.flow(), {}, {}, executor);
    Solved solved;
    solved.x = start.empty() ? std::vector<double>(system.size(), 0.0) : start;
    solver->prepare(system, executor);
    solved.report = solver->solve(right, solved.x, {tolerance, 20000}, executor);
    std::vector<double> product(system.size());
    system.multiply(solved.x, product, executor);
    double rest = 0, whole = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
        rest += (right[i] - product[i]) * (right[i] - product[i]);
        whole += right[i] * right[i];
    }
    solved.residual = std::sqrt(rest / whole);
    return solved;
}

TEST(Multigrid, NeedsAsManyIterationsAtAnyResolution)
{
    sdk::parallel::SerialExecutor serial;
    int fewest = 1000, most = 0;
    for (const int n : {16, 32, 64, 128}) {
        const test::Pool pool(n);
        const Solved solved = solve(pool, makeMultigridSolver(), 1e-5, serial);
        std::printf("%d^3: %d iterations, setup %.3f s, solve %.3f s, %.2f million cells/s\n", n,
                    solved.report.iterations, solved.report.setupSeconds,
                    solved.report.solveSeconds,
                    1e-6 * static_cast<double>(n) * n * n / 2 /
                        (solved.report.setupSeconds + solved.report.solveSeconds));
        EXPECT_TRUE(solved.report.converged);
        EXPECT_LT(solved.residual, 1.1e-5);
        fewest = std::min(fewest, solved.report.iterations);
        most = std::max(most, solved.report.iterations);
    }
    EXPECT_LE(most, 20);
    EXPECT_LE(most, fewest + 4); // the diagonal alone needs twice as many at twice the resolution
}

TEST(Solvers, AgreeOnThePressures)
{
    sdk::parallel::SerialExecutor serial;
    const test::Pool pool(16);
    const Solved multigrid = solve(pool, makeMultigridSolver(), 1e-10, serial);
    const Solved diagonal = solve(pool, makeDiagonalSolver(), 1e-10, serial);
    const Solved sweeps = solve(pool, makeGaussSeidelSolver(), 1e-10, serial);
    double largest = 0;
    for (const double p : multigrid.x)
        largest = std::max(largest, std::abs(p));
    ASSERT_GT(largest, 1);
    for (std::size_t i = 0; i < multigrid.x.size(); ++i) {
        // The residual times the condition of the system, about 1e3 at this size.
        EXPECT_NEAR(multigrid.x[i], diagonal.x[i], 1e-6 * largest);
        EXPECT_NEAR(multigrid.x[i], sweeps.x[i], 1e-6 * largest);
    }
    for (const Solved* solved : {&multigrid, &diagonal, &sweeps}) {
        EXPECT_TRUE(solved->report.converged);
        EXPECT_LT(solved->residual, 1.1e-10);
        EXPECT_NEAR(solved->report.residual, solved->residual, 1e-11);
        EXPECT_EQ(solved->report.firstResidual, 1);
    }
    EXPECT_LT(2 * multigrid.report.iterations, diagonal.report.iterations);
    EXPECT_LT(2 * diagonal.report.iterations, sweeps.report.iterations);
}

TEST(Solvers, BeginWithTheStartVector)
{
    sdk::parallel::SerialExecutor serial;
    const test::Pool pool(16);
    const Solved cold = solve(pool, makeMultigridSolver(), 1e-8, serial);
    std::vector<double> near = cold.x;
    for (double& p : near)
        p *= 1.001;
    const Solved warm = solve(pool, makeMultigridSolver(), 1e-8, serial, near);
    EXPECT_NEAR(warm.report.firstResidual, 0.001, 1e-5);
    EXPECT_LT(warm.report.iterations, cold.report.iterations);
    const Solved done = solve(pool, makeMultigridSolver(), 1e-6, serial, cold.x);
    EXPECT_EQ(done.report.iterations, 0);
    // One that is worse than none is not used.
    std::vector<double> wrong = cold.x;
    for (double& p : wrong)
        p *= -2;
    const Solved dropped = solve(pool, makeMultigridSolver(), 1e-8, serial, wrong);
    EXPECT_NEAR(dropped.report.firstResidual, 3, 1e-5);
    EXPECT_TRUE(dropped.report.dropped);
    EXPECT_EQ(dropped.x, cold.x);
}

TEST(Solvers, StopAtTheLimitAndSaySo)
{
    sdk::parallel::SerialExecutor serial;
    const test::Pool pool(16);
    const auto right = pool.system.rightSide(pool.flow(), {}, {}, serial);
    for (auto& solver : {makeMultigridSolver(), makeDiagonalSolver(), makeGaussSeidelSolver()}) {
        std::vector<double> x(right.size(), 0.0);
        solver->prepare(pool.system, serial);
        const SolveReport report = solver->solve(right, x, {1e-12, 2}, serial);
        EXPECT_EQ(report.iterations, 2);
        EXPECT_FALSE(report.converged);
        std::vector<double> broken = right;
        broken[3] = NAN;
        EXPECT_FALSE(solver->solve(broken, x, {1e-12, 2}, serial).converged);
    }
}

TEST(Solvers, GiveTheSameBitsOnAnyNumberOfThreads)
{
    const test::Pool pool(32);
    floe::test::ThreadExecutor one(1), three(3);
    EXPECT_EQ(solve(pool, makeMultigridSolver(), 1e-6, one).x,
              solve(pool, makeMultigridSolver(), 1e-6, three).x);
    EXPECT_EQ(solve(pool, makeGaussSeidelSolver(), 1e-1, one).x,
              solve(pool, makeGaussSeidelSolver(), 1e-1, three).x);
}

} // namespace
} // namespace floe::coupled
