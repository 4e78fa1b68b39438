// The kernels of the MPM solver, access by access: no race, nothing read that nobody has written,
// nothing beyond an allocation.

#include "alike.hpp"
#include "memory_watch.hpp"
#include "moving_collider.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace floe::mpm;
using floe::test::MemoryWatch;
using testing::IsEmpty;

namespace {

/// A scene whose every access is watched.
void watched(const SolverSettings& settings, const std::function<void(Stepper&)>& scene)
{
    MemoryWatch watch;
    {
        SerialExecutor serial;
        const auto solver = makeStepper(settings, serial, {});
        scene(*solver);
        solver->save();
    }
    EXPECT_THAT(watch.found(), IsEmpty());
    EXPECT_GT(watch.accesses(), 1000000u);
}

} // namespace

TEST(MpmRaces, ManyMaterialsInABox)
{
    watched(settings(), [](Stepper& solver) {
        solver.setDomain(box(Contact::slip, Contact::stick));
        pour(solver);
        run(solver, 0.03);
    });
}

/// Kernel and transfer of a run.
class MpmRacesOf : public testing::TestWithParam<std::pair<Kernel, Transfer>> {};
INSTANTIATE_TEST_SUITE_P(MpmRaces, MpmRacesOf,
                         testing::Values(std::pair{Kernel::quadratic, Transfer::apic},
                                         std::pair{Kernel::quadratic, Transfer::picFlip},
                                         std::pair{Kernel::cubic, Transfer::apic}));

TEST_P(MpmRacesOf, MatterThatSleepsAndIsStruck)
{
    SolverSettings s = settings();
    std::tie(s.kernel, s.transfer) = GetParam();
    s.restSpeed = 0.3;
    s.wakeSpeed = 0.1;
    watched(s, [](Stepper& solver) {
        solver.setDomain(box(Contact::separate, Contact::separate));
        solver.setMaterials({material("neoHookean", 1000, {{"youngModulus", 2e5}})});
        solver.addParticles(Lattice({-0.6, 0, -0.6}, {0.6, 0.4, 0.6}, 0.1).particles(0));
        ActivationRequest request = solver.activationRequest();
        std::fill(request.state.begin(), request.state.end(),
                  static_cast<std::uint8_t>(BlockState::passive));
        solver.applyActivation(request);
        solver.addParticles(
            Lattice({-0.2, 0.5, -0.2}, {0.2, 0.8, 0.2}, 0.1, {1, -6, 0}).particles(0));
        run(solver, 0.03);
        EXPECT_GT(solver.takeStatistics().guardWakes, 0u);
    });
}

// Particles are added, deleted at open faces, and restored; materials and the number of channels
// change between.
TEST(MpmRaces, AddingDeletingAndRestoring)
{
    watched(settings(), [](Stepper& solver) {
        solver.setDomain(box(Contact::separate, Contact::separate));
        solver.setMaterials({material("liquid", 1000)});
        solver.addParticles(
            Lattice({0.4, 0.5, -0.4}, {0.9, 0.9, 0.4}, 0.1, {9, 0, 0}).particles(0));
        run(solver, 0.05);
        const std::vector<unsigned char> state = solver.save();
        solver.setMaterials({material("liquid", 1000), material("snow", 400)});
        solver.addParticles(Lattice({-0.9, 0.2, -0.4}, {-0.4, 0.5, 0.2}, 0.1).particles(1));
        run(solver, 0.03);
        solver.load(state);
        run(solver, 0.03);
        EXPECT_GT(solver.counts().leftDomain, 0u);
    });
}

// Beside mirrors, around an edge where four bodies share nodes, and with a collider.
TEST_P(MpmRacesOf, BodiesThatMeet)
{
    SolverSettings s = settings();
    std::tie(s.kernel, s.transfer) = GetParam();
    s.bodiesMeet = s.volumeByPosition = true;
    watched(s, [](Stepper& solver) {
        solver.setDomain(box(Contact::slip, Contact::stick));
        solver.setMaterials({material("snow", 400), material("liquid", 1000),
                             material("druckerPrager", 1600), material("neoHookean", 1000)});
        const double side = 0.4;
        for (std::uint16_t body = 0; body < 4; ++body) {
            const double x = body % 2 == 0 ? -side : 0, y = body < 2 ? 0 : side;
            solver.addParticles(Lattice({x, y, -side}, {x + side, y + side, 0}, 0.1,
                                        {x < 0 ? 1.0f : -1.0f, y > 0 ? -2.0f : 0.0f, 0})
                                    .particles(body));
        }
        run(solver, 0.015);
        const auto ball = comingBall();
        ball->friction = 0.3f;
        solver.setColliders(Colliders{ball});
        run(solver, 0.015);
    });
}

TEST_P(MpmRacesOf, AColliderThatParticlesBounceFrom)
{
    SolverSettings s = settings();
    std::tie(s.kernel, s.transfer) = GetParam();
    watched(s, [](Stepper& solver) {
        pour(solver);
        const auto ball = comingBall();
        solver.setColliders(Colliders{ball});
        run(solver, 0.02);
        ball->contact = Contact::slip;
        run(solver, 0.02);
    });
}

TEST(MpmRaces, AModelOfAPlugin)
{
    const auto soft = [](void*, double, float* const F[9], float* const*, const float* const*,
                         const float*, float* const stress[6]) {
        for (int i = 0; i < 6; ++i)
            for (int lane = 0; lane < kLanes; ++lane)
                stress[i][lane] = i < 3 ? 1e4f * (F[4 * i][lane] - 1) : 0;
        return true;
    };
    SolverMaterial custom = material("fixedCorotated", 1000);
    custom.custom = std::make_shared<CustomModel>(CustomModel{soft, nullptr, 2e4f});
    watched(settings(), [&](Stepper& solver) {
        solver.setDomain(box(Contact::separate, Contact::separate));
        solver.setMaterials({material("liquid", 1000)});
        solver.addParticles(Lattice({-0.4, 0, -0.4}, {0.4, 0.3, 0.4}, 0.1).particles(0));
        run(solver, 0.01);
        solver.setMaterials({material("liquid", 1000), custom});
        solver.addParticles(
            Lattice({-0.3, 0.4, -0.3}, {0.3, 0.8, 0.3}, 0.1, {1, -4, 0}).particles(1));
        run(solver, 0.03);
    });
}

// Each rank is a thread, and watches its own device.
TEST(MpmRaces, SeveralRanks)
{
    ThreadRanks group(3);
    group.run([&](const floe_ranks& table) {
        try {
            const Ranks ranks(table);
            MemoryWatch watch;
            {
                SerialExecutor serial;
                const auto solver =
                    makeStepper(settings(), serial,
                                Ownership{&ranks, floe::sdk::grid::divideCurve, nullptr, false});
                solver->setDomain(box(Contact::separate, Contact::slip));
                pour(*solver);
                Result result;
                frames(*solver, result, ranks.rank() == 0, 2);
            }
            EXPECT_THAT(watch.found(), IsEmpty());
            EXPECT_GT(watch.accesses(), 100000u);
        } catch (const std::exception& error) {
            ADD_FAILURE() << error.what();
            group.fail();
        }
    });
}
