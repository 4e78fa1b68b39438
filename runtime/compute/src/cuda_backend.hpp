#pragma once

#include "floe/compute/device.hpp"

/// The CUDA backend for device.cpp; cuda_device_absent.cpp replaces it in builds without CUDA.
namespace floe::compute::cuda {

/// Returns why there is no device ("this Floe was built without CUDA"); empty when there is one.
std::string whyNone();
std::vector<DeviceInfo> list();
/// @param ordinal  less than list().size()
DevicePointer open(int ordinal);

} // namespace floe::compute::cuda
