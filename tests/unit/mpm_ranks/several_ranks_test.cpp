// Several ranks compute what one rank computes, bit for bit: particles, their order in memory, and
// saved states. The ranks are threads here; tests/graphs/ranks runs processes.

#include "scene.hpp"
#include "thread_ranks.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

using namespace floe::mpm;
using floe::sdk::grid::BlockCost;
using floe::sdk::grid::Partitioner;
using floe::sdk::grid::PartitionPointer;
using floe::test::ThreadRanks;

namespace {

/// What a run leaves: its states, and its particles in the order in which they lie in memory.
struct Result {
    std::vector<std::vector<unsigned char>> states;
    std::vector<float> x, v, F, C;
    std::vector<std::uint64_t> id;
    Counts counts;
    std::uint32_t steps = 0, redone = 0, rebins = 0;
    std::string failure;

    void take(Stepper& solver, bool root)
    {
        states.push_back(solver.save());
        const std::size_t n = root ? solver.particleCount() : 0;
        if (!root)
            solver.particleCount();
        x.resize(3 * n);
        v.resize(3 * n);
        F.resize(9 * n);
        C.resize(9 * n);
        id.resize(n);
        Snapshot to;
        to.x = x.data();
        to.v = v.data();
        to.F = F.data();
        to.C = C.data();
        to.id = id.data();
        solver.snapshot(to);
        counts = solver.counts();
        const StepStatistics statistics = solver.takeStatistics();
        steps += statistics.steps;
        redone += statistics.redone;
        rebins += statistics.rebins;
    }
};

using Scene = std::function<void(Stepper&, Result&, bool root)>;

Result onOneRank(const SolverSettings& settings, const Scene& scene)
{
    SerialExecutor serial;
    Result result;
    const auto solver = makeCpuStepper(settings, serial);
    scene(*solver, result, true);
    return result;
}

Result onRanks(int count, const Partitioner& divide, const SolverSettings& settings,
               const Scene& scene)
{
    ThreadRanks group(count);
    std::vector<Result> results(static_cast<std::size_t>(count));
    group.run([&](const floe_ranks& table) {
        Result& result = results[static_cast<std::size_t>(table.rank)];
        try {
            SerialExecutor serial;
            const Ranks ranks(table);
            const auto solver =
                makeCpuStepper(settings, serial, plainMemory(), Ownership{&ranks, divide, nullptr});
            scene(*solver, result, table.rank == 0);
        } catch (const std::exception& error) {
            result.failure = error.what();
            group.fail();
        }
    });
    for (const Result& result : results)
        EXPECT_EQ(result.failure, "");
    return results[0];
}

void expectSame(const Result& one, const Result& several, const std::string& what)
{
    EXPECT_EQ(one.steps, several.steps) << what;
    EXPECT_EQ(one.redone, several.redone) << what;
    EXPECT_EQ(one.rebins, several.rebins) << what;
    EXPECT_EQ(one.counts.alive, several.counts.alive) << what;
    EXPECT_EQ(one.counts.blocks, several.counts.blocks) << what;
    ASSERT_EQ(one.states.size(), several.states.size()) << what;
    for (std::size_t i = 0; i < one.states.size(); ++i)
        ASSERT_TRUE(one.states[i] == several.states[i]) << what << ": saved state " << i;
    EXPECT_TRUE(one.id == several.id) << what;
    EXPECT_TRUE(one.x == several.x) << what;
    EXPECT_TRUE(one.v == several.v) << what;
    EXPECT_TRUE(one.F == several.F) << what;
    EXPECT_TRUE(one.C == several.C) << what;
}

void expectSameOnAnyRanks(const SolverSettings& settings, const Scene& scene)
{
    const Result one = onOneRank(settings, scene);
    EXPECT_GT(one.steps, 20u);
    EXPECT_GT(one.rebins, 2u);
    for (const int count : {2, 3, 5, 8})
        expectSame(one, onRanks(count, floe::sdk::grid::divideCurve, settings, scene),
                   "curve, " + std::to_string(count) + " ranks");
    expectSame(one, onRanks(4, floe::sdk::grid::divideBoxes, settings, scene), "boxes");
    expectSame(one, onRanks(3, floe::sdk::grid::divideEvenly, settings, scene), "fixed");
}

SolverSettings settings()
{
    SolverSettings s;
    s.cellSize = 0.1;
    return s;
}

/// Several materials fall onto a floor and each other in a box with all kinds of walls.
Domain box(Contact side, Contact end)
{
    Domain domain;
    domain.bounded = true;
    domain.center = {0, 1, 0};
    domain.halfSize = {1, 1, 1};
    domain.faces = {Contact::separate, side, Contact::separate, Contact::open, Contact::open, end};
    domain.friction = 0.3f;
    return domain;
}

void pour(Stepper& solver)
{
    solver.setMaterials({material("snow", 400), material("liquid", 1000),
                         material("druckerPrager", 1600), material("neoHookean", 1000)});
    solver.addParticles(Lattice({-0.4, 0.1, -0.4}, {0.4, 0.3, 0.4}, 0.1).particles(0));
    solver.addParticles(
        Lattice({-0.3, 0.5, -0.3}, {0.3, 0.8, 0.3}, 0.1, {3, -4, 0.3}).particles(1));
    solver.addParticles(
        Lattice({-0.2, 0.9, -0.2}, {0.2, 1.2, 0.2}, 0.1, {-1, -6, 0.7}).particles(2));
    solver.addParticles(Lattice({0.3, 0.4, 0.2}, {0.7, 0.9, 0.6}, 0.1, {-5, 0, -3}).particles(3));
}

/// Frames, before which ranks are balanced.
void frames(Stepper& solver, Result& result, bool root, int count, double duration = 0.03)
{
    for (int i = 0; i < count; ++i) {
        solver.balance();
        run(solver, duration);
        result.take(solver, root);
    }
}

} // namespace

