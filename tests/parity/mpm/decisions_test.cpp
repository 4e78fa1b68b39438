// What is decided about steps and sleep is the same on both backends: the same orders, one by one.
#include "recorded_backend.hpp"
#include "solver_scene.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace floe::mpm {
namespace {

using Kind = Decision::Kind;

bool everywhere(double, double, double)
{
    return true;
}

/// Both backends, with the orders that they were given.
class Decisions : public testing::Test {
protected:
    /// Does the same to both, and holds their orders against each other.
    void compare(const SolverSettings& s, const std::function<void(Stepper&)>& act)
    {
        auto cpu =
            std::make_unique<RecordedBackend>(std::make_unique<CpuBackend>(s, serialExecutor()));
        auto gpu = std::make_unique<RecordedBackend>(
            makeCudaBackend(s, test::cudaDevice(), serialExecutor()));
        RecordedBackend* const recorded[2] = {cpu.get(), gpu.get()};
        Stepper onCpu(s, std::move(cpu), serialExecutor());
        Stepper onGpu(s, std::move(gpu), serialExecutor());
        act(onCpu);
        act(onGpu);
        const std::vector<Decision>&a = recorded[0]->decisions, &b = recorded[1]->decisions;
        for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
            ASSERT_EQ(a[i], b[i]) << "order " << i;
        EXPECT_EQ(a.size(), b.size());
        decisions_ = a;
    }
    std::size_t count(Kind kind) const
    {
        return static_cast<std::size_t>(
            std::count_if(decisions_.begin(), decisions_.end(),
                          [kind](const Decision& d) { return d.kind == kind; }));
    }
    const std::vector<Decision>& decisions() const { return decisions_; }

private:
    std::vector<Decision> decisions_;
};

void advanceTo(Stepper& stepper, double end)
{
    while (end - stepper.time() > 1e-9)
        stepper.advance(end - stepper.time());
}

void fallAsleep(Stepper& stepper)
{
    ActivationRequest request = stepper.activationRequest();
    std::fill(request.state.begin(), request.state.end(), std::uint8_t(0));
    stepper.applyActivation(request);
}

/// A bed at rest, and a ball on its way down to it.
Scene bedAndBall()
{
    Scene scene;
    scene.materials = {material("bed", physics::LawKind::fixedCorotated),
                       material("ball", physics::LawKind::fixedCorotated)};
    scene.points = {fill({-0.4, 0, -0.2}, {0.4, 0.2, 0.2}, everywhere), Points{}};
    return scene;
}
/// Off the middle and askew: of two blocks that mirror each other, rounding chooses.
Points ball()
{
    return fill({-0.08, 0.25, -0.11}, {0.12, 0.4, 0.09}, everywhere, {0.3f, -4, 0.2f});
}

/// A moving collider that says how fast it is.
class FastCollider final : public MovingCollider {
public:
    FastCollider(std::vector<floe_transform_key> keys, double speed)
        : MovingCollider(held(nanovdb::createLevelSetSphere<float>(0.1f, nanovdb::Vec3<float>(0.0f),
                                                                   0.5 * kDx, 8)),
                         std::move(keys)),
          speed_(speed)
    {
        contact = Contact::stick;
    }
    double topSpeed() const override { return speed_; }
    void speedNear(const PointBatch& points, double reach, float* speed) const override
    {
        ColliderSample sample;
        this->sample(points, sample);
        for (int i = 0; i < points.count; ++i)
            speed[i] = sample.distance[i] <= reach ? static_cast<float>(speed_) : 0.0f;
    }

private:
    double speed_;
};

// What a law's waves allow is measured in the gather on a card, and in the scatter on a CPU: the
// lengths of steps that they bound differ a little, so here they bound none.
TEST_F(Decisions, HowLongAStepIsAndWhenParticlesChangeBlocks)
{
    SolverSettings s = settings();
    s.longestStep = 5e-4;
    compare(s, [](Stepper& stepper) {
        Scene scene = smallBall();
        scene.materials = {material("rubber", physics::LawKind::fixedCorotated)};
        for (std::size_t i = 1; i < scene.points[0].v.size(); i += 3)
            scene.points[0].v[i] = -5.7f;
        scene.domain = floorAt(-0.5, Contact::separate);
        setUp(stepper, scene);
        for (int frame = 1; frame <= 6; ++frame)
            advanceTo(stepper, 5e-3 * frame);
    });
    EXPECT_GT(count(Kind::gather), 20u);
    EXPECT_GT(count(Kind::gatherAndRebin), 0u);
}

TEST_F(Decisions, WhatIsRedone)
{
    std::uint32_t redone[2];
    int run = 0;
    SolverSettings s = settings();
    s.longestStep = 1e-3;
    compare(s, [&](Stepper& stepper) {
        Scene scene = smallBall();
        scene.materials = {material("rubber", physics::LawKind::fixedCorotated)};
        scene.colliders = {[] { // strikes at 100 m/s: nodes run too far
            return std::make_shared<FastCollider>(std::vector{pose(0, {0, -0.25, 0}),
                                                              pose(4e-3, {0, -0.25, 0}),
                                                              pose(8e-3, {0, 0.15, 0})},
                                                  100);
        }};
        setUp(stepper, scene);
        advanceTo(stepper, 7.5e-3);
        redone[run++] = stepper.takeStatistics().redone;
    });
    EXPECT_GT(redone[0], 0u);
    EXPECT_EQ(redone[0], redone[1]);
}

/// The same of both kernels.
class DecisionsOf : public Decisions, public testing::WithParamInterface<Kernel> {
protected:
    static SolverSettings settings()
    {
        SolverSettings s = mpm::settings();
        s.kernel = GetParam();
        return s;
    }
};
INSTANTIATE_TEST_SUITE_P(Decisions, DecisionsOf, testing::Values(Kernel::quadratic, Kernel::cubic));

TEST_P(DecisionsOf, WhoIsWokenByAPush)
{
    for (const double stiffSpeed : {0.0, 1.0}) {
        SolverSettings s = settings();
        s.gravity = {0, 0, 0};
        s.wakeSpeed = 0.05;
        s.stiffSpeed = stiffSpeed;
        s.longestStep = 5e-4;
        compare(s, [](Stepper& stepper) {
            setUp(stepper, bedAndBall());
            fallAsleep(stepper);
            add(stepper, {Points{}, ball()});
            advanceTo(stepper, 0.0065); // later, rounding chooses who is first
        });
        ASSERT_GT(count(Kind::wake), 0u);
        const auto first = std::find_if(decisions().begin(), decisions().end(),
                                        [](const Decision& d) { return d.kind == Kind::wake; });
        // A stiff bed wakes as one.
        EXPECT_EQ(first->active.size() > 8, stiffSpeed > 0);
    }
}

TEST_F(Decisions, WhoIsWokenBeforeAColliderComes)
{
    SolverSettings s = settings();
    s.gravity = {0, 0, 0};
    s.wakeSpeed = 0.05;
    s.longestStep = 1e-3;
    compare(s, [](Stepper& stepper) {
        Scene scene = bedAndBall();
        scene.colliders = {[] {
            return std::make_shared<FastCollider>(
                std::vector{pose(0, {0, 0.5, 0}), pose(0.1, {0, 0.2, 0})}, 3);
        }};
        setUp(stepper, scene);
        fallAsleep(stepper);
        advanceTo(stepper, 0.09);
    });
    EXPECT_GT(count(Kind::wake), 0u);
}

TEST_F(Decisions, WhoFallsAsleep)
{
    SolverSettings s = settings();
    s.wakeSpeed = 0.05;
    s.stiffSpeed = 1;
    compare(s, [](Stepper& stepper) {
        Scene scene = bedAndBall();
        scene.colliders = {paddle};
        setUp(stepper, scene);
        advanceTo(stepper, 1e-3);
        fallAsleep(stepper); // beside a collider nothing may, nor what is connected to that
        stepper.setColliders({});
        fallAsleep(stepper);
    });
    ASSERT_EQ(count(Kind::states), 1u);
    EXPECT_TRUE(decisions().back().active.empty());
    EXPECT_FALSE(decisions().back().passive.empty());
}

// What strategies are told: how fast blocks are, for how long they have been at rest, how hard they
// are pushed. New particles begin the time at rest anew; a block that wakes starts from nothing.
TEST_F(Decisions, WhatStrategiesAreTold)
{
    std::vector<ActivationRequest> told[2];
    int run = 0;
    SolverSettings s = settings();
    s.gravity = {0, 0, 0};
    s.wakeSpeed = 0.05;
    s.longestStep = 5e-4;
    compare(s, [&](Stepper& stepper) {
        const auto ask = [&] {
            told[run].push_back(stepper.activationRequest());
        };
        Scene scene = bedAndBall();
        setUp(stepper, scene);
        advanceTo(stepper, 2e-3);
        ask();
        add(stepper, {Points{}, fill({-0.4, 0.2, -0.2}, {-0.2, 0.25, 0.2}, everywhere)});
        ask();
        advanceTo(stepper, 4e-3);
        ask();
        fallAsleep(stepper);
        add(stepper, {Points{}, ball()});
        ask();
        advanceTo(stepper, 0.014);
        ask();
        ActivationRequest all = stepper.activationRequest();
        std::fill(all.state.begin(), all.state.end(), std::uint8_t(1));
        stepper.applyActivation(all);
        ask();
        ++run;
    });
    ASSERT_EQ(told[0].size(), told[1].size());
    for (std::size_t i = 0; i < told[0].size(); ++i) {
        const ActivationRequest &a = told[0][i], &b = told[1][i];
        const auto placesOf = [](const ActivationRequest& request) { // each backend has an order
            std::map<std::array<std::int32_t, 3>, std::size_t> places;
            for (std::size_t n = 0; n < request.state.size(); ++n)
                places[{request.block[3 * n], request.block[3 * n + 1], request.block[3 * n + 2]}] =
                    n;
            return places;
        };
        const auto first = placesOf(a), second = placesOf(b);
        ASSERT_EQ(first.size(), second.size()) << i;
        for (const auto& [block, n] : first) {
            const auto other = second.find(block);
            ASSERT_NE(other, second.end()) << i << ", block " << n;
            const std::size_t m = other->second;
            EXPECT_EQ(a.state[n], b.state[m]) << i << ", block " << n;
            EXPECT_NEAR(a.restTime[n], b.restTime[m], 1e-6) << i << ", block " << n;
            // Sums of floats on a CPU, of integers on a card.
            EXPECT_NEAR(a.maxSpeed[n], b.maxSpeed[m], 1e-3 * std::max(a.maxSpeed[n], 0.1f))
                << i << ", block " << n;
            EXPECT_NEAR(a.pushSpeed[n], b.pushSpeed[m], 1e-3 * std::max(a.pushSpeed[n], 0.1f))
                << i << ", block " << n;
        }
    }
    EXPECT_GT(*std::max_element(told[0][2].restTime.begin(), told[0][2].restTime.end()), 0);
    EXPECT_GT(*std::max_element(told[0][4].pushSpeed.begin(), told[0][4].pushSpeed.end()), 0);
}

TEST_F(Decisions, WhatAFaultIsCalled)
{
    std::vector<std::string> said[2];
    int run = 0;
    const auto fails = [&](const std::function<void(Stepper&)>& act, SolverSettings s) {
        run = 0;
        compare(s, [&](Stepper& stepper) {
            try {
                act(stepper);
                ADD_FAILURE() << "nothing is wrong";
            } catch (const std::exception& e) {
                said[run].push_back(e.what());
            }
            ++run;
        });
    };
    SolverSettings shortest = settings();
    shortest.shortestStep = 1e-5;
    fails(
        [](Stepper& stepper) { // too stiff
            Scene scene = smallBall();
            scene.materials[0].law.snow.lambda = 1e14f;
            setUp(stepper, scene);
            stepper.advance(1e-2);
        },
        shortest);
    fails(
        [](Stepper& stepper) { // too fast
            Scene scene = smallBall();
            for (float& v : scene.points[0].v)
                v = 1e6f;
            setUp(stepper, scene);
            stepper.advance(1e-2);
        },
        shortest);
    fails(
        [](Stepper& stepper) { // no number
            Scene scene = smallBall();
            setUp(stepper, scene);
            Points points = ball();
            points.x[1] = NAN;
            add(stepper, {points});
        },
        settings());
    fails([](Stepper& stepper) { stepper.advance(0); }, settings());
    SolverSettings memory = settings();
    memory.guardMemory = 0;
    fails([&](Stepper& stepper) { stepper.setSettings(memory); }, settings());
    EXPECT_EQ(said[0], said[1]);
}

} // namespace
} // namespace floe::mpm
