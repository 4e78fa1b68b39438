#include "cooked_node.hpp"
#include "emission_region.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace floe::test {
namespace {

using ::testing::HasSubstr;

struct Splat {
    float x, y, z;
    float opacity = 1;
    float scale = 0.02f;
};

/// A file .splat of grey, upright Gaussians.
std::string splatFile(const std::vector<Splat>& splats)
{
    std::string bytes;
    for (const Splat& splat : splats) {
        const float numbers[] = {splat.x, splat.y, splat.z, splat.scale, splat.scale, splat.scale};
        bytes.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
        const std::uint8_t rest[] = {
            128, 128, 128, static_cast<std::uint8_t>(std::lround(255 * splat.opacity)),
            255, 128, 128, 128};
        bytes.append(reinterpret_cast<const char*>(rest), sizeof rest);
    }
    return bytes;
}

class GaussianNodes : public ::testing::Test {
protected:
    CookedNode read(const std::vector<Splat>& splats, Settings settings = {})
    {
        settings.try_emplace("path", folder_.file("a.splat", splatFile(splats)).string());
        return cook("floe.gaussians.file", settings);
    }
    static const ParticlesValue& particles(const CookedNode& node, const char* socket = "gaussians")
    {
        return expect<ParticlesValue>(node.outputs.at(socket));
    }

