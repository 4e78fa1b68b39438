// The CUDA solver, run by the emulator, gives what the CPU solver gives.
//
// Both use the same physics headers; what differs is the order of float additions on the CPU,
// fixed-point sums on the device (2^-22 of a block's largest contribution and finer), and fused
// multiply-adds.
#include "plugins/mpm/cuda/solver.cuh"

#include "floe/sdk/level_set.hpp"
#include "floe/sdk/motion.hpp"

#include <gtest/gtest.h>
#include <nanovdb/util/Primitives.h>

#include <algorithm>
#include <functional>
#include <random>

namespace floe::mpm {
namespace {

using cuda::CudaSolver;

constexpr double kDx = 0.05;

/// Largest distance between the two after 60 to 200 steps [cells]. The CPU solver itself, compiled
/// for two instruction sets, differs by 4e-6 in these scenes; a single node that one side takes to
/// be on a wall and the other does not makes 5e-3 and more.
constexpr double kTolerance = 5e-5;

SolverMaterial material(const char* name, physics::LawKind kind)
{
    SolverMaterial m;
    m.name = name;
    m.law.kind = kind;
    m.law.density = 1000;
    const physics::Lame soft = physics::lameFromYoung(1e5f, 0.3f);
    switch (kind) {
    case physics::LawKind::liquid:
        m.law.liquid = {5e4f, 7, 0.1f, 0};
        break;
    case physics::LawKind::snow: {
        m.law.density = 400;
        const physics::Lame lame = physics::lameFromYoung(1.4e5f, 0.2f);
        m.law.snow = {lame.mu, lame.lambda, 2.5e-2f, 7.5e-3f, 10, 0.1f, 20};
        break;
    }
    case physics::LawKind::druckerPrager:
        m.law.druckerPrager = {soft.mu, soft.lambda, physics::DruckerPrager::frictionSlope(0.6f),
                               0};
        break;
    case physics::LawKind::neoHookean:
        m.law.neoHookean = {soft.mu, soft.lambda, 0.002f};
        break;
    case physics::LawKind::hencky:
        m.law.hencky = {soft.mu, soft.lambda};
        break;
    case physics::LawKind::vonMises:
        m.law.vonMises = {soft.mu, soft.lambda, 2e3f, 1e4f};
        break;
    case physics::LawKind::herschelBulkley:
        m.law.herschelBulkley = {soft.mu, soft.lambda + 2.0f / 3.0f * soft.mu, 500, 50};
        break;
    case physics::LawKind::camClay:
        m.law.camClay = {soft.mu, soft.lambda + 2.0f / 3.0f * soft.mu, 0.5f,
                         2,       physics::CamClay::slopeOf(0.6f),     -0.02f};
        break;
    case physics::LawKind::fixedCorotated:
        m.law.fixedCorotated = {soft.mu, soft.lambda};
        break;
    }
    return m;
}

struct Points {
    std::vector<float> x, v, volume;
};

/// Jittered points, 8 a cell, of a box where `inside` holds.
Points fill(std::array<double, 3> low, std::array<double, 3> high,
            const std::function<bool(double, double, double)>& inside,
            std::array<float, 3> velocity = {0, 0, 0})
{
    Points points;
    std::mt19937 random(5);
    std::uniform_real_distribution<double> jitter(-0.2, 0.2);
    const double h = kDx / 2;
    for (double x = low[0] + h / 2; x < high[0]; x += h)
        for (double y = low[1] + h / 2; y < high[1]; y += h)
            for (double z = low[2] + h / 2; z < high[2]; z += h) {
                const double p[3] = {x + jitter(random) * h, y + jitter(random) * h,
                                     z + jitter(random) * h};
                if (!inside(p[0], p[1], p[2]))
                    continue;
                for (std::size_t a = 0; a < 3; ++a) {
                    points.x.push_back(static_cast<float>(p[a]));
                    points.v.push_back(velocity[a]);
                }
                points.volume.push_back(static_cast<float>(h * h * h));
            }
    return points;
}

/// A level set on the move, for both solvers.
class MovingCollider final : public Collider, public LevelSetSource {
public:
    MovingCollider(nanovdb::GridHandle<> grid, std::vector<floe_transform_key> keys)
        : grid_(std::move(grid)), keys_(std::move(keys))
    {
        volume_.struct_size = sizeof volume_;
        volume_.grid = grid_.data();
        volume_.bytes = grid_.size();
        volume_.space = FLOE_SPACE_HOST;
        MovingCollider::moveTo(0, 1e-3);
    }
    void moveTo(double time, double dt) override
    {
        now_ = sdk::interpolate(keys_, time);
        later_ = sdk::interpolate(keys_, time + dt);
        dt_ = dt;
    }
    bool mayTouch(const Vec3d&, double) const override { return true; }
    void sample(const PointBatch& points, ColliderSample& out) const override
    {
        const sdk::LevelSet set(volume_);
        auto sampler = set.sampler();
        for (int i = 0; i < points.count; ++i) {
            const std::array<double, 3> world{points.corner.x + points.x[0][i],
                                              points.corner.y + points.x[1][i],
                                              points.corner.z + points.x[2][i]};
            const auto own = sdk::toOwn(now_, world);
            const auto moved = sdk::toWorld(later_, own);
            const auto n = sdk::rotate(
                {now_.rotation[0], now_.rotation[1], now_.rotation[2], now_.rotation[3]},
                sampler.gradient(own));
            const double length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
            out.distance[i] = static_cast<float>(now_.scale * sampler.distance(own));
            for (std::size_t a = 0; a < 3; ++a) {
                out.normal[a][i] = length > 0.05 ? static_cast<float>(n[a] / length) : 0.0f;
                out.v[a][i] = static_cast<float>((moved[a] - world[a]) / dt_);
            }
        }
    }
    LevelSetDescription levelSet() const override
    {
        LevelSetDescription set;
        set.shape = grid_.data();
        set.shapeBytes = grid_.size();
        set.now = now_;
        set.later = later_;
        set.timeStep = dt_;
        return set;
    }

private:
    nanovdb::GridHandle<> grid_;
    std::vector<floe_transform_key> keys_; ///< a frame is a second
    floe_volume volume_{};
    floe_transform_key now_{}, later_{};
    double dt_ = 1;
};

floe_transform_key pose(double frame, std::array<double, 3> position,
                        std::array<double, 3> degrees = {0, 0, 0})
{
    floe_transform_key key{};
    const auto q = sdk::fromEuler(degrees);
    key.frame = frame;
    std::copy(position.begin(), position.end(), key.position);
    std::copy(q.begin(), q.end(), key.rotation);
    key.scale = 1;
    return key;
}

std::shared_ptr<Collider> sphereAtRest()
{
    auto sphere = std::make_shared<MovingCollider>(
        nanovdb::createLevelSetSphere<float>(0.2f, nanovdb::Vec3<float>(0.0f), 0.5 * kDx),
        std::vector{pose(0, {0.03, 0, 0})});
    sphere->friction = 0.2f;
    return sphere;
}

/// A paddle that turns about x once a second and moves up.
std::shared_ptr<Collider> paddle()
{
    auto box = std::make_shared<MovingCollider>(
        nanovdb::createLevelSetBox<float>(0.6f, 0.1f, 0.3f, nanovdb::Vec3<float>(0.0f), 0.5 * kDx),
        std::vector{pose(0, {0, 0.1, 0}), pose(0.25, {0, 0.3, 0}, {90, 0, 0})});
    box->contact = Contact::stick;
    return box;
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

struct Scene {
    std::vector<SolverMaterial> materials;
    std::vector<Points> points;                 ///< one of each material
    std::vector<SolverMaterial> laterMaterials; ///< the table after half of the steps, if any
    std::vector<Points> laterPoints;            ///< of its materials; may be empty
    Domain domain;
    std::vector<std::function<std::shared_ptr<Collider>()>> colliders;
    bool breeze = false;
    double step = 1e-3; ///< [s]
    int steps = 60;
};

SolverSettings settings()
{
    SolverSettings s;
    s.cellSize = kDx;
    return s;
}

void add(SolverBackend& solver, const std::vector<Points>& points)
{
    for (std::size_t m = 0; m < points.size(); ++m) {
        NewParticles particles;
        particles.count = points[m].volume.size();
        particles.material = static_cast<std::uint16_t>(m);
        particles.x = points[m].x.data();
        particles.v = points[m].v.data();
        particles.volume = points[m].volume.data();
        solver.addParticles(particles);
    }
}

void setUp(SolverBackend& solver, const Scene& scene)
{
    solver.setMaterials(scene.materials);
    solver.setDomain(scene.domain);
    std::vector<std::shared_ptr<Collider>> colliders;
    for (const auto& make : scene.colliders)
        colliders.push_back(make());
    solver.setColliders(colliders);
    if (scene.breeze)
        solver.setForces({std::make_shared<Breeze>()});
    add(solver, scene.points);
}

struct State {
    std::vector<float> x, v, J; ///< by id
    std::vector<std::uint64_t> id;
};
State stateOf(SolverBackend& solver)
{
    const std::size_t n = solver.particleCount();
    State s{std::vector<float>(3 * n), std::vector<float>(3 * n), std::vector<float>(n),
            std::vector<std::uint64_t>(n)};
    Snapshot to;
    to.x = s.x.data();
    to.v = s.v.data();
    to.J = s.J.data();
    to.id = s.id.data();
    solver.snapshot(to);
    std::vector<std::size_t> order(n);
    for (std::size_t i = 0; i < n; ++i)
        order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return s.id[a] < s.id[b]; });
    State sorted = s;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t a = 0; a < 3; ++a) {
            sorted.x[3 * i + a] = s.x[3 * order[i] + a];
            sorted.v[3 * i + a] = s.v[3 * order[i] + a];
        }
        sorted.J[i] = s.J[order[i]];
        sorted.id[i] = s.id[order[i]];
    }
    return sorted;
}

