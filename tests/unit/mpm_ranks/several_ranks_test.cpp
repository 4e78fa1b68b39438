// Several ranks compute what one rank computes, bit for bit: particles, their order in memory, and
// saved states. The ranks are threads here; tests/ranks runs processes.

#include "alike.hpp"
#include "plane.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace floe::mpm;

namespace {

/// Divides the curve as if few blocks, any ones, cost nearly everything: cuts that no measured
/// costs bring about for long.
Partitioner divideAnyhow(std::uint64_t seed)
{
    return [seed](std::vector<BlockCost> costs, int ranks, const PartitionPointer&) {
        const auto most = std::max_element(
            costs.begin(), costs.end(),
            [](const BlockCost& a, const BlockCost& b) { return a.cost < b.cost; });
        const auto turn = costs.empty() ? 0 : static_cast<std::uint64_t>(most->cost);
        for (BlockCost& c : costs) {
            std::uint64_t hash = (seed ^ turn) * 0x9e3779b97f4a7c15ull;
            for (const auto place : c.block)
                hash = (hash ^ static_cast<std::uint64_t>(place)) * 0xbf58476d1ce4e5b9ull,
                hash ^= hash >> 29;
            const double part = static_cast<double>(hash >> 11) / 9007199254740992.0;
            c.cost = 1 + static_cast<std::int64_t>(1000 * std::pow(part, 6));
        }
        return floe::sdk::grid::divideCurve(costs, ranks, nullptr);
    };
}

} // namespace

TEST(Ranks, ManyMaterialsInABoxWithWallsThatStopThem)
{
    expectSameOnAnyRanks(settings(), [](Stepper& solver, Result& result, bool root) {
        solver.setDomain(box(Contact::separate, Contact::separate));
        pour(solver);
        frames(solver, result, root, kEmulated ? 3 : 6);
    });
}

TEST(Ranks, ManyMaterialsInABoxWithMirroredWalls)
{
    expectSameOnAnyRanks(settings(), [](Stepper& solver, Result& result, bool root) {
        solver.setDomain(box(Contact::slip, Contact::stick));
        pour(solver);
        frames(solver, result, root, kEmulated ? 3 : 6);
    });
}

TEST(Ranks, ManyMaterialsInAWorldWithPeriodicSides)
{
    const Scene scene = [](Stepper& solver, Result& result, bool root) {
        Domain domain = box(Contact::separate, Contact::separate);
        domain.periodic[0] = domain.periodic[2] = true;
        domain.halfSize = {0.8, 1, 0.4}; // what is poured reaches beyond
        solver.setDomain(domain);
        pour(solver);
        frames(solver, result, root, kEmulated ? 2 : 5);
    };
    expectSameOnAnyRanks(settings(), scene);
    const Result one = onOneRank(settings(), scene);
    for (std::uint64_t seed = 0; seed < (kEmulated ? 1 : 6); ++seed)
        expectSame(one,
                   onRanks(2 + static_cast<int>(seed % 5), divideAnyhow(seed), settings(), scene),
                   "seed " + std::to_string(seed));
}

TEST(Ranks, PicAndFlip)
{
    SolverSettings s = settings();
    s.transfer = Transfer::picFlip;
    expectSameOnAnyRanks(s, [](Stepper& solver, Result& result, bool root) {
        solver.setDomain(box(Contact::slip, Contact::separate));
        pour(solver);
        frames(solver, result, root, kEmulated ? 2 : 4);
    });
}

// A plugin's model, whose four numbers go with its particles.
TEST(Ranks, ACustomModel)
{
    const auto stiffens = [](void*, double dt, float* const F[9], float* const state[4],
                             const float* const*, const float* stiffness, float* const stress[6]) {
        const int rowOf[6] = {0, 1, 2, 0, 0, 1}, columnOf[6] = {0, 1, 2, 1, 2, 2};
        for (int lane = 0; lane < kLanes; ++lane) {
            for (int k = 0; k < 4; ++k)
                state[k][lane] += static_cast<float>(dt * (k + 1));
            const float modulus = stiffness[lane] * (5e4f + 1e4f * state[3][lane]);
            for (int i = 0; i < 6; ++i) {
                const int r = rowOf[i], c = columnOf[i];
                stress[i][lane] = modulus * (0.5f * (F[3 * r + c][lane] + F[3 * c + r][lane]) -
                                             (r == c ? 1.0f : 0.0f));
            }
        }
        return true;
    };
    SolverMaterial custom = material("fixedCorotated", 1000);
    custom.custom = std::make_shared<CustomModel>(CustomModel{stiffens, nullptr, 1e5f});
    expectSameOnAnyRanks(settings(), [&](Stepper& solver, Result& result, bool root) {
        solver.setDomain(box(Contact::separate, Contact::slip));
        solver.setMaterials({material("liquid", 1000), custom});
        solver.addParticles(
            Lattice({-0.4, 0.1, -0.4}, {0.4, 0.4, 0.4}, 0.1, {1, 0, 0}).particles(0));
        solver.addParticles(
            Lattice({-0.3, 0.5, -0.3}, {0.3, 0.9, 0.3}, 0.1, {3, -4, 0.3}).particles(1));
        frames(solver, result, root, kEmulated ? 2 : 4);
    });
}

