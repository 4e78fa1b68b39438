// Fields that drive particles, run by the real program: what the particles then do is known.
#include "run_graph.hpp"

#include <gtest/gtest.h>

#include <openvdb/openvdb.h>

#include <numbers>

namespace floe {
namespace {

using test::Frame;
using Vec = std::array<double, 3>;

/// A graph written into a folder of its own, and its run.
class Scene {
public:
    Scene()
    {
        graph_ = Json::parse(R"({
            "floe": 1, "range": {"start": 1, "end": 2, "fps": 24},
            "nodes": {
                "shape": {"type": "floe.shape.sphere", "version": 1,
                          "parameters": {"radius": 0.1, "center": [0, 0, 0], "voxelSize": 0.02}},
                "stuff": {"type": "floe.material", "version": 1,
                          "parameters": {"law": "fixedCorotated", "youngModulus": 1000}},
                "body": {"type": "floe.emitter", "version": 1},
                "solver": {"type": "floe.mpm.solver", "version": 1,
                           "parameters": {"cellSize": 0.05, "gravity": [0, 0, 0]}}
            },
            "links": [
                {"from": "shape.shape", "to": "body.shape"},
                {"from": "stuff.material", "to": "body.material"},
                {"from": "body.emitter", "to": "solver.emitters"}
            ]})");
    }
    void add(const char* name, const char* type, const Json& parameters)
    {
        graph_["nodes"][name] = {{"type", type}, {"version", 1}, {"parameters", parameters}};
    }
    void set(const char* name, const Json& parameters)
    {
        for (const auto& [key, value] : parameters.items())
            graph_["nodes"][name]["parameters"][key] = value;
    }
    void link(const char* from, const char* to)
    {
        graph_["links"].push_back({{"from", from}, {"to", to}});
    }
    std::filesystem::path file(const char* name) const { return folder_ / name; }
    /// Runs to frame `end`. @return the sentence that it ends with, empty when it finished
    std::string run(int end)
    {
        graph_["range"]["end"] = end;
        std::ofstream(file("scene.floe.json")) << graph_.dump(2);
        const test::Finished finished =
            test::runFloe("run " + file("scene.floe.json").string() + " --output " +
                          file("out").string() + " --progress quiet --cache" + test::onDevice());
        return finished.code == 0 ? "" : finished.output;
    }
    Frame frame(int number) const
    {
        char name[64];
        std::snprintf(name, sizeof name, "out/cache/solver.particles.%04d.floe", number);
        return Frame(file(name));
    }

private:
    test::TemporaryFolder folder_;
    Json graph_;
};

} // namespace

// A file as another program writes it: its velocity, linear in space, is that of the particles.
TEST(EmitterField, FollowsAVectorGridOfOpenVdb)
{
    openvdb::initialize();
    Scene scene;
    const auto grid = openvdb::Vec3SGrid::create();
    grid->setName("vel");
    grid->setTransform(openvdb::math::Transform::createLinearTransform(0.1));
    grid->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
    auto accessor = grid->getAccessor();
    for (int i = -4; i <= 4; ++i)
        for (int j = -4; j <= 4; ++j)
            for (int k = -4; k <= 4; ++k) // 3 rad/s about y, and 0.5 m/s upwards
                accessor.setValue({i, j, k},
                                  openvdb::Vec3s(0.3f * float(k), 0.5f, -0.3f * float(i)));
    openvdb::io::File(scene.file("wind.vdb").string()).write({grid});

    scene.add("wind", "floe.volume.file",
              {{"path", "wind.vdb"}, {"grid", "vel"}, {"holds", "vectors"}});
    scene.link("wind.volume", "body.velocityField");
    ASSERT_EQ(scene.run(1), "");
    const Frame first = scene.frame(1);
    ASSERT_GT(first.count(), 100u);
    for (std::size_t i = 0; i < first.count(); ++i) {
        const Vec x = first.position(i), v = first.velocity(i);
        EXPECT_NEAR(v[0], 3 * x[2], 1e-5);
        EXPECT_NEAR(v[1], 0.5, 1e-5);
        EXPECT_NEAR(v[2], -3 * x[0], 1e-5);
    }
    // The same file among the shapes is refused with the cure.
    scene.add("shape", "floe.shape.file", {{"path", "wind.vdb"}});
    EXPECT_NE(scene.run(1).find("Volume file"), std::string::npos);
}

