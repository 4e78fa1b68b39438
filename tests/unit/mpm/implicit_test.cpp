// The semi-implicit integrator: the same physics in far longer steps.

#include "scene.hpp"

#include <gtest/gtest.h>

using namespace floe::mpm;

namespace {

/// The presets of plugins/materials.
SolverMaterial metal(double youngModulus = 1e8)
{
    return material("vonMises", 2700,
                    {{"youngModulus", youngModulus},
                     {"poissonRatio", 0.33},
                     {"yieldStress", 5e5},
                     {"hardeningModulus", 1e6}});
}
SolverMaterial concrete()
{
    return material("camClay", 2240,
                    {{"youngModulus", 1e8},
                     {"poissonRatio", 0.2},
                     {"frictionAngle", 45},
                     {"tensionShare", 0.5},
                     {"crushHardening", 0.8},
                     {"initialState", -0.01}});
}

SolverSettings implicit(double cell, double reach = 10)
{
    SolverSettings s;
    s.cellSize = cell;
    s.integrator = Integrator::semiImplicit;
    s.implicitReach = reach;
    return s;
}
SolverSettings symplectic(double cell)
{
    SolverSettings s;
    s.cellSize = cell;
    return s;
}

Domain walls(std::initializer_list<Face> faces, double friction = 0)
{
    Domain box;
    box.bounded = true;
    box.center = {5, 5, 0};
    box.halfSize = {5, 5, 5};
    std::copy(faces.begin(), faces.end(), box.faces.begin());
    box.friction = static_cast<float>(friction);
    return box;
}

/// A body thrown onto the floor, with what came of it.
struct Thrown {
    double lowest, highest, along;
    StepStatistics steps;

    Thrown(SolverSettings settings, const SolverMaterial& of, double seconds)
    {
        SerialExecutor serial;
        Solver solver(settings, serial);
        solver.setMaterials({of});
        solver.setDomain(walls(
            {Face::open, Face::open, Face::separate, Face::open, Face::open, Face::open}, 0.4));
        solver.addParticles(Lattice({1, 0.05, 0}, {1.2, 0.25, 0.2}, 0.05, {1, -4, 0}).particles());
        run(solver, seconds);
        steps = solver.takeStatistics();
        const Frame frame(solver);
        lowest = 1e30, highest = -1e30;
        for (std::size_t i = 0; i < frame.id.size(); ++i) {
            lowest = std::min<double>(lowest, frame.x[3 * i + 1]);
            highest = std::max<double>(highest, frame.x[3 * i + 1]);
        }
        along = frame.meanVelocity().x;
    }
    double height() const { return highest - lowest; }
};

} // namespace

// No stress, no strain: what there is to solve for is rounding. Each of a hundred steps may leave
// 1e-7 of the speed of sound (230 m/s) of it, this way or that.
TEST(SemiImplicit, FallsFreely)
{
    SerialExecutor serial;
    Solver solver(implicit(0.05), serial);
    solver.setMaterials({metal()});
    solver.addParticles(Lattice({0, 0, 0}, {0.4, 0.4, 0.4}, 0.05).particles());
    run(solver, 0.2);
    const Frame frame(solver);
    for (std::size_t i = 0; i < frame.id.size(); ++i)
        ASSERT_NEAR(frame.v[3 * i + 1], -9.81 * 0.2, 2e-4);
}

// Half a swing of a cantilever of the metal preset, under a load below its limit. Backward Euler
// damps a vibration by w^2 dt t / 2: with w = 46 / s and a step of 2 ms, forty symplectic ones, the
// swing about the mean loses 13 %, the sag at its turn 6 %, and the turn is late; with ten of them
// a quarter of that.
TEST(SemiImplicit, ABarBendsAsInShortSteps)
{
    const auto tip = [](SolverSettings settings, std::uint32_t& steps) {
        SerialExecutor serial;
        settings.gravity = {0, -4, 0};
        Solver solver(settings, serial);
        solver.setMaterials({metal()});
        solver.setDomain(
            walls({Face::stick, Face::open, Face::open, Face::open, Face::open, Face::open}));
        solver.addParticles(Lattice({-0.1, 5, 0}, {0.6, 5.1, 0.1}, 0.025).particles());
        run(solver, 0.06);
        steps = solver.takeStatistics().steps;
        const Frame frame(solver);
        double sum = 0;
        int count = 0;
        for (std::size_t i = 0; i < frame.id.size(); ++i)
            if (frame.x[3 * i] > 0.57f) {
                sum += frame.x[3 * i + 1];
                ++count;
            }
        return 5.05 - sum / count;
    };
    std::uint32_t few = 0, more = 0, many = 0;
    const double expected = tip(symplectic(0.025), many);
    const double ten = tip(implicit(0.025, 10), more), forty = tip(implicit(0.025, 40), few);
    ASSERT_GT(expected, 0.002);
    EXPECT_NEAR(ten, expected, 0.03 * expected);
    EXPECT_NEAR(forty, expected, 0.09 * expected);
    EXPECT_LT(10 * (more - 1), many);
    EXPECT_LT(35 * (few - 1), many);
}

