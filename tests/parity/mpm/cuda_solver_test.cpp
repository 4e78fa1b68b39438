// The CUDA solver gives what the CPU solver gives.
//
// Both use the same physics headers; what differs is the order of float additions on the CPU,
// fixed-point sums on the device (2^-22 of a block's largest contribution and finer), and fused
// multiply-adds.
#include "solver_scene.hpp"

#include <floe/sdk/world/forces.hpp>

namespace floe::mpm {
namespace {

using sdk::world::ForceKind;
using sdk::world::ForceRule;
using sdk::world::RuleForce;

TEST(CudaParity, ElasticBallBounces)
{
    Scene scene;
    scene.materials = {material("rubber", physics::LawKind::fixedCorotated)};
    scene.points = {fill({-0.2, 0, -0.2}, {0.2, 0.4, 0.2},
                         [](double x, double y, double z) {
                             return x * x + (y - 0.2) * (y - 0.2) + z * z < 0.15 * 0.15;
                         },
                         {0.3f, -2, 0})};
    scene.domain = floorAt(0.02, Contact::separate);
    scene.steps = 130;
    const Difference d = compare(scene);
    EXPECT_GT(d.travelled, 1.0);
    EXPECT_LT(d.position, kTolerance);
}

TEST(CudaParity, SandColumnSpreads)
{
    Scene scene;
    scene.materials = {material("sand", physics::LawKind::druckerPrager)};
    scene.points = {fill({-0.1, 0, -0.1}, {0.1, 0.35, 0.1},
                         [](double x, double, double z) { return x * x + z * z < 0.01; })};
    scene.domain = floorAt(0, Contact::separate);
    scene.steps = 120;
    const Difference d = compare(scene);
    EXPECT_GT(d.travelled, 0.5);
    EXPECT_LT(d.position, kTolerance);
}

Scene rubberCube()
{
    Scene scene;
    scene.materials = {material("rubber", physics::LawKind::fixedCorotated)};
    scene.points = {fill({-0.1, 0, -0.1}, {0.1, 0.2, 0.1},
                         [](double, double, double) { return true; }, {0.5f, -2, 0})};
    scene.domain = floorAt(-0.02, Contact::separate);
    return scene;
}

// The device keeps the stress of its last update, the CPU computes it for the picture. Positions
// agree to kTolerance cells, so strains do about as well, of stresses that are a tenth of the
// modulus.
class CudaKernels : public testing::TestWithParam<Kernel> {};
INSTANTIATE_TEST_SUITE_P(CudaParity, CudaKernels,
                         testing::Values(Kernel::quadratic, Kernel::cubic));

TEST_P(CudaKernels, StressIsTheSame)
{
    SerialExecutor executor;
    const Scene scene = rubberCube();
    SolverSettings of = settings();
    of.kernel = GetParam();
    const auto cpu = makeCpuStepper(of, executor);
    const auto gpu = cudaSolver(of);
    std::vector<float> stress[2];
    double most = 0;
    for (Stepper* solver : {cpu.get(), gpu.get()}) {
        setUp(*solver, scene);
        for (int s = 0; s < 20; ++s)
            solver->advance(1e-3);
        const std::size_t which = solver == cpu.get() ? 0 : 1, n = solver->particleCount();
        std::vector<float> own(6 * n);
        std::vector<std::uint64_t> ids(n);
        Snapshot to;
        to.stress = own.data();
        to.id = ids.data();
        solver->snapshot(to);
        stress[which].resize(6 * n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 0; k < 6; ++k) {
                stress[which][6 * ids[i] + k] = own[6 * i + k];
                most = std::max(most, std::abs(double(own[6 * i + k])));
            }
    }
    ASSERT_EQ(stress[0].size(), stress[1].size());
    EXPECT_GT(most, 0);
    for (std::size_t i = 0; i < stress[0].size(); ++i)
        ASSERT_NEAR(stress[0][i], stress[1][i], 2e-3 * most) << i;
}

TEST(CudaParity, LiquidCollapses)
{
    Scene scene;
    scene.materials = {material("water", physics::LawKind::liquid)};
    scene.points = {
        fill({-0.1, 0, -0.1}, {0.1, 0.3, 0.1}, [](double, double, double) { return true; })};
    scene.domain = floorAt(0, Contact::slip);
    scene.steps = 100;
    const Difference d = compare(scene);
    EXPECT_GT(d.travelled, 0.5);
    EXPECT_LT(d.position, kTolerance);
}

TEST(CudaParity, SnowFallsOnASphere)
{
    Scene scene;
    scene.materials = {material("snow", physics::LawKind::snow)};
    scene.points = {fill({-0.15, 0.2, -0.15}, {0.15, 0.5, 0.15},
                         [](double x, double y, double z) {
                             return x * x + (y - 0.35) * (y - 0.35) + z * z < 0.13 * 0.13;
                         },
                         {0, -3, 0})};
    scene.colliders = {sphereAtRest};
    scene.step = 2e-4;
    scene.steps = 200;
    const Difference d = compare(scene);
    EXPECT_GT(d.travelled, 1.0);
    EXPECT_LT(d.position, kTolerance);
}

/// Half of the ball is below the floor: it goes on there, and the way out downwards is closed.
TEST(CudaParity, WaterRunsRoundABallInTheFloor)
{
    Scene scene;
    scene.materials = {material("water", physics::LawKind::liquid)};
    scene.points = {fill({0.1, 0, -0.1}, {0.35, 0.2, 0.1},
                         [](double x, double y, double z) {
                             return (x - 0.03) * (x - 0.03) + y * y + z * z > 0.21 * 0.21;
                         },
                         {-1.5f, -1, 0})};
    scene.colliders = {sphereAtRest};
    scene.domain = floorAt(0, Contact::slip);
    scene.step = 2e-4;
    scene.steps = 120;
    const Difference d = compare(scene);
    EXPECT_GT(d.travelled, 0.5);
    EXPECT_LT(d.position, kTolerance);
}

/// A block hits the ground fast enough for every law to yield that can.
class EachLaw : public testing::TestWithParam<physics::LawKind> {};
std::vector<physics::LawKind> allLaws()
{
    std::vector<physics::LawKind> kinds;
    for (const physics::LawDescription& law : physics::kLaws)
        kinds.push_back(law.kind);
    return kinds;
}
INSTANTIATE_TEST_SUITE_P(CudaParity, EachLaw, testing::ValuesIn(allLaws()));

TEST_P(EachLaw, HitsTheGround)
{
    Scene scene;
    scene.materials = {material("matter", GetParam())};
    scene.points = {fill({-0.1, 0.05, -0.1}, {0.1, 0.2, 0.1},
                         [](double, double, double) { return true; }, {0.5f, -2, 0})};
    scene.domain = floorAt(0, Contact::separate);
    scene.step = 2e-4;
    scene.steps = 120;
    const Difference d = compare(scene);
    EXPECT_GT(d.travelled, 0.5);
    EXPECT_LT(d.position, kTolerance);
}

TEST(CudaParity, MaterialsAndParticlesMayComeLater)
{
    const auto all = [](double, double, double) {
        return true;
    };
    Scene scene;
    scene.materials = {material("rubber", physics::LawKind::fixedCorotated)};
    scene.points = {fill({-0.1, 0, -0.1}, {0.1, 0.1, 0.1}, all, {0, -1, 0})};
    scene.laterMaterials = {scene.materials[0], material("sand", physics::LawKind::druckerPrager)};
    scene.laterMaterials[0].law.fixedCorotated.mu *= 1.5f; // a number that is animated
    scene.laterPoints = {Points{}, fill({-0.05, 0.15, -0.05}, {0.1, 0.25, 0.1}, all, {0, -2, 0})};
    scene.domain = floorAt(0, Contact::separate);
    scene.steps = 60;
    const Difference d = compare(scene);
    EXPECT_LT(d.position, kTolerance);
}

TEST(CudaParity, PaddleThrowsRubber)
{
    Scene scene;
    scene.materials = {material("rubber", physics::LawKind::fixedCorotated)};
    scene.points = {
        fill({-0.1, 0.2, -0.1}, {0.1, 0.35, 0.1}, [](double, double, double) { return true; })};
    scene.colliders = {paddle};
    scene.steps = 100;
    const Difference d = compare(scene);
    EXPECT_GT(d.travelled, 1.0);
    EXPECT_LT(d.position, kTolerance);
}

class CudaSchemes : public testing::TestWithParam<std::pair<Kernel, Transfer>> {};
INSTANTIATE_TEST_SUITE_P(CudaParity, CudaSchemes,
                         testing::Values(std::pair{Kernel::quadratic, Transfer::picFlip},
                                         std::pair{Kernel::cubic, Transfer::apic},
                                         std::pair{Kernel::cubic, Transfer::picFlip}));

/// A ball inside which nodes mirror those before it. It moves along x. @param speed  [m/s]
std::shared_ptr<Collider> mirroringBall(Contact contact, double x, double y, double speed = 0)
{
    const auto ball = std::make_shared<MovingCollider>(
        held(nanovdb::createLevelSetSphere<float>(0.2f, nanovdb::Vec3<float>(0.0f), 0.5 * kDx)),
        std::vector{pose(0, {x, y, 0}), pose(1, {x + speed, y, 0})});
    ball->contact = contact;
    ball->friction = 0.3f;
    return ball;
}

// Between one at rest, cut off by the floor, and one that comes; the floor mirrors, too.
TEST_P(CudaSchemes, WaterSlidesOffBalls)
{
    for (const Contact contact : {Contact::slip, Contact::separate}) {
        Scene scene;
        std::tie(scene.kernel, scene.transfer) = GetParam();
        scene.materials = {material("water", physics::LawKind::liquid)};
        scene.points = {fill({0.1, 0, -0.1}, {0.35, 0.3, 0.1},
                             [](double x, double y, double z) {
                                 return (x - 0.03) * (x - 0.03) + y * y + z * z > 0.21 * 0.21;
                             },
                             {-1.5f, -1, 0})};
        scene.colliders = {[&] { return mirroringBall(contact, 0.03, 0); },
                           [&] {
                               return mirroringBall(contact, 0.57, 0.12, -2);
                           }};
        scene.domain = floorAt(0, contact);
        scene.volumeByPosition = true;
        scene.step = 2e-4;
        scene.steps = 120;
        const Difference d = compare(scene);
        EXPECT_GT(d.travelled, 0.5);
        EXPECT_LT(d.position, kTolerance);
    }
}

/// What particles do that colliders eat or bounce.
class CudaParticleContact : public testing::TestWithParam<Transfer> {};
INSTANTIATE_TEST_SUITE_P(CudaParity, CudaParticleContact,
                         testing::Values(Transfer::apic, Transfer::picFlip));

TEST_P(CudaParticleContact, CollidersEatAndBounceParticles)
{
    for (const ParticleContact what : {ParticleContact::remove, ParticleContact::bounce}) {
        Scene scene;
        scene.transfer = GetParam();
        scene.materials = {material("rubber", physics::LawKind::fixedCorotated)};
        scene.points = {fill({-0.1, 0.3, -0.1}, {0.1, 0.4, 0.1},
                             [](double, double, double) { return true; }, {0, -5, 0})};
        scene.colliders = {[what] {
            auto sphere = sphereAtRest();
            sphere->contact = Contact::slip;
            sphere->particles = what;
            return sphere;
        }};
        scene.steps = 40;
        const Difference d = compare(scene);
        EXPECT_GT(d.travelled, 1.0);
        EXPECT_LT(d.position, kTolerance);
    }
}

// With plastic matter, water and walls of all kinds.
TEST_P(CudaSchemes, SnowAndWaterFall)
{
    Scene scene;
    std::tie(scene.kernel, scene.transfer) = GetParam();
    scene.materials = {material("snow", physics::LawKind::snow),
                       material("water", physics::LawKind::liquid)};
    const auto all = [](double, double, double) {
        return true;
    };
    scene.points = {fill({-0.1, 0.2, -0.1}, {0.1, 0.35, 0.1}, all, {0.5f, -2, 0}),
                    fill({-0.15, 0, -0.15}, {0.15, 0.15, 0.15}, all, {1, 0, 0})};
    scene.domain = floorAt(0, Contact::slip);
    scene.domain.center = {-4.8, 5, 0};
    scene.domain.faces[1] = Contact::separate;
    scene.step = 2e-4;
    scene.steps = 160;
    const Difference d = compare(scene);
    EXPECT_GT(d.travelled, 0.5);
    EXPECT_LT(d.position, kTolerance);
}

// Alone, and as bodies that have nodes of their own there.
TEST(CudaParity, RubberAndWaterSlideOffABall)
{
    Scene scene;
    scene.materials = {material("rubber", physics::LawKind::fixedCorotated),
                       material("water", physics::LawKind::liquid)};
    const auto all = [](double, double, double) {
        return true;
    };
    scene.points = {fill({-0.1, 0.25, -0.1}, {0.1, 0.4, 0.1}, all, {0.3f, -2, 0}),
                    fill({0.15, 0.1, -0.1}, {0.3, 0.2, 0.1}, all, {-1, 0, 0})};
    for (const Contact contact : {Contact::slip, Contact::separate})
        for (const bool meet : {false, true}) {
            scene.colliders = {[&] {
                return mirroringBall(contact, 0.03, 0);
            }};
            scene.bodiesMeet = meet;
            scene.step = 2e-4;
            scene.steps = 150;
            const Difference d = compare(scene);
            EXPECT_GT(d.travelled, 0.5);
            EXPECT_LT(d.position, kTolerance) << meet;
        }
}

/// A wind that only the host knows.
class Breeze final : public Force {
public:
    void apply(PointBatch& batch, double, float dt) const override
    {
        for (int i = 0; i < batch.count; ++i)
            if (batch.mass[i] > 0)
                batch.v[0][i] += dt * 3.0f;
    }
};

Scene twoMaterials()
{
    Scene scene;
    scene.materials = {material("rubber", physics::LawKind::fixedCorotated),
                       material("water", physics::LawKind::liquid)};
    const auto all = [](double, double, double) {
        return true;
    };
    scene.points = {fill({-0.1, 0.25, -0.1}, {0.1, 0.4, 0.1}, all, {0, -1, 0}),
                    fill({-0.15, 0, -0.15}, {0.15, 0.15, 0.15}, all)};
    scene.domain = floorAt(0, Contact::stick);
    return scene;
}

TEST(CudaParity, TwoMaterialsInABreeze)
{
    Scene scene = twoMaterials();
    scene.forces = {std::make_shared<Breeze>()}; // takes the way through host memory
    const Difference d = compare(scene);
    EXPECT_GT(d.travelled, 0.5);
    EXPECT_LT(d.position, kTolerance);
}

// Floe's own forces act on the device.
TEST(CudaParity, TwoMaterialsInGustsAndAPull)
{
    Scene scene = twoMaterials();
    scene.colliders = {sphereAtRest};
    scene.forces = {std::make_shared<RuleForce>(ForceRule{.kind = ForceKind::wind,
                                                          .strength = 2,
                                                          .vector = {3, 0, 0},
                                                          .turbulence = 2,
                                                          .frequency = 3}),
                    std::make_shared<RuleForce>(ForceRule{.kind = ForceKind::attractor,
                                                          .strength = 15,
                                                          .vector = {0, 0.3, 0.3},
                                                          .radius = 0.3,
                                                          .falloff = 1})};
    const Difference d = compare(scene);
    EXPECT_GT(d.travelled, 0.5);
    EXPECT_LT(d.position, kTolerance);
}

} // namespace
} // namespace floe::mpm