    TemporaryFolder folder_;
};

template <class Body>
std::string failureOf(const Body& body)
{
    try {
        body();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "no failure";
}

TEST_F(GaussianNodes, AFileIsTurnedUprightScaledAndCropped)
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<Splat> splats = {
        {1, 2, 3}, {0.1f, -0.2f, 0}, {0, 0, 0, 0.001f}, {nan, 0, 0}, {0, 0, 0, 1, 1e9f}};
    const CookedNode all = read(splats);
    ASSERT_EQ(particles(all).count(), 2u); // the faint one is below the default's 0.005
    const auto x = particles(all).get<float>("x", 3);
    EXPECT_NEAR(x[0], 1, 1e-6); // y and z point the other way
    EXPECT_NEAR(x[1], -2, 1e-6);
    EXPECT_NEAR(x[2], -3, 1e-6);
    ASSERT_EQ(all.warnings.size(), 1u);
    EXPECT_THAT(all.warnings[0], HasSubstr("2 of 5"));

    const CookedNode cropped = read(splats, {{"up", "y"},
                                             {"scale", 10.0},
                                             {"position", Vec{0, 5, 0}},
                                             {"crop", true},
                                             {"cropCenter", Vec{1, 3, 0}},
                                             {"cropSize", Vec{0.1, 0.1, 0.1}}});
    ASSERT_EQ(particles(cropped).count(), 1u);
    EXPECT_NEAR(particles(cropped).get<float>("x", 3)[1], 3, 1e-5);
    EXPECT_NEAR(particles(cropped).get<float>("scale", 3)[0], 0.2, 1e-6);
    EXPECT_THAT(failureOf([] { cook("floe.gaussians.file"); }), HasSubstr("no file is chosen"));
    EXPECT_THAT(failureOf([] {
                    cook("floe.gaussians.file", {{"path", "/nowhere/a.splat"}});
                }),
                HasSubstr("there is no such file"));
}

TEST_F(GaussianNodes, AMeshIsCovered)
{
    const ValueRef ball = ballMesh(0.5, 20);
    const CookedNode node =
        cook("floe.gaussians.mesh", {{"count", 2000}, {"pattern", "stripes"}}, {{"mesh", {ball}}});
    ASSERT_EQ(particles(node).count(), 2000u);
    const auto x = particles(node).get<float>("x", 3);
    for (std::size_t i = 0; i < 2000; ++i) // a ball of 20 rings is within 2 % of a sphere
        ASSERT_NEAR(std::hypot(x[3 * i], x[3 * i + 1], x[3 * i + 2]), 0.5, 0.01);
    EXPECT_EQ(particles(node).find("sh")->components, 48u);
    EXPECT_THAT(failureOf([] { cook("floe.gaussians.mesh"); }), HasSubstr("'path' is empty"));
}

TEST_F(GaussianNodes, AreParted)
{
    const CookedNode set = read({{0, 0, 0}, {0, -0.3f, 0}, {3, 0, 0}, {0, 0, 0, 1, 0.5f}});
    const CookedNode parted =
        cook("floe.gaussians.select", {{"center", Vec{0, 0, 0}}, {"maxScale", 0.1}},
             {{"gaussians", {set.output("gaussians")}}});
    EXPECT_EQ(particles(parted, "selected").count(), 2u);
    EXPECT_EQ(particles(parted, "rest").count(), 2u);
    const ValueRef ball = shape("floe.shape.sphere", {{"radius", 0.2}, {"center", Vec{0, 0.3, 0}}});
    const CookedNode byShape = cook("floe.gaussians.select", {},
                                    {{"gaussians", {set.output("gaussians")}}, {"shape", {ball}}});
    EXPECT_EQ(particles(byShape, "selected").count(), 1u);
}

TEST_F(GaussianNodes, BecomeMatterOnceAndFillAShape)
{
    const CookedNode set = read({{0, 0, 0}, {0.01f, 0, 0}, {0.2f, 0, 0}});
    const ValueRef material = cook("floe.material").output("material");
    const Links alone = {{"gaussians", {set.output("gaussians")}}, {"material", {material}}};
    const CookedNode plain = cook("floe.gaussians.emitter", {{"velocity", Vec{0, 2, 0}}}, alone);
    const auto emitted = emit(plain.output("emitter"), {.cellSize = 0.1});
    ASSERT_EQ(emitted->count(), 3u);
    EXPECT_FLOAT_EQ(emitted->get<float>("volume", 1)[0], 0.0005f);
    EXPECT_FLOAT_EQ(emitted->get<float>("v", 3)[4], 2);
    EXPECT_FALSE(emit(plain.output("emitter"), {.cellSize = 0.1, .frame = 2, .start = false}));

    Links filled = alone;
    filled["shape"] = {shape("floe.shape.sphere", {{"radius", 0.4}})};
    const auto matter =
        emit(cook("floe.gaussians.emitter", {}, filled).output("emitter"), {.cellSize = 0.05});
    double volume = 0;
    for (const float share : matter->get<float>("volume", 1))
        volume += share;
    // A ball's volume, and half a cell all around it, for cells are shared by what is in them.
    const double ball = 4.18879 * 0.4 * 0.4 * 0.4;
    EXPECT_GT(volume, ball);
    EXPECT_LT(volume, ball * std::pow(1 + 0.5 * 0.05 / 0.4, 3) * 1.1);
    EXPECT_FLOAT_EQ(matter->get<float>("x", 3)[6], 0.2f);

    // Several ranks ask each for its own.
    for (const Links& links : {alone, filled})
        expectPartsOfTheWhole(cook("floe.gaussians.emitter", {}, links).output("emitter"),
                              {.cellSize = 0.05}, 0.07, 3);

    const auto cells = make<ParticlesValue>(1u);
    cells->add<float>("x", 3)[0] = 0;
    cells->seal();
    EXPECT_THAT(
        failureOf([&] {
            cook("floe.gaussians.emitter", {}, {{"gaussians", {cells}}, {"material", {material}}});
        }),
        HasSubstr("are not Gaussians"));
}

/// Particles as a solver gives them, after a move by (0, -1, 0) and a stretch along x by 2.
Ref<ParticlesValue> solved(const std::vector<std::uint64_t>& ids,
                           const std::vector<std::array<float, 3>>& rest, float way)
{
    const auto particles = make<ParticlesValue>(ids.size());
    const auto id = particles->add<std::uint64_t>("id", 1);
    const auto x = particles->add<float>("x", 3), F = particles->add<float>("F", 9);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        id[i] = ids[i];
        for (std::size_t k = 0; k < 9; ++k)
            F[9 * i + k] = k == 0 ? 2 : k % 4 == 0 ? 1 : 0;
        for (std::size_t axis = 0; axis < 3; ++axis)
            x[3 * i + axis] = rest[i][axis] - (axis == 1 ? way : 0);
    }
    particles->setField("cellSize", make<NumberValue>(0.1));
    return particles;
}