// Both stiff presets fall on a rough floor at 4 m/s, dent, and slide on. Steps of ten times the
// symplectic limit see the same permanent deformation to a tenth of a cell, and lose the same speed
// to friction to a fifth of what they had; vibrations they damp. Held against short symplectic
// steps: at its limit the symplectic integrator throws concrete back at 1.0 m/s, with a fifth of
// that step at 0.7.
TEST(SemiImplicit, StiffPresetsSurviveAnImpactInLongSteps)
{
    for (const SolverMaterial& of : {metal(), concrete()}) {
        SolverSettings shorter = symplectic(0.05);
        shorter.materialLimit = 0.1;
        const Thrown limit(symplectic(0.05), of, 0.05), expected(shorter, of, 0.05);
        const Thrown got(implicit(0.05), of, 0.05);
        EXPECT_LE(9 * got.steps.steps, limit.steps.steps) << of.name;
        EXPECT_LE(got.steps.redone, 2u) << of.name;
        EXPECT_NEAR(got.height(), expected.height(), 0.1 * 0.05) << of.name;
        EXPECT_NEAR(got.along, expected.along, 0.2) << of.name;
        EXPECT_GT(got.lowest, -0.0125) << of.name; // held by the floor: a quarter of a cell
    }
}

// Steps a hundred and more times too long for the symplectic integrator: backward Euler only ever
// takes energy out.
TEST(SemiImplicit, EnergyNeverGrows)
{
    for (const char* law : {"fixedCorotated", "neoHookean", "hencky"}) {
        SerialExecutor serial;
        SolverSettings settings = implicit(0.1, 1e4);
        settings.gravity = {0, 0, 0};
        Solver solver(settings, serial);
        solver.setMaterials({material(law, 1000, {{"youngModulus", 1e9}})});
        solver.addParticles(Lattice({0, 0, 0}, {0.6, 0.6, 0.6}, 0.1, {2, 0, 0}).particles());
        solver.addParticles(Lattice({0.8, 0.1, 0}, {1.4, 0.7, 0.6}, 0.1, {-2, 0, 0}).particles());
        double before = solver.totals().kineticEnergy;
        const double begin = before;
        for (int i = 0; i < 10; ++i) {
            run(solver, 0.02);
            const Totals now = solver.totals();
            const double energy = now.kineticEnergy + now.elasticEnergy;
            EXPECT_LT(energy, before + 0.005 * begin) << law;
            before = energy;
        }
        EXPECT_LT(before, 0.9 * begin) << law; // they did meet
        EXPECT_LT(solver.takeStatistics().steps, 150u);
    }
}

// However early the linear solver stops: its preconditioner is the mass.
TEST(SemiImplicit, MomentumIsKept)
{
    for (const char* law : {"fixedCorotated", "vonMises", "camClay", "liquid"}) {
        SerialExecutor serial;
        SolverSettings settings = implicit(0.1, 20);
        settings.gravity = {0, 0, 0};
        settings.solveTolerance = 0.3;
        Solver solver(settings, serial);
        solver.setMaterials({material(law, 400, {{"youngModulus", 1e7}, {"bulkModulus", 1e6}})});
        solver.addParticles(Lattice({0, 0, 0}, {0.8, 0.8, 0.8}, 0.1, {2, 0.5, 0}).particles());
        solver.addParticles(
            Lattice({0.85, 0.3, 0.2}, {1.45, 0.9, 0.8}, 0.1, {-3, 0, 0.4}).particles());
        const Totals before = solver.totals();
        run(solver, 0.03);
        const Totals after = solver.totals();
        for (int axis = 0; axis < 3; ++axis)
            EXPECT_NEAR(after.momentum[axis], before.momentum[axis], 2e-5 * before.mass * 3) << law;
    }
}

// A column of water stands: its pressure carries it, in steps forty times its sound's.
TEST(SemiImplicit, WaterStands)
{
    SerialExecutor serial;
    Solver solver(implicit(0.05, 40), serial);
    solver.setMaterials({material("liquid", 1000, {{"bulkModulus", 2e6}})});
    Domain box = walls({Face::slip, Face::slip, Face::slip, Face::open, Face::slip, Face::slip});
    box.center = {0.2, 5, 0.2};
    box.halfSize = {0.2, 5, 0.2};
    solver.setDomain(box);
    solver.addParticles(Lattice({0, 0, 0}, {0.4, 0.4, 0.4}, 0.05).particles());
    run(solver, 0.3);
    // rho g H / (2 k gamma) of its height is squeezed out; what falls through would be 0.4 m.
    EXPECT_NEAR(Frame(solver).meanPosition().y, 0.2, 0.01);
    EXPECT_LT(solver.totals().kineticEnergy, 0.5);
}

