// While tests run, "cuda" is an emulated device.
#include "emulated_device.hpp"

#include <gtest/gtest.h>

namespace floe::test {
namespace {

class OfferedDevice final : public testing::Environment {
public:
    void SetUp() override { compute::offerDevice(device_); }

private:
    compute::DevicePointer device_ = std::make_shared<EmulatedDevice>("cuda");
};

[[maybe_unused]] const testing::Environment* const kOfferedDevice =
    testing::AddGlobalTestEnvironment(new OfferedDevice);

} // namespace
} // namespace floe::test
