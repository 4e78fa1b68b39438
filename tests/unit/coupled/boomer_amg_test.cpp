// A library's algebraic multigrid gets the same pressures out of the assembled system.
#include "boomer_amg.hpp"
#include "pool.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace floe::coupled {
namespace {

TEST(BoomerAmg, AgreesWithGeometricMultigrid)
{
    const test::Pool pool(16);
    sdk::parallel::SerialExecutor serial;
    const auto right = pool.system.rightSide(pool.flow(), {}, {}, serial);
    std::vector<double> algebraic(right.size()), geometric(right.size());
    const auto amg = makeBoomerAmgSolver(), multigrid = makeMultigridSolver();
    amg->prepare(pool.system, serial);
    multigrid->prepare(pool.system, serial);
    const SolveReport report = amg->solve(right, algebraic, {1e-10, 200}, serial);
    EXPECT_TRUE(report.converged) << report.residual;
    EXPECT_GT(report.iterations, 2);
    EXPECT_TRUE(multigrid->solve(right, geometric, {1e-10, 200}, serial).converged);
    double largest = 0;
    for (const double p : geometric)
        largest = std::max(largest, std::abs(p));
    for (std::size_t i = 0; i < right.size(); ++i) // the residual times a condition of about 1e3
        EXPECT_NEAR(algebraic[i], geometric[i], 1e-6 * largest);
    // From the answer it has nothing left to do: the library counts the iteration that finds so.
    EXPECT_LE(amg->solve(right, algebraic, {1e-8, 200}, serial).iterations, 1);
}

} // namespace
} // namespace floe::coupled
