// Compiles the kernels of this test as CUDA: proof that their source is valid in both worlds.
#include "kernels.cuh"

namespace floe::test {

void launchAll(cudaStream_t stream, const int* in, int* out, float* real, unsigned count)
{
    FLOE_LAUNCH((sumTree<128>), 4, 128, 0, stream, in, count, out);
    FLOE_LAUNCH(inclusiveScan, 1, 256, 256 * sizeof(int), stream, in, count, out);
    FLOE_LAUNCH(warpSums, 1, 64, 0, stream, in, out);
    FLOE_LAUNCH(histogram, 4, 64, 0, stream, in, count, out);
    FLOE_LAUNCH(compact, 4, 64, 0, stream, in, count, out, out);
    FLOE_LAUNCH(largest, 4, 64, 0, stream, real, count, real);
}

} // namespace floe::test