TEST(Ranks, CubicKernels)
{
    SolverSettings s = settings();
    s.kernel = Kernel::cubic;
    expectSameOnAnyRanks(s, [](Stepper& solver, Result& result, bool root) {
        solver.setDomain(box(Contact::separate, Contact::stick));
        pour(solver);
        frames(solver, result, root, kEmulated ? 2 : 4);
    });
}

namespace {

/// A jet that goes on, where cells are free: what is occupied is known by its owner alone.
void jet(Stepper& solver, Result& result, bool root)
{
    solver.setMaterials({material("liquid", 1000)});
    for (int i = 0; i < 6; ++i) {
        const Lattice jet({-0.4, 1.0, -0.4}, {0.5, 1.5, 0.3}, 0.1, {6, -3, 2});
        std::vector<std::uint8_t> wanted(jet.count());
        solver.findOccupied(jet.x.data(), jet.count(), wanted.data());
        for (std::uint8_t& cell : wanted)
            cell = !cell;
        solver.addParticles(SelectedParticles(jet.particles(), wanted).view());
        frames(solver, result, root, 1);
    }
    EXPECT_GT(solver.particleCount(), 2500u);
}

} // namespace

TEST(Ranks, EmissionOfEveryFrameIntoFreeCells)
{
    expectSameOnAnyRanks(settings(), jet);
}

// What a rank keeps of blocks that it owns, and has no particles beside any more, is not lost when
// others go.
TEST(Ranks, AnyCuts)
{
    const Result one = onOneRank(settings(), jet);
    for (std::uint64_t seed = 0; seed < (kEmulated ? 3 : 14); ++seed)
        expectSame(one,
                   onRanks(2 + static_cast<int>(seed % 7), divideAnyhow(seed), settings(), jet),
                   "seed " + std::to_string(seed));
}

// Walls relate nodes that lie several blocks apart, on whatever ranks.
TEST(Ranks, AnyCutsBesideMirroredWalls)
{
    for (const Contact sides : {Contact::slip, Contact::stick}) {
        const Scene scene = [sides](Stepper& solver, Result& result, bool root) {
            solver.setDomain(box(Contact::slip, sides));
            pour(solver);
            frames(solver, result, root, 3);
        };
        const Result one = onOneRank(settings(), scene);
        for (std::uint64_t seed = 0; seed < (kEmulated ? 1 : 5); ++seed)
            expectSame(
                one, onRanks(2 + static_cast<int>(seed % 7), divideAnyhow(seed), settings(), scene),
                "seed " + std::to_string(seed));
    }
}

#if !FLOE_TEST_CUDA
// Images in a collider relate nodes in all directions, at rest and moving.
TEST(Ranks, AnyCutsBesideACollider)
{
    for (const double speed : {0.0, 0.7}) {
        const Scene scene = [speed](Stepper& solver, Result& result, bool root) {
            auto plane = std::make_shared<Plane>(Vec3d{0.36, 0.8, 0.48});
            plane->speed = speed;
            plane->contact = Contact::slip;
            solver.setDomain(box(Contact::slip, Contact::slip));
            solver.setColliders({plane});
            pour(solver);
            frames(solver, result, root, 3);
        };
        for (const Kernel kernel : {Kernel::quadratic, Kernel::cubic}) {
            SolverSettings s = settings();
            s.kernel = kernel;
            const Result one = onOneRank(s, scene);
            for (std::uint64_t seed = 0; seed < 5; ++seed)
                expectSame(one,
                           onRanks(2 + static_cast<int>(seed % 7), divideAnyhow(seed), s, scene),
                           "seed " + std::to_string(seed));
        }
    }
}
#endif