struct Difference {
    double position = 0;  ///< largest [cells]
    double travelled = 0; ///< farthest that a particle went [cells]
};

/// Runs both solvers with equal steps.
Difference compare(const Scene& scene)
{
    SerialExecutor executor;
    const auto cpu = makeCpuSolver(settings(), executor);
    CudaSolver gpu(settings(), cuda::Device());
    setUp(*cpu, scene);
    setUp(gpu, scene);
    const State start = stateOf(*cpu);
    for (int s = 0; s < scene.steps; ++s) {
        if (s == scene.steps / 2 && !scene.laterMaterials.empty())
            for (SolverBackend* solver : {cpu.get(), static_cast<SolverBackend*>(&gpu)}) {
                solver->setMaterials(scene.laterMaterials);
                add(*solver, scene.laterPoints);
            }
        if (cpu->advance(scene.step) != scene.step || gpu.advance(scene.step) != scene.step) {
            ADD_FAILURE() << "the scene's step is too long";
            break;
        }
    }
    const State a = stateOf(*cpu), b = stateOf(gpu);
    EXPECT_EQ(a.id, b.id);
    Difference d;
    for (std::size_t i = 0; i < std::min(a.x.size(), b.x.size()); ++i)
        d.position = std::max(d.position, std::abs(a.x[i] - b.x[i]) / kDx);
    for (std::size_t i = 0; i < a.id.size(); ++i)
        if (a.id[i] < start.id.size()) // ids count up from 0
            for (std::size_t k = 0; k < 3; ++k)
                d.travelled = std::max(
                    d.travelled,
                    std::abs(a.x[3 * i + k] - start.x[3 * std::size_t(a.id[i]) + k]) / kDx);
    return d;
}

