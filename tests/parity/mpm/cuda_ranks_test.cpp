// Several ranks on CUDA devices: what the tests of tests/unit/mpm_ranks leave to it.

#include "alike.hpp"
#include "moving_collider.hpp"

using namespace floe::mpm;

namespace {

/// A wind that only the host knows: nodes take the way through host memory.
class Breeze final : public Force {
public:
    void apply(PointBatch& batch, double, float dt) const override
    {
        for (int i = 0; i < batch.count; ++i)
            if (batch.mass[i] > 0)
                batch.v[0][i] += dt * 3.0f;
    }
};

} // namespace

TEST(CudaRanks, AForceThatOnlyTheHostKnows)
{
    const Scene blown = [](Stepper& solver, Result& result, bool root) {
        solver.setDomain(box(Contact::slip, Contact::separate));
        solver.setForces({std::make_shared<Breeze>()});
        pour(solver);
        frames(solver, result, root, 2);
    };
    const Result one = onOneRank(settings(), blown);
    EXPECT_GT(one.steps, 20u);
    expectSame(one, onRanks(3, floe::sdk::grid::divideCurve, settings(), blown), "3 ranks");
}

TEST(CudaRanks, ACollider)
{
    const Scene pressed = [](Stepper& solver, Result& result, bool root) {
        solver.setDomain(box(Contact::separate, Contact::separate));
        pour(solver);
        solver.setColliders(Colliders{comingBall()});
        frames(solver, result, root, 3);
        EXPECT_GT(result.steps, 20u);
    };
    expectSame(onOneRank(settings(), pressed),
               onRanks(3, floe::sdk::grid::divideCurve, settings(), pressed), "3 ranks");
}

// A particle hangs on nodes two blocks away where surfaces mirror. They appear while it runs.
TEST(CudaRanks, SurfacesMirror)
{
    for (const Contact contact : {Contact::slip, Contact::separate}) {
        const Scene held = [&](Stepper& solver, Result& result, bool root) {
            solver.setDomain(box(Contact::slip, Contact::slip));
            pour(solver);
            frames(solver, result, root, 1);
            const auto ball = comingBall();
            ball->contact = contact;
            ball->friction = 0.3f;
            solver.setColliders(Colliders{ball});
            frames(solver, result, root, 2);
            solver.setColliders(Colliders{});
            frames(solver, result, root, 1);
        };
        expectSame(onOneRank(settings(), held),
                   onRanks(3, floe::sdk::grid::divideCurve, settings(), held), "3 ranks");
    }
}

TEST(CudaRanks, BodiesThatMeetAreRefused)
{
    SolverSettings meet = settings();
    meet.bodiesMeet = true;
    ThreadRanks group(2);
    group.run([&](const floe_ranks& table) {
        const Ranks ranks(table);
        SerialExecutor serial;
        EXPECT_THROW(makeStepper(meet, serial,
                                 Ownership{&ranks, floe::sdk::grid::divideCurve, nullptr, false}),
                     std::invalid_argument);
    });
}
