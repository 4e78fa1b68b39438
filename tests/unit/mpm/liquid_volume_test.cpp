// The volume of a liquid is that which its particles have by position, not only by div v.

#include "cup.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>

#include <random>

using namespace floe::mpm;

namespace {

constexpr double kCell = 0.05, kCrowded = 1.05;
/// Time in which sound of the default liquid crosses a cell [s].
const double kCross = kCell / std::sqrt(5e4 * 7 / 1000);

SolverSettings still(bool byPosition = true)
{
    SolverSettings s;
    s.cellSize = kCell;
    s.gravity = {0, 0, 0};
    s.volumeByPosition = byPosition;
    return s;
}

/// A closed tank of 4 cells an axis. @param shift  of its walls [cells]
Domain tank(double shift = 0)
{
    Domain domain;
    domain.bounded = true;
    domain.halfSize = (2 * kCell) * Vec3d{1, 1, 1};
    domain.center = domain.halfSize + (shift * kCell) * Vec3d{1, 1, 1};
    domain.faces.fill(Contact::slip);
    return domain;
}

/// Runs the tank full of particles whose volume at rest differs from its own, none of which has
/// been compressed. @param crowded  their volume over that of the tank
std::vector<float> volumesAfter(const SolverSettings& settings,
                                std::vector<SolverMaterial> materials, double duration,
                                double crowded = kCrowded, double shift = 0)
{
    SerialExecutor serial;
    Solver solver(settings, serial);
    const Domain domain = tank(shift);
    Lattice all(domain.center - domain.halfSize, domain.center + domain.halfSize, kCell);
    for (float& volume : all.volume)
        volume *= static_cast<float>(crowded);
    solver.setMaterials(std::move(materials));
    solver.setDomain(domain);
    solver.addParticles(all.particles());
    run(solver, duration);
    return Frame(solver).J;
}

/// The same in a box of triangles instead of the domain's walls.
std::vector<float> volumesInThinWalls(const SolverSettings& settings, double duration, double shift)
{
    const Domain domain = tank(shift);
    floe::test::MeshArrays mesh;
    for (unsigned n = 0; n < 8; ++n)
        mesh.add(domain.center.x + (n & 1 ? 1 : -1) * domain.halfSize.x,
                 domain.center.y + (n & 2 ? 1 : -1) * domain.halfSize.y,
                 domain.center.z + (n & 4 ? 1 : -1) * domain.halfSize.z);
    for (const std::uint32_t a : {1u, 2u, 4u}) {
        const std::uint32_t b = a == 1 ? 2 : 1, c = 7 - a - b;
        for (const std::uint32_t side : {0u, a})
            for (const std::uint32_t corner : {0u, b, c, b, c, b + c})
                mesh.corners.push_back(side + corner);
    }
    SerialExecutor serial;
    Solver solver(settings, serial);
    solver.setMaterials({material("liquid", 1000)});
    solver.setColliders({std::make_shared<floe::sdk::world::SurfaceCollider>(
        floe::test::surfaceOf(mesh),
        std::vector<floe_transform_key>{{0, {0, 0, 0}, {0, 0, 0, 1}, 1}}, floe::test::clockOf())});
    Lattice all(domain.center - domain.halfSize, domain.center + domain.halfSize, kCell);
    for (float& volume : all.volume)
        volume *= static_cast<float>(kCrowded);
    solver.addParticles(all.particles());
    run(solver, duration);
    return Frame(solver).J;
}

/// Half a tank of water that is thrown at one of its sides.
void splash(Solver& solver)
{
    Domain domain = tank(0.25);
    domain.halfSize = 2.0 * domain.halfSize;
    solver.setMaterials({material("liquid", 1000)});
    solver.setDomain(domain);
    const Vec3d low = domain.center - domain.halfSize, high = domain.center + domain.halfSize;
    solver.addParticles(
        Lattice(low, {high.x, domain.center.y, high.z}, kCell, {3, 1, 0.5}).particles());
}

SolverSettings splashing()
{
    SolverSettings s = still();
    s.gravity = {0, -9.81, 0};
    return s;
}

} // namespace

// J of every particle goes to the tank's volume over that of the particles at rest, also beside
// walls: the difference falls as exp(-t c / 100 h). Nothing else would change it, since nothing
// moves. The lattice and its images behind walls on nodes or midway are one lattice.
TEST(LiquidVolume, FollowsTheRoomThatThereIs)
{
    const double cells = 200, end = 1 / kCrowded,
                 expected = end + (1 - end) * std::exp(-cells / 100);
    for (const double shift : {0.0, 0.5})
        for (const float j :
             volumesAfter(still(), {material("liquid", 1000)}, cells * kCross, kCrowded, shift))
            ASSERT_NEAR(j, expected, 0.002) << shift;
}

