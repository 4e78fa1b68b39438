#include "pose.hpp"
#include "rpc.hpp"

#include "floe/base/rotation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace floe::serve {
namespace {

using Quaternion = std::array<double, 4>;

Quaternion product(const Quaternion& a, const Quaternion& b)
{
    return {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
            a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
            a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
            a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
}

/// About x first, then y, then z, as colliders are turned.
Quaternion turned(const Vec3d& angles)
{
    Quaternion q{0, 0, 0, 1};
    for (int axis = 0; axis < 3; ++axis) {
        const double half = angles[axis] * std::numbers::pi / 360;
        Quaternion step{0, 0, 0, std::cos(half)};
        step[axis] = std::sin(half);
        q = product(step, q);
    }
    return q;
}

double difference(const Quaternion& a, const Quaternion& b)
{
    double dot = 0;
    for (int k = 0; k < 4; ++k)
        dot += a[k] * b[k];
    return 1 - std::abs(dot);
}

TEST(Poses, AnglesAreTheOrientationAndTurnTheShortWay)
{
    std::mt19937 random(5);
    std::uniform_real_distribution<double> any(-400, 400), small(-4, 4);
    for (int trial = 0; trial < 2000; ++trial) {
        const Vec3d before{any(random), any(random), any(random)};
        Vec3d next = before;
        if (trial % 2 == 0)
            for (double& angle : next)
                angle += small(random);
        else
            next = {any(random), trial % 4 == 1 ? 90.0 : any(random), any(random)};
        const Vec3d read = rotationNear(turned(next), before);
        EXPECT_LT(difference(turned(read), turned(next)), 1e-9) << trial;
        if (trial % 2 == 0 && std::abs(std::cos(next[1] * std::numbers::pi / 180)) > 0.2) {
            for (int axis = 0; axis < 3; ++axis)
                EXPECT_NEAR(read[axis], next[axis], 1e-5) << "the nearest to those before";
        }
    }
}

TEST(Poses, WhatIsNoPoseIsRefusedByName)
{
    const auto refusal = [](const char* text) -> std::string {
        try {
            readPoses(Json::parse(text));
        } catch (const std::exception& error) {
            return error.what();
        }
        return {};
    };
    EXPECT_EQ(refusal(R"({"head": {"position": [0, 1.7, 0], "orientation": [0, 0, 0, 1]}})"), "");
    EXPECT_NE(refusal("{}").find("1 to 64"), std::string::npos);
    EXPECT_NE(refusal("[]").find("1 to 64"), std::string::npos);
    EXPECT_NE(refusal(R"({"": {"position": [0, 0, 0]}})").find("name"), std::string::npos);
    EXPECT_NE(refusal(R"({"head": {}})").find("position"), std::string::npos);
    EXPECT_NE(refusal(R"({"head": 3})"), "");
    EXPECT_NE(refusal(R"({"head": {"position": [0, 0]}})").find("poses.head.position"),
              std::string::npos);
    EXPECT_NE(refusal(R"({"head": {"position": [0, 0, "x"]}})").find("3 numbers"),
              std::string::npos);
    EXPECT_NE(refusal(R"({"head": {"position": [0, 0, 1e9]}})").find("1e6"), std::string::npos);
    EXPECT_NE(refusal(R"({"head": {"position": [0, 0, 0], "speed": 1}})").find("speed"),
              std::string::npos);
    EXPECT_NE(refusal(R"({"head": {"position": [0, 0, 0], "orientation": [0, 0, 0, 0]}})")
                  .find("quaternion"),
              std::string::npos);
    Json many = Json::object();
    for (std::size_t k = 0; k <= kMaxPoses; ++k)
        many["finger" + std::to_string(k)] = {{"position", {0, 0, 0}}};
    EXPECT_NE(refusal(many.dump().c_str()).find("1 to 64"), std::string::npos);
}

} // namespace
} // namespace floe::serve
