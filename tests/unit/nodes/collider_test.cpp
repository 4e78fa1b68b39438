#include "cooked_node.hpp"

#include "floe/base/error.hpp"
#include "floe/data/mesh.hpp"
#include "floe/sdk/level_set.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace {

using namespace floe::test;
using floe::expect;
using floe::TransformValue;
using floe::ValueRef;
using floe::plugin::Parameter;
using std::numbers::pi;

Vec apply(const floe::TransformKey& key, const Vec& p)
{
    const auto& q = key.rotation;
    const Vec u = {q[0], q[1], q[2]};
    const auto cross = [](const Vec& a, const Vec& b) {
        return Vec{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    };
    Vec t = cross(u, p);
    for (double& part : t)
        part *= 2;
    const Vec c = cross(u, t);
    Vec result;
    for (std::size_t i = 0; i < 3; ++i)
        result[i] = key.position[i] + key.scale * (p[i] + q[3] * t[i] + c[i]);
    return result;
}

const TransformValue& transformOf(const CookedNode& cooked)
{
    return expect<TransformValue>(
        expect<floe::RecordValue>(cooked.output("collider")).find("transform"));
}

// Half a turn a frame about a pivot 1 m away: every substep lies on the circle.
TEST(RigidCollider, FollowsItsCircleWithinAFrame)
{
    const ValueRef ball = shape("floe.shape.sphere", {{"radius", 0.2}});
    const CookedNode cooked = cook(
        "floe.collider", {{"pivot", Vec{1, 0, 0}}, {"rotation", animated([](double frame) {
                                                        return Parameter(Vec{0, 0, 180 * frame});
                                                    })}},
        {{"shape", {ball}}}, 7);
    const TransformValue& track = transformOf(cooked);
    EXPECT_GE(track.keys().size(), 9u);
    EXPECT_DOUBLE_EQ(track.keys().front().frame, 6);
    EXPECT_DOUBLE_EQ(track.keys().back().frame, 7);
    for (int i = 0; i <= 1000; ++i) {
        const double frame = 6 + i / 1000.0, angle = pi * frame;
        const Vec wanted = {1 - std::cos(angle), -std::sin(angle), 0};
        const Vec found = apply(track.at(frame), {0, 0, 0});
        for (std::size_t k = 0; k < 3; ++k)
            EXPECT_NEAR(found[k], wanted[k], 0.01 * 0.02); // 0.01 cells of 0.02 m
    }
}

TEST(RigidCollider, TurnsMoreThanOnceAFrameTheRightWay)
{
    const ValueRef ball = shape("floe.shape.sphere", {{"radius", 0.2}});
    const CookedNode cooked = cook("floe.collider", {{"rotation", animated([](double frame) {
                                                          return Parameter(Vec{0, 900 * frame, 0});
                                                      })}},
                                   {{"shape", {ball}}}, 1);
    const TransformValue& track = transformOf(cooked);
    for (int i = 0; i <= 100; ++i) {
        const double frame = i / 100.0, angle = 5 * pi * frame;
        const Vec found = apply(track.at(frame), {1, 0, 0});
        EXPECT_NEAR(found[0], std::cos(angle), 1e-4);
        EXPECT_NEAR(found[2], -std::sin(angle), 1e-4);
    }
    // Neighbouring quaternions lie on one side, so that blending does not go the long way.
    for (std::size_t i = 1; i < track.keys().size(); ++i) {
        double cosine = 0;
        for (std::size_t k = 0; k < 4; ++k)
            cosine += track.keys()[i].rotation[k] * track.keys()[i - 1].rotation[k];
        EXPECT_GT(cosine, 0);
    }
}

TEST(RigidCollider, RidesOnItsTransformInput)
{
    const auto motion = cook("floe.transform", {{"position", Vec{0, 5, 0}}, {"scale", 2.0}});
    const CookedNode cooked = cook(
        "floe.collider", {{"position", Vec{1, 0, 0}}},
        {{"shape", {shape("floe.shape.sphere")}}, {"transform", {motion.output("transform")}}});
    const Vec found = apply(transformOf(cooked).at(1), {0, 0, 0.5});
    EXPECT_NEAR(found[0], 2, 1e-12);
    EXPECT_NEAR(found[1], 5, 1e-12);
    EXPECT_NEAR(found[2], 1, 1e-12);
}

TEST(RigidCollider, AtRestHasTwoKeysAndAllFields)
{
    const CookedNode cooked = cook("floe.collider", {{"friction", 0.7}, {"contact", "slip"}},
                                   {{"shape", {shape("floe.shape.sphere")}}}, 3);
    EXPECT_EQ(transformOf(cooked).keys().size(), 2u);
    const auto& record = cooked.record("collider");
    EXPECT_EQ(record.schema(), "collider");
    EXPECT_EQ(record.string("contact"), "slip");
    EXPECT_EQ(record.string("particles"), "none");
    EXPECT_DOUBLE_EQ(record.number("friction", 0), 0.7);
}

TEST(RigidCollider, RefusesVectorsAsAShape)
{
    const ValueRef small = shape("floe.shape.sphere", {{"radius", 0.3}});
    serveFiles({{"/s.0000.vdb", small}, {"/s.0001.vdb", small}});
    const CookedNode moving =
        cook("floe.collider.deforming", {{"path", "/s.%04d.vdb"}, {"first", 0}});
    const auto* velocity = moving.record("collider").find("velocity");
    const auto asInput = ValueRef::share(velocity);
    EXPECT_THROW(cook("floe.collider", {}, {{"shape", {asInput}}}), floe::Error);
}

TEST(MeshCollider, HasTrianglesAndNoShape)
{
    const ValueRef mesh = cook("floe.shape.box", {}).output("mesh");
    const CookedNode cooked =
        cook("floe.collider.mesh",
             {{"friction", 0.7}, {"contact", "slip"}, {"position", animated([](double frame) {
                                                           return Parameter(Vec{0.1 * frame, 0, 0});
                                                       })}},
             {{"mesh", {mesh}}}, 7);
    EXPECT_EQ(transformOf(cooked).keys().front().frame, 6);
    EXPECT_NEAR(transformOf(cooked).keys().back().position[0], 0.7, 1e-12);
    const auto& record = cooked.record("collider");
    EXPECT_EQ(record.schema(), "collider");
    EXPECT_EQ(record.string("contact"), "slip");
    EXPECT_DOUBLE_EQ(record.number("friction", 0), 0.7);
    EXPECT_EQ(record.find("shape"), nullptr);
    EXPECT_EQ(expect<floe::MeshValue>(record.find("surface")).triangles().size(),
              expect<floe::MeshValue>(mesh.get()).triangles().size());
    const ValueRef none =
        floe::make<floe::MeshValue>(std::vector<float>{0, 0, 0}, std::vector<std::uint32_t>{});
    EXPECT_THROW(cook("floe.collider.mesh", {}, {{"mesh", {none}}}), floe::Error);
    EXPECT_THROW(cook("floe.collider.mesh", {}), floe::Error);
}

TEST(MeshCollider, IsRefusedWhereDistancesAreNeeded)
{
    const ValueRef mesh = cook("floe.shape.box", {}).output("mesh");
    const ValueRef collider = cook("floe.collider.mesh", {}, {{"mesh", {mesh}}}).output("collider");
    try {
        cook("floe.volume.motion", {}, {{"colliders", {collider}}});
        FAIL() << "was taken";
    } catch (const std::exception& error) {
        EXPECT_NE(std::string(error.what()).find("link a Collider, whose shape is a level set"),
                  std::string::npos)
            << error.what();
    }
}

// A ball that grows by 1 cm a frame: its surface moves outwards at 0.01 * 24 m/s.
TEST(DeformingCollider, KnowsHowFastItsSurfaceMoves)
{
    serveFiles({{"/s.0003.vdb", shape("floe.shape.sphere", {{"radius", 0.30}})},
                {"/s.0004.vdb", shape("floe.shape.sphere", {{"radius", 0.31}})}});
    const CookedNode cooked = cook("floe.collider.deforming", {{"path", "/s.####.vdb"}}, {}, 4);
    const auto& record = cooked.record("collider");
    EXPECT_NE(record.find("nextShape"), nullptr);
    const auto& volume = expect<floe::VolumeValue>(record.find("velocity"));
    const floe_volume view{sizeof(floe_volume), FLOE_SPACE_HOST, volume.grid(), volume.gridBytes()};
    const auto sampler = floe::sdk::VectorField(view).sampler();
    for (int i = 0; i < 100; ++i) {
        const double a = 2.399963 * i, y = -1 + (2 * i + 1) / 100.0, s = std::sqrt(1 - y * y);
        const Vec n = {s * std::cos(a), y, s * std::sin(a)};
        const Vec v = sampler.vector({0.305 * n[0], 0.305 * n[1], 0.305 * n[2]});
        for (std::size_t k = 0; k < 3; ++k)
            EXPECT_NEAR(v[k], 0.24 * n[k], 0.012); // normals are good to h / 2r
    }
}

} // namespace