// A label that came with the capture parts it, travels with what is selected and moved, and is
// named where it is missing.
TEST_F(GaussianNodes, AnAttributePartsASet)
{
    const CookedNode set = read({{0, 0, 0}, {1, 0, 0}, {9, 0, 0}}, {{"up", "y"}});
    const auto labelled = make<ParticlesValue>(3u);
    for (const Attribute& attribute : particles(set).attributes())
        std::ranges::copy(particles(set).get<float>(attribute.name, attribute.components),
                          labelled->add<float>(attribute.name, attribute.components).begin());
    const std::array<float, 3> labels = {2, 1, 2};
    std::ranges::copy(labels, labelled->add<float>("label", 1).begin());
    labelled->seal();
    const auto select = [&](Settings settings) {
        settings.try_emplace("attribute", "label");
        return cook("floe.gaussians.select", settings, {{"gaussians", {labelled}}});
    };
    const CookedNode parted = select({{"region", "everywhere"}, {"lowest", 1.5}, {"highest", 2.5}});
    ASSERT_EQ(particles(parted, "selected").count(), 2u);
    EXPECT_FLOAT_EQ(particles(parted, "selected").get<float>("x", 3)[3], 9);
    EXPECT_FLOAT_EQ(particles(parted, "rest").get<float>("label", 1)[0], 1);
    const CookedNode boxed = select({{"lowest", 1.5}, {"center", Vec{0, 0, 0}}});
    EXPECT_EQ(particles(boxed, "selected").count(), 1u); // and in the box
    EXPECT_THAT(failureOf([&] {
                    select({{"attribute", "lable"}});
                }),
                HasSubstr("'lable', which these Gaussians do not have; they have label"));

    const auto solver = solved({0, 1}, {{0, 0, 0}, {9, 0, 0}}, 1);
    solver->seal();
    const CookedNode moved =
        cook("floe.gaussians.deform", {},
             {{"gaussians", {parted.output("selected")}}, {"particles", {solver}}}, 10);
    EXPECT_FLOAT_EQ(particles(moved).get<float>("label", 1)[1], 2);
}

// The pattern of a set made from a mesh is an attribute too: where it is painted with the second
// colour.
TEST_F(GaussianNodes, APatternIsAnAttribute)
{
    const CookedNode set =
        cook("floe.gaussians.mesh", {{"count", 500}, {"pattern", "stripes"}, {"patternSize", 0.5}},
             {{"mesh", {ballMesh(0.4, 12)}}});
    const auto x = particles(set).get<float>("x", 3), paint = particles(set).get<float>("paint", 1);
    for (std::size_t i = 0; i < paint.size(); ++i)
        EXPECT_EQ(paint[i], x[3 * i + 1] < 0 ? 1 : 0) << i; // layers of 0.5 m from y = 0
}

TEST_F(GaussianNodes, FollowTheParticlesOfTheirNumbers)
{
    const CookedNode set = read({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{"up", "y"}});
    // In another order, with a filler before and after, and without the one in the middle.
    const auto particles = solved({5, 9, 3, 2}, {{2, 0, 0}, {7, 7, 7}, {0, 0, 0}, {9, 9, 9}}, 1);
    particles->seal();
    const Links links = {{"gaussians", {set.output("gaussians")}}, {"particles", {particles}}};
    const CookedNode moved = cook("floe.gaussians.deform", {{"firstId", 3}}, links, 10);
    const auto& now = GaussianNodes::particles(moved);
    ASSERT_EQ(now.count(), 2u);
    const auto x = now.get<float>("x", 3);
    EXPECT_FLOAT_EQ(x[0], 0);
    EXPECT_FLOAT_EQ(x[1], -1);
    EXPECT_FLOAT_EQ(x[3], 2);
    const auto scale = now.get<float>("scale", 3);
    EXPECT_NEAR(std::max({scale[0], scale[1], scale[2]}), 0.04, 1e-6);
    const CookedNode fixed =
        cook("floe.gaussians.deform", {{"firstId", 3}, {"covariance", "fixed"}}, links, 10);
    EXPECT_FLOAT_EQ(GaussianNodes::particles(fixed).get<float>("scale", 3)[0], 0.02f);
}

