// Sleep on several ranks: what is put to sleep, what wakes and when, and every particle are those
// of one rank.

#include "alike.hpp"
#include "plate.hpp"

using namespace floe::mpm;

namespace {

/// Asks a strategy before each of some frames. @return the number of guard wakes
std::uint64_t sleepyFrames(Stepper& solver, Result& result, bool root, int count,
                           const SpeedThreshold& strategy, double duration = 0.03)
{
    std::uint64_t wakes = 0;
    for (int i = 0; i < count; ++i) {
        solver.setMaterials(std::vector(solver.materials())); // as the node does
        solver.balance();
        for (int half = 0; half < 2; ++half) {
            ActivationRequest request = solver.activationRequest();
            strategy.evaluate(request);
            solver.applyActivation(request);
            run(solver, 0.5 * duration);
        }
        const StepStatistics statistics = solver.takeStatistics();
        wakes += statistics.guardWakes;
        result.steps += statistics.steps;
        result.redone += statistics.redone;
        result.rebins += statistics.rebins;
        const SpeedField field = solver.speedField();
        result.fields.insert(result.fields.end(), field.speed.begin(), field.speed.end());
        result.take(solver, root);
        result.inactive =
            std::max(result.inactive, result.counts.blocks - result.counts.activeBlocks);
    }
    return wakes;
}

/// Sleeping slabs of several materials, on which things fall and rest again.
void bed(Stepper& solver)
{
    solver.setMaterials({material("neoHookean", 1000, {{"youngModulus", 2e5}}),
                         material("liquid", 1000), material("druckerPrager", 1600)});
    solver.addParticles(Lattice({-1, 0, -1}, {1, 0.5, 0}, 0.1).particles(0));
    solver.addParticles(Lattice({-1, 0, 0}, {0, 0.4, 1}, 0.1).particles(1));
    solver.addParticles(Lattice({0, 0, 0}, {1, 0.6, 1}, 0.1).particles(2));
    ActivationRequest request = solver.activationRequest();
    std::fill(request.state.begin(), request.state.end(),
              static_cast<std::uint8_t>(BlockState::passive));
    solver.applyActivation(request);
    solver.addParticles(Lattice({-0.3, 1.1, -0.3}, {0.3, 1.5, 0.3}, 0.1, {1, -5, 0}).particles(0));
    solver.addParticles(Lattice({0.5, 0.8, 0.4}, {0.8, 1.1, 0.8}, 0.1, {0, -6, 0}).particles(2));
}

SolverSettings sleepy()
{
    SolverSettings s = settings();
    s.restSpeed = 0.3;
    s.wakeSpeed = 0.1;
    return s;
}

void expectSleepOnAnyRanks(const SolverSettings& settings, const Scene& scene)
{
    expectSameOnAnyRanks(settings, [&](Stepper& solver, Result& result, bool root) {
        scene(solver, result, root);
        EXPECT_GT(result.inactive, 5u);
        EXPECT_GT(result.wakes, 10u);
    });
}

} // namespace

TEST(SleepingRanks, MatterWakesAlikeWhereItIsStruck)
{
    expectSleepOnAnyRanks(sleepy(), [](Stepper& solver, Result& result, bool root) {
        solver.setDomain(box(Contact::separate, Contact::separate));
        bed(solver);
        result.wakes = sleepyFrames(solver, result, root, 8, {0.1f, 0.02f});
    });
}

TEST(SleepingRanks, MirroredWalls)
{
    SolverSettings s = sleepy();
    s.transfer = Transfer::picFlip;
    expectSleepOnAnyRanks(s, [](Stepper& solver, Result& result, bool root) {
        solver.setDomain(box(Contact::slip, Contact::stick));
        bed(solver);
        result.wakes = sleepyFrames(solver, result, root, 3, {0.1f, 0.02f});
    });
}

TEST(SleepingRanks, CubicKernels)
{
    SolverSettings s = sleepy();
    s.kernel = Kernel::cubic;
    expectSleepOnAnyRanks(s, [](Stepper& solver, Result& result, bool root) {
        solver.setDomain(box(Contact::separate, Contact::separate));
        bed(solver);
        result.wakes = sleepyFrames(solver, result, root, 3, {0.1f, 0.02f});
    });
}

