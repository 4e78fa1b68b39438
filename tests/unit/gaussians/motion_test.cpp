#include "motion/deforming.hpp"
#include "motion/filling.hpp"
#include "random_set.hpp"

#include "floe/sdk/node.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <numeric>

namespace floe::gaussians {
namespace {

using test::covarianceOf;
using test::randomSet;
using Mat3f = physics::Mat3<float>;

constexpr float kFar = 1000; // no bound on the stretch

Mat3f floats(const Mat3& A)
{
    Mat3f result;
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
            result[row][column] = static_cast<float>(A[row][column]);
    return result;
}

struct Deformed {
    std::array<float, 3> scale;
    std::array<float, 4> rotation, turn;
};

/// One Gaussian by itself.
Deformed deformed(const Mat3f& F, Following following, const float* scale, const float* rotation,
                  float maxStretch)
{
    Deformed result{};
    deform({1, &F.m[0][0], scale, rotation, following, maxStretch, result.scale.data(),
            result.rotation.data(), result.turn.data()});
    return result;
}

GaussianSet after(const GaussianSet& set, const Mat3& F, Following following, float most = kFar)
{
    GaussianSet result = set;
    for (std::size_t i = 0; i < set.count(); ++i) {
        const Deformed now =
            deformed(floats(F), following, &set.scale[3 * i], &set.rotation[4 * i], most);
        std::copy_n(now.scale.begin(), 3, &result.scale[3 * i]);
        std::copy_n(now.rotation.begin(), 4, &result.rotation[4 * i]);
    }
    return result;
}

void expectNear(const Mat3& found, const Mat3& expected, double share)
{
    double size = 0;
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
            size = std::max(size, std::abs(expected[row][column]));
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
            EXPECT_NEAR(found[row][column], expected[row][column], share * size);
}

// Single precision through a singular value decomposition: some units in the last place.
constexpr double kRounding = 5e-6;

TEST(Deforming, CovarianceBecomesFAFt)
{
    const GaussianSet set = randomSet(200, 0);
    const Mat3 F = {{{1.3, 0.4, -0.2}, {-0.1, 0.7, 0.5}, {0.3, 0.2, 1.1}}};
    const GaussianSet now = after(set, F, Following::Full);
    for (std::size_t i = 0; i < set.count(); ++i)
        expectNear(covarianceOf(now, i), F * covarianceOf(set, i) * transpose(F), kRounding);
}

// A batch that fills no register evenly, each with a motion of its own, by every instruction set
// that this machine has.
TEST(Deforming, ABatchIsDeformedByEveryInstructionSet)
{
    const GaussianSet set = randomSet(203, 0);
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    std::vector<Mat3> motions;
    std::vector<float> F;
    for (std::size_t i = 0; i < set.count(); ++i) {
        Quaternion q;
        for (double& part : q)
            part = normal(random);
        normalise(q);
        Mat3 stretch = Mat3::identity();
        for (int row = 0; row < 3; ++row)
            for (int column = 0; column <= row; ++column)
                stretch[row][column] = stretch[column][row] =
                    (row == column ? 1 : 0) + 0.15 * normal(random);
        motions.push_back(matrixOf(q) * stretch);
        for (int k = 0; k < 9; ++k)
            F.push_back(static_cast<float>(motions.back()[k / 3][k % 3]));
    }
    int found = 0;
    for (const char* name : {"baseline", "avx2", "avx512"}) {
        const Deform chosen = findDeform(name);
        if (!chosen)
            continue;
        SCOPED_TRACE(name);
        ++found;
        GaussianSet now = set;
        std::vector<float> turns(4 * set.count());
        chosen({set.count(), F.data(), set.scale.data(), set.rotation.data(), Following::Full, kFar,
                now.scale.data(), now.rotation.data(), turns.data()});
        for (std::size_t i = 0; i < set.count(); ++i) {
            const Mat3& motion = motions[i];
            expectNear(covarianceOf(now, i), motion * covarianceOf(set, i) * transpose(motion),
                       kRounding);
            // R^T F is symmetric for the rotation R of F, and for no other near it.
            Quaternion q;
            std::copy_n(&turns[4 * i], 4, q.begin());
            const Mat3 S = transpose(matrixOf(q)) * motion;
            for (int row = 0; row < 3; ++row)
                EXPECT_NEAR(S[row][(row + 1) % 3], S[(row + 1) % 3][row], kRounding);
        }
    }
    EXPECT_GE(found, 1);
    EXPECT_EQ(findDeform("mmx"), nullptr);
}

TEST(Deforming, ARotationTurnsAndChangesNoSize)
{
    const GaussianSet set = randomSet(200, 0);
    const Mat3 R = matrixOf(fromEuler({20, 130, -70}));
    for (const Following following : {Following::Full, Following::Rigid}) {
        const GaussianSet now = after(set, R, following);
        for (std::size_t i = 0; i < set.count(); ++i)
            expectNear(covarianceOf(now, i), R * covarianceOf(set, i) * transpose(R), kRounding);
    }
    const GaussianSet still = after(set, R, Following::Fixed);
    EXPECT_EQ(still.rotation, set.rotation);
    EXPECT_EQ(still.scale, set.scale);
}

// Stretched along its axes, an ellipsoid's axes grow by the stretches.
TEST(Deforming, AStretchScalesTheAxes)
{
    const float scale[] = {0.1f, 0.2f, 0.3f}, upright[] = {0, 0, 0, 1};
    const Mat3f F = {{{2, 0, 0}, {0, 0.5f, 0}, {0, 0, 3}}};
    const Deformed now = deformed(F, Following::Full, scale, upright, kFar);
    std::array<float, 3> sorted = now.scale;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_NEAR(sorted[0], 0.1, 1e-6);
    EXPECT_NEAR(sorted[1], 0.2, 1e-6);
    EXPECT_NEAR(sorted[2], 0.9, 1e-6);
    const Deformed bounded = deformed(F, Following::Full, scale, upright, 1.5f);
    EXPECT_NEAR(std::max({bounded.scale[0], bounded.scale[1], bounded.scale[2]}), 0.45, 1e-6);
}

// Of F = R S the colours follow R alone.
TEST(Deforming, ColoursTurnByThePolarRotation)
{
    const Quaternion q = fromEuler({40, -20, 100});
    const Mat3 S = {{{1.5, 0.2, 0.1}, {0.2, 0.8, -0.1}, {0.1, -0.1, 1.2}}};
    const float scale[] = {0.1f, 0.2f, 0.3f}, upright[] = {0, 0, 0, 1};
    for (const Following following : {Following::Full, Following::Rigid, Following::Fixed}) {
        const Deformed now = deformed(floats(matrixOf(q) * S), following, scale, upright, kFar);
        double cosine = 0;
        for (std::size_t k = 0; k < 4; ++k)
            cosine += q[k] * now.turn[k];
        EXPECT_NEAR(std::abs(cosine), 1, 1e-6);
    }
}

TEST(Deforming, WhatIsNotANumberChangesNothing)
{
    const float scale[] = {0.1f, 0.2f, 0.3f}, upright[] = {0, 0, 0, 1};
    Mat3f F = Mat3f::identity();
    F[1][2] = std::numeric_limits<float>::quiet_NaN();
    const Deformed now = deformed(F, Following::Full, scale, upright, kFar);
    EXPECT_EQ(now.scale, (std::array{0.1f, 0.2f, 0.3f}));
    EXPECT_EQ(now.turn, (std::array{0.0f, 0.0f, 0.0f, 1.0f}));
    const float flat[] = {0, 0, 0};
    EXPECT_EQ(deformed(Mat3f::identity(), Following::Full, flat, upright, kFar).scale,
              (std::array{0.0f, 0.0f, 0.0f}));
}

constexpr auto kNothing = [] {
};

TEST(Filling, GaussiansShareTheVolumeOfTheirCell)
{
    const std::vector<float> x = {0.05f, 0.05f, 0.05f, 0.35f, 0.05f, 0.05f, 0.01f, 0.09f, 0.02f};
    const Matter matter = matterOf(x, 0.1, nullptr, 8, 0, kNothing);
    EXPECT_EQ(matter.x, x);
    ASSERT_EQ(matter.volume.size(), 3u);
    EXPECT_FLOAT_EQ(matter.volume[0], 0.0005f);
    EXPECT_FLOAT_EQ(matter.volume[1], 0.001f);
    EXPECT_FLOAT_EQ(matter.volume[2], 0.0005f);
}

// A cube of 8 x 8 x 8 cells with Gaussians on its top: the rest is filled, and the volumes add up.
TEST(Filling, FillsWhatGaussiansLeaveEmpty)
{
    std::vector<float> x;
    for (int i = 0; i < 40; ++i)
        for (int k = 0; k < 40; ++k)
            x.insert(x.end(), {0.01f + 0.02f * i, 0.79f, 0.01f + 0.02f * k});
    const Inside cube = {{{{0, 0, 0}, {0.8, 0.8, 0.8}}}, [](const std::array<double, 3>& p) {
                             return *std::max_element(p.begin(), p.end()) < 0.8 &&
                                    *std::min_element(p.begin(), p.end()) > 0;
                         }};
    const Matter matter = matterOf(x, 0.1, &cube, 8, 3, kNothing);
    ASSERT_GT(matter.volume.size(), 1600u);
    EXPECT_TRUE(std::equal(x.begin(), x.end(), matter.x.begin())) << "Gaussians come first";
    EXPECT_EQ(matter.volume.size(), 1600u + 7 * 64 * 8);
    EXPECT_NEAR(std::accumulate(matter.volume.begin(), matter.volume.end(), 0.0), 0.512, 1e-5);
    for (std::size_t i = 1600; i < matter.volume.size(); ++i)
        EXPECT_LT(matter.x[3 * i + 1], 0.7f);
}

/// Blocks of 4 cells, whose borders cut cells; every third belongs to a region.
struct Blocks {
    explicit Blocks(int own) : which(own)
    {
        table.struct_size = sizeof table;
        table.self = this;
        table.meets = [](const void* self, const double low[3], const double high[3]) {
            const auto& blocks = *static_cast<const Blocks*>(self);
            for (int x = at(low[0]); x <= at(high[0]); ++x)
                for (int y = at(low[1]); y <= at(high[1]); ++y)
                    for (int z = at(low[2]); z <= at(high[2]); ++z)
                        if (blocks.holds(x, y, z))
                            return 1;
            return 0;
        };
        table.find = [](const void* self, const float* x, std::uint64_t count,
                        std::uint8_t* inside) {
            const auto& blocks = *static_cast<const Blocks*>(self);
            for (std::uint64_t i = 0; i < count; ++i, x += 3)
                inside[i] = blocks.holds(at(x[0]), at(x[1]), at(x[2]));
        };
    }
    Blocks(const Blocks&) = delete;
    Blocks& operator=(const Blocks&) = delete;

