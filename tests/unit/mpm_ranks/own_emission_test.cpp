// Each rank is given its own particles alone, as emitters make them of a region: ids, order and
// bits are those of one rank, which is given all.

#include "alike.hpp"
#include "block_region.hpp"
#include "settled.hpp"

#include <algorithm>
#include <numeric>
#include <random>

using namespace floe::mpm;

namespace {

/// The most particles that a rank has been given at a time, and how many there were.
struct Given {
    std::size_t most = 0, all = 0;
};

/// Adds particles as the solver's node does: a rank knows its own ones alone. Of those, the whole
/// is made here first, because a lattice makes nothing less.
void addOwn(Stepper& solver, const NewParticles& all, Given* given = nullptr, bool free = false)
{
    const Ranks* ranks = solver.ranks();
    const double cell = solver.settings().cellSize;
    const auto add = [&](const NewParticles& p) {
        std::vector<std::uint8_t> wanted(p.count);
        if (free)
            solver.findOccupied(p.x, p.count, wanted.data(), p.part);
        for (std::uint8_t& w : wanted)
            w = !w;
        solver.addParticles(SelectedParticles(p, wanted).view());
    };
    if (!ranks) {
        add(all);
        return;
    }
    if (solver.undivided()) {
        std::vector<BlockCost> counts;
        for (std::size_t i = 0; i < all.count; ++i)
            if (const auto block = blockOfParticle(all.x + 3 * i, cell);
                static_cast<std::uint32_t>(block[0] + 7 * block[1] + 31 * block[2]) %
                    static_cast<std::uint32_t>(ranks->size()) ==
                static_cast<std::uint32_t>(ranks->rank()))
                counts.push_back({block, 1});
        solver.divideNew(std::move(counts));
    }
    const BlockRegion region(cell, [&](const auto& block) { return solver.isGiven(block); });
    std::vector<std::uint8_t> own(all.count);
    region.find(all.x, all.count, own.data());
    std::vector<std::uint64_t> place(all.count);
    for (std::size_t i = 0; i < all.count; ++i) // groups that blocks of several ranks share
        place[i] = (i / 100) << 32 | i % 100;
    NewParticles part = all;
    part.part = true;
    part.place = place.data();
    const SelectedParticles selected(part, own);
    if (given) {
        given->most = std::max(given->most, selected.view().count);
        given->all = all.count;
    }
    add(selected.view());
}

void pourOwn(Stepper& solver)
{
    solver.setMaterials({material("snow", 400), material("liquid", 1000),
                         material("druckerPrager", 1600), material("neoHookean", 1000)});
    addOwn(solver, Lattice({-0.4, 0.1, -0.4}, {0.4, 0.3, 0.4}, 0.1).particles(0));
    addOwn(solver, Lattice({-0.3, 0.5, -0.3}, {0.3, 0.8, 0.3}, 0.1, {3, -4, 0.3}).particles(1));
    addOwn(solver, Lattice({-0.2, 0.9, -0.2}, {0.2, 1.2, 0.2}, 0.1, {-1, -6, 0.7}).particles(2));
    // Some of them are beyond the open face of box().
    addOwn(solver, Lattice({0.3, 0.4, 0.2}, {1.3, 0.9, 0.6}, 0.1, {-5, 0, -3}).particles(3));
}

void jetOfOwn(Stepper& solver, Result& result, bool root)
{
    solver.setMaterials({material("liquid", 1000)});
    for (int i = 0; i < 6; ++i) {
        addOwn(solver, Lattice({-0.4, 1.0, -0.4}, {0.5, 1.5, 0.3}, 0.1, {6, -3, 2}).particles(),
               nullptr, i > 0);
        frames(solver, result, root, 1);
    }
    EXPECT_GT(solver.particleCount(), 2500u);
}

} // namespace

TEST(OwnEmission, ParticlesAndIdsAreThoseOfOneRank)
{
    expectSameOnAnyRanks(settings(), [](Stepper& solver, Result& result, bool root) {
        Domain domain = box(Contact::separate, Contact::separate);
        domain.faces[1] = Contact::open;
        solver.setDomain(domain);
        pourOwn(solver);
        frames(solver, result, root, 5);
    });
}

// What is occupied near a border is known by its owner alone.
TEST(OwnEmission, IntoFreeCellsOfEveryFrame)
{
    expectSameOnAnyRanks(settings(), jetOfOwn);
}

