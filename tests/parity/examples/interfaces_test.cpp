#include "cuda_device.hpp"
#include "force/vortex_kernel.cuh"
#include "material/foam_kernel.cuh"

#include <floe/sdk/device_memory.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace {

constexpr std::uint32_t kCount = 48;

/// An array in the device's memory, which the emulator watches.
class OnDevice {
public:
    explicit OnDevice(const std::vector<float>& values) : values_(values)
    {
        device_.allocate(&device_, bytes(), &memory_);
        device_.copy(&device_, memory_, values.data(), bytes(), FLOE_COPY_TO_DEVICE);
    }
    ~OnDevice() { device_.release(&device_, memory_); }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;
    float* data() const { return static_cast<float*>(memory_); }
    std::vector<float> get() const
    {
        std::vector<float> values(values_.size());
        device_.copy(&device_, values.data(), memory_, bytes(), FLOE_COPY_TO_HOST);
        return values;
    }

private:
    std::uint64_t bytes() const { return values_.size() * sizeof(float); }
    floe_device device_ = floe::test::cudaDevice();
    std::vector<float> values_;
    void* memory_ = nullptr;
};

std::vector<float> numbers(std::mt19937& random, float middle, float spread)
{
    std::uniform_real_distribution<float> draw(middle - spread, middle + spread);
    std::vector<float> values(kCount);
    for (float& value : values)
        value = draw(random);
    return values;
}

TEST(Examples, FoamOnADeviceIsFoamOnTheCpu)
{
    std::mt19937 random(7);
    const KelvinVoigt law = KelvinVoigt::of(3e4, 0.3, 30);
    std::vector<std::vector<float>> F, gradient;
    for (int k = 0; k < 9; ++k) {
        F.push_back(numbers(random, k % 4 == 0 ? 1 : 0, 0.2f));
        gradient.push_back(numbers(random, 0, 3));
    }
    const std::vector<float> stiffness = numbers(random, 1, 0.5f);
    std::vector<std::vector<float>> expected(6, std::vector<float>(kCount));
    {
        const float *f[9], *g[9];
        float* tau[6];
        for (std::size_t k = 0; k < 9; ++k) {
            f[k] = F[k].data();
            g[k] = gradient[k].data();
        }
        for (std::size_t k = 0; k < 6; ++k)
            tau[k] = expected[k].data();
        law.stresses(f, g, stiffness.data(), tau, kCount);
    }

    floe_material_batch batch{};
    batch.struct_size = sizeof batch;
    batch.count = kCount;
    std::vector<std::unique_ptr<OnDevice>> arrays;
    const auto onDevice = [&](const std::vector<float>& values) {
        return arrays.emplace_back(std::make_unique<OnDevice>(values))->data();
    };
    for (std::size_t k = 0; k < 9; ++k) {
        batch.F[k] = onDevice(F[k]);
        batch.gradient[k] = onDevice(gradient[k]);
    }
    batch.stiffness = onDevice(stiffness);
    for (std::size_t k = 0; k < 6; ++k)
        batch.stress[k] = onDevice(std::vector<float>(kCount, NAN));
    enqueueFoam(law, batch, nullptr);
    for (std::size_t k = 0; k < 6; ++k) {
        const std::vector<float> stress = arrays[arrays.size() - 6 + k]->get();
        for (std::size_t i = 0; i < kCount; ++i) // lanes take another logarithm; of 3e4 Pa
            EXPECT_NEAR(stress[i], expected[k][i], 0.05) << "stress " << k << " of " << i;
    }
}

TEST(Examples, TheVortexOnADeviceIsTheVortexOnTheCpu)
{
    std::mt19937 random(7);
    const Vortex vortex{{0.5f, 0, -0.5f}, {0, 0.6f, 0.8f}, 3, 0.6f, 5};
    std::vector<std::unique_ptr<OnDevice>> arrays;
    floe_force_batch host{}, device{};
    host.struct_size = device.struct_size = sizeof host;
    host.count = device.count = kCount;
    std::array<std::vector<float>, 3> x, v, expected;
    for (std::size_t k = 0; k < 3; ++k) {
        x[k] = numbers(random, 0, 2);
        v[k] = numbers(random, 0, 3);
        expected[k].resize(kCount);
        host.corner[k] = device.corner[k] = 10.0 * double(k);
        host.x[k] = x[k].data();
        host.v[k] = v[k].data();
        host.acceleration[k] = expected[k].data();
        device.x[k] = arrays.emplace_back(std::make_unique<OnDevice>(x[k]))->data();
        device.v[k] = arrays.emplace_back(std::make_unique<OnDevice>(v[k]))->data();
        device.acceleration[k] =
            arrays.emplace_back(std::make_unique<OnDevice>(std::vector<float>(kCount, NAN)))
                ->data();
    }
    for (unsigned i = 0; i < kCount; ++i)
        vortex.apply(host, i);
    enqueueVortex(vortex, device, nullptr);
    for (std::size_t k = 0; k < 3; ++k)
        EXPECT_EQ(arrays[3 * k + 2]->get(), expected[k]);
}

// Matter that turns with the vortex stays on its circle: only what bends its way is left.
TEST(Examples, MatterThatTurnsWithTheVortexIsHeldOnItsCircle)
{
    const Vortex vortex{{0, 0, 0}, {0, 1, 0}, 3, 0.6f, 5};
    using V = floe::physics::Vec3<float>;
    // About y, right-handed: at +x matter goes towards -z.
    const V a = vortex.acceleration(V{0.6f, 2, 0}, V{0, 0, -3});
    EXPECT_NEAR(a[0], -3 * 3 / 0.6f, 1e-4);
    EXPECT_NEAR(a[1], 0, 1e-6);
    EXPECT_NEAR(a[2], 0, 1e-4);
    const V rest = vortex.acceleration(V{1.2f, 0, 0}, V{0, 0, 0}); // half the speed at twice R
    EXPECT_NEAR(rest[2], -5 * 1.5f, 1e-4);
    EXPECT_EQ(vortex.acceleration(V{0, 1, 0}, V{1, 1, 1})[0], 0);
}

} // namespace