    static int at(double x) { return static_cast<int>(std::floor((x / kCell - 0.5) / 4)); }
    bool holds(int x, int y, int z) const { return ((x + 2 * y + 5 * z) % 3 + 3) % 3 == which; }

    static constexpr double kCell = 0.01;
    int which;
    floe_emission_region table{};
};

// Far from the origin, where single precision moves some samples into the cell beside theirs, of
// another block: the cell's volume is shared by the same number of them.
TEST(Filling, GivesEachRegionItsOwnOfTheSameParticles)
{
    constexpr double kAway = 100;
    std::vector<float> x;
    for (int i = 0; i < 2000; ++i)
        x.insert(x.end(), {static_cast<float>(kAway + 0.0007 * (i % 500)),
                           static_cast<float>(kAway + 0.3 + 0.004 * (i / 500)),
                           static_cast<float>(kAway + 0.00037 * (i * 7 % 1000))});
    const Inside cube = {{{{kAway, kAway, kAway}, {kAway + 0.4, kAway + 0.3, kAway + 0.4}}},
                         [](const std::array<double, 3>& p) {
                             return p[1] < kAway + 0.29;
                         }};
    constexpr auto kNinth = static_cast<float>(Blocks::kCell * Blocks::kCell * Blocks::kCell / 9);
    for (const Inside* inside : {&cube, static_cast<const Inside*>(nullptr)}) {
        const Matter whole = matterOf(x, Blocks::kCell, inside, 8, 3, kNothing);
        EXPECT_TRUE(whole.place.empty());
        if (inside) {
            EXPECT_GT(whole.volume.size(), 300000u);
            EXPECT_GT(std::ranges::count(whole.volume, kNinth), 50)
                << "samples that single precision has moved";
        }
        std::map<std::uint64_t, std::array<float, 4>> all;
        for (const int which : {0, 1, 2}) {
            const Blocks blocks(which);
            floe_emission request{};
            request.struct_size = sizeof request;
            request.region = &blocks.table;
            const sdk::EmissionRegion region(request);
            const Matter own = matterOf(x, Blocks::kCell, inside, 8, 3, kNothing, &region);
            ASSERT_EQ(own.place.size(), own.volume.size());
            EXPECT_TRUE(std::ranges::is_sorted(own.place));
            EXPECT_LT(own.volume.size(), whole.volume.size() / 2);
            for (std::size_t i = 0; i < own.volume.size(); ++i) {
                const float* at = &own.x[3 * i];
                ASSERT_TRUE(blocks.holds(Blocks::at(at[0]), Blocks::at(at[1]), Blocks::at(at[2])));
                ASSERT_TRUE(
                    all.insert({own.place[i], {at[0], at[1], at[2], own.volume[i]}}).second);
            }
        }
        ASSERT_EQ(all.size(), whole.volume.size());
        std::size_t i = 0;
        for (const auto& [place, particle] : all) { // in the order of the whole
            ASSERT_TRUE(std::equal(particle.begin(), particle.begin() + 3, &whole.x[3 * i])) << i;
            ASSERT_EQ(particle[3], whole.volume[i]) << i;
            ++i;
        }
    }
}

TEST(Filling, RefusesWhatNoMachineHolds)
{
    const Inside huge = {{{{0, 0, 0}, {1e4, 1e4, 1e4}}}, [](const std::array<double, 3>&) {
                             return true;
                         }};
    EXPECT_THROW(matterOf({}, 0.001, &huge, 8, 0, kNothing), sdk::Failure);
    const Inside some = {{{{0, 0, 0}, {1, 1, 1}}}, huge.holds};
    EXPECT_THROW(matterOf({}, 0.01, &some, 8, 0, [] { throw sdk::Failure("", FLOE_CANCELLED); }),
                 sdk::Failure);
}

} // namespace
} // namespace floe::gaussians
