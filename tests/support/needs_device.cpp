// Skips every test of its program where the device that FLOE_TEST_DEVICE names is missing.
#include "floe/base/error.hpp"
#include "floe/compute/device.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace floe::test {
namespace {

// An Environment that skips is no good: GoogleTest 1.12 then says that the tests passed.
class NeedsDevice final : public testing::EmptyTestEventListener {
public:
    void OnTestProgramStart(const testing::UnitTest&) override
    {
        const char* asked = std::getenv("FLOE_TEST_DEVICE");
        try {
            compute::selectDevice(asked ? asked : FLOE_TEST_DEVICE_ELSE);
        } catch (const DeviceError& error) {
            missing_ = error.what();
        }
    }
    void OnTestStart(const testing::TestInfo&) override
    {
        if (!missing_.empty())
            GTEST_SKIP() << missing_;
    }

private:
    std::string missing_;
};

[[maybe_unused]] const bool kNeedsDevice = [] {
    testing::UnitTest::GetInstance()->listeners().Append(new NeedsDevice);
    return true;
}();

} // namespace
} // namespace floe::test
