// Nothing wakes late: what moves, falls or is struck beside sleeping material wakes it in that very
// step, whether a strategy is asked or not.

#include "backends.hpp"
#include "heap.hpp"
#include "plate.hpp"

#include <algorithm>

using namespace floe::mpm;

template <class Where>
class Guard : public OnEachBackend<Where> {};
TYPED_TEST_SUITE(Guard, Backends);
template <class Where>
class Activation : public OnEachBackend<Where> {};
TYPED_TEST_SUITE(Activation, Backends);

namespace {

constexpr double kCell = 0.1;

SolverSettings settings(double wakeSpeed)
{
    SolverSettings s;
    s.cellSize = kCell;
    s.restSpeed = 0.05;
    s.wakeSpeed = wakeSpeed;
    return s;
}

SolverMaterial rubber()
{
    return material("fixedCorotated", 1000,
                    {{"youngModulus", 2e5}, {"poissonRatio", 0.3}, {"damping", 0.01}});
}

void setAll(Stepper& solver, BlockState state)
{
    ActivationRequest request = solver.activationRequest();
    std::fill(request.state.begin(), request.state.end(), static_cast<std::uint8_t>(state));
    solver.applyActivation(request);
}

/// A slab at rest on the floor; `sleeping`, or moving as it likes.
void addSlab(Stepper& solver, bool sleeping)
{
    solver.setMaterials({rubber(), rubber()});
    solver.setDomain(floorOnly());
    solver.addParticles(Lattice({0, 0, 0}, {1.6, 0.8, 1.6}, kCell).particles());
    if (sleeping)
        setAll(solver, BlockState::passive);
}

/// Momentum, and how far the lowest particle of those after `first` has come down.
struct Hit {
    Vec3d momentum;
    double lowest = 1e9;
};
Hit measure(Stepper& solver, std::size_t first)
{
    const Frame frame(solver);
    Hit hit{totals(solver).momentum, 1e9};
    for (std::size_t i = first; i < frame.id.size(); ++i)
        hit.lowest = std::min(hit.lowest, static_cast<double>(frame.x[3 * i + 1]));
    return hit;
}

/// A block of the same rubber falls onto the slab at 8 m/s, nearly a cell in a hundredth of a
/// second; no strategy is asked at all.
template <class Where>
Hit strike(bool sleeping, double wakeSpeed)
{
    SerialExecutor serial;
    SolverSettings s = settings(wakeSpeed);
    s.gravity = {0, 0, 0}; // the slab has no weight to settle under
    SolverOn<Where> solver(s, serial);
    addSlab(solver, sleeping);
    const std::size_t slab = solver.particleCount();
    solver.addParticles(Lattice({0.6, 1.1, 0.6}, {1.0, 1.5, 1.0}, kCell, {0, -8, 0}).particles(1));
    run(solver, 0.06);
    return measure(solver, slab);
}

} // namespace

TYPED_TEST(Guard, AHitIsFeltAsIfNothingSlept)
{
    const Hit active = strike<TypeParam>(false, 0), guarded = strike<TypeParam>(true, 0.05),
              passive = strike<TypeParam>(true, 0);
    // 64 kg at 8 m/s. A block takes up to 3 N s before it wakes, and passes most of it on then.
    EXPECT_NEAR(guarded.momentum.y, active.momentum.y, 0.04 * 64 * 8);
    EXPECT_NEAR(guarded.lowest, active.lowest, 0.1 * kCell);
    // Without the guard the slab is a wall that takes what hits it.
    EXPECT_GT(std::abs(passive.momentum.y - active.momentum.y),
              4 * std::abs(guarded.momentum.y - active.momentum.y));
}