// The trap of halos that send to the owner of a node what its neighbours have: three bodies of
// three ranks touch nodes of a block whose owner has no particle, and none may lose what the others
// give.
TEST(Ranks, ThreeMeetAtACornerWhoseOwnerHasNoParticle)
{
    expectSame(onOneRank(settings(), threeMeet), onRanks(4, divideOctants, settings(), threeMeet),
               "octants");
}

TEST(Ranks, AStateGoesOnOnAnotherNumberOfRanks)
{
    const auto begin = [](Stepper& solver) {
        solver.setDomain(box(Contact::separate, Contact::slip));
        pour(solver);
    };
    const Result whole = onOneRank(settings(), [&](Stepper& solver, Result& result, bool root) {
        begin(solver);
        frames(solver, result, root, 5);
    });
    for (const int count : {1, 2, 5}) {
        const Scene rest = [&](Stepper& solver, Result& result, bool root) {
            begin(solver); // whatever it held before
            solver.load(whole.states[1]);
            result.states = {solver.save()};
            frames(solver, result, root, 3);
        };
        const Result resumed = count == 1
                                   ? onOneRank(settings(), rest)
                                   : onRanks(count, floe::sdk::grid::divideCurve, settings(), rest);
        ASSERT_EQ(resumed.states.size(), 4u);
        for (std::size_t i = 0; i < 4; ++i)
            ASSERT_TRUE(resumed.states[i] == whole.states[i + 1]) << count << " ranks, state " << i;
        EXPECT_TRUE(resumed.x == whole.x);
    }
}

TEST(Ranks, ADamagedStateIsRefusedOnAll)
{
    const Result whole = onOneRank(settings(), [](Stepper& solver, Result& result, bool root) {
        pour(solver);
        result.take(solver, root);
    });
    onRanks(3, floe::sdk::grid::divideCurve, settings(), [&](Stepper& solver, Result&, bool) {
        pour(solver);
        for (const std::size_t size : {std::size_t{9}, whole.states[0].size() / 2}) {
            auto bytes = whole.states[0];
            bytes.resize(size);
            EXPECT_THROW(solver.load(bytes), std::runtime_error);
        }
        solver.load(whole.states[0]);
        run(solver, 0.01);
    });
}

// More ranks than blocks; nothing at first, then little, all of which leaves by an open face, and
// then some again.
TEST(Ranks, MoreOfThemThanBlocksAndTimesWithoutMatter)
{
    const Scene scene = [](Stepper& solver, Result& result, bool root) {
        solver.setDomain(box(Contact::separate, Contact::separate));
        solver.setMaterials({material("liquid", 1000)});
        frames(solver, result, root, 1);
        solver.addParticles(
            Lattice({-0.95, 1.2, -0.1}, {-0.8, 1.3, 0.1}, 0.1, {0, 9, 0}).particles(0));
        frames(solver, result, root, 4, 0.05);
        EXPECT_EQ(solver.particleCount(), 0u);
        solver.setMaterials({material("liquid", 1000), material("snow", 400)});
        solver.addParticles(Lattice({0, 0.2, 0}, {0.1, 0.3, 0.1}, 0.1).particles(1));
        frames(solver, result, root, 2);
        EXPECT_GT(solver.particleCount(), 0u);
    };
    const Result one = onOneRank(settings(), scene);
    for (const int count : {2, 6})
        expectSame(one, onRanks(count, floe::sdk::grid::divideCurve, settings(), scene),
                   std::to_string(count) + " ranks");
}

// A material that breaks names itself on rank 0, whoever holds it.
TEST(Ranks, AllOfThemReportWhatOneHasFound)
{
    const Scene scene = [](Stepper& solver, Result& result, bool) {
        solver.setMaterials({material("snow", 400), material("neoHookean", 1000)});
        solver.addParticles(Lattice({-4, 0, 0}, {-3, 1, 1}, 0.1).particles(0));
        solver.addParticles(Lattice({3, 0, 0}, {4, 1, 1}, 0.1, {3e7, 0, 0}).particles(1));
        try {
            run(solver, 0.1);
        } catch (const Diverged& error) {
            result.states = {{error.what(), error.what() + std::strlen(error.what())}};
        }
    };
    SolverSettings s = settings();
    s.shortestStep = 1e-6;
    const Result one = onOneRank(s, scene);
    ASSERT_EQ(one.states.size(), 1u);
    const Result two = onRanks(2, floe::sdk::grid::divideCurve, s, scene);
    ASSERT_EQ(two.states.size(), 1u);
    EXPECT_TRUE(one.states == two.states)
        << std::string(two.states[0].begin(), two.states[0].end());
}
