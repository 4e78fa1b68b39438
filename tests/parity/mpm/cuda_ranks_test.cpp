// Several ranks on CUDA devices: the bits of one.

#include "../../unit/mpm_ranks/alike.hpp"
#include "cuda_device.hpp"
#include "cuda_stepper.hpp"

using namespace floe::mpm;

namespace {

std::unique_ptr<Stepper> onCuda(const SolverSettings& settings, Executor& executor,
                                Ownership ownership)
{
    return makeCudaStepper(settings, floe::test::cudaDevice(), executor, std::move(ownership));
}

} // namespace

TEST(CudaRanks, ManyMaterialsInABoxWithWallsThatStopThem)
{
    expectSameOnAnyRanks(
        settings(),
        [](Stepper& solver, Result& result, bool root) {
            solver.setDomain(box(Contact::separate, Contact::separate));
            pour(solver);
            frames(solver, result, root, 3);
        },
        onCuda, {2, 5});
}

TEST(CudaRanks, ManyMaterialsInABoxWithMirroredWalls)
{
    expectSameOnAnyRanks(
        settings(),
        [](Stepper& solver, Result& result, bool root) {
            solver.setDomain(box(Contact::slip, Contact::stick));
            pour(solver);
            frames(solver, result, root, 3);
        },
        onCuda, {3});
}