// a = -w^2 r: a ball that starts at the speed w r goes around in a circle, once in 2 pi / w.
TEST(ForceByFormula, ABallCirclesAtTheAnalyticRate)
{
    constexpr double kRadius = 0.6, kRate = 2 * std::numbers::pi; // a turn a second
    Scene scene;
    scene.set("shape", {{"center", {kRadius, 0, 0}}});
    scene.set("body", {{"velocity", {0, 0, -kRate * kRadius}}});
    scene.add("pull", "floe.force.formula",
              {{"x", "-a * x"}, {"y", "-a * y"}, {"z", "-a * z"}, {"a", kRate * kRate}});
    scene.link("pull.force", "solver.forces");
    ASSERT_EQ(scene.run(25), "");
    for (const int frame : {7, 13, 19, 25}) { // after a quarter, a half, ...
        const double angle = kRate * (frame - 1) / 24;
        const Vec at = scene.frame(frame).meanPosition();
        // Semi-implicit Euler lags by half a step, of a few thousandths of a second: about 1 %.
        EXPECT_NEAR(at[0], kRadius * std::cos(angle), 0.02) << frame;
        EXPECT_NEAR(at[1], 0, 0.005) << frame;
        EXPECT_NEAR(at[2], -kRadius * std::sin(angle), 0.02) << frame;
    }
}

// Wind of strength k takes matter along: v = u (1 - exp(-k t)) where the air is the same all over.
TEST(WindField, TakesMatterAlongAtItsRate)
{
    Scene scene;
    scene.add("air", "floe.volume.formula",
              {{"x", "2"}, {"y", "0"}, {"z", "0"}, {"center", {0, 0, 0}}, {"size", {4, 2, 2}}});
    scene.add("wind", "floe.force.wind", {{"velocity", {0, 1, 0}}, {"strength", 3}});
    scene.link("air.volume", "wind.field");
    scene.link("wind.force", "solver.forces");
    scene.set("solver", {{"minimumSubsteps", 10}});
    ASSERT_EQ(scene.run(9), "");
    const Vec v = scene.frame(9).meanVelocity();
    const double share = 1 - std::exp(-3.0 * 8 / 24);
    // Implicit in steps of 1/240 s: late by half a step, which is e^-1 3/480 of the whole.
    EXPECT_NEAR(v[0], 2 * share, 0.007);
    EXPECT_NEAR(v[1], share, 0.0035);
}

// A collider that passes close by drags along what it does not touch.
TEST(MotionField, AMovingBallDragsItsSurroundings)
{
    Scene scene;
    scene.add("ball", "floe.shape.sphere",
              {{"radius", 0.2}, {"center", {0, 0, 0}}, {"voxelSize", 0.03}});
    scene.add("hand", "floe.collider",
              Json::parse(R"({"position": [{"expr": "2 * time - 0.5"}, 0.5, 0]})"));
    scene.add("wake", "floe.volume.motion", {{"reach", 0.6}, {"voxelSize", 0.05}});
    scene.add("wind", "floe.force.wind", {{"velocity", {0, 0, 0}}, {"strength", 4}});
    scene.link("ball.shape", "hand.shape");
    scene.link("hand.collider", "wake.colliders");
    scene.link("wake.volume", "wind.field");
    scene.link("wind.force", "solver.forces");
    ASSERT_EQ(scene.run(13), "");
    const Vec v = scene.frame(13).meanVelocity();
    EXPECT_GT(v[0], 0.1);
    EXPECT_LT(v[0], 2.0);
    EXPECT_NEAR(v[1], 0, 0.02);
    EXPECT_NEAR(v[2], 0, 0.02);
}

