// What the CUDA solver keeps, counts and refuses.
#include "settled.hpp"
#include "solver_scene.hpp"

#include <algorithm>

namespace floe::mpm {
namespace {

TEST(CudaSolverState, KnowsWhichCellsHoldParticles)
{
    SerialExecutor executor;
    const auto cpu = makeCpuStepper(settings(), executor);
    const auto gpu = cudaSolver();
    setUp(*cpu, smallBall());
    setUp(*gpu, smallBall());
    std::vector<float> x;
    for (int i = -4; i < 8; ++i)
        for (int j = -4; j < 8; ++j)
            for (int k = -4; k < 8; ++k)
                for (const int c : {i, j, k})
                    x.push_back(static_cast<float>((c + 0.5) * kDx));
    std::vector<std::uint8_t> a(x.size() / 3), b(x.size() / 3);
    cpu->findOccupied(x.data(), a.size(), a.data());
    gpu->findOccupied(x.data(), b.size(), b.data());
    EXPECT_EQ(a, b);
    EXPECT_EQ(std::count(b.begin(), b.end(), 1), 4 * 4 * 4); // the block of 0.2 m
}

// A material that whole numbers would round away beside another is refused, and named.
TEST(CudaSolverState, RefusesDensitiesThatItCannotSum)
{
    const auto solver = cudaSolver();
    SolverMaterial foil = material("foil", physics::LawKind::fixedCorotated),
                   ball = material("ball", physics::LawKind::fixedCorotated);
    foil.law.density = 0.9f;
    ball.law.density = 8900;
    solver->setMaterials({foil, ball});
    foil.law.density = 0.03f;
    try {
        solver->setMaterials({foil, ball});
        FAIL() << "it was taken";
    } catch (const std::exception& error) {
        EXPECT_NE(std::string(error.what()).find("'ball' is 296667 times as dense as 'foil'"),
                  std::string::npos)
            << error.what();
    }
}

// The order in memory depends on which thread came first; what is written does not.
TEST(CudaSolverState, SnapshotsAreInTheOrderOfIds)
{
    const auto solver = cudaSolver();
    setUp(*solver, smallBall());
    for (int s = 0; s < 3; ++s)
        solver->advance(2e-3);
    std::vector<std::uint64_t> id(solver->particleCount());
    Snapshot to;
    to.id = id.data();
    solver->snapshot(to);
    ASSERT_FALSE(id.empty());
    for (std::size_t i = 0; i < id.size(); ++i)
        ASSERT_EQ(id[i], i);
}

class CudaStateOf : public testing::TestWithParam<std::pair<Kernel, Transfer>> {};
INSTANTIATE_TEST_SUITE_P(CudaSolverState, CudaStateOf,
                         testing::Values(std::pair{Kernel::quadratic, Transfer::apic},
                                         std::pair{Kernel::quadratic, Transfer::picFlip},
                                         std::pair{Kernel::cubic, Transfer::apic}));

// A run that was saved, loaded into a fresh solver and continued is the run that never stopped.
TEST_P(CudaStateOf, ResumesBitForBit)
{
    const Scene scene = smallBall();
    SolverSettings own = settings();
    std::tie(own.kernel, own.transfer) = GetParam();
    const auto through = cudaSolver(own);
    setUp(*through, scene);
    for (int s = 0; s < 15; ++s)
        through->advance(2e-3);
    const auto bytes = through->save();
    const auto resumed = cudaSolver(own);
    resumed->setMaterials(scene.materials);
    resumed->setDomain(scene.domain);
    resumed->load(bytes);
    EXPECT_EQ(resumed->save(), bytes);
    for (int s = 0; s < 15; ++s)
        EXPECT_EQ(through->advance(2e-3), resumed->advance(2e-3));
    EXPECT_EQ(through->save(), resumed->save());
}

// The same when a number of a material changes just where the run was interrupted.
TEST(CudaSolverState, ResumesBitForBitUnderAnimatedMaterials)
{
    const Scene scene = smallBall();
    auto stiffer = scene.materials;
    stiffer[0].law.snow.mu *= 2;
    const auto through = cudaSolver();
    setUp(*through, scene);
    for (int s = 0; s < 10; ++s)
        through->advance(1e-3);
    const auto bytes = through->save();
    through->setMaterials(stiffer);
    const auto resumed = cudaSolver();
    resumed->setMaterials(stiffer);
    resumed->setDomain(scene.domain);
    resumed->load(bytes);
    for (int s = 0; s < 10; ++s)
        EXPECT_EQ(through->advance(1e-3), resumed->advance(1e-3));
    EXPECT_EQ(through->save(), resumed->save());
}

// A bed that begins settled has the same strain in it on both.
TEST(CudaSolverState, TakesParticlesUnderStrain)
{
    for (const auto kind : {physics::LawKind::druckerPrager, physics::LawKind::liquid}) {
        SerialExecutor executor;
        const auto cpu = makeCpuStepper(settings(), executor);
        const auto gpu = cudaSolver();
        const SolverMaterial matter = material("bed", kind);
        const Points bed =
            fill({0, 0, 0}, {0.2, 0.4, 0.2}, [](double, double, double) { return true; });
        NewParticles added;
        added.count = bed.volume.size();
        added.x = bed.x.data();
        added.volume = bed.volume.data();
        const auto overburden =
            findOverburden({&added, 1}, {&matter.law.density, 1}, settings().gravity, kDx);
        const Settled settled = settle(added, matter.law, overburden[0], settings().gravity);
        added.volume = settled.volume.data();
        added.strain = settled.strain.data();
        added.state = settled.state.data();
        for (Stepper* solver : {cpu.get(), gpu.get()}) {
            solver->setMaterials({matter});
            solver->addParticles(added);
        }
        const State a = stateOf(*cpu), b = stateOf(*gpu);
        EXPECT_LT(*std::min_element(b.J.begin(), b.J.end()), 0.99f);
        EXPECT_EQ(a.id, b.id);
        for (std::size_t i = 0; i < a.J.size(); ++i)
            EXPECT_NEAR(a.J[i], b.J[i], 1e-6);
    }
}

TEST(CudaSolverState, RefusesDamagedStates)
{
    const Scene scene = smallBall();
    const auto solver = cudaSolver();
    setUp(*solver, scene);
    const auto bytes = solver->save();
    const auto other = cudaSolver();
    other->setMaterials(scene.materials);
    auto cut = bytes;
    cut.resize(bytes.size() / 2);
    EXPECT_THROW(other->load(cut), std::runtime_error);
    auto foreign = bytes;
    foreign[0] = 'x';
    EXPECT_THROW(other->load(foreign), std::runtime_error);
    EXPECT_THROW(other->load({}), std::runtime_error);
}

// The order of threads and blocks, which a GPU does not promise, has no say in the result.
TEST(CudaSolverState, RepeatsBitForBitInAnyOrderOfThreads)
{
    std::vector<std::vector<unsigned char>> states;
    for (const std::uint64_t seed : {0, 3, 12345}) {
        test::shuffleCudaThreads(seed);
        const auto solver = cudaSolver();
        setUp(*solver, smallBall());
        for (int s = 0; s < 8; ++s)
            solver->advance(1e-3);
        states.push_back(solver->save());
    }
    test::shuffleCudaThreads(0);
    EXPECT_EQ(states[0], states[1]);
    EXPECT_EQ(states[0], states[2]);
}

TEST(CudaSolverCounts, OpenFacesTakeAndCount)
{
    Scene scene = smallBall();
    scene.domain = floorAt(-0.02, Contact::open);
    const auto solver = cudaSolver();
    setUp(*solver, scene);
    while (solver->time() < 0.08)
        solver->advance(0.08 - solver->time());
    const Counts counts = solver->counts();
    EXPECT_GT(counts.leftDomain, 0u);
    EXPECT_GT(counts.alive, 0u);
    EXPECT_EQ(counts.emitted, counts.alive + counts.leftDomain + counts.deletedByCollider);
    EXPECT_EQ(stateOf(*solver).id.size(), counts.alive);
    // All is gone in the end, and emission begins anew.
    while (solver->time() < 0.4)
        solver->advance(0.4 - solver->time());
    EXPECT_EQ(solver->particleCount(), 0u);
    EXPECT_EQ(solver->counts().leftDomain, counts.emitted);
    setUp(*solver, scene);
    EXPECT_GT(solver->particleCount(), 0u);
}

// What sleeps lies still, holds up what is active, and wakes when it is hit.
TEST(CudaSolverActivation, SleepingBlocksCarryAndWake)
{
    Scene scene;
    scene.materials = {material("rubber", physics::LawKind::fixedCorotated)};
    const auto all = [](double, double, double) {
        return true;
    };
    scene.points = {fill({-0.6, 0, -0.1}, {0.6, 0.1, 0.1}, all)};
    scene.domain = floorAt(0, Contact::stick);
    SolverSettings s = settings();
    s.gravity = {0, 0, 0};
    s.wakeSpeed = 0.05;
    const auto solver = cudaSolver(s);
    setUp(*solver, scene);
    const State before = stateOf(*solver);
    solver->advance(1e-3);
    ActivationRequest request = solver->activationRequest();
    std::fill(request.state.begin(), request.state.end(), std::uint8_t(0));
    solver->applyActivation(request);
    EXPECT_EQ(solver->counts().activeBlocks, 0u);

    // A second block falls onto the middle.
    const Points hammer = fill({-0.1, 0.2, -0.1}, {0.1, 0.35, 0.1}, all, {0, -4, 0});
    NewParticles particles;
    particles.count = hammer.volume.size();
    particles.x = hammer.x.data();
    particles.v = hammer.v.data();
    particles.volume = hammer.volume.data();
    solver->addParticles(particles);
    EXPECT_GT(solver->counts().activeBlocks, 0u);
    for (int i = 0; i < 40; ++i)
        solver->advance(1e-3);
    const State after = stateOf(*solver);
    const Counts counts = solver->counts();
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
    const Scene scene = smallBall();
    const auto solver = cudaSolver();
    setUp(*solver, scene);
    const std::size_t before = solver->particleCount();
    test::limitCudaBytes(test::cudaBytes() + 100'000);
    Points many = fill({1, 0, 0}, {2, 0.5, 0.5}, [](double, double, double) { return true; });
    NewParticles particles;
    particles.count = many.volume.size();
    particles.x = many.x.data();
    particles.volume = many.volume.data();
    EXPECT_THROW(solver->addParticles(particles), std::bad_alloc);
    test::limitCudaBytes(test::kNoLimit);
    EXPECT_EQ(solver->particleCount(), before);
    EXPECT_EQ(solver->advance(1e-3), 1e-3);
    EXPECT_EQ(stateOf(*solver).id.size(), before);
    solver->addParticles(particles); // now there is room
    EXPECT_EQ(solver->particleCount(), before + particles.count);
}

TEST(CudaSolverFaults, AbsurdStiffnessIsNamed)
{
    Scene scene = smallBall();
    scene.materials[0].law.snow.mu = 1e30f;
    const auto solver = cudaSolver();
    setUp(*solver, scene);
    try {
        solver->advance(1e-3);
        FAIL() << "a step was taken";
    } catch (const Diverged& diverged) {
        EXPECT_NE(std::string(diverged.what()).find("'snow'"), std::string::npos)
            << diverged.what();
    }
}

TEST(CudaSolverFaults, SemiImplicitStepsAreRefused)
{
    SolverSettings implicit = settings();
    implicit.integrator = Integrator::semiImplicit;
    EXPECT_THROW(cudaSolver(implicit), std::invalid_argument);
}

} // namespace
} // namespace floe::mpm