TEST(OwnEmission, NoRankIsGivenMoreThanItsShare)
{
    constexpr int kRanks = 4;
    std::vector<Given> given(kRanks);
    onRanks(kRanks, floe::sdk::grid::divideCurve, settings(),
            [&](Stepper& solver, Result& result, bool root) {
                solver.setMaterials({material("snow", 400)});
                addOwn(solver, Lattice({-2, 0, -2}, {2, 1, 2}, 0.1).particles(),
                       &given[static_cast<std::size_t>(solver.ranks()->rank())]);
                result.take(solver, root);
                EXPECT_EQ(solver.particleCount(), 128000u);
            });
    std::size_t all = 0;
    for (const Given& of : given) {
        EXPECT_EQ(of.all, 128000u);
        EXPECT_LT(of.most, 1.2 * 128000 / kRanks);
        all += of.most;
    }
    EXPECT_EQ(all, 128000u);
}

TEST(OwnEmission, RanksThatKeepTheirParticlesAreGivenEqualParts)
{
    std::vector<Given> given(3);
    onRanks(
        3, floe::sdk::grid::divideCurve, settings(),
        [&](Stepper& solver, Result& result, bool root) {
            solver.setMaterials({material("snow", 400)});
            addOwn(solver, Lattice({-2, 0, -2}, {2, 1, 2}, 0.1).particles(),
                   &given[static_cast<std::size_t>(solver.ranks()->rank())]);
            addOwn(solver, Lattice({5, 0, 5}, {6, 1, 6}, 0.1).particles());
            result.take(solver, root);
            EXPECT_EQ(solver.particleCount(), 136000u);
        },
        true);
    for (const Given& of : given)
        EXPECT_NEAR(static_cast<double>(of.most), 128000 / 3.0, 2000);
}

// The overburden of a particle is the sum of what lies above it, on whichever ranks.
TEST(OwnEmission, OverburdenIsThatOfWholeColumns)
{
    const Lattice below({-1, 0, -1}, {1, 0.6, 1}, 0.1), above({-1, 0.6, -1}, {1, 1.7, 0.3}, 0.1);
    const NewParticles sets[] = {below.particles(), above.particles()};
    const float densities[] = {1600, 400};
    const Vec3d gravity{1, -9.81, 0.3};
    const auto whole = findOverburden(sets, densities, gravity, 0.1);
    EXPECT_GT(*std::max_element(whole[0].begin(), whole[0].end()), 9000);
    for (const int size : {1, 2, 3, 5}) {
        ThreadRanks group(size);
        group.run([&](const floe_ranks& table) {
            const Ranks ranks(table);
            std::vector<std::vector<std::uint64_t>> place(2);
            std::vector<std::unique_ptr<SelectedParticles>> own;
            std::vector<NewParticles> parts;
            for (std::size_t s = 0; s < 2; ++s) {
                std::vector<std::uint8_t> wanted(sets[s].count);
                place[s].resize(sets[s].count);
                std::iota(place[s].begin(), place[s].end(), std::uint64_t{0});
                for (std::size_t i = 0; i < wanted.size(); ++i)
                    wanted[i] = static_cast<int>(i * 7 % 11) % size == table.rank;
                NewParticles part = sets[s];
                part.part = true;
                part.place = place[s].data();
                own.push_back(std::make_unique<SelectedParticles>(part, wanted));
                parts.push_back(own.back()->view());
            }
            const auto found = findOverburden(parts, densities, gravity, 0.1, &ranks);
            for (std::size_t s = 0; s < 2; ++s)
                for (std::size_t i = 0; i < parts[s].count; ++i)
                    ASSERT_EQ(found[s][i], whole[s][parts[s].place[i]]) << size << " ranks";
        });
    }
}

TEST(OwnEmission, NumbersAreThoseOfTheWholeInItsOrder)
{
    std::mt19937 random(7);
    std::vector<std::uint64_t> all;
    for (std::uint64_t group = 3; group < 60; group += 1 + random() % 3)
        for (std::uint64_t i = 0; i < 40; ++i)
            if (random() % 4 > 0)
                all.push_back(group << 32 | i);
    for (const int size : {1, 2, 3, 5}) {
        std::vector<std::vector<std::uint64_t>> of(static_cast<std::size_t>(size));
        for (const std::uint64_t place : all) // most groups of one rank, some of several
            of[(place >> 32) % 5 == 0 ? random() % of.size() : (place >> 32) % of.size()].push_back(
                place);
        ThreadRanks group(size);
        group.run([&](const floe_ranks& table) {
            const auto& own = of[static_cast<std::size_t>(table.rank)];
            const Numbering numbering = numberTogether(Ranks(table), own);
            EXPECT_EQ(numbering.total, all.size());
            ASSERT_EQ(numbering.number.size(), own.size());
            for (std::size_t i = 0; i < own.size(); ++i)
                ASSERT_EQ(all[numbering.number[i]], own[i]);
        });
    }
}
