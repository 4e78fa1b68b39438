// An MPI that knows CUDA is given the device's memory. Only under the emulator, where that is
// memory of this process: the ranks of these tests are threads, which copy it.

#include "alike.hpp"

using namespace floe::mpm;

TEST(CudaRanks, SumsTravelFromDeviceToDevice)
{
    const Result one = onOneRank(settings(), threeMeet);
    EXPECT_GT(one.steps, 20u);
    expectSame(one, onRanks(4, divideOctants, settings(), threeMeet, false, true), "octants");
}
