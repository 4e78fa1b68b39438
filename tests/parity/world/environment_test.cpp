#include "cuda_device.hpp"
#include "tracked_collider.hpp"

#include "floe/sdk/device_memory.hpp"
#include "floe/sdk/motion.hpp"
#include "floe/sdk/world/surroundings.cuh"

#include <gtest/gtest.h>
#include <nanovdb/util/GridBuilder.h>
#include <nanovdb/util/Primitives.h>

#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

namespace floe::sdk::world {

namespace {

constexpr double kCell = 0.05;

/// A ball of 0.2 m that turns about z and moves along x.
class Ball final : public Collider, public LevelSetSource {
public:
    explicit Ball(Contact kind)
    {
        contact = kind;
        friction = 0.3f;
        particles = ParticleContact::bounce;
        const Quaternion q = fromEuler({0, 0, 40});
        motion_.now.scale = motion_.later.scale = 1.5;
        std::copy(q.begin(), q.end(), motion_.later.rotation);
        motion_.now.rotation[3] = 1;
        motion_.later.position[0] = 0.02;
        motion_.timeStep = 0.01;
        volume_.struct_size = sizeof volume_;
        volume_.grid = grid_->data();
        volume_.bytes = grid_->size();
        volume_.space = FLOE_SPACE_HOST;
    }
    void moveTo(double, double) override {}
    bool mayTouch(const Vec3d&, double) const override { return true; }
    void sample(const PointBatch& points, ColliderSample& out) const override
    {
        LevelSetReader reader(test::OneGrid(LevelSet(volume_).sampler()), motion_);
        for (int i = 0; i < points.count; ++i)
            out.set(i,
                    reader.at({points.corner.x + points.x[0][i], points.corner.y + points.x[1][i],
                               points.corner.z + points.x[2][i]}));
    }
    LevelSetShape shape() const override { return {{grid_->data(), grid_->size(), grid_}, {}, {}}; }
    LevelSetMotion motion() const override { return motion_; }

private:
    std::shared_ptr<const nanovdb::GridHandle<>> grid_ =
        std::make_shared<const nanovdb::GridHandle<>>(nanovdb::createLevelSetSphere<float>(
            0.2f / 1.5f, nanovdb::Vec3<float>(0.0f), 0.5 * kCell / 1.5));
    LevelSetMotion motion_;
    floe_volume volume_{};
};

/// Walls of each kind around half of the ball.
Domain walls()
{
    Domain box;
    box.bounded = true;
    box.center = {0.9, 0.85, 0};
    const double c = std::cos(0.1), s = std::sin(0.1);
    box.axes.setColumn(0, {c, s, 0});
    box.axes.setColumn(1, {-s, c, 0});
    box.faces = {Contact::separate, Contact::open, Contact::slip,
                 Contact::open,     Contact::open, Contact::stick};
    box.friction = 0.4f;
    return box;
}

/// A block's nodes with velocities of any direction.
PointBatch nodesAt(const Vec3d& corner, unsigned seed)
{
    std::minstd_rand random(seed);
    std::uniform_real_distribution<float> speed(-2, 2);
    PointBatch nodes;
    nodes.count = PointBatch::kMax;
    nodes.corner = corner;
    for (int n = 0; n < nodes.count; ++n) {
        const int index[3] = {n / 16, n / 4 % 4, n % 4};
        for (int axis = 0; axis < 3; ++axis) {
            nodes.x[axis][n] = static_cast<float>(index[axis] * kCell);
            nodes.v[axis][n] = speed(random);
        }
        nodes.mass[n] = 1;
    }
    return nodes;
}

__global__ void applyToNodes(Environment environment, Vec3d corner, const float* x, float* v)
{
    const unsigned n = threadIdx.x;
    const Vec3f after =
        applyContacts<true>(environment, corner, {x[3 * n], x[3 * n + 1], x[3 * n + 2]}, kCell,
                            {v[3 * n], v[3 * n + 1], v[3 * n + 2]});
    for (int axis = 0; axis < 3; ++axis)
        v[3 * n + static_cast<unsigned>(axis)] = after[axis];
}

__global__ void applyForcesToNodes(Environment environment, Vec3d corner, const float* x, float* v,
                                   unsigned* faults)
{
    const unsigned n = threadIdx.x;
    const Vec3f after = applyForces(environment, corner, {x[3 * n], x[3 * n + 1], x[3 * n + 2]},
                                    {v[3 * n], v[3 * n + 1], v[3 * n + 2]}, faults);
    for (int axis = 0; axis < 3; ++axis)
        v[3 * n + static_cast<unsigned>(axis)] = after[axis];
}

/// A ball of 0.2 m in which a field has a value.
GridView fieldOf(const nanovdb::Vec3f& value)
{
    nanovdb::GridBuilder<nanovdb::Vec3f> builder(nanovdb::Vec3f(0.0f));
    auto accessor = builder.getAccessor();
    for (int i = -4; i <= 4; ++i)
        for (int j = -4; j <= 4; ++j)
            for (int k = -4; k <= 4; ++k)
                if (i * i + j * j + k * k <= 16)
                    accessor.setValue(nanovdb::Coord(i, j, k), value);
    const auto handle = std::make_shared<const nanovdb::GridHandle<>>(
        builder.getHandle<>(kCell, nanovdb::Vec3d(0.0), "field"));
    return {handle->data(), handle->size(), handle};
}

/// Three nodes' worth of forces: gusts along a field, a pull, a push by a field.
std::vector<std::shared_ptr<const Force>> someForces(const nanovdb::Vec3f& value)
{
    return {std::make_shared<RuleForce>(ForceRule{.kind = ForceKind::wind,
                                                  .seed = 7,
                                                  .strength = 3,
                                                  .vector = {2, 0.5, -1},
                                                  .turbulence = 1.5,
                                                  .frequency = 4},
                                        fieldOf({0.0f, 3.0f, 0.0f})),
            std::make_shared<RuleForce>(ForceRule{.kind = ForceKind::attractor,
                                                  .strength = 20,
                                                  .vector = {0.1, 0.2, 0},
                                                  .radius = 0.3,
                                                  .falloff = 2}),
            std::make_shared<RuleForce>(ForceRule{.kind = ForceKind::field, .strength = 2},
                                        fieldOf(value))};
}

template <class T>
cuda::DeviceArray<T> array(cuda::Device& device, const std::vector<T>& values)
{
    cuda::DeviceArray<T> to(device);
    to.need(values.size());
    to.upload(values.data(), values.size());
    return to;
}

struct Blown {
    PointBatch host;
    std::vector<float> device;
    unsigned faults = 0;
};
Blown blow(Surroundings& surroundings, cuda::Device& device)
{
    Blown result;
    result.host = nodesAt({-0.1, -0.1, -0.1}, 3);
    std::vector<float> place, velocity;
    for (int n = 0; n < result.host.count; ++n)
        for (int axis = 0; axis < 3; ++axis) {
            place.push_back(result.host.x[axis][n]);
            velocity.push_back(result.host.v[axis][n]);
        }
    const auto x = array(device, place), v = array(device, velocity);
    const auto faults = array(device, std::vector<unsigned>{0});
    const Environment environment = surroundings.forNodes(0.7, 0.01, {0, 0, 0}, kCell);
    FLOE_LAUNCH(applyForcesToNodes, 1, PointBatch::kMax, 0, device.stream(), environment,
                result.host.corner, x.data(), v.data(), faults.data());
    result.device = v.download(velocity.size());
    result.faults = faults.download(1)[0];
    surroundings.applyForcesTo(result.host, 0.7, 0.01);
    return result;
}

} // namespace

// Every node of the blocks around the ball and the walls; how many differ from free flight shows
// that contact of each kind took place.
TEST(Environment, NodesFareOnTheDeviceAsOnTheHost)
{
    for (const Contact kind : {Contact::stick, Contact::slip, Contact::separate}) {
        cuda::Device device(test::cudaDevice());
        Surroundings surroundings(device);
        surroundings.setColliders({std::make_shared<Ball>(kind)});
        surroundings.setDomain(walls());
        const Environment environment = surroundings.forNodes(0, 0.01, {0, 0, 0}, 0.1);
        ASSERT_EQ(environment.colliderCount, 1);
        int touched = 0, free = 0;
        unsigned seed = 1;
        for (double x = -0.4; x < 0.4; x += 4 * kCell)
            for (double y = -0.4; y < 0.4; y += 4 * kCell) {
                const PointBatch before = nodesAt({x, y, -0.1}, seed++);
                PointBatch host = before;
                surroundings.applyTo(host, 0, 0.01, kCell);
                std::vector<float> place, velocity;
                for (int n = 0; n < before.count; ++n)
                    for (int axis = 0; axis < 3; ++axis) {
                        place.push_back(before.x[axis][n]);
                        velocity.push_back(before.v[axis][n]);
                    }
                const auto xOnDevice = array(device, place), vOnDevice = array(device, velocity);
                FLOE_LAUNCH(applyToNodes, 1, PointBatch::kMax, 0, device.stream(), environment,
                            before.corner, xOnDevice.data(), vOnDevice.data());
                velocity = vOnDevice.download(velocity.size());
                for (int n = 0; n < before.count; ++n) {
                    bool same = true;
                    for (int axis = 0; axis < 3; ++axis) {
                        // Single precision; the host rounds the gradient's differences to it.
                        EXPECT_NEAR(velocity[static_cast<std::size_t>(3 * n + axis)],
                                    host.v[axis][n], 2e-5f);
                        same = same && host.v[axis][n] == before.v[axis][n];
                    }
                    ++(same ? free : touched);
                }
            }
        EXPECT_GT(touched, 200);
        EXPECT_GT(free, 50);
    }
}

TEST(Environment, ForcesAreOnTheDeviceWhatTheyAreOnTheHost)
{
    cuda::Device device(test::cudaDevice());
    Surroundings surroundings(device);
    const auto forces = someForces({0.0f, 0.0f, -9.0f});
    surroundings.setForces(forces);
    EXPECT_FALSE(surroundings.needsHost());
    for (int frame = 0; frame < 4; ++frame)
        surroundings.setColliders({}); // which lets go of grids that nothing uses
    const std::uint64_t uploads = surroundings.uploads();
    const Blown blown = blow(surroundings, device);
    const PointBatch before = nodesAt({-0.1, -0.1, -0.1}, 3);
    double change[3] = {};
    for (int n = 0; n < before.count; ++n)
        for (int axis = 0; axis < 3; ++axis) {
            const float now = blown.device[static_cast<std::size_t>(3 * n + axis)];
            EXPECT_NEAR(now, blown.host.v[axis][n], 1e-6); // a card fuses multiplications
            change[axis] += now - before.v[axis][n];
        }
    EXPECT_GT(std::abs(change[0]) + std::abs(change[1]), 1); // wind and attractor
    EXPECT_LT(change[2], -5);                                // and the field
    EXPECT_EQ(blown.faults, 0u);
    EXPECT_EQ(surroundings.uploads(), uploads);
}

TEST(Environment, AFieldThatIsNotFiniteIsFoundOnTheDeviceAndNamedByTheHost)
{
    cuda::Device device(test::cudaDevice());
    Surroundings surroundings(device);
    const auto forces = someForces({0.0f, std::nanf(""), 0.0f});
    surroundings.setForces(forces);
    const Blown blown = blow(surroundings, device);
    EXPECT_GT(blown.faults, 0u);
    for (const float v : blown.device)
        EXPECT_TRUE(std::isfinite(v));
    EXPECT_EQ(forces[0]->fault(), "");
    EXPECT_NE(forces[2]->fault().find("its field is not finite at ("), std::string::npos);
}

} // namespace floe::sdk::world