// A block that has lost its support beside something that moves gains g dt a step, a tenth of a
// hundredth of the wake speed; the guard adds it up.
TYPED_TEST(Guard, SlowGainsAddUp)
{
    for (const double memory : {0.1, 1e-4}) {
        SolverSettings s = settings(0.1);
        s.longestStep = 1e-4;
        s.guardMemory = memory;
        typename TestFixture::Solver solver(s, this->serial);
        solver.setMaterials({rubber()});
        // Hangs in the air. The block of cells above moves, and is too far off to touch it.
        solver.addParticles(Lattice({0.05, 1.25, 0.05}, {0.45, 1.5, 0.45}, kCell).particles());
        ActivationRequest request = solver.activationRequest();
        ASSERT_EQ(request.state.size(), 1u);
        setAll(solver, BlockState::passive);
        solver.addParticles(Lattice({0.05, 1.95, 0.05}, {0.15, 2.0, 0.15}, kCell).particles());
        ASSERT_EQ(solver.counts().boundaryBlocks, 1u);
        run(solver, 0.008);
        EXPECT_EQ(solver.counts().boundaryBlocks, 1u) << "after 0.08 m/s of the 0.1 it takes";
        run(solver, 0.006);
        EXPECT_EQ(solver.counts().boundaryBlocks, memory > 0.01 ? 0u : 1u);
    }
}

// Resting material beside resting material that happens to be active stays passive.
TYPED_TEST(Guard, WhatRestsSleepsOn)
{
    if (kEmulated)
        GTEST_SKIP() << "two minutes";
    for (const Kernel kernel : {Kernel::quadratic, Kernel::cubic}) {
        SolverSettings s = settings(0.05);
        s.kernel = kernel;
        typename TestFixture::Solver solver(s, this->serial);
        addSlab(solver, false);
        run(solver, 1.2); // the weight's compression, rho g h^2/(2 E) = 1.6 cm, and its swinging
        for (int i = 0; i < 20; ++i) {
            ActivationRequest request = solver.activationRequest();
            for (std::size_t b = 0; b < request.state.size(); ++b)
                request.state[b] = request.block[3 * b] >= 2;
            solver.applyActivation(request);
            run(solver, 0.02);
        }
        EXPECT_EQ(solver.takeStatistics().guardWakes, 0u);
        EXPECT_GT(solver.counts().boundaryBlocks, 0u);
    }
}

// A plate comes down at 20 m/s, five blocks a tenth of a second, onto a slab that sleeps through
// and through; no block beside it is active to pass the blow on.
TYPED_TEST(Guard, AFastColliderWakesWhatItReaches)
{
    std::vector<double> mean;
    for (const bool sleeping : {false, true}) {
        SolverSettings s = settings(0.05);
        s.gravity = {0, 0, 0};
        typename TestFixture::Solver solver(s, this->serial);
        addSlab(solver, sleeping);
        auto plate = std::make_shared<Plate>(1.2, Vec3d{0, -20, 0});
        plate->contact = Contact::separate;
        FLOE_SET_COLLIDERS_OR_SKIP(solver, {plate});
        run(solver, 0.03); // from 1.2 m to 0.6 m: a quarter of the slab's height
        const Frame frame(solver);
        mean.push_back(frame.meanPosition().y);
        double highest = 0;
        for (std::size_t i = 0; i < frame.id.size(); ++i)
            highest = std::max(highest, static_cast<double>(frame.x[3 * i + 1]));
        EXPECT_LT(highest, 0.6 + kCell) << (sleeping ? "passive" : "active"); // none stayed behind
    }
    EXPECT_NEAR(mean[1], mean[0], 0.05 * kCell);
}

// One that is swung about a far point crosses the scene many times in a frame. A look every cell of
// its way would make half a million steps of a twentieth of a second.
TYPED_TEST(Guard, ACollidersSpeedDoesNotMakeStepsEndlesslyShort)
{
    SolverSettings s = settings(0.05);
    s.gravity = {0, 0, 0};
    s.shortestStep = 2.5e-5;
    typename TestFixture::Solver solver(s, this->serial);
    addSlab(solver, true);
    FLOE_SET_COLLIDERS_OR_SKIP(solver, {std::make_shared<Plate>(1e7, Vec3d{1e6, 0, 0})});
    run(solver, 0.05);
    EXPECT_LE(solver.takeStatistics().steps, 0.05 / (16 * s.shortestStep) + 2);
}

