#pragma once

#include "floe/compute/device.hpp"

/// What device.cpp needs from the CUDA backend; cuda_device_absent.cpp stands in where Floe is
/// built without CUDA.
namespace floe::compute::cuda {

/// Why there is no device ("this Floe was built without CUDA"); empty when there is one.
std::string whyNone();
std::vector<DeviceInfo> list();
/// @param ordinal  less than list().size()
DevicePointer open(int ordinal);

} // namespace floe::compute::cuda
