// Several ranks on CUDA devices: what the tests of tests/unit/mpm_ranks leave to it.

#include "alike.hpp"
#include "moving_collider.hpp"

#include <nanovdb/util/Primitives.h>

using namespace floe::mpm;

namespace {

void pressed(Stepper& solver, Result& result, bool root)
{
    solver.setDomain(box(Contact::separate, Contact::separate));
    pour(solver);
    // What comes down from above and moves on sideways.
    const auto grid = std::make_shared<nanovdb::GridHandle<>>(
        nanovdb::createLevelSetSphere<float>(0.3f, nanovdb::Vec3f(0.0f), 0.05));
    const auto ball = std::make_shared<MovingCollider>(
        grid, std::vector<floe_transform_key>{
                  {.frame = 0, .position = {0, 0.9, 0}, .rotation = {0, 0, 0, 1}, .scale = 1},
                  {0.2, {0.6, 0.3, 0}, {0, 0, 0, 1}, 1}});
    ball->contact = Contact::separate;
    ball->particles = ParticleContact::bounce;
    solver.setColliders(Colliders{ball});
    frames(solver, result, root, 3);
}

} // namespace

TEST(CudaRanks, ACollider)
{
    expectSame(onOneRank(settings(), pressed),
               onRanks(3, floe::sdk::grid::divideCurve, settings(), pressed), "3 ranks");
}

// An MPI that knows CUDA is given the device's memory.
TEST(CudaRanks, SumsTravelFromDeviceToDevice)
{
    if (!kEmulated)
        GTEST_SKIP() << "threads copy host memory alone";
    expectSame(onOneRank(settings(), threeMeet),
               onRanks(4, divideOctants, settings(), threeMeet, false, true), "octants");
}