// Contacts and plastic flow depend on the length of steps. A collider on its way to what sleeps
// must not shorten those of what is active, or a world in which some sleeps goes another way than
// one in which nothing does.
TYPED_TEST(Guard, LookingAheadOfCollidersDoesNotChangeSteps)
{
    std::vector<std::vector<float>> x(2);
    std::uint32_t steps[2];
    for (const bool sleeping : {false, true}) {
        SolverSettings s = settings(0.05);
        s.gravity = {0, 0, 0};
        typename TestFixture::Solver solver(s, this->serial);
        addSlab(solver, sleeping);
        // Active, and too far off to matter.
        solver.addParticles(Lattice({4, 0, 0}, {4.4, 0.4, 0.4}, kCell, {0.1, 0, 0}).particles(1));
        auto plate = std::make_shared<Plate>(1.2, Vec3d{0, -20, 0});
        plate->contact = Contact::separate;
        FLOE_SET_COLLIDERS_OR_SKIP(solver, {plate});
        run(solver, 0.03);
        const Frame frame(solver);
        x[sleeping].resize(frame.x.size());
        for (std::size_t i = 0; i < frame.id.size(); ++i)
            std::copy_n(&frame.x[3 * i], 3, &x[sleeping][3 * frame.id[i]]);
        const StepStatistics statistics = solver.takeStatistics();
        steps[sleeping] = statistics.steps;
        EXPECT_EQ(statistics.guardWakes > 0, sleeping);
    }
    EXPECT_EQ(steps[1], steps[0]);
    // What is beyond the ring of boundary blocks hears of the blow when that moves at the wake
    // speed, so it lags by less than a step at that speed.
    double most = 0;
    for (std::size_t i = 0; i < x[0].size(); ++i)
        most = std::max(most, static_cast<double>(std::abs(x[1][i] - x[0][i])));
    EXPECT_LT(most, 0.02 * kCell);
}

SolverSettings weightless()
{
    SolverSettings s = settings(0.05);
    s.gravity = {0, 0, 0};
    return s;
}

/// Rubber in the lower half of a block, passive.
void addSleepingPad(Stepper& solver)
{
    solver.setMaterials({rubber()});
    solver.addParticles(Lattice({0, 0.05, 0}, {0.4, 0.2, 0.4}, kCell).particles());
    setAll(solver, BlockState::passive);
}

// A collider that passes over a block without coming near its matter, in the lower half of the
// block, leaves it passive.
TYPED_TEST(Guard, ACollidersWayIsMeasuredToMatter)
{
    for (const double height : {0.6, 0.4}) {
        typename TestFixture::Solver solver(weightless(), this->serial);
        addSleepingPad(solver);
        FLOE_SET_COLLIDERS_OR_SKIP(solver, {std::make_shared<Plate>(height, Vec3d{1, 0, 0})});
        run(solver, 0.01);
        // Looks go a quarter of a cell and what the plate travels, at most a cell, from the nodes
        // that matter feels; the highest of them lie at 0.3 m.
        EXPECT_EQ(solver.takeStatistics().guardWakes > 0, height < 0.45) << height;
    }
}

/// One that says how far away it is as a level set does: up to a cell and a half, then no more.
class BandPlate final : public Collider {
public:
    explicit BandPlate(double height) : plate_(height, Vec3d{1, 0, 0}) {}

    void moveTo(double time, double dt) override { plate_.moveTo(time, dt); }
    bool mayTouch(const Vec3d&, double) const override { return true; }
    void sample(const PointBatch& points, ColliderSample& out) const override
    {
        plate_.sample(points, out);
    }
    double topSpeed() const override { return plate_.topSpeed(); }
    void speedNear(const PointBatch& points, double reach, float* speed) const override
    {
        if (reach < 1.5 * kCell)
            plate_.speedNear(points, reach, speed);
        else
            std::fill_n(speed, points.count, static_cast<float>(topSpeed()));
    }

private:
    Plate plate_;
};

