// The system of four pressures: its blocks, its forms, and the velocities that come out of it.
#include "pool.hpp"

#include "system/linear_solver.hpp"
#include "system/pressure_field.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace floe::coupled {
namespace {

using test::Numbers;
using Matrix = std::vector<std::vector<double>>; // rows

/// Small operators of both phases with all entries unlike: 6 solid pressures, 5 fluid pressures, 3
/// wall and 4 interface pressures on 12 solid and 15 fluid velocities.
struct TwoPhases {
    static constexpr std::size_t kSolid = 12, kFluid = 15;
    static constexpr double kDt = 0.01;
    Matrix Gs, Gf, B, Hs, Hf; // one row a pressure
    std::vector<double> ms, mf, S, last, b, vs, vf;
    PressureSystem system;
    double reg = 1e-9;

    TwoPhases()
    {
        Numbers numbers(3);
        const auto matrix = [&](std::size_t rows, std::size_t columns) {
            Matrix m(rows, std::vector<double>(columns));
            for (auto& row : m)
                for (double& a : row)
                    a = numbers.next() < 0.5 ? numbers.next() - 0.5 : 0;
            return m;
        };
        const auto values = [&](std::size_t count, double low, double high) {
            std::vector<double> v(count);
            for (double& a : v)
                a = low + (high - low) * numbers.next();
            return v;
        };
        Gs = matrix(6, kSolid);
        Gf = matrix(5, kFluid);
        B = matrix(3, kFluid);
        Hs = matrix(4, kSolid);
        Hf = matrix(4, kFluid);
        ms = values(kSolid, 0.5, 2);
        mf = values(kFluid, 0.5, 2);
        S = values(6, 1e-4, 1e-3);
        last = values(6, -5, 5);
        b = values(3, -1, 1);
        vs = values(kSolid, -1, 1);
        vf = values(kFluid, -1, 1);
        std::vector<double> mobility;
        for (const double m : ms)
            mobility.push_back(kDt / m);
        for (const double m : mf)
            mobility.push_back(kDt / m);
        system.begin(mobility);
        const auto add = [&](Unknown kind, std::size_t k, const std::vector<double>* solid,
                             const std::vector<double>* fluid, double solidSign, double diagonal) {
            std::vector<PressureSystem::Entry> entries;
            for (std::size_t i = 0; solid && i < kSolid; ++i)
                entries.push_back({static_cast<std::uint32_t>(i), solidSign * (*solid)[i]});
            for (std::size_t i = 0; fluid && i < kFluid; ++i)
                entries.push_back({static_cast<std::uint32_t>(kSolid + i), (*fluid)[i]});
            system.add(kind, {static_cast<std::int32_t>(k), 0, 0}, 0, diagonal, false, entries);
        };
        for (std::size_t k = 0; k < 6; ++k)
            add(Unknown::solidPressure, k, &Gs[k], nullptr, 1, S[k] / kDt);
        for (std::size_t k = 0; k < 5; ++k)
            add(Unknown::fluidPressure, k, nullptr, &Gf[k], 1, reg);
        for (std::size_t k = 0; k < 3; ++k)
            add(Unknown::wallPressure, k, nullptr, &B[k], 1, reg);
        for (std::size_t k = 0; k < 4; ++k)
            add(Unknown::interfacePressure, k, &Hs[k], &Hf[k], -1, reg);
        system.end();
    }