// Two volumes of one solver's particles: their mass, and their velocity as the wind of another.
TEST(ParticleField, HoldsTheMassOfTheSolver)
{
    Scene scene;
    scene.set("stuff", {{"density", 500}});
    scene.set("body", {{"velocity", {1, 0, 0}}});
    scene.add("cloud", "floe.volume.particles", {{"voxelSize", 0.05}});
    scene.add("export", "floe.output.volume", {{"path", "cloud.%04d.vdb"}, {"grid", "density"}});
    scene.link("solver.particles", "cloud.particles");
    scene.link("cloud.density", "export.volume");
    ASSERT_EQ(scene.run(2), "");
    openvdb::initialize();
    openvdb::io::File file(scene.file("out/cloud.0002.vdb").string());
    file.open();
    const auto grid = openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid("density"));
    double mass = 0;
    for (auto value = grid->cbeginValueOn(); value; ++value)
        mass += double{*value} * std::pow(0.05, 3);
    const double expected =
        static_cast<double>(scene.frame(2).count()) * std::pow(0.05, 3) / 8 * 500;
    EXPECT_NEAR(mass, expected, 1e-4 * expected); // sums of floats
}

// Angular momentum of a free spinning ball: with the affine matrices it is kept; positions and
// velocities alone miss what the particles turn themselves.
TEST(AffineOutput, CompletesAngularMomentum)
{
    Scene scene;
    scene.set("body", {{"spin", {0, 360, 0}}});
    scene.set("solver", {{"outputAffine", true}});
    ASSERT_EQ(scene.run(9), "");
    const auto momenta = [&](int number) {
        const Frame frame = scene.frame(number);
        const auto C = frame.particles().get<float>("C", 9);
        const Vec center = frame.meanPosition();
        std::array<double, 2> sum{};                      // of orbits, of the particles themselves
        for (std::size_t i = 0; i < frame.count(); ++i) { // all have the same mass
            const Vec x = frame.position(i), v = frame.velocity(i);
            sum[0] += (x[2] - center[2]) * v[0] - (x[0] - center[0]) * v[2];
            sum[1] += 0.05 * 0.05 / 4 * (double{C[9 * i + 2]} - double{C[9 * i + 6]});
        }
        return sum;
    };
    const auto second = momenta(2), last = momenta(9);
    const double before = second[0] + second[1], after = last[0] + last[1];
    EXPECT_NEAR(after, before, 1e-5 * before); // single precision
    // A rigid turn of rate w: C is the antisymmetric matrix of w, which adds 2 m D w a particle;
    // a ball's orbits are 2/5 m R^2 w. R = 2 cells: (2 / 4) / (2/5 * 4) = 0.31.
    EXPECT_NEAR(last[1] / last[0], 0.31, 0.02);
}

// The scene, coarser than its picture: dust rises in a column that turns the way the formulas say.
TEST(Whirlwind, LiftsDustAndTurnsIt)
{
    const test::GraphRun run("fields/whirlwind.floe.json",
                             "--end 12 --set solver.cellSize=0.08 --set gusts.voxelSize=0.16 --set "
                             "render.every=100 --set render.movie=false --set render.width=160 "
                             "--set render.height=90");
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame last = run.frame("solver", 12);
    EXPECT_TRUE(last.allFinite());
    double high = 0, turning = 0;
    for (std::size_t i = 0; i < last.count(); ++i) {
        const Vec x = last.position(i), v = last.velocity(i);
        high += x[1] > 0.3;
        if (x[1] > 0.15)
            turning += x[2] * v[0] - x[0] * v[2]; // about y
    }
    EXPECT_GT(high / static_cast<double>(last.count()), 0.01);
    EXPECT_GT(turning, 0);
}

} // namespace floe