// Coulomb: tan(friction angle) is the coefficient. On a slope of 20 degrees (gravity turned) a
// block holds at 0.5 and slides at 0.2 with g (sin - mu cos).
TEST(SemiImplicit, ABlockSlidesAtCoulombsRate)
{
    const auto speed = [](double friction) {
        SerialExecutor serial;
        SolverSettings settings = implicit(0.05, 20);
        const double angle = 20 * M_PI / 180;
        settings.gravity = {9.81 * std::sin(angle), -9.81 * std::cos(angle), 0};
        Solver solver(settings, serial);
        solver.setMaterials({material("fixedCorotated", 1000, {{"youngModulus", 1e7}})});
        solver.setDomain(
            walls({Face::open, Face::open, Face::separate, Face::open, Face::open, Face::open},
                  friction));
        solver.addParticles(Lattice({1, 0, 0}, {1.4, 0.2, 0.4}, 0.05).particles());
        run(solver, 0.2);
        return Frame(solver).meanVelocity().x;
    };
    const double g = 9.81 * 0.2, s = std::sin(20 * M_PI / 180), c = std::cos(20 * M_PI / 180);
    EXPECT_NEAR(speed(0.5), 0, 0.02 * g);
    EXPECT_NEAR(speed(0.2), g * (s - 0.2 * c), 0.05 * g);
    EXPECT_NEAR(speed(0), g * s, 0.02 * g);
}

TEST(SemiImplicit, ThreadsAndRestartsChangeNothing)
{
    SerialExecutor serial;
    ThreadExecutor threads(4);
    const auto fill = [](Solver& solver) {
        solver.setMaterials({metal(), material("snow", 400), material("liquid", 1000)});
        solver.setDomain(
            walls({Face::separate, Face::open, Face::separate, Face::open, Face::slip, Face::stick},
                  0.3));
        solver.addParticles(Lattice({1, 0.1, 0}, {1.3, 0.3, 0.3}, 0.1, {1, -4, 0}).particles(0));
        solver.addParticles(Lattice({1, 0.5, 0}, {1.3, 0.7, 0.3}, 0.1, {0, -2, 0}).particles(1));
        solver.addParticles(Lattice({1.4, 0.1, 0}, {1.7, 0.3, 0.3}, 0.1, {-2, 0, 1}).particles(2));
    };
    Solver one(implicit(0.1), serial), many(implicit(0.1), threads);
    fill(one);
    fill(many);
    std::vector<unsigned char> state;
    for (int i = 0; i < 4; ++i) {
        run(one, 0.01);
        run(many, 0.01);
        ASSERT_TRUE(Frame(one) == Frame(many));
        ASSERT_EQ(one.save(), many.save());
        if (i == 1)
            state = one.save();
    }
    Solver second(implicit(0.1), serial);
    fill(second);
    second.load(state);
    for (int i = 0; i < 2; ++i)
        run(second, 0.01);
    EXPECT_EQ(one.save(), second.save());
}

TEST(SemiImplicit, RefusesWhatItCannotKnow)
{
    SerialExecutor serial;
    Solver solver(implicit(0.1), serial);
    SolverMaterial custom = material("fixedCorotated", 1000);
    custom.custom = std::make_shared<CustomModel>(
        CustomModel{[](void*, double, float* const*, float* const*, const float* const*,
                       const float*, float* const stress[6]) {
                        for (int k = 0; k < 6; ++k)
                            std::fill(stress[k], stress[k] + kLanes, 0.0f);
                        return true;
                    },
                    nullptr, 1e5f});
    solver.setMaterials({custom});
    solver.addParticles(Lattice({0, 0, 0}, {0.2, 0.2, 0.2}, 0.1).particles());
    EXPECT_THROW(solver.advance(0.01), std::invalid_argument);

    Solver asleep(implicit(0.1), serial);
    asleep.setMaterials({metal()});
    asleep.addParticles(Lattice({0, 0, 0}, {1.2, 0.4, 0.4}, 0.1).particles());
    ActivationRequest request = asleep.activationRequest();
    std::fill(request.state.begin(), request.state.end(), std::uint8_t{0});
    asleep.applyActivation(request);
    EXPECT_THROW(asleep.advance(0.01), std::invalid_argument);
}

// One iteration a step is not enough for anything: the run ends with a sentence, not with nonsense.
TEST(SemiImplicit, SaysWhenItDoesNotConverge)
{
    SerialExecutor serial;
    SolverSettings settings = implicit(0.05, 1000);
    settings.solveIterations = 1;
    settings.solveTolerance = 1e-6;
    Solver solver(settings, serial);
    solver.setMaterials({metal()});
    solver.setDomain(
        walls({Face::open, Face::open, Face::separate, Face::open, Face::open, Face::open}));
    solver.addParticles(Lattice({1, 0, 0}, {1.2, 0.2, 0.2}, 0.05, {0, -5, 0}).particles());
    try {
        run(solver, 0.02);
        FAIL();
    } catch (const Diverged& e) {
        EXPECT_NE(std::string(e.what()).find("material 'vonMises'"), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("raise"), std::string::npos) << e.what();
    }
}