    static double product(const std::vector<double>& a, const std::vector<double>& v)
    {
        double sum = 0;
        for (std::size_t i = 0; i < a.size(); ++i)
            sum += a[i] * v[i];
        return sum;
    }
    /// dt a M^-1 b
    static double block(const std::vector<double>& a, const std::vector<double>& c,
                        const std::vector<double>& m)
    {
        double sum = 0;
        for (std::size_t i = 0; i < a.size(); ++i)
            sum += kDt * a[i] * c[i] / m[i];
        return sum;
    }
};

/// Returns the assembled system as a dense matrix.
Matrix dense(const PressureSystem& system)
{
    const SparseRows A = system.assembled();
    Matrix m(system.size(), std::vector<double>(system.size()));
    for (std::size_t r = 0; r < system.size(); ++r)
        for (std::uint32_t k = A.start[r]; k < A.start[r + 1]; ++k)
            m[r][A.column[k]] = A.value[k];
    return m;
}

// The blocks A11 to A44 as the paper prints them, computed here from the operators of each phase.
TEST(PressureSystem, HasTheBlocksOfThePaper)
{
    const TwoPhases two;
    const Matrix A = dense(two.system);
    const double close = 1e-14; // entries are of order 1e-2 and sums of 15 terms
    const std::size_t f = 6, y = 11, h = 14;
    for (std::size_t i = 0; i < 6; ++i) {
        for (std::size_t j = 0; j < 6; ++j)
            EXPECT_NEAR(A[i][j],
                        two.block(two.Gs[i], two.Gs[j], two.ms) + (i == j ? two.S[i] / two.kDt : 0),
                        close);
        for (std::size_t j = 0; j < 4; ++j)
            EXPECT_NEAR(A[i][h + j], -two.block(two.Gs[i], two.Hs[j], two.ms), close);
        for (std::size_t j = f; j < h; ++j)
            EXPECT_EQ(A[i][j], 0);
    }
    for (std::size_t i = 0; i < 5; ++i) {
        for (std::size_t j = 0; j < 5; ++j)
            EXPECT_NEAR(A[f + i][f + j],
                        two.block(two.Gf[i], two.Gf[j], two.mf) + (i == j ? two.reg : 0), close);
        for (std::size_t j = 0; j < 3; ++j)
            EXPECT_NEAR(A[f + i][y + j], two.block(two.Gf[i], two.B[j], two.mf), close);
        for (std::size_t j = 0; j < 4; ++j)
            EXPECT_NEAR(A[f + i][h + j], two.block(two.Gf[i], two.Hf[j], two.mf), close);
    }
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j)
            EXPECT_NEAR(A[y + i][y + j],
                        two.block(two.B[i], two.B[j], two.mf) + (i == j ? two.reg : 0), close);
        for (std::size_t j = 0; j < 4; ++j)
            EXPECT_NEAR(A[y + i][h + j], two.block(two.B[i], two.Hf[j], two.mf), close);
    }
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j)
            EXPECT_NEAR(A[h + i][h + j],
                        two.block(two.Hs[i], two.Hs[j], two.ms) +
                            two.block(two.Hf[i], two.Hf[j], two.mf) + (i == j ? two.reg : 0),
                        close);
    for (std::size_t i = 0; i < A.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            EXPECT_NEAR(A[i][j], A[j][i], close); // symmetric
}

TEST(PressureSystem, MultipliesWithoutItsMatrixAsWithIt)
{
    const test::Pool pool(12);
    sdk::parallel::SerialExecutor serial;
    for (const PressureSystem* system : {&pool.system}) {
        const SparseRows A = system->assembled();
        Numbers numbers(7);
        std::vector<double> x(system->size()), y(system->size());
        for (double& a : x)
            a = numbers.next() - 0.5;
        system->multiply(x, y, serial);
        double largest = 0;
        for (const double a : y)
            largest = std::max(largest, std::abs(a));
        ASSERT_GT(largest, 0);
        for (std::size_t r = 0; r < y.size(); ++r)
            EXPECT_NEAR(A.times(r, x.data()), y[r], 1e-14 * largest); // rounding of 7 terms
        const std::vector<double> diagonal = system->wholeDiagonal();
        for (std::size_t r = 0; r < y.size(); ++r)
            for (std::uint32_t k = A.start[r]; k < A.start[r + 1]; ++k)
                if (A.column[k] == r) {
                    EXPECT_NEAR(A.value[k], diagonal[r], 1e-14 * diagonal[r]);
                }
    }
}

