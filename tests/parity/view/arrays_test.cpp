// What a CUDA device finds out about arrays is what the CPU finds out.
#include "floe/compute/buffer.hpp"
#include "floe/compute/device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace floe::test {
namespace {

using compute::ArrayView;
using compute::Buffer;
using compute::Element;
using compute::Extent;

/// Values of a type in the memory of a device, with a result of another type beside them.
template <class T>
class OnDevice {
public:
    OnDevice(const compute::DevicePointer& device, const std::vector<T>& values)
        : device_(device), buffer_(device, values.size() * sizeof(T))
    {
        device->copy(buffer_.data(), values.data(), buffer_.bytes(), compute::Copy::toDevice);
    }
    ArrayView view(Element element, std::uint32_t components) const
    {
        return {buffer_.data(), element, components, buffer_.bytes() / sizeof(T) / components};
    }
    template <class R, class Operation>
    std::vector<R> result(std::size_t count, const Operation& operation) const
    {
        Buffer made(device_, count * sizeof(R));
        operation(static_cast<R*>(made.data()));
        std::vector<R> values(count);
        device_->copy(values.data(), made.data(), made.bytes(), compute::Copy::toHost);
        device_->synchronise();
        return values;
    }

private:
    compute::DevicePointer device_;
    Buffer buffer_;
};

class Arrays : public testing::TestWithParam<std::size_t> {
protected:
    void SetUp() override { device_ = compute::selectDevice("cuda"); }

    compute::DevicePointer device_;
    compute::DevicePointer cpu_ = compute::cpuDevice();
    std::mt19937 random_{7};
};
/// A single item, a warp and one more, and more than one launch has threads for.
INSTANTIATE_TEST_SUITE_P(Sizes, Arrays, testing::Values(1, 33, 300'000));

TEST_P(Arrays, MagnitudesAreThoseOfTheCpu)
{
    std::normal_distribution<float> values(0, 3);
    for (const std::uint32_t components : {1u, 3u, 9u}) {
        std::vector<float> host(GetParam() * components);
        for (float& value : host)
            value = values(random_);
        const auto on = [&](const compute::DevicePointer& device) {
            const OnDevice<float> array(device, host);
            return array.result<float>(GetParam(), [&](float* to) {
                device->magnitudes(array.view(Element::float32, components), to);
            });
        };
        EXPECT_EQ(on(device_), on(cpu_));
    }
    // (3, 4, 12) is 13 long; the identity matrix counts as 1.
    const OnDevice<float> known(device_, {3, 4, 12, 1, 0, 0, 0, 1, 0, 0, 0, 1});
    const auto lengths = [&](std::uint32_t components) {
        return known.result<float>(1, [&](float* to) {
            ArrayView view = known.view(Element::float32, 3);
            view.count = 1;
            view.components = components;
            if (components == 9)
                view.data = static_cast<const float*>(view.data) + 3;
            device_->magnitudes(view, to);
        })[0];
    };
    EXPECT_EQ(lengths(3), 13);
    EXPECT_EQ(lengths(9), 1);
}

TEST_P(Arrays, WholeNumbersAreClampedToBytes)
{
    std::vector<std::int32_t> host(GetParam());
    for (std::size_t i = 0; i < host.size(); ++i)
        host[i] = static_cast<std::int32_t>(i % 600) - 200;
    const OnDevice<std::int32_t> array(device_, host);
    const auto bytes = array.result<std::uint8_t>(
        host.size(), [&](std::uint8_t* to) { device_->narrow(array.view(Element::int32, 1), to); });
    for (std::size_t i = 0; i < host.size(); ++i)
        ASSERT_EQ(bytes[i], std::clamp(host[i], 0, 255));
}

TEST_P(Arrays, ExtentLeavesOutWhatIsNowhere)
{
    std::uniform_real_distribution<float> values(-5,
                                                 -1); // all negative: their bits order backwards
    std::vector<float> host(3 * GetParam());
    for (float& value : host)
        value = values(random_);
    const Extent expected = cpu_->extent({host.data(), Element::float32, 3, GetParam()}, 1e18f);
    const auto on = [&](const std::vector<float>& points) {
        const OnDevice<float> array(device_, points);
        return device_->extent(array.view(Element::float32, 3), 1e18f);
    };
    const Extent found = on(host);
    EXPECT_EQ(found.low, expected.low);
    EXPECT_EQ(found.high, expected.high);
    EXPECT_LT(found.high[0], 0);

    std::vector<float> more = host;
    more.insert(more.end(), {NAN, 7, 7, 7, INFINITY, 7, 7, 7, 1e19f});
    EXPECT_EQ(on(more).high, expected.high);
    const Extent none = on({NAN, 0, 0});
    EXPECT_GT(none.low[0], none.high[0]);
}

} // namespace
} // namespace floe::test