TEST(SleepingRanks, StiffPiecesWakeAsOneOnAllOfThem)
{
    SolverSettings s = sleepy();
    s.gravity = {0, 0, 0};
    s.stiffSpeed = 5;
    const Scene scene = [](Stepper& solver, Result& result, bool root) {
        solver.setMaterials({material("neoHookean", 1000)});
        // A ring, so that two fronts of waking meet.
        for (const auto& [low, high] : {std::pair{Vec3d{0, 0, 0}, Vec3d{4, 0.4, 0.4}},
                                        std::pair{Vec3d{0, 0, 3.6}, Vec3d{4, 0.4, 4}},
                                        std::pair{Vec3d{0, 0, 0.4}, Vec3d{0.4, 0.4, 3.6}},
                                        std::pair{Vec3d{3.6, 0, 0.4}, Vec3d{4, 0.4, 3.6}}})
            solver.addParticles(Lattice(low, high, 0.1).particles());
        ActivationRequest request = solver.activationRequest();
        std::fill(request.state.begin(), request.state.end(),
                  static_cast<std::uint8_t>(BlockState::passive));
        solver.applyActivation(request);
        solver.addParticles(Lattice({-0.4, 0, 0}, {-0.05, 0.4, 0.4}, 0.1, {2, 0, 0}).particles());
        std::uint64_t before = 0;
        while (result.wakes == 0 && before++ < 1000) {
            solver.advance(1e-3);
            result.wakes = solver.takeStatistics().guardWakes;
        }
        result.take(solver, root);
        EXPECT_EQ(result.counts.activeBlocks, result.counts.blocks);
        frames(solver, result, root, 1, 0.1);
    };
    const Result one = onOneRank(s, scene);
    EXPECT_GT(one.wakes, 20u);
    for (const int count : {2, 5})
        expectSame(one, onRanks(count, floe::sdk::grid::divideCurve, s, scene),
                   std::to_string(count) + " ranks");
}

#if !FLOE_TEST_CUDA // a plate has no level set; cuda_ranks_test.cpp has a collider
TEST(SleepingRanks, ACollidersApproachWakesOnAllOfThem)
{
    SolverSettings s = sleepy();
    s.gravity = {0, 0, 0};
    expectSleepOnAnyRanks(s, [](Stepper& solver, Result& result, bool root) {
        solver.setMaterials({material("neoHookean", 1000, {{"youngModulus", 2e5}})});
        solver.addParticles(Lattice({0, 0, 0}, {1.6, 0.8, 1.6}, 0.1).particles());
        ActivationRequest request = solver.activationRequest();
        std::fill(request.state.begin(), request.state.end(),
                  static_cast<std::uint8_t>(BlockState::passive));
        solver.applyActivation(request);
        result.inactive = solver.counts().blocks;
        auto plate = std::make_shared<Plate>(1.2, Vec3d{0, -6, 0});
        plate->contact = Contact::separate;
        solver.setColliders({plate});
        result.wakes = sleepyFrames(solver, result, root, 5, {0.1f, 0.02f});
    });
}
#endif

// Particles that begin asleep, and a state that is saved while matter sleeps.
TEST(SleepingRanks, AStateGoesOnOnAnotherNumberOfRanks)
{
    SolverSettings s = sleepy();
    s.startsPassive = true;
    const auto begin = [](Stepper& solver) {
        solver.setDomain(box(Contact::separate, Contact::slip));
        bed(solver);
    };
    const SpeedThreshold strategy{0.1f, 0.02f};
    const Result whole = onOneRank(s, [&](Stepper& solver, Result& result, bool root) {
        begin(solver);
        sleepyFrames(solver, result, root, 5, strategy);
    });
    EXPECT_GT(whole.inactive, 5u);
    for (const int count : {2, 5}) {
        const Result resumed = onRanks(count, floe::sdk::grid::divideCurve, s,
                                       [&](Stepper& solver, Result& result, bool root) {
                                           begin(solver);
                                           solver.load(whole.states[1]);
                                           result.states = {solver.save()};
                                           sleepyFrames(solver, result, root, 3, strategy);
                                       });
        ASSERT_EQ(resumed.states.size(), 4u);
        for (std::size_t i = 0; i < 4; ++i)
            ASSERT_TRUE(resumed.states[i] == whole.states[i + 1]) << count << " ranks, state " << i;
    }
}