// v' is made here from the pressures, by the formulas of each phase, and then held against the four
// constraints: the signs of the right side are right only if all hold.
TEST(PressureSystem, VelocitiesMeetTheFourConstraints)
{
    TwoPhases two;
    sdk::parallel::SerialExecutor serial;
    std::vector<double> v = two.vs;
    v.insert(v.end(), two.vf.begin(), two.vf.end());
    std::vector<double> flux(two.system.size(), 0.0), last = two.last;
    std::copy(two.b.begin(), two.b.end(), flux.begin() + 11);
    last.resize(two.system.size());
    const std::vector<double> right = two.system.rightSide(v, flux, last, serial);
    std::vector<double> x(two.system.size(), 0.0);
    const auto solver = makeDiagonalSolver();
    solver->prepare(two.system, serial);
    ASSERT_TRUE(solver->solve(right, x, {1e-13, 1000}, serial).converged);

    std::vector<double> vs = two.vs, vf = two.vf;
    for (std::size_t i = 0; i < two.kSolid; ++i) {
        double push = 0;
        for (std::size_t k = 0; k < 6; ++k)
            push += two.Gs[k][i] * x[k];
        for (std::size_t k = 0; k < 4; ++k)
            push -= two.Hs[k][i] * x[14 + k];
        vs[i] -= two.kDt / two.ms[i] * push;
    }
    for (std::size_t i = 0; i < two.kFluid; ++i) {
        double push = 0;
        for (std::size_t k = 0; k < 5; ++k)
            push += two.Gf[k][i] * x[6 + k];
        for (std::size_t k = 0; k < 3; ++k)
            push += two.B[k][i] * x[11 + k];
        for (std::size_t k = 0; k < 4; ++k)
            push += two.Hf[k][i] * x[14 + k];
        vf[i] -= two.kDt / two.mf[i] * push;
    }
    // Pressures are of order 1e3 at most; the regularisation 1e-9 of the rows leaves 1e-6.
    for (std::size_t k = 0; k < 5; ++k)
        EXPECT_NEAR(two.product(two.Gf[k], vf), 0, 1e-5);
    for (std::size_t k = 0; k < 3; ++k)
        EXPECT_NEAR(two.product(two.B[k], vf), two.b[k], 1e-5);
    for (std::size_t k = 0; k < 4; ++k)
        EXPECT_NEAR(two.product(two.Hf[k], vf), two.product(two.Hs[k], vs), 1e-5);
    for (std::size_t k = 0; k < 6; ++k)
        EXPECT_NEAR(two.S[k] / two.kDt * x[k] - two.product(two.Gs[k], vs),
                    two.S[k] / two.kDt * two.last[k], 1e-9);

    two.system.applyPressures(x, v, serial);
    for (std::size_t i = 0; i < two.kSolid; ++i)
        EXPECT_NEAR(v[i], vs[i], 1e-12);
    for (std::size_t i = 0; i < two.kFluid; ++i)
        EXPECT_NEAR(v[two.kSolid + i], vf[i], 1e-12);
}

// Every kind comes back from the lattice; what is new begins at 0, and a line through two steps is
// continued.
TEST(PressureField, GivesStartVectors)
{
    const TwoPhases two;
    sdk::parallel::SerialExecutor serial;
    std::vector<double> x(two.system.size()), y(two.system.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<double>(i) + 1;
        y[i] = 3 * x[i];
    }
    PressureField none, first, second;
    first.store(two.system, x);
    second.store(two.system, y);
    const auto begin = [&](StartVector start, const PressureField& last,
                           const PressureField& before) {
        return startOf(two.system, start, last, before, 0.5, serial);
    };
    EXPECT_EQ(begin(StartVector::last, second, first), y);
    EXPECT_EQ(begin(StartVector::zero, second, first), std::vector<double>(x.size(), 0.0));
    EXPECT_EQ(begin(StartVector::last, none, none), std::vector<double>(x.size(), 0.0));
    const auto extrapolated = begin(StartVector::extrapolated, second, first);
    for (std::size_t i = 0; i < x.size(); ++i)
        EXPECT_DOUBLE_EQ(extrapolated[i], 4 * x[i]);
    EXPECT_EQ(begin(StartVector::extrapolated, second, none), y);
}

} // namespace
} // namespace floe::coupled
