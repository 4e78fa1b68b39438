// The CUDA kernels obey the laws that any solver must.
#include "cuda_device.hpp"

#include "plugins/mpm/cuda/core.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
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

// Sums are rounded. On average over a lattice that is nothing: else a body that flies would lose or
// gain momentum, step for step the same.
TEST_F(CudaCore, RoundingDoesNotAddUpOverALattice)
{
    Core core(Device(test::cudaDevice()), kDx);
    core.setMaterials({rubber()});
    HostParticles start = cube(4, 1, rubber());
    for (std::uint64_t p = 0; p < start.count; ++p) { // without jitter
        for (unsigned a = 0; a < 3; ++a)
            start.at(kPosition + a, p) =
                std::round(4 * start.at(kPosition + a, p) - 1) / 4 + 0.25f + 0.03f * float(a);
        start.at(kVelocity, p) = 2;
        start.at(kVelocity + 1, p) = 0.3f;
    }
    core.add(start);
    for (int s = 0; s < 60; ++s) {
        core.scatter(1e-3f);
        core.updateNodes({});
        core.toParticles({}, false, 0, 0, 0, 0.5);
        core.settle();
    }
    const HostParticles end = core.download();
    double sum[3] = {}, mass = 0;
    for (std::uint64_t p = 0; p < end.count; ++p) {
        mass += double(end.at(kMass, p));
        for (unsigned a = 0; a < 3; ++a)
            sum[a] += double(end.at(kMass, p)) * end.at(kVelocity + a, p);
    }
    EXPECT_NEAR(sum[0] / mass / 2, 1, 1e-6);
    EXPECT_NEAR(sum[1] / mass / 2, 0.15, 1e-6);
    EXPECT_NEAR(sum[2] / mass / 2, 0, 1e-6);
}

// A node that next to nothing reaches has a velocity of noise. How far particles have drifted, and
// how long a step may be, does not follow it.
TEST_F(CudaCore, NodesThatWeighNothingDoNotSaySpeeds)
{
    Core core(Device(test::cudaDevice()), kDx);
    core.setMaterials({rubber()});
    HostParticles start = cube(5, 1, rubber());
    for (std::uint64_t p = 0; p < start.count; ++p)
        start.at(kVelocity, p) = 6;
    core.add(start);
    float fastest = 0;
    for (int s = 0; s < 20; ++s) {
        core.scatter(5e-4f);
        core.updateNodes({});
        core.receive();
        fastest = std::max(fastest, std::bit_cast<float>(core.found().maxNodeComponent));
        core.toParticles({}, false, 0, 0, 0, 0.05);
        core.settle();
    }
    EXPECT_GT(fastest, 5.99f);
    EXPECT_LT(fastest, 6.06f);
}

// Threads that work beside each other find their nodes in different banks: one particle from each
// cell, then a second one from each.
TEST_F(CudaCore, ParticlesOfABlockAreInterleavedByCell)
{
    Core core(Device(test::cudaDevice()), kDx);
    core.setMaterials({rubber()});
    core.add(cube(8, 0, rubber()));
    const HostParticles all = core.download();
    std::map<std::array<std::int32_t, 3>, std::vector<int>> cellsOf;
    for (std::uint64_t p = 0; p < all.count; ++p) {
        int cell = 0;
        for (unsigned a = 0; a < 3; ++a)
            cell = 4 * cell + int(std::floor(all.at(kPosition + a, p) - 0.5f));
        cellsOf[{all.block[3 * p], all.block[3 * p + 1], all.block[3 * p + 2]}].push_back(cell);
    }
    int full = 0;
    for (const auto& [block, inside] : cellsOf) {
        std::map<int, int> seen;
        int round = 0, last = -1;
        for (const int cell : inside) {
            if (cell <= last)
                ++round;
            EXPECT_EQ(seen[cell]++, round);
            last = cell;
        }
        full += inside.size() >= 512 ? 1 : 0;
    }
    EXPECT_GT(full, 0);
}

} // namespace
} // namespace floe::mpm::cuda