// What is farther from a moving level set than this has distances sleeps, and what it wakes becomes
// passive again when it is gone.
TYPED_TEST(Guard, ALevelSetsBandIsEnoughToSeeItComing)
{
    for (const double height : {0.8, 0.4}) {
        typename TestFixture::Solver solver(weightless(), this->serial);
        addSleepingPad(solver);
        FLOE_SET_COLLIDERS_OR_SKIP(solver, {std::make_shared<BandPlate>(height)});
        run(solver, 0.01);
        EXPECT_EQ(solver.takeStatistics().guardWakes > 0, height < 0.45) << height;
        FLOE_SET_COLLIDERS_OR_SKIP(solver, {std::make_shared<BandPlate>(0.8)});
        setAll(solver, BlockState::passive);
        EXPECT_EQ(solver.counts().activeBlocks, 0u) << height;
    }
}

// A stiff bar struck at one end moves as one, also where it sleeps.
TYPED_TEST(Guard, StiffPiecesWakeAsOne)
{
    for (const double stiff : {0.0, 5.0}) { // rubber's sound: 16 m/s
        SolverSettings s = settings(0.05);
        s.gravity = {0, 0, 0};
        s.stiffSpeed = stiff;
        typename TestFixture::Solver solver(s, this->serial);
        solver.setMaterials({rubber()});
        solver.addParticles(Lattice({0, 0, 0}, {3.2, 0.4, 0.4}, kCell).particles());
        setAll(solver, BlockState::passive);
        solver.addParticles(Lattice({-0.4, 0, 0}, {-0.05, 0.4, 0.4}, kCell, {2, 0, 0}).particles());
        while (solver.takeStatistics().guardWakes == 0)
            solver.advance(1e-3);
        if (stiff > 0)
            EXPECT_EQ(solver.counts().activeBlocks, solver.counts().blocks);
        else
            EXPECT_LT(solver.counts().activeBlocks, solver.counts().blocks / 2);
    }
}

// Blocks that rest are scattered once and copied after that; it must not matter for how long.
TYPED_TEST(Guard, RestingBlocksScatterTheSameForEver)
{
    typename TestFixture::Solver kept(settings(0), this->serial), fresh(settings(0), this->serial);
    for (Stepper* solver : {&kept, &fresh}) {
        addSlab(*solver, false);
        run(*solver, kEmulated ? 0.05 : 0.3);
        ActivationRequest request = solver->activationRequest();
        for (std::size_t b = 0; b < request.state.size(); ++b)
            request.state[b] = request.block[3 * b + 1] >= 1;
        solver->applyActivation(request);
    }
    ASSERT_GT(kept.counts().boundaryBlocks, 0u);
    for (int i = 0; i < (kEmulated ? 2 : 10); ++i) {
        run(kept, 0.01);
        run(fresh, 0.01);
        fresh.load(fresh.save()); // forgets what was kept
        ASSERT_TRUE(Frame(kept) == Frame(fresh)) << i;
    }
}

TYPED_TEST(Guard, OneThreadAndManyGiveTheSameBits)
{
    ThreadExecutor threads(4);
    typename TestFixture::Solver one(settings(0.05), this->serial), many(settings(0.05), threads);
    for (Stepper* solver : {&one, &many}) {
        addSlab(*solver, true);
        solver->addParticles(
            Lattice({0.6, 1.0, 0.6}, {1.0, 1.2, 1.0}, kCell, {1, -5, 0}).particles(1));
    }
    for (int i = 0; i < 5; ++i) {
        run(one, 0.01);
        run(many, 0.01);
        ASSERT_TRUE(Frame(one) == Frame(many)) << i;
    }
    EXPECT_GT(one.takeStatistics().guardWakes, 0u);
}