TEST(Ranks, ManyMaterialsInABoxWithWallsThatStopThem)
{
    expectSameOnAnyRanks(settings(), [](Stepper& solver, Result& result, bool root) {
        solver.setDomain(box(Contact::separate, Contact::separate));
        pour(solver);
        frames(solver, result, root, 6);
    });
}

TEST(Ranks, ManyMaterialsInABoxWithMirroredWalls)
{
    expectSameOnAnyRanks(settings(), [](Stepper& solver, Result& result, bool root) {
        solver.setDomain(box(Contact::slip, Contact::stick));
        pour(solver);
        frames(solver, result, root, 6);
    });
}

TEST(Ranks, PicAndFlip)
{
    SolverSettings s = settings();
    s.transfer = Transfer::picFlip;
    expectSameOnAnyRanks(s, [](Stepper& solver, Result& result, bool root) {
        solver.setDomain(box(Contact::slip, Contact::separate));
        pour(solver);
        frames(solver, result, root, 4);
    });
}

TEST(Ranks, CubicKernels)
{
    SolverSettings s = settings();
    s.kernel = Kernel::cubic;
    expectSameOnAnyRanks(s, [](Stepper& solver, Result& result, bool root) {
        solver.setDomain(box(Contact::separate, Contact::stick));
        pour(solver);
        frames(solver, result, root, 4);
    });
}

// A jet that goes on, where cells are free: what is occupied is known by its owner alone.
TEST(Ranks, EmissionOfEveryFrameIntoFreeCells)
{
    expectSameOnAnyRanks(settings(), [](Stepper& solver, Result& result, bool root) {
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
    });
}

namespace {

/// Octants around the origin, and the one where all coordinates are positive belongs to rank 3.
class Octants final : public floe::sdk::grid::Partition {
public:
    int ownerOf(const BlockCoordinate& b) const override
    {
        if (b[0] >= 0 && b[1] >= 0 && b[2] >= 0)
            return 3;
        return b[0] < 0 ? 0 : b[1] < 0 ? 1 : 2;
    }
};

} // namespace

// The trap of halos that send to the owner of a node what its neighbours have: three bodies of
// three ranks touch nodes of a block whose owner has no particle, and none may lose what the others
// give.
TEST(Ranks, ThreeMeetAtACornerWhoseOwnerHasNoParticle)
{
    const Scene scene = [](Stepper& solver, Result& result, bool root) {
        solver.setMaterials({material("neoHookean", 1000)});
        // Blocks are 0.4 m; particles in the last half cell before an edge write beyond it.
        for (const auto& [low, high, v] :
             {std::tuple{Vec3d{-0.4, 0, 0}, Vec3d{0.04, 0.4, 0.4}, Vec3d{0.5, 0, 0}},
              std::tuple{Vec3d{0.05, -0.4, 0}, Vec3d{0.4, 0.04, 0.4}, Vec3d{0, 0.5, 0}},
              std::tuple{Vec3d{0.05, 0.05, -0.4}, Vec3d{0.4, 0.4, 0.04}, Vec3d{0, 0, 0.5}}})
            solver.addParticles(Lattice(low, high, 0.1, v).particles());
        run(solver, 1e-4); // nothing has moved to the fourth yet
        result.take(solver, root);
        frames(solver, result, root, 3, 0.06); // and then much has
    };
    const Partitioner octants = [](std::vector<BlockCost>, int, const PartitionPointer&) {
        return std::make_shared<Octants>();
    };
    expectSame(onOneRank(settings(), scene), onRanks(4, octants, settings(), scene), "octants");
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
