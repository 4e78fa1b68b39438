// Constitutive models of plugins, asked in batches between the solver's own laws.

#include "backends.hpp"

#include <atomic>

using namespace floe::mpm;

template <class Where>
class Custom : public OnEachBackend<Where> {};
TYPED_TEST_SUITE(Custom, Backends);

namespace {

/// Linear elasticity for small strains: 2 mu e + lambda tr e, with lambda = 0.
bool linearModel(void*, double, float* const F[9], float* const*, const float* const*,
                 const float* stiffness, float* const stress[6])
{
    const int rowOf[6] = {0, 1, 2, 0, 0, 1}, columnOf[6] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < 6; ++i)
        for (int lane = 0; lane < kLanes; ++lane) {
            const int r = rowOf[i], c = columnOf[i];
            const float e =
                0.5f * (F[3 * r + c][lane] + F[3 * c + r][lane]) - (r == c ? 1.0f : 0.0f);
            stress[i][lane] = stiffness[lane] * 1e5f * e;
        }
    return true;
}

/// What agingModel() is to find.
struct Aging {
    std::atomic<bool> asExpected{true};
    std::atomic<int> calls{0};
    int failsAt = -1; ///< number of the call that fails
};

/// Weak springs whose four numbers are the time, what two of them began with, and twice the time.
bool agingModel(void* self, double dt, float* const F[9], float* const state[4],
                const float* const gradient[9], const float* stiffness, float* const stress[6])
{
    Aging& aging = *static_cast<Aging*>(self);
    for (int lane = 0; lane < kLanes; ++lane) {
        if (state[1][lane] != 11 || state[2][lane] != -0.5f ||
            std::abs(state[3][lane] - 2 * state[0][lane]) > 1e-5f)
            aging.asExpected = false;
        state[0][lane] += static_cast<float>(dt);
        state[3][lane] += static_cast<float>(2 * dt);
    }
    linearModel(nullptr, dt, F, state, gradient, stiffness, stress);
    return aging.calls++ != aging.failsAt;
}

SolverMaterial customMaterial(decltype(CustomModel::update) update, void* self = nullptr)
{
    SolverMaterial custom;
    custom.name = "homemade";
    custom.law.density = 1000;
    custom.custom = std::make_shared<CustomModel>(CustomModel{update, self, 1e5f});
    const float initial[4] = {0, 11, -0.5f, 0};
    std::copy_n(initial, 4, custom.initialState);
    return custom;
}

SolverSettings weightless()
{
    SolverSettings s;
    s.gravity = {0, 0, 0};
    return s;
}

} // namespace

// A custom model in place of a built-in one: for a small swing the same as Hencky with nu = 0.
TYPED_TEST(Custom, ComputesLikeABuiltInOne)
{
    typename TestFixture::Solver a(weightless(), this->serial), b(weightless(), this->serial);
    a.setMaterials({customMaterial(linearModel)});
    b.setMaterials({material("hencky", 1000, {{"youngModulus", 1e5}, {"poissonRatio", 0}})});
    Lattice bar({0, 0, 0}, {0.8, 0.2, 0.2}, 0.1);
    for (std::size_t i = 0; i < bar.count(); ++i)
        bar.v[3 * i] = 0.01f * std::cos(4 * bar.x[3 * i]);
    const std::vector<float> softer(bar.count(), 0.5f); // each has a factor of its own
    NewParticles particles = bar.particles();
    particles.stiffnessScale = softer.data();
    a.addParticles(particles);
    b.addParticles(particles);
    run(a, 0.1);
    run(b, 0.1);
    const Frame fa(a), fb(b);
    for (std::size_t i = 0; i < fa.v.size(); ++i) // strains of 1e-4: second order is 1e-4 of v
        ASSERT_NEAR(fa.v[i], fb.v[i], 1e-4 * 0.01 * 10);
}