TYPED_TEST(Activation, WhatNeverSleepsStaysAwake)
{
    typename TestFixture::Solver solver(settings(0.05), this->serial);
    SolverMaterial restless = rubber();
    restless.sleeps = false;
    solver.setMaterials({rubber(), restless});
    solver.addParticles(Lattice({0, 0, 0}, {0.4, 0.4, 0.4}, kCell).particles(0));
    solver.addParticles(Lattice({4, 0, 0}, {4.4, 0.4, 0.4}, kCell).particles(1));
    const std::uint64_t blocks = solver.counts().blocks;
    setAll(solver, BlockState::passive);
    EXPECT_GT(solver.counts().activeBlocks, 0u);
    EXPECT_LT(solver.counts().activeBlocks, blocks);
    const ActivationRequest request = solver.activationRequest();
    for (std::size_t b = 0; b < request.state.size(); ++b)
        EXPECT_EQ(request.state[b] == 1, request.block[3 * b] > 5);
}

TYPED_TEST(Activation, AtRestFromTheStartWhereThatIsWanted)
{
    SolverSettings s = settings(0.05);
    s.startsPassive = true;
    typename TestFixture::Solver solver(s, this->serial);
    solver.setMaterials({rubber()});
    solver.addParticles(Lattice({0, 0, 0}, {0.4, 0.4, 0.4}, kCell).particles());
    EXPECT_EQ(solver.counts().activeBlocks, 0u);
    solver.addParticles(Lattice({4, 0, 0}, {4.4, 0.4, 0.4}, kCell, {0, 1, 0}).particles());
    EXPECT_GT(solver.counts().activeBlocks, 0u);
    const Frame frame(solver);
    for (std::size_t i = 0; i < frame.id.size(); ++i)
        EXPECT_EQ(frame.activation[i] == 1, frame.x[3 * i] > 2);
}

// Each cell has the mean speed of its particles by mass; a moving collider counts up to a cell
// outside it.
TYPED_TEST(Activation, TheSpeedFieldIsWhatMoves)
{
    SolverSettings s = settings(0);
    s.gravity = {0, 0, 0};
    typename TestFixture::Solver solver(s, this->serial);
    solver.setMaterials({rubber(), material("fixedCorotated", 3000)});
    // Cell (2, 1, 3) of block (1, 0, -1): 0.1 (4 + 2 + 1) m is its middle.
    const Vec3d middle{0.7, 0.2, 0.0};
    Lattice light, heavy, still;
    light.add(middle, {3, 0, 4}, 1e-4);
    heavy.add(middle + Vec3d{0.02, 0, 0}, {0, 1, 0}, 1e-4);
    still.add({-3, -3, -3}, {0, 0, 0}, 1e-4);
    solver.addParticles(light.particles(0));
    solver.addParticles(heavy.particles(1));
    solver.addParticles(still.particles(0));
    const SpeedField field = solver.speedField();
    ASSERT_EQ(field.block, (std::vector<std::int32_t>{1, 0, -1}));
    ASSERT_EQ(field.speed.size(), 64u);
    for (int cell = 0; cell < 64; ++cell)
        EXPECT_NEAR(field.speed[static_cast<std::size_t>(cell)],
                    cell == 16 * 2 + 4 * 1 + 3 ? (5 * 1 + 1 * 3) / 4.0 : 0, 1e-5)
            << cell;

    auto plate = std::make_shared<Plate>(0.25, Vec3d{0, -7, 0});
    FLOE_SET_COLLIDERS_OR_SKIP(solver, {plate});
    const SpeedField with = solver.speedField();
    EXPECT_GT(with.block.size(), 3u);
    for (std::size_t b = 0; b < with.block.size() / 3; ++b)
        for (int cell = 0; cell < 64; ++cell) {
            const double y = kCell * (4 * with.block[3 * b + 1] + cell / 4 % 4 + 1);
            if (std::abs(y - 0.15) < 1e-6)
                continue; // on the edge of its reach
            EXPECT_NEAR(with.speed[64 * b + static_cast<std::size_t>(cell)], y > 0.15 ? 7 : 0, 2.1)
                << y;
        }

    // A guard looks ahead of colliders itself: what they pass by need not be active for them.
    s.wakeSpeed = 0.05;
    solver.setSettings(s);
    EXPECT_EQ(solver.speedField().block, field.block);
}
