// Several ranks on CUDA devices: what the tests of tests/unit/mpm_ranks leave to it.

#include "alike.hpp"
#include "moving_collider.hpp"

using namespace floe::mpm;

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
