// Ranks that keep the particles that they were given, so that several hold some in a block. Sums at
// nodes have another order than on one rank there: the same motion, but not the same last bits.

#include "alike.hpp"

#include <cmath>
#include <map>

using namespace floe::mpm;

namespace {

/// Rounding, which a collision of half a second makes larger [m]; cells have 0.1 m.
constexpr double kTolerance = 1e-3;

Result kept(int count, const Scene& scene, const Partitioner& divide = floe::sdk::grid::divideCurve)
{
    return onRanks(count, divide, settings(), scene, true);
}

/// Returns the largest distance between particles of the same id [m]; infinity if ids differ.
double apart(const Result& one, const Result& other)
{
    std::map<std::uint64_t, std::size_t> at;
    for (std::size_t i = 0; i < one.id.size(); ++i)
        at[one.id[i]] = i;
    double most = one.id.size() == other.id.size() && at.size() == one.id.size() ? 0 : HUGE_VAL;
    for (std::size_t i = 0; i < other.id.size(); ++i) {
        const auto found = at.find(other.id[i]);
        if (found == at.end())
            return HUGE_VAL;
        double sum = 0;
        for (std::size_t axis = 0; axis < 3; ++axis)
            sum += std::pow(one.x[3 * found->second + axis] - other.x[3 * i + axis], 2);
        most = std::max(most, std::sqrt(sum));
        at.erase(found);
    }
    return most;
}

void poured(Stepper& solver, Result& result, bool root)
{
    solver.setDomain(box(Contact::slip, Contact::stick));
    pour(solver);
    frames(solver, result, root, 3);
}

} // namespace

// Emissions are cut between blocks; until particles leave these, every sum has its order.
TEST(KeptParticles, WhereNoBlockIsSharedTheBitsAreThoseOfOneRank)
{
    const Scene scene = [](Stepper& solver, Result& result, bool root) {
        solver.setMaterials({material("snow", 400), material("neoHookean", 1000)});
        solver.addParticles(Lattice({-0.4, 0, -0.4}, {0.8, 0.8, 0.8}, 0.1, {1, 2, 3}).particles(1));
        run(solver, 1e-4);
        result.take(solver, root);
    };
    const Result one = onOneRank(settings(), scene);
    for (const int count : {2, 5}) {
        const Result several = kept(count, scene);
        EXPECT_TRUE(one.id == several.id);
        EXPECT_TRUE(one.x == several.x);
        EXPECT_TRUE(one.v == several.v);
        EXPECT_TRUE(one.F == several.F);
    }
}

TEST(KeptParticles, WhatMixesMovesAsOnOneRank)
{
    const Result one = onOneRank(settings(), poured);
    for (const int count : rankCounts()) {
        const Result several = kept(count, poured);
        EXPECT_EQ(several.counts.alive, one.counts.alive);
        EXPECT_GT(several.counts.blocks, one.counts.blocks); // some are held by several
        EXPECT_LT(apart(one, several), kTolerance) << count << " ranks";
    }
    EXPECT_TRUE(kept(3, poured).x == kept(3, poured).x) << "not the same bits twice";
}

TEST(KeptParticles, OtherTransfersAndKernels)
{
    std::vector<SolverSettings> others(2, settings());
    others[0].transfer = Transfer::picFlip;
    others[1].kernel = Kernel::cubic;
    for (const SolverSettings& s : others)
        EXPECT_LT(
            apart(onOneRank(s, poured), onRanks(3, floe::sdk::grid::divideCurve, s, poured, true)),
            kTolerance);
}

// What falls apart stays divided as it was given: between blocks, as evenly as these allow.
TEST(KeptParticles, EachHasItsShareForEver)
{
    std::map<float, std::size_t> shares;
    const Scene scene = [&](Stepper& solver, Result& result, bool root) {
        solver.setDomain(box(Contact::slip, Contact::separate));
        solver.setMaterials({material("druckerPrager", 1600)});
        solver.addParticles(Lattice({-0.8, 0, -0.8}, {0.8, 0.8, 0.8}, 0.1, {2, 0, 0}).particles(0));
        frames(solver, result, root, 2, 0.1);
        std::vector<float> rank(root ? solver.particleCount() : 0);
        if (!root)
            solver.particleCount();
        Snapshot to;
        to.rank = rank.data();
        solver.snapshot(to);
        for (const float r : rank)
            ++shares[r];
    };
    const Result result = kept(4, scene);
    ASSERT_EQ(shares.size(), 4u);
    for (const auto& [rank, share] : shares)
        EXPECT_NEAR(static_cast<double>(share), static_cast<double>(result.counts.alive) / 4,
                    0.05 * static_cast<double>(result.counts.alive))
            << "rank " << rank;
}

// Nothing that one gives may be lost at nodes where it has company.
TEST(KeptParticles, ThreeMeetAtACornerAndMix)
{
    EXPECT_LT(apart(onOneRank(settings(), threeMeet), kept(4, threeMeet, divideOctants)),
              kTolerance);
}

TEST(KeptParticles, AStateGoesOnOnOneRankAndOnOthers)
{
    const Result whole = kept(3, poured);
    const auto rest = [&](Stepper& solver, Result& result, bool root) {
        solver.setDomain(box(Contact::slip, Contact::stick));
        pour(solver); // whatever it held before
        solver.load(whole.states[1]);
        frames(solver, result, root, 1);
    };
    EXPECT_LT(apart(whole, onOneRank(settings(), rest)), kTolerance);
    EXPECT_LT(apart(whole, kept(2, rest)), kTolerance);
    EXPECT_LT(apart(whole, onRanks(5, floe::sdk::grid::divideCurve, settings(), rest)), kTolerance);

    // And the other way: liquids of one rank keep no C, which theirs do.
    const Result one = onOneRank(settings(), poured);
    const auto others = [&](Stepper& solver, Result& result, bool root) {
        solver.setDomain(box(Contact::slip, Contact::stick));
        pour(solver);
        solver.load(one.states[1]);
        frames(solver, result, root, 1);
    };
    EXPECT_LT(apart(one, kept(3, others)), kTolerance);
}
