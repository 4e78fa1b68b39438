// Bodies that meet by contact, on CUDA as on the CPU.
#include "solver_scene.hpp"

#include <floe/sdk/world/forces.hpp>

namespace floe::mpm {
namespace {

using sdk::world::ForceKind;
using sdk::world::ForceRule;
using sdk::world::RuleForce;

bool everywhere(double, double, double)
{
    return true;
}

Points block(std::array<double, 3> low, std::array<double, 3> high,
             std::array<float, 3> velocity = {0, 0, 0})
{
    return fill(low, high, everywhere, velocity);
}

/// Cubes one on the other, of which the upper one is lifted; together they would drag each other.
Scene liftedCube()
{
    Scene scene;
    scene.bodiesMeet = true;
    scene.materials = {material("lower", physics::LawKind::fixedCorotated),
                       material("upper", physics::LawKind::neoHookean)};
    scene.points = {block({0, 0, 0}, {0.2, 0.2, 0.2}),
                    block({0.01, 0.2, 0}, {0.21, 0.4, 0.2}, {0.2f, 1.5f, 0})};
    scene.domain = floorAt(0, Contact::separate);
    return scene;
}

/// A block pressed to a slab that sticks to the floor; it slides against friction.
Scene slidingBlock()
{
    Scene scene;
    scene.bodiesMeet = true;
    scene.materials = {material("slab", physics::LawKind::fixedCorotated),
                       material("block", physics::LawKind::fixedCorotated)};
    scene.materials[0].friction = 0.2;
    scene.materials[1].friction = 0.45; // 0.3 on the slab
    scene.points = {block({-0.1, 0, -0.1}, {0.4, 0.1, 0.3}),
                    block({0, 0.1, 0}, {0.2, 0.3, 0.2}, {1, -0.5f, 0})};
    scene.domain = floorAt(0, Contact::stick);
    scene.steps = 100;
    return scene;
}

/// Four blocks around an edge, whose nodes all four share, driven into each other.
Scene fourBlocks()
{
    Scene scene;
    scene.bodiesMeet = true;
    for (const char* name : {"a", "b", "c", "d"})
        scene.materials.push_back(material(name, physics::LawKind::fixedCorotated));
    scene.materials[2].friction = 0;
    scene.points = {block({0, 0, 0}, {0.15, 0.15, 0.15}, {1, 1, 0}),
                    block({0.16, 0, 0}, {0.3, 0.15, 0.15}, {-1, 0.5f, 0}),
                    block({0, 0.16, 0}, {0.15, 0.3, 0.15}, {0.5f, -1, 0.3f}),
                    block({0.16, 0.16, 0}, {0.3, 0.3, 0.15}, {-1, -1, -0.3f})};
    return scene;
}

/// Snow, water, rubber and sand fall onto each other in a box of which two sides are mirrors, with
/// a ball in it and wind.
Scene mixture()
{
    Scene scene;
    scene.bodiesMeet = true;
    scene.materials = {material("snow", physics::LawKind::snow),
                       material("water", physics::LawKind::liquid),
                       material("rubber", physics::LawKind::fixedCorotated),
                       material("sand", physics::LawKind::druckerPrager)};
    scene.points = {block({-0.3, 0, -0.2}, {0.3, 0.1, 0.2}),
                    block({-0.1, 0.1, -0.2}, {0.3, 0.2, 0.1}, {-1, -2, 0}),
                    block({-0.3, 0.1, 0}, {-0.12, 0.25, 0.2}, {1, -2, 1}),
                    block({0, 0.2, 0}, {0.15, 0.3, 0.2}, {0, -2, 0})};
    Domain box;
    box.bounded = true;
    box.center = {0, 0.4, 0};
    box.halfSize = {0.3, 0.4, 0.3};
    box.faces = {Contact::separate, Contact::slip,     Contact::slip,
                 Contact::open,     Contact::separate, Contact::stick};
    box.friction = 0.3f;
    scene.domain = box;
    ForceRule wind;
    wind.kind = ForceKind::wind;
    wind.vector = {3, 0, 0};
    wind.strength = 2;
    scene.forces = {std::make_shared<RuleForce>(wind)};
    scene.colliders = {sphereAtRest};
    scene.step = 2e-4;
    scene.steps = 160;
    return scene;
}

using Way = std::pair<Kernel, Transfer>;
class CudaMeetingOf : public testing::TestWithParam<Way> {
protected:
    static Scene with(Scene scene)
    {
        std::tie(scene.kernel, scene.transfer) = GetParam();
        return scene;
    }
};
INSTANTIATE_TEST_SUITE_P(CudaMeeting, CudaMeetingOf,
                         testing::Values(Way{Kernel::quadratic, Transfer::apic},
                                         Way{Kernel::quadratic, Transfer::picFlip},
                                         Way{Kernel::cubic, Transfer::apic},
                                         Way{Kernel::cubic, Transfer::picFlip}));

TEST_P(CudaMeetingOf, ACubeIsLifted)
{
    const Difference d = compare(with(liftedCube()));
    EXPECT_GT(d.travelled, 1.4); // a fall takes some of 1.8
    EXPECT_LT(d.position, kTolerance);
}

TEST_P(CudaMeetingOf, ABlockSlides)
{
    const Difference d = compare(with(slidingBlock()));
    EXPECT_GT(d.travelled, 1.0);
    EXPECT_LT(d.position, kTolerance);
}

TEST_P(CudaMeetingOf, AMixtureFalls)
{
    const Difference d = compare(with(mixture()));
    EXPECT_GT(d.travelled, 1.0);
    EXPECT_LT(d.position, kTolerance);
}

TEST_P(CudaMeetingOf, FourMeetAtAnEdge)
{
    const Difference d = compare(with(fourBlocks()));
    EXPECT_GT(d.travelled, 0.5);
    EXPECT_LT(d.position, kTolerance);
}

/// A wind that only the host knows.
class Breeze final : public Force {
public:
    void apply(PointBatch& batch, double, float dt) const override
    {
        for (int i = 0; i < batch.count; ++i)
            if (batch.mass[i] > 0)
                batch.v[2][i] += dt * 20.0f;
    }
};

// Forces that only the host knows act on what each body has at a node.
TEST(CudaMeeting, TheHostActsOnEachBody)
{
    Scene scene = liftedCube();
    scene.forces = {std::make_shared<Breeze>()};
    scene.steps = 30;
    const Difference d = compare(scene);
    EXPECT_GT(d.travelled, 0.5);
    EXPECT_LT(d.position, kTolerance);
}

// A plugin's law, and water with tension that keeps its volume: what is found of a body's particles
// beside the step is found of it alone.
TEST(CudaMeeting, ModelsAndLiquids)
{
    const auto soft = [](void*, double, float* const F[9], float* const*, const float* const*,
                         const float*, float* const stress[6]) {
        for (int i = 0; i < 6; ++i)
            for (int lane = 0; lane < kLanes; ++lane)
                stress[i][lane] = i < 3 ? 1e4f * (F[4 * i][lane] - 1) : 0;
        return true;
    };
    Scene scene = fourBlocks();
    scene.materials[0] = material("water", physics::LawKind::liquid);
    scene.materials[0].law.liquid.surfaceTension = 2;
    scene.materials[3].custom = std::make_shared<CustomModel>(CustomModel{soft, nullptr, 2e4f});
    scene.domain = floorAt(0, Contact::slip);
    scene.domain.center = {5, 5, 0};
    scene.domain.faces[0] = Contact::slip;
    scene.volumeByPosition = true;
    scene.step = 2e-4;
    scene.steps = 120;
    const Difference d = compare(scene);
    EXPECT_GT(d.travelled, 0.3);
    EXPECT_LT(d.position, kTolerance);
}

// A pair rubs as its materials say now, not as they said first.
TEST(CudaMeeting, FrictionChangesOnTheWay)
{
    Scene scene = slidingBlock();
    scene.laterMaterials = scene.materials;
    setFriction(scene.laterMaterials, 0, 0, 0);
    Scene rough = scene;
    setFriction(rough.laterMaterials, 0, 0, 2);
    const Difference slippery = compare(scene), held = compare(rough);
    EXPECT_LT(slippery.position, kTolerance);
    EXPECT_LT(held.position, kTolerance);
    EXPECT_GT(std::abs(slippery.travelled - held.travelled), 0.05);
}

SolverSettings settingsOf(const Scene& scene)
{
    SolverSettings s = settings();
    s.bodiesMeet = scene.bodiesMeet;
    s.kernel = scene.kernel;
    s.transfer = scene.transfer;
    s.longestStep = scene.step;
    return s;
}

void advance(Stepper& solver, double time)
{
    for (double left = time; left > 1e-9;)
        left -= solver.advance(left);
}

double farthest(Stepper& one, Stepper& other)
{
    const State a = stateOf(one), b = stateOf(other);
    EXPECT_EQ(a.id, b.id);
    double distance = 0;
    for (std::size_t i = 0; i < std::min(a.x.size(), b.x.size()); ++i)
        distance = std::max(distance, std::abs(double(a.x[i]) - b.x[i]) / kDx);
    return distance;
}

// Whatever the order of threads.
TEST(CudaMeeting, RepeatsBitForBit)
{
    const Scene scene = mixture();
    std::vector<std::vector<unsigned char>> states;
    for (const std::uint64_t seed : {0, 3}) {
        test::shuffleCudaThreads(seed);
        const auto solver = cudaSolver(settingsOf(scene));
        setUp(*solver, scene);
        advance(*solver, 0.006);
        states.push_back(solver->save());
    }
    test::shuffleCudaThreads(0);
    EXPECT_EQ(states[0], states[1]);
}

// Over frames, and though the run was interrupted between two.
TEST(CudaMeeting, ResumesBitForBit)
{
    Scene scene = mixture();
    const auto through = cudaSolver(settingsOf(scene));
    setUp(*through, scene);
    advance(*through, 0.004);
    const auto bytes = through->save();
    scene.points.clear();
    const auto resumed = cudaSolver(settingsOf(scene));
    setUp(*resumed, scene);
    resumed->load(bytes);
    EXPECT_EQ(resumed->save(), bytes);
    advance(*through, 0.004);
    advance(*resumed, 0.004);
    EXPECT_EQ(through->save(), resumed->save());
}

// Bodies begin to meet, and move as one again, between frames.
TEST(CudaMeeting, MayBeSwitchedOnAndOff)
{
    const Scene scene = liftedCube();
    SolverSettings meets = settingsOf(scene), together = meets;
    together.bodiesMeet = false;
    SerialExecutor executor;
    const auto cpu = makeCpuStepper(together, executor);
    const auto gpu = cudaSolver(together);
    for (Stepper* solver : {cpu.get(), gpu.get()}) {
        setUp(*solver, scene);
        for (const SolverSettings& s : {together, meets, together}) {
            solver->setSettings(s);
            advance(*solver, 0.01);
        }
    }
    EXPECT_LT(farthest(*cpu, *gpu), kTolerance);
}

} // namespace
} // namespace floe::mpm