TEST_F(GaussianNodes, NothingIsFilledWithNothing)
{
    const CookedNode set = read({}), filled = cook("floe.gaussians.fill", {},
                                                   {{"gaussians", {set.output("gaussians")}}});
    EXPECT_EQ(particles(filled).count(), 0u);
    EXPECT_THAT(filled.warnings.at(0), HasSubstr("no Gaussians to fill"));
}

// What does not change is one array for all frames, also of those that are left of a set.
TEST_F(GaussianNodes, FramesShareWhatDoesNotChange)
{
    const CookedNode set = read({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{"up", "y"}});
    const auto whole = solved({0, 1, 2}, {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, 0),
               parted = solved({2, 0}, {{2, 0, 0}, {0, 0, 0}}, 1);
    whole->seal();
    parted->seal();
    const auto links = [&](const ValueRef& particles) -> Links {
        return {{"gaussians", {set.output("gaussians")}}, {"particles", {particles}}};
    };
    RunningNode node("floe.gaussians.deform");
    const auto arrayOf = [](const CookedNode& cooked, const char* name) {
        return particles(cooked).find(name)->data.data();
    };
    const CookedNode first = node.cook(links(whole), 1), second = node.cook(links(whole), 2),
                     third = node.cook(links(parted), 3), fourth = node.cook(links(parted), 4);
    for (const char* name : {"sh", "opacity"}) {
        EXPECT_EQ(arrayOf(first, name), arrayOf(set, name)) << name;
        EXPECT_EQ(arrayOf(second, name), arrayOf(set, name)) << name;
        EXPECT_NE(arrayOf(third, name), arrayOf(set, name)) << name;
        EXPECT_EQ(arrayOf(fourth, name), arrayOf(third, name)) << name;
    }
    EXPECT_NE(arrayOf(second, "scale"), arrayOf(first, "scale")) << "it could change";
    EXPECT_EQ(particles(third).count(), 2u);
    EXPECT_EQ(particles(node.cook(links(whole), 5)).count(), 3u);
    RunningNode fixed("floe.gaussians.deform", {{"covariance", "fixed"}});
    EXPECT_EQ(arrayOf(fixed.cook(links(whole), 1), "scale"), arrayOf(set, "scale"));
}

// Two regions, each with an emitter of its own: the second one's particles come after the first
// one's.
TEST_F(GaussianNodes, ARegionFollowsTheParticlesAfterThoseOfAnother)
{
    const CookedNode one = read({{0, 0, 0}, {1, 0, 0}}, {{"up", "y"}}),
                     two = read({{5, 0, 0}}, {{"up", "y"}});
    const auto particles = solved({0, 1, 2}, {{0, 1, 0}, {1, 1, 0}, {5, 2, 0}}, 0);
    particles->seal();
    Links links = {{"gaussians", {two.output("gaussians")}}, {"particles", {particles}}};
    links["before"] = {one.output("gaussians")};
    const CookedNode moved = cook("floe.gaussians.deform", {}, links, 10);
    ASSERT_EQ(GaussianNodes::particles(moved).count(), 1u);
    EXPECT_FLOAT_EQ(GaussianNodes::particles(moved).get<float>("x", 3)[1], 2);
    links["before"].push_back(one.output("gaussians")); // five before: that particle is gone
    EXPECT_EQ(GaussianNodes::particles(cook("floe.gaussians.deform", {}, links, 10)).count(), 0u);
}

// A quarter turn of the far end about y, where the lattice's particles carry a Gaussian and its
// axes.
TEST_F(GaussianNodes, FollowALattice)
{
    const CookedNode set = read({{0.3f, 1, 0}, {0.3f, 0, 0}}, {{"up", "y"}});
    const ValueRef ball = ballMesh(0.5, 8);
    const Links points = {{"points", {set.output("gaussians")}}, {"mesh", {ball}}};
    const CookedNode lattice = cook("floe.gaussians.lattice", {{"twist", 90.0}}, points);
    const CookedNode moved = cook(
        "floe.gaussians.deform", {},
        {{"gaussians", {set.output("gaussians")}}, {"particles", {lattice.output("particles")}}});
    const auto x = particles(moved).get<float>("x", 3);
    EXPECT_NEAR(x[0], 0, 1e-6);
    EXPECT_NEAR(x[1], 1, 1e-6);
    EXPECT_NEAR(x[2], -0.3, 1e-6);
    EXPECT_NEAR(x[3], 0.3, 1e-6);
    EXPECT_EQ(expect<MeshValue>(lattice.output("mesh")).pointCount(),
              expect<MeshValue>(ball).pointCount());
    EXPECT_THAT(cook("floe.gaussians.lattice").warnings.at(0), HasSubstr("nothing is linked"));
}

TEST_F(GaussianNodes, TiedToOtherParticlesAreRefused)
{
    const CookedNode set = read({{0, 0, 0}, {1, 0, 0}}, {{"up", "y"}});
    const auto others = solved({0, 1}, {{5, 0, 0}, {6, 0, 0}}, 0);
    others->seal();
    const Links links = {{"gaussians", {set.output("gaussians")}}, {"particles", {others}}};
    constexpr double kFirstFrame = 0; // of the range, here
    EXPECT_THAT(failureOf([&] { cook("floe.gaussians.deform", {}, links, kFirstFrame); }),
                HasSubstr("firstId"));
    const auto bare = make<ParticlesValue>(1u);
    bare->add<std::uint64_t>("id", 1)[0] = 0;
    for (float& number : bare->add<float>("x", 3))
        number = 0;
    bare->seal();
    EXPECT_THAT(failureOf([&] {
                    cook("floe.gaussians.deform", {},
                         {{"gaussians", {set.output("gaussians")}}, {"particles", {bare}}});
                }),
                HasSubstr("outputDeformation"));
}

// Particles of a body that turns a quarter about z and moves: Gaussians bound to them do the same,
// also after a checkpoint and without those that are gone.
TEST_F(GaussianNodes, FollowTheNearestParticles)
{
    const CookedNode set = read({{0.1f, 0.05f, 0.01f}, {0.3f, 0.1f, 0.1f}}, {{"up", "y"}});
    // And the first particles of a second body, which lie nearer than most of the first one's.
    const auto body = [](bool moved, std::uint64_t gone) {
        constexpr std::uint64_t kOfFirst = 5 * 5 * 5;
        std::vector<std::array<float, 3>> places;
        for (std::uint64_t i = 0; i < kOfFirst; ++i) {
            const std::array<float, 3> X = {0.1f * static_cast<float>(i % 5),
                                            0.1f * static_cast<float>(i / 5 % 5),
                                            0.1f * static_cast<float>(i / 25)};
            places.push_back(moved ? std::array<float, 3>{2 - X[1], X[0], X[2]} : X);
        }
        for (std::uint64_t i = 0; i < 5; ++i)
            places.push_back({0.1f * static_cast<float>(i), 0.05f, -0.06f});
        const auto particles = make<ParticlesValue>(places.size());
        const auto id = particles->add<std::uint64_t>("id", 1);
        const auto bodies = particles->add<std::uint32_t>("body", 1);
        const auto x = particles->add<float>("x", 3);
        for (std::size_t i = 0; i < places.size(); ++i) {
            id[i] = i == gone ? 1'000'000 : 7 + i;
            bodies[i] = i < kOfFirst ? 0 : 1;
            std::ranges::copy(places[i], x.begin() + static_cast<std::ptrdiff_t>(3 * i));
        }
        particles->seal();
        return particles;
    };
    const auto links = [&](bool moved, std::uint64_t gone) -> Links {
        return {{"gaussians", {set.output("gaussians")}}, {"particles", {body(moved, gone)}}};
    };
    const Settings rigid = {{"covariance", "rigid"}}; // a ball has no axes of its own
    RunningNode node("floe.gaussians.follow", rigid);
    EXPECT_EQ(node.cook(links(false, 124), 1, true).warnings.size(), 0u);
    const std::string state = node.save();
    RunningNode resumed("floe.gaussians.follow", rigid);
    resumed.load(state);
    const CookedNode now = resumed.cook(links(true, 1), 2);
    const auto x = particles(now).get<float>("x", 3);
    const float expected[] = {1.95f, 0.1f, 0.01f, 1.9f, 0.3f, 0.1f};
    for (std::size_t i = 0; i < 6; ++i)
        EXPECT_NEAR(x[i], expected[i], 1e-5) << i;
    const auto turn = particles(now).get<float>("rotation", 4);
    EXPECT_NEAR(std::abs(turn[2]), std::sqrt(0.5), 1e-5);
    EXPECT_NEAR(particles(now).get<float>("scale", 3)[0], 0.02, 1e-6);
    EXPECT_THAT(failureOf([&] { resumed.load(state.substr(0, state.size() / 2)); }),
                ::testing::Not(HasSubstr("no failure")));
}

TEST_F(GaussianNodes, ASequenceIsReadByFrames)
{
    folder_.file("s.0002.splat", splatFile({{2, 0, 0}}));
    folder_.file("s.0003.splat", splatFile({{3, 0, 0}, {4, 0, 0}}));
    const Settings settings = {
        {"path", (folder_ / "s.####.splat").string()}, {"first", 2}, {"last", 3}, {"scale", 2.0}};
    const CookedNode second = cook("floe.gaussians.sequence", settings, {}, 2),
                     late = cook("floe.gaussians.sequence", settings, {}, 9);
    ASSERT_EQ(particles(second).count(), 1u);
    EXPECT_FLOAT_EQ(particles(second).get<float>("x", 3)[0], 4);
    EXPECT_EQ(particles(late).count(), 2u);
    Settings ending = settings;
    ending.insert_or_assign("outside", "empty");
    EXPECT_EQ(particles(cook("floe.gaussians.sequence", ending, {}, 1)).count(), 0u);
    ending.insert_or_assign("last", 5);
    EXPECT_THAT(failureOf([&] { cook("floe.gaussians.sequence", ending, {}, 5); }),
                HasSubstr("s.0005.splat"));
}

TEST_F(GaussianNodes, SpikesAreSplit)
{
    const auto spiky = make<ParticlesValue>(1u);
    const auto fill = [&](const char* name, std::uint32_t components, std::vector<float> values) {
        std::ranges::copy(values, spiky->add<float>(name, components).begin());
    };
    fill("x", 3, {1, 2, 3});
    fill("scale", 3, {0.5f, 0.1f, 0.1f});
    fill("rotation", 4, {0, 0, 0, 1});
    fill("opacity", 1, {0.9f});
    fill("sh", 3, {0, 0, 0});
    spiky->seal();
    const CookedNode split = cook("floe.gaussians.spikes", {}, {{"gaussians", {spiky}}});
    EXPECT_GT(particles(split).count(), 1u);
    EXPECT_LE(particles(split).get<float>("scale", 3)[0], 0.3001);
    const CookedNode cut =
        cook("floe.gaussians.spikes", {{"mode", "clamp"}}, {{"gaussians", {spiky}}});
    ASSERT_EQ(particles(cut).count(), 1u);
    EXPECT_FLOAT_EQ(particles(cut).get<float>("scale", 3)[0], 0.3f);
}

} // namespace
} // namespace floe::test