Domain floorAt(double height, Face face)
{
    Domain d;
    d.bounded = true;
    d.center = {0, height + 5, 0};
    d.halfSize = {5, 5, 5};
    d.faces = {Face::open, Face::open, face, Face::open, Face::open, Face::open};
    d.friction = 0.3f;
    return d;
}

Scene smallBall()
{
    Scene scene;
    scene.materials = {material("snow", physics::LawKind::snow)};
    scene.points = {fill({-0.1, 0, -0.1}, {0.1, 0.2, 0.1},
                         [](double, double, double) { return true; }, {0.5f, -2, 0})};
    scene.domain = floorAt(-0.02, Face::separate);
    return scene;
}

TEST(CudaParity, ElasticBallBounces)
{
    Scene scene;
    scene.materials = {material("rubber", physics::LawKind::fixedCorotated)};
    scene.points = {fill({-0.2, 0, -0.2}, {0.2, 0.4, 0.2},
                         [](double x, double y, double z) {
                             return x * x + (y - 0.2) * (y - 0.2) + z * z < 0.15 * 0.15;
                         },
                         {0.3f, -2, 0})};
    scene.domain = floorAt(0.02, Face::separate);
    scene.steps = 100;
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
    scene.domain = floorAt(0, Face::separate);
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
    scene.domain = floorAt(-0.02, Face::separate);
    return scene;
}

