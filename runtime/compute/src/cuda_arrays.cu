#include "cuda_arrays.hpp"

#include "array_kernels.cuh"

namespace floe::compute::cuda {

static_assert(sizeof(OrderedExtent) == kExtentBytes);

void magnitudes(const ArrayView& from, float* to, cudaStream_t stream)
{
    launchMagnitudes(from, to, stream);
}

void narrow(const ArrayView& from, std::uint8_t* to, cudaStream_t stream)
{
    launchNarrow(from, to, stream);
}

void startExtent(void* start)
{
    const OrderedExtent none = noOrderedExtent();
    std::memcpy(start, &none, sizeof none);
}

void extent(const ArrayView& of, float most, void* result, cudaStream_t stream)
{
    launchExtent(of, most, static_cast<OrderedExtent*>(result), stream);
}

Extent finishExtent(const void* result)
{
    OrderedExtent bits;
    std::memcpy(&bits, result, sizeof bits);
    return extentOf(bits);
}

} // namespace floe::compute::cuda
