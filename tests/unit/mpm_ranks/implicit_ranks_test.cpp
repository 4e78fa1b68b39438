// The semi-implicit integrator on several ranks: the same bits, for all its sums are exact.

#include "alike.hpp"
#include "exact_sum.hpp"
#include "implicit_scene.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

using namespace floe::mpm;

namespace {

/// Metal, jelly, snow and sand fall onto a floor with friction and into a corner.
void fall(Stepper& solver, Result& result, bool root)
{
    Domain domain = box(Contact::slip, Contact::stick);
    domain.friction = 0.4f;
    solver.setDomain(domain);
    solver.setMaterials({metal(1e7), material("neoHookean", 1000), material("snow", 400),
                         material("druckerPrager", 1600)});
    solver.addParticles(Lattice({-0.4, 0.1, -0.4}, {0.4, 0.3, 0.4}, 0.1).particles(0));
    solver.addParticles(
        Lattice({-0.3, 0.35, -0.3}, {0.3, 0.6, 0.3}, 0.1, {1, -3, 0.3}).particles(1));
    solver.addParticles(Lattice({-0.2, 0.7, -0.2}, {0.2, 1, 0.2}, 0.1, {-1, -4, 0.7}).particles(2));
    solver.addParticles(Lattice({0.3, 0.1, 0.2}, {0.8, 0.6, 0.6}, 0.1, {2, -1, 0.5}).particles(3));
    frames(solver, result, root, 4, 0.02);
}

void expectAlike(const SolverSettings& settings)
{
    const Result one = onOneRank(settings, fall);
    EXPECT_GE(one.steps, 4u);
    EXPECT_GT(one.iterations, 50u);
    for (const int count : {2, 3, 5})
        expectSame(one, onRanks(count, floe::sdk::grid::divideCurve, settings, fall),
                   "curve, " + std::to_string(count) + " ranks");
    expectSame(one, onRanks(4, floe::sdk::grid::divideBisection, settings, fall), "bisection");
}

} // namespace

TEST(ImplicitRanks, BodiesFallAndSlideAlike)
{
    expectAlike(implicit(0.1));
}

TEST(ImplicitRanks, WithPicAndFlipAlike)
{
    SolverSettings settings = implicit(0.1);
    settings.transfer = Transfer::picFlip;
    expectAlike(settings);
}

TEST(ImplicitRanks, AStateGoesOnOnAnotherNumberOfRanks)
{
    const Result whole = onOneRank(implicit(0.1), fall);
    const Result resumed =
        onRanks(3, floe::sdk::grid::divideCurve, implicit(0.1),
                [&](Stepper& solver, Result& result, bool root) {
                    Domain domain = box(Contact::slip, Contact::stick);
                    domain.friction = 0.4f;
                    solver.setDomain(domain);
                    solver.setMaterials({metal(1e7), material("neoHookean", 1000),
                                         material("snow", 400), material("druckerPrager", 1600)});
                    solver.load(whole.states[1]);
                    frames(solver, result, root, 2, 0.02);
                });
    ASSERT_EQ(resumed.states.size(), 2u);
    EXPECT_TRUE(resumed.states[0] == whole.states[2]);
    EXPECT_TRUE(resumed.states[1] == whole.states[3]);
}

// 1e300, then what is left when it has gone; in any order, and in parts.
TEST(ExactSum, DoesNotDependOnTheOrder)
{
    std::mt19937_64 random(5);
    std::vector<double> numbers = {1e300,  -1e300, 0.25,   5e-324, -5e-324,
                                   1e-310, -0.0,   -3.5e8, 3.5e8,  -1e-310};
    for (int i = 0; i < 1000; ++i) {
        const double size = std::ldexp(1.0, static_cast<int>(random() % 120) - 60);
        const double a = size * static_cast<double>(random() % 1000003);
        numbers.push_back(a);
        numbers.push_back(-a);
    }
    for (int trial = 0; trial < 20; ++trial) {
        std::shuffle(numbers.begin(), numbers.end(), random);
        ExactSum one, first, second;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            one.add(numbers[i]);
            (i % 3 == 0 ? first : second).add(numbers[i]);
        }
        EXPECT_EQ(one.value(), 0.25);
        for (std::size_t i = 0; i < first.entries().size(); ++i)
            first.entries()[i] += second.entries()[i];
        EXPECT_EQ(first.value(), 0.25);
    }
    ExactSum negative;
    for (const double a : {-1.5, 0.25, -1e-30})
        negative.add(a);
    EXPECT_EQ(negative.value(), -1.25 - 1e-30);
    ExactSum none;
    EXPECT_EQ(none.value(), 0);
    none.add(std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isnan(none.value()));
}