// So it does in a box whose walls are triangles, behind which there is nothing at all. The mass of
// a lattice differs by up to half a percent an axis from that of the continuum that is taken to be
// before a wall, and here everything is near three of them.
TEST(LiquidVolume, FollowsTheRoomBetweenThinWalls)
{
    const double cells = 200, end = 1 / kCrowded,
                 expected = end + (1 - end) * std::exp(-cells / 100);
    for (const double shift : {0.0, 0.5}) {
        const std::vector<float> J = volumesInThinWalls(still(), cells * kCross, shift);
        double mean = 0;
        for (const float j : J) {
            EXPECT_NEAR(j, expected, 0.02) << shift;
            mean += j / static_cast<double>(J.size());
        }
        EXPECT_NEAR(mean, expected, 0.015) << shift;
    }
    for (const float j : volumesInThinWalls(still(false), cells * kCross, 0.5))
        ASSERT_NEAR(j, 1, 1e-3);
}

// What fills its tank exactly stays as it is; and without the setting, so does what is crowded.
TEST(LiquidVolume, StaysWhereThereIsNothingToCorrect)
{
    for (const double shift : {0.0, 0.5})
        for (const float j :
             volumesAfter(still(), {material("liquid", 1000)}, 100 * kCross, 1, shift))
            ASSERT_NEAR(j, 1, 2e-4) << shift;
    // Between nodes and midway the mass of a lattice differs by up to half a percent an axis from
    // that of the continuum that is taken to be behind a wall, and particles move.
    const auto J = volumesAfter(still(), {material("liquid", 1000)}, 100 * kCross, 1, 0.3);
    double sum = 0;
    for (const float j : J)
        sum += j;
    EXPECT_NEAR(sum / static_cast<double>(J.size()), 1, 0.015);
    for (const float j : volumesAfter(still(false), {material("liquid", 1000)}, 100 * kCross))
        ASSERT_NEAR(j, 1, 1e-5);
}

// Half of the particles, taken out at random, are water torn apart: they fall together until they
// are as deep as their volume. Where J follows motion alone, they stay froth.
TEST(LiquidVolume, TornMatterFallsTogether)
{
    const auto depthOver = [](bool byPosition) {
        SolverSettings settings = still(byPosition);
        settings.gravity = {0, -9.81, 0};
        SerialExecutor serial;
        Solver solver(settings, serial);
        Domain domain = tank();
        domain.halfSize.y *= 4;
        domain.center.y *= 4;
        const Vec3d low = domain.center - domain.halfSize, high = domain.center + domain.halfSize;
        const Lattice all(low, {high.x, low.y + 0.75 * (high.y - low.y), high.z}, kCell);
        Lattice half;
        std::mt19937 chance(7);
        double volume = 0;
        for (std::size_t i = 0; i < all.count(); ++i)
            if (chance() & 1) {
                half.add({all.x[3 * i], all.x[3 * i + 1], all.x[3 * i + 2]}, {0, 0, 0},
                         all.volume[i]);
                volume += all.volume[i];
            }
        solver.setMaterials({material("liquid", 1000)});
        solver.setDomain(domain);
        solver.addParticles(half.particles());
        run(solver, 1.5);
        const Frame frame(solver);
        double height = 0;
        for (std::size_t i = 0; i < half.count(); ++i)
            height += (frame.x[3 * i + 1] - low.y) / static_cast<double>(half.count());
        return 2 * height * 4 * domain.halfSize.x * domain.halfSize.z / volume;
    };
    EXPECT_NEAR(depthOver(true), 1, 0.12);
    EXPECT_GT(depthOver(false), 1.3);
}

// Mass says nothing about a liquid's volume where another density may be in it.
TEST(LiquidVolume, FollowsMotionAloneAmongOtherDensities)
{
    const auto J = volumesAfter(
        still(), {material("liquid", 1000), material("fixedCorotated", 400)}, 20 * kCross);
    for (const float j : J)
        ASSERT_NEAR(j, 1, 1e-5);
}

TEST(LiquidVolume, IsTheSameForAnyNumberOfThreadsAndAfterARestart)
{
    SerialExecutor serial;
    ThreadExecutor threads(4);
    Solver one(splashing(), serial), many(splashing(), threads), resumed(splashing(), serial);
    splash(one);
    splash(many);
    splash(resumed); // whatever it held before
    run(one, 0.1);
    run(many, 0.1);
    const std::vector<unsigned char> state = one.save();
    ASSERT_EQ(state, many.save());
    resumed.load(state);
    run(one, 0.1);
    run(many, 0.1);
    run(resumed, 0.1);
    EXPECT_EQ(one.save(), many.save());
    EXPECT_EQ(one.save(), resumed.save());
}

TEST(LiquidVolume, IsTheSameOnEveryInstructionSet)
{
    SerialExecutor serial;
    Solver base(splashing(), serial);
    base.setKernels(kBaselineKernels);
    splash(base);
    run(base, 0.05);
    const Frame expected(base);
    for (const char* name : {"avx2", "avx512"}) {
        const Kernels* kernels = findKernels(name);
        if (!kernels)
            continue;
        Solver other(splashing(), serial);
        other.setKernels(*kernels);
        splash(other);
        run(other, 0.05);
        const Frame found(other);
        ASSERT_EQ(found.J.size(), expected.J.size()) << name;
        for (std::size_t i = 0; i < found.J.size(); ++i)
            ASSERT_NEAR(found.J[i], expected.J[i], 1e-3) << name;
    }
}