// The device keeps the stress of its last update, the CPU computes it for the picture. Positions
// agree to kTolerance cells, so strains do about as well, of stresses that are a tenth of the
// modulus.
TEST(CudaParity, StressIsTheSame)
{
    SerialExecutor executor;
    const Scene scene = rubberCube();
    const auto cpu = makeCpuSolver(settings(), executor);
    CudaSolver gpu(settings(), cuda::Device());
    std::vector<float> stress[2];
    double most = 0;
    for (SolverBackend* solver : {cpu.get(), static_cast<SolverBackend*>(&gpu)}) {
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
    scene.domain = floorAt(0, Face::slip);
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

/// A block hits the ground fast enough for every law to yield that can.
class EachLaw : public testing::TestWithParam<physics::LawKind> {};
INSTANTIATE_TEST_SUITE_P(
    CudaParity, EachLaw,
    testing::Values(physics::LawKind::fixedCorotated, physics::LawKind::neoHookean,
                    physics::LawKind::hencky, physics::LawKind::liquid, physics::LawKind::snow,
                    physics::LawKind::druckerPrager, physics::LawKind::vonMises,
                    physics::LawKind::herschelBulkley, physics::LawKind::camClay));

TEST_P(EachLaw, HitsTheGround)
{
    Scene scene;
    scene.materials = {material("matter", GetParam())};
    scene.points = {fill({-0.1, 0.05, -0.1}, {0.1, 0.2, 0.1},
                         [](double, double, double) { return true; }, {0.5f, -2, 0})};
    scene.domain = floorAt(0, Face::separate);
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
    scene.domain = floorAt(0, Face::separate);
    scene.steps = 60;
    const Difference d = compare(scene);
    EXPECT_LT(d.position, kTolerance);
}

TEST(CudaSolverState, KnowsWhichCellsHoldParticles)
{
    SerialExecutor executor;
    const auto cpu = makeCpuSolver(settings(), executor);
    CudaSolver gpu(settings(), cuda::Device());
    setUp(*cpu, smallBall());
    setUp(gpu, smallBall());
    std::vector<float> x;
    for (int i = -4; i < 8; ++i)
        for (int j = -4; j < 8; ++j)
            for (int k = -4; k < 8; ++k)
                for (const int c : {i, j, k})
                    x.push_back(static_cast<float>((c + 0.5) * kDx));
    std::vector<std::uint8_t> a(x.size() / 3), b(x.size() / 3);
    cpu->findOccupied(x.data(), a.size(), a.data());
    gpu.findOccupied(x.data(), b.size(), b.data());
    EXPECT_EQ(a, b);
    EXPECT_EQ(std::count(b.begin(), b.end(), 1), 4 * 4 * 4); // the block of 0.2 m
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

TEST(CudaParity, CollidersEatAndBounceParticles)
{
    for (const ParticleContact what : {ParticleContact::remove, ParticleContact::bounce}) {
        Scene scene;
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

TEST(CudaParity, TwoMaterialsInABreeze)
{
    Scene scene;
    scene.materials = {material("rubber", physics::LawKind::fixedCorotated),
                       material("water", physics::LawKind::liquid)};
    const auto all = [](double, double, double) {
        return true;
    };
    scene.points = {fill({-0.1, 0.2, -0.1}, {0.1, 0.35, 0.1}, all, {0, -1, 0}),
                    fill({-0.15, 0, -0.15}, {0.15, 0.15, 0.15}, all)};
    scene.domain = floorAt(0, Face::stick);
    scene.breeze = true; // takes the way through host memory
    scene.steps = 60;
    const Difference d = compare(scene);
    EXPECT_GT(d.travelled, 0.5);
    EXPECT_LT(d.position, kTolerance);
}

// A run that was saved, loaded into a fresh solver and continued is the run that never stopped.
TEST(CudaSolverState, ResumesBitForBit)
{
    const Scene scene = smallBall();
    CudaSolver through(settings(), cuda::Device());
    setUp(through, scene);
    for (int s = 0; s < 15; ++s)
        through.advance(2e-3);
    const auto bytes = through.save();
    CudaSolver resumed(settings(), cuda::Device());
    resumed.setMaterials(scene.materials);
    resumed.setDomain(scene.domain);
    resumed.load(bytes);
    EXPECT_EQ(resumed.save(), bytes);
    for (int s = 0; s < 15; ++s)
        EXPECT_EQ(through.advance(2e-3), resumed.advance(2e-3));
    EXPECT_EQ(through.save(), resumed.save());
}

// The same when a number of a material changes just where the run was interrupted.
TEST(CudaSolverState, ResumesBitForBitUnderAnimatedMaterials)
{
    const Scene scene = smallBall();
    auto stiffer = scene.materials;
    stiffer[0].law.snow.mu *= 2;
    CudaSolver through(settings(), cuda::Device());
    setUp(through, scene);
    for (int s = 0; s < 10; ++s)
        through.advance(1e-3);
    const auto bytes = through.save();
    through.setMaterials(stiffer);
    CudaSolver resumed(settings(), cuda::Device());
    resumed.setMaterials(stiffer);
    resumed.setDomain(scene.domain);
    resumed.load(bytes);
    for (int s = 0; s < 10; ++s)
        EXPECT_EQ(through.advance(1e-3), resumed.advance(1e-3));
    EXPECT_EQ(through.save(), resumed.save());
}

TEST(CudaSolverState, RefusesDamagedStates)
{
    const Scene scene = smallBall();
    CudaSolver solver(settings(), cuda::Device());
    setUp(solver, scene);
    const auto bytes = solver.save();
    CudaSolver other(settings(), cuda::Device());
    other.setMaterials(scene.materials);
    auto cut = bytes;
    cut.resize(bytes.size() / 2);
    EXPECT_THROW(other.load(cut), std::runtime_error);
    auto foreign = bytes;
    foreign[0] = 'x';
    EXPECT_THROW(other.load(foreign), std::runtime_error);
    EXPECT_THROW(other.load({}), std::runtime_error);
}

// The order of threads and blocks, which a GPU does not promise, has no say in the result.
TEST(CudaSolverState, RepeatsBitForBitInAnyOrderOfThreads)
{
    std::vector<std::vector<unsigned char>> states;
    for (const std::uint64_t seed : {0, 3, 12345}) {
        emulator::options().seed = seed;
        CudaSolver solver(settings(), cuda::Device());
        setUp(solver, smallBall());
        for (int s = 0; s < 8; ++s)
            solver.advance(1e-3);
        states.push_back(solver.save());
    }
    emulator::options() = {};
    EXPECT_EQ(states[0], states[1]);
    EXPECT_EQ(states[0], states[2]);
}

TEST(CudaSolverCounts, OpenFacesTakeAndCount)
{
    Scene scene = smallBall();
    scene.domain = floorAt(-0.02, Face::open);
    CudaSolver solver(settings(), cuda::Device());
    setUp(solver, scene);
    while (solver.time() < 0.08)
        solver.advance(0.08 - solver.time());
    const Counts counts = solver.counts();
    EXPECT_GT(counts.leftDomain, 0u);
    EXPECT_GT(counts.alive, 0u);
    EXPECT_EQ(counts.emitted, counts.alive + counts.leftDomain + counts.deletedByCollider);
    EXPECT_EQ(stateOf(solver).id.size(), counts.alive);
    // All is gone in the end, and emission begins anew.
    while (solver.time() < 0.4)
        solver.advance(0.4 - solver.time());
    EXPECT_EQ(solver.particleCount(), 0u);
    EXPECT_EQ(solver.counts().leftDomain, counts.emitted);
    setUp(solver, scene);
    EXPECT_GT(solver.particleCount(), 0u);
}

// What sleeps lies still, holds up what is awake, and wakes when it is hit.
TEST(CudaSolverActivation, SleepingBlocksCarryAndWake)
{
    Scene scene;
    scene.materials = {material("rubber", physics::LawKind::fixedCorotated)};
    const auto all = [](double, double, double) {
        return true;
    };
    scene.points = {fill({-0.6, 0, -0.1}, {0.6, 0.1, 0.1}, all)};
    scene.domain = floorAt(0, Face::stick);
    SolverSettings s = settings();
    s.gravity = {0, 0, 0};
    s.wakeSpeed = 0.05;
    CudaSolver solver(s, cuda::Device());
    setUp(solver, scene);
    const State before = stateOf(solver);
    solver.advance(1e-3);
    ActivationRequest request = solver.activationRequest();
    std::fill(request.state.begin(), request.state.end(), std::uint8_t(0));
    solver.applyActivation(request);
    EXPECT_EQ(solver.counts().activeBlocks, 0u);

    // A second block falls onto the middle.
    const Points hammer = fill({-0.1, 0.2, -0.1}, {0.1, 0.35, 0.1}, all, {0, -4, 0});
    NewParticles particles;
    particles.count = hammer.volume.size();
    particles.x = hammer.x.data();
    particles.v = hammer.v.data();
    particles.volume = hammer.volume.data();
    solver.addParticles(particles);
    EXPECT_GT(solver.counts().activeBlocks, 0u);
    for (int i = 0; i < 40; ++i)
        solver.advance(1e-3);
    const State after = stateOf(solver);
    const Counts counts = solver.counts();
    EXPECT_LT(counts.activeBlocks, counts.blocks); // the far ends still sleep
    double ends = 0, middle = 0;
    for (std::size_t i = 0; i < before.id.size(); ++i) {
        const double moved = std::abs(after.x[3 * i + 1] - before.x[3 * i + 1]) / kDx;
        (std::abs(before.x[3 * i]) > 0.5 ? ends : middle) =
            std::max(std::abs(before.x[3 * i]) > 0.5 ? ends : middle, moved);
    }
    EXPECT_EQ(ends, 0);
    EXPECT_GT(middle, 0.05); // was woken by the blow
}

TEST(CudaSolverFaults, MemoryThatEndsIsSaidAndTheSolverLivesOn)
{
    auto& heap = emulator::DeviceHeap::instance();
    const Scene scene = smallBall();
    CudaSolver solver(settings(), cuda::Device());
    setUp(solver, scene);
    const std::size_t before = solver.particleCount();
    heap.setLimit(heap.used() + 100'000);
    Points many = fill({1, 0, 0}, {2, 0.5, 0.5}, [](double, double, double) { return true; });
    NewParticles particles;
    particles.count = many.volume.size();
    particles.x = many.x.data();
    particles.volume = many.volume.data();
    EXPECT_THROW(solver.addParticles(particles), std::bad_alloc);
    heap.setLimit(emulator::DeviceHeap::kNoLimit);
    EXPECT_EQ(solver.particleCount(), before);
    EXPECT_EQ(solver.advance(1e-3), 1e-3);
    EXPECT_EQ(stateOf(solver).id.size(), before);
    solver.addParticles(particles); // now there is room
    EXPECT_EQ(solver.particleCount(), before + particles.count);
}

TEST(CudaSolverFaults, AbsurdStiffnessIsNamed)
{
    Scene scene = smallBall();
    scene.materials[0].law.snow.mu = 1e30f;
    CudaSolver solver(settings(), cuda::Device());
    setUp(solver, scene);
    try {
        solver.advance(1e-3);
        FAIL() << "a step was taken";
    } catch (const Diverged& diverged) {
        EXPECT_NE(std::string(diverged.what()).find("'snow'"), std::string::npos)
            << diverged.what();
    }
}

TEST(CudaSolverFaults, FlipIsRefused)
{
    SolverSettings flip = settings();
    flip.transfer = Transfer::picFlip;
    EXPECT_THROW(CudaSolver(flip, cuda::Device()), std::invalid_argument);
}

TEST(CudaSolverFaults, SemiImplicitStepsAndCubicKernelsAreRefused)
{
    SolverSettings implicit = settings(), cubic = settings();
    implicit.integrator = Integrator::semiImplicit;
    EXPECT_THROW(CudaSolver(implicit, cuda::Device()), std::invalid_argument);
    cubic.spline = Spline::cubic;
    EXPECT_THROW(CudaSolver(cubic, cuda::Device()), std::invalid_argument);
}

TEST(CudaSolverFaults, CustomModelsAreRefused)
{
    CudaSolver solver(settings(), cuda::Device());
    SolverMaterial custom = material("clay", physics::LawKind::fixedCorotated);
    custom.custom = std::make_shared<CustomModel>();
    EXPECT_THROW(solver.setMaterials({custom}), std::invalid_argument);
}

} // namespace
} // namespace floe::mpm
