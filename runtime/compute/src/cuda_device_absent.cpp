#include "cuda_backend.hpp"

#include "floe/base/error.hpp"

namespace floe::compute::cuda {

std::string whyNone()
{
    return "this Floe was built without CUDA";
}

std::vector<DeviceInfo> list()
{
    return {};
}

DevicePointer open(int)
{
    throw DeviceError({}, "no CUDA device: " + whyNone());
}

} // namespace floe::compute::cuda
