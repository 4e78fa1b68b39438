// What is left of the pressure system without its walls is the same system.
#include "pool.hpp"

#include "system/reduced_system.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace floe::coupled {
namespace {

double largestOf(const std::vector<double>& values)
{
    double largest = 0;
    for (const double a : values)
        largest = std::max(largest, std::abs(a));
    return largest;
}

// With the wall pressures that belong to x, the whole system times x is what is left of it times x,
// and 0 in the rows of walls: that is what elimination means.
TEST(ReducedSystem, IsTheWholeOneWithWallPressuresThatFollow)
{
    const test::Pool pool(12);
    const PressureSystem& system = pool.system;
    sdk::parallel::SerialExecutor serial;
    ReducedSystem reduced;
    reduced.make(system, serial);
    test::Numbers numbers(23);
    std::vector<double> x(system.size()), reducedProduct(system.size()), whole(system.size());
    for (double& a : x)
        a = numbers.next() - 0.5;
    reduced.clearWalls(x);
    const double product = reduced.multiply(x, reducedProduct, serial);
    std::vector<double> full = x;
    reduced.restore(std::vector<double>(system.size(), 0.0), full, serial);
    system.multiply(full, whole, serial);
    const auto fluid = system.rows(Unknown::fluidPressure);
    const auto walls = system.rows(Unknown::wallPressure);
    const double largest = largestOf(whole);
    ASSERT_GT(largest, 0);
    ASSERT_GT(walls.size(), 0u);
    for (std::size_t row = fluid.first; row < fluid.last; ++row)
        EXPECT_NEAR(reducedProduct[row], whole[row], 1e-13 * largest); // rounding of some ten terms
    for (std::size_t row = walls.first; row < walls.last; ++row) {
        EXPECT_EQ(reducedProduct[row], 0);
        EXPECT_NEAR(whole[row], 0, 1e-13 * largest);
    }
    double sum = 0;
    for (std::size_t row = 0; row < x.size(); ++row)
        sum += x[row] * whole[row];
    EXPECT_NEAR(product, sum, 1e-12 * std::abs(sum));
}

// Eliminated right sides give the same solution: of A x = b, x without walls solves what is left.
TEST(ReducedSystem, TakesRightSidesAlong)
{
    const test::Pool pool(10);
    const PressureSystem& system = pool.system;
    sdk::parallel::SerialExecutor serial;
    ReducedSystem reduced;
    reduced.make(system, serial);
    test::Numbers numbers(29);
    std::vector<double> x(system.size()), b(system.size()), product(system.size());
    for (double& a : x)
        a = numbers.next() - 0.5;
    system.multiply(x, b, serial);
    std::vector<double> right = b, inner = x, again = x;
    reduced.reduce(right);
    reduced.clearWalls(inner);
    reduced.multiply(inner, product, serial);
    const double largest = largestOf(b);
    for (std::size_t row = 0; row < x.size(); ++row)
        EXPECT_NEAR(product[row], right[row], 1e-13 * largest);
    reduced.clearWalls(again);
    reduced.restore(b, again, serial);
    for (std::size_t row = 0; row < x.size(); ++row)
        EXPECT_NEAR(again[row], x[row], 1e-13); // rounding of numbers below 1
}

// What rows say of the velocities that they share only makes it quicker.
TEST(ReducedSystem, NeedsNotBeToldWhatIsBehindFaces)
{
    const test::Pool pool(8);
    const PressureSystem& told = pool.system;
    PressureSystem untold;
    untold.begin(told.mobility());
    const SparseRows& C = told.constraints();
    for (std::size_t row = 0; row < told.size(); ++row) {
        std::vector<PressureSystem::Entry> entries;
        for (std::uint32_t k = C.start[row]; k < C.start[row + 1]; ++k)
            entries.push_back({C.column[k], C.value[k]});
        const bool wall = row >= told.rows(Unknown::wallPressure).first;
        untold.add(wall ? Unknown::wallPressure : Unknown::fluidPressure, told.cell(row),
                   told.axis(row), 1e-8, true, entries);
    }
    untold.end();
    sdk::parallel::SerialExecutor serial;
    ReducedSystem one, other;
    one.make(told, serial);
    other.make(untold, serial);
    test::Numbers numbers(31);
    std::vector<double> x(told.size()), y(told.size()), z(told.size());
    for (double& a : x)
        a = numbers.next() - 0.5;
    one.clearWalls(x);
    one.multiply(x, y, serial);
    other.multiply(x, z, serial);
    const double largest = largestOf(y);
    ASSERT_GT(largest, 0);
    for (std::size_t row = 0; row < x.size(); ++row) {
        EXPECT_NEAR(y[row], z[row], 1e-13 * largest);
        EXPECT_NEAR(one.diagonal()[row], other.diagonal()[row], 1e-13 * one.diagonal()[row]);
    }
}

} // namespace
} // namespace floe::coupled
