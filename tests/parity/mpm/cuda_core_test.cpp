// The CUDA kernels obey the laws that any solver must.
#include "cuda_device.hpp"

#include "plugins/mpm/cuda/core.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace floe::mpm::cuda {
namespace {

physics::Material rubber()
{
    physics::Material material;
    material.kind = physics::LawKind::fixedCorotated;
    material.density = 1000;
    const physics::Lame lame = physics::lameFromYoung(1e5f, 0.3f);
    material.fixedCorotated = {lame.mu, lame.lambda};
    return material;
}

constexpr float kDx = 0.1f;

/// A cube of `width` cells with its corner at cell (c, c, c), 8 jittered particles a cell.
HostParticles cube(int width, int corner, const physics::Material& material)
{
    HostParticles cube;
    cube.resize(std::uint64_t(8) * width * width * width);
    std::mt19937 random(7);
    std::uniform_real_distribution<float> jitter(-0.2f, 0.2f);
    std::uint64_t p = 0;
    for (int i = 0; i < 2 * width; ++i)
        for (int j = 0; j < 2 * width; ++j)
            for (int k = 0; k < 2 * width; ++k, ++p) {
                const int index[3] = {i, j, k};
                for (unsigned a = 0; a < 3; ++a) {
                    const float x =
                        float(corner) + 0.5f * (float(index[a]) + 0.5f) + jitter(random);
                    const float block = std::floor((x - 0.5f) / 4);
                    cube.block[3 * p + a] = int(block);
                    cube.at(kPosition + a, p) = x - 4 * block;
                }
                const float volume = kDx * kDx * kDx / 8;
                cube.at(kState, p) = 1;
                cube.at(kVolume, p) = volume;
                cube.at(kMass, p) = volume * material.density;
                cube.at(kStiffness, p) = 1;
                cube.id[p] = p;
            }
    return cube;
}

/// World position in cells along an axis.
double cells(const HostParticles& all, std::uint64_t p, unsigned axis)
{
    return 4.0 * all.block[3 * p + axis] + all.at(kPosition + axis, p);
}

HostParticles byId(const HostParticles& all)
{
    HostParticles sorted;
    sorted.resize(all.count);
    for (std::uint64_t p = 0; p < all.count; ++p) {
        const std::uint64_t q = all.id[p];
        for (unsigned c = 0; c < kChannels; ++c)
            sorted.at(c, q) = all.at(c, p);
        for (unsigned a = 0; a < 3; ++a)
            sorted.block[3 * q + a] = all.block[3 * p + a];
        sorted.material[q] = all.material[p];
        sorted.id[q] = q;
    }
    return sorted;
}

class CudaCore : public testing::Test {
protected:
    void TearDown() override { test::shuffleCudaThreads(0); }
};

TEST_F(CudaCore, FreeFallIsThatOfAPoint)
{
    Core core(Device(test::cudaDevice()), kDx);
    core.setMaterials({rubber()});
    const HostParticles start = cube(5, -2, rubber());
    core.add(start);
    Environment environment;
    environment.gravity = {0, -9.81f * 1e-3f, 0}; // in one step
    const float dt = 1e-3f;
    const int steps = 40;
    for (int s = 0; s < steps; ++s) {
        core.scatter(dt);
        core.updateNodes(environment);
        core.toParticles({}, false, 0, 0, 0, 0.5);
        core.settle();
    }
    const HostParticles end = byId(core.download());
    // Symplectic Euler: v = -g n dt, y = y0 - g dt^2 n (n + 1) / 2. Rounding: a node's velocity is
    // the ratio of sums of about 100 contributions rounded up or down at random at 2^-22 of the
    // largest.
    for (std::uint64_t p = 0; p < end.count; ++p) {
        EXPECT_NEAR(end.at(kVelocity + 1, p), -9.81 * dt * steps, 6e-6);
        EXPECT_NEAR(end.at(kVelocity, p), 0, 6e-6);
        EXPECT_NEAR(cells(end, p, 1) - cells(start, p, 1),
                    -9.81 * dt * dt * steps * (steps + 1) / 2 / kDx, 3e-5);
        EXPECT_NEAR(cells(end, p, 0), cells(start, p, 0), 1e-5);
    }
}

TEST_F(CudaCore, MomentumIsConserved)
{
    Core core(Device(test::cudaDevice()), kDx);
    core.setMaterials({rubber()});
    HostParticles start = cube(4, 1, rubber());
    std::mt19937 random(3);
    std::normal_distribution<float> normal(0, 1);
    for (std::uint64_t p = 0; p < start.count; ++p)
        for (unsigned a = 0; a < 3; ++a)
            start.at(kVelocity + a, p) = normal(random) + (a == 0 ? 2.0f : 0.0f);
    core.add(start);
    const auto momentum = [](const HostParticles& all, unsigned axis) {
        double sum = 0;
        for (std::uint64_t p = 0; p < all.count; ++p)
            sum += double(all.at(kMass, p)) * all.at(kVelocity + axis, p);
        return sum;
    };
    double scale = 0;
    for (std::uint64_t p = 0; p < start.count; ++p)
        scale += start.at(kMass, p);
    const float dt = 5e-4f;
    for (int s = 0; s < 30; ++s) {
        core.scatter(dt);
        core.updateNodes({});
        core.toParticles({}, false, 0, 0, 0, 0.5);
        core.settle();
    }
    const HostParticles end = core.download();
    ASSERT_EQ(end.count, start.count);
    // Velocities of 1 m/s per unit of mass; each step rounds at about 1e-7 of that.
    for (unsigned axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(momentum(end, axis), momentum(start, axis), 3e-6 * scale);
}

TEST_F(CudaCore, AnyOrderOfThreadsGivesTheSameBits)
{
    std::vector<HostParticles> ends;
    for (const std::uint64_t seed : {0, 1, 99}) {
        test::shuffleCudaThreads(seed);
        Core core(Device(test::cudaDevice()), kDx);
        core.setMaterials({rubber()});
        HostParticles start = cube(3, -1, rubber());
        for (std::uint64_t p = 0; p < start.count; ++p)
            start.at(kVelocity, p) = std::sin(float(p));
        core.add(start);
        Environment environment;
        environment.gravity = {0, -9.81f * 1e-3f, 0}; // in one step
        for (int s = 0; s < 20; ++s) {                // with a reordering
            core.scatter(1e-3f);
            core.updateNodes(environment);
            core.toParticles({}, false, 0, 0, 0, 0.5);
            core.settle();
        }
        ends.push_back(byId(core.download()));
    }
    for (std::size_t i = 1; i < ends.size(); ++i) {
        EXPECT_EQ(ends[i].values, ends[0].values);
        EXPECT_EQ(ends[i].block, ends[0].block);
    }
}

} // namespace
} // namespace floe::mpm::cuda