// Through cells, checkpoints and beside other materials.
TYPED_TEST(Custom, EachKeepsItsOwnFourNumbers)
{
    Aging aging;
    const auto fill = [&](Stepper& solver) {
        solver.setMaterials({material("liquid", 1000), customMaterial(agingModel, &aging)});
    };
    typename TestFixture::Solver solver(weightless(), this->serial);
    solver.setMaterials({material("liquid", 1000)});
    solver.addParticles(Lattice({0.5, 0, 0}, {0.7, 0.2, 0.2}, 0.1, {-1, 0, 0}).particles(0));
    run(solver, 0.01);
    fill(solver);
    const double start = solver.time(), time = kEmulated ? 0.1 : 0.4;
    solver.addParticles(Lattice({-0.4, 0, 0}, {0.3, 0.3, 0.4}, 0.1, {2, 0.5, 0}).particles(1));
    run(solver, time / 2);
    const std::vector<unsigned char> state = solver.save();
    run(solver, time / 2);
    typename TestFixture::Solver resumed(weightless(), this->serial);
    fill(resumed);
    resumed.load(state);
    run(resumed, time / 2);
    EXPECT_TRUE(Frame(solver) == Frame(resumed));
    EXPECT_TRUE(aging.asExpected);
    const std::size_t n = solver.particleCount();
    std::vector<float> first(n);
    std::vector<std::uint32_t> materials(n);
    Snapshot to;
    to.state = first.data();
    to.material = materials.data();
    solver.snapshot(to);
    // A backend may apply the last step's strain in the next.
    const double elapsed = solver.time() - start, step = solver.takeStatistics().longest;
    for (std::size_t i = 0; i < n; ++i)
        if (materials[i] == 1) {
            ASSERT_NEAR(first[i], elapsed - step / 2, step / 2 + 1e-4);
        }
}

// What a model makes of F is the particle's: without elastic strain nothing resists.
TYPED_TEST(Custom, MayForgetStrain)
{
    const auto forgets = [](void*, double, float* const F[9], float* const*, const float* const*,
                            const float*, float* const stress[6]) {
        for (int i = 0; i < 9; ++i)
            std::fill_n(F[i], kLanes, i % 4 == 0 ? 1.0f : 0.0f);
        for (int i = 0; i < 6; ++i)
            std::fill_n(stress[i], kLanes, 0.0f);
        return true;
    };
    typename TestFixture::Solver solver(weightless(), this->serial);
    solver.setMaterials({customMaterial(forgets)});
    Lattice cube({0, 0, 0}, {0.3, 0.3, 0.3}, 0.1);
    for (std::size_t i = 0; i < cube.v.size(); ++i)
        cube.v[i] = 2 * (cube.x[i] - 0.15f); // in 0.1 s it strains by a fifth
    solver.addParticles(cube.particles());
    run(solver, 0.1);
    solver.advance(1e-5); // what has not been applied yet is of a short step
    const Frame frame(solver);
    for (std::size_t i = 0; i < frame.F.size(); ++i)
        ASSERT_NEAR(frame.F[i], i % 9 % 4 == 0 ? 1.0 : 0.0, 1e-3);
    EXPECT_GT(frame.x[3 * (frame.id.size() - 1)], 0.285f); // it was 0.275
}

TYPED_TEST(Custom, OneThatFailsIsNamed)
{
    Aging aging;
    aging.failsAt = kEmulated ? 20 : 50;
    typename TestFixture::Solver solver(weightless(), this->serial);
    solver.setMaterials({material("liquid", 1000), customMaterial(agingModel, &aging)});
    solver.addParticles(Lattice({0, 0, 0}, {0.2, 0.2, 0.2}, 0.1).particles(1));
    try {
        run(solver, 1);
        FAIL() << "it did not fail";
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("'homemade'"), std::string::npos) << error.what();
    }
}

// Matter of a plugin's sleeps where it rests and wakes where it is struck.
TYPED_TEST(Custom, SleepsAndWakes)
{
    SolverSettings settings = weightless();
    settings.wakeSpeed = 0.1;
    typename TestFixture::Solver a(settings, this->serial), b(settings, this->serial);
    std::vector<Frame> frames;
    for (Stepper* solver : {static_cast<Stepper*>(&a), static_cast<Stepper*>(&b)}) {
        solver->setMaterials(
            {solver == &a
                 ? customMaterial(linearModel)
                 : material("hencky", 1000, {{"youngModulus", 1e5}, {"poissonRatio", 0}})});
        solver->addParticles(Lattice({0, 0, 0}, {1.2, 0.2, 0.2}, 0.1).particles());
        ActivationRequest request = solver->activationRequest();
        std::fill(request.state.begin(), request.state.end(),
                  static_cast<std::uint8_t>(BlockState::passive));
        solver->applyActivation(request);
        solver->addParticles(
            Lattice({-0.4, 0, 0}, {-0.05, 0.2, 0.2}, 0.1, {0.3, 0, 0}).particles());
        for (double end = solver->time() + 0.08; solver->time() < end - 1e-9;)
            solver->advance(end - solver->time());
        EXPECT_GT(solver->takeStatistics().guardWakes, 0u);
        frames.emplace_back(*solver);
    }
    for (std::size_t i = 0; i < frames[0].v.size(); ++i) // strains of 0.03: second order
        ASSERT_NEAR(frames[0].v[i], frames[1].v[i], 0.03) << i;
}
