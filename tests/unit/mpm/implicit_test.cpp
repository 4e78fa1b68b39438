// The semi-implicit integrator's promises that sanitizers should watch; what it makes of physics is
// in tests/validation/solver.

#include "implicit_scene.hpp"

#include <gtest/gtest.h>

using namespace floe::mpm;

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

TEST(SemiImplicit, ThreadsAndRestartsChangeNothing)
{
    SerialExecutor serial;
    ThreadExecutor threads(4);
    const auto fill = [](Solver& solver) {
        solver.setMaterials({metal(), material("snow", 400), material("liquid", 1000)});
        solver.setDomain(walls({Contact::separate, Contact::open, Contact::separate, Contact::open,
                                Contact::slip, Contact::stick},
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

// A shear wave v = cos(k y) in a liquid dies out as exp(-nu k^2 t): to a third here. Within the
// share that backward Euler steps and the smoothing of the transfers take or give.
TEST(SemiImplicit, ViscosityStopsAShearWaveInALiquid)
{
    constexpr double kCell = 0.05, kLength = 16 * kCell, kViscosity = 1000, kTime = 0.018;
    const double k = 2 * M_PI / kLength;
    Domain endless;
    endless.bounded = true;
    endless.halfSize = {4 * kCell, 0.5 * kLength, 4 * kCell};
    endless.center = endless.halfSize;
    for (int axis = 0; axis < 3; ++axis)
        endless.periodic[axis] = true;
    for (const bool isImplicit : {false, true}) {
        SolverSettings settings = implicit(kCell);
        if (!isImplicit)
            settings.integrator = Integrator::explicitEuler;
        settings.gravity = {0, 0, 0};
        settings.longestStep = 2e-4;
        SerialExecutor serial;
        Solver solver(settings, serial);
        solver.setDomain(endless);
        solver.setMaterials({material("liquid", 1000, {{"viscosity", kViscosity}})});
        Lattice water({0, 0, 0}, {8 * kCell, kLength, 8 * kCell}, kCell);
        for (std::size_t i = 0; i < water.count(); ++i)
            water.v[3 * i] = static_cast<float>(0.5 * std::cos(k * water.x[3 * i + 1]));
        solver.addParticles(water.particles());
        const auto amplitude = [&] {
            const Frame frame(solver);
            double sum = 0;
            for (std::size_t i = 0; i < frame.id.size(); ++i)
                sum += 2 * frame.v[3 * i] * std::cos(k * frame.x[3 * i + 1]);
            return sum / static_cast<double>(frame.id.size());
        };
        const double before = amplitude();
        run(solver, kTime);
        EXPECT_NEAR(std::log(before / amplitude()), kViscosity / 1000 * k * k * kTime, 0.05)
            << isImplicit;
    }
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

    Solver passive(implicit(0.1), serial);
    passive.setMaterials({metal()});
    passive.addParticles(Lattice({0, 0, 0}, {1.2, 0.4, 0.4}, 0.1).particles());
    ActivationRequest request = passive.activationRequest();
    std::fill(request.state.begin(), request.state.end(), std::uint8_t{0});
    passive.applyActivation(request);
    EXPECT_THROW(passive.advance(0.01), std::invalid_argument);
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
    solver.setDomain(walls({Contact::open, Contact::open, Contact::separate, Contact::open,
                            Contact::open, Contact::open}));
    solver.addParticles(Lattice({1, 0, 0}, {1.2, 0.2, 0.2}, 0.05, {0, -5, 0}).particles());
    try {
        run(solver, 0.02);
        FAIL();
    } catch (const Diverged& e) {
        EXPECT_NE(std::string(e.what()).find("material 'vonMises'"), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("raise"), std::string::npos) << e.what();
    }
}

TEST(SemiImplicit, RefusesSurfaceTension)
{
    SerialExecutor serial;
    SolverSettings settings;
    const auto water = [](double tension) {
        return material("liquid", 1000, {{"surfaceTension", tension}});
    };
    Solver explicitly(settings, serial);
    explicitly.setMaterials({water(0.07)});
    settings.integrator = Integrator::semiImplicit;
    EXPECT_THROW(explicitly.setSettings(settings), std::invalid_argument);
    Solver implicitly(settings, serial);
    EXPECT_THROW(implicitly.setMaterials({water(0.07)}), std::invalid_argument);
    implicitly.setMaterials({water(0)});
}
