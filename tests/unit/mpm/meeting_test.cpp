// Bodies with nodes of their own: they rub and rest on each other.

#include "meeting_scene.hpp"
#include "plane.hpp"

#include <gtest/gtest.h>

#include <utility>

using namespace floe::mpm;

namespace {

/// Turns particles about the z axis.
Lattice turned(Lattice lattice, double angle)
{
    const double c = std::cos(angle), s = std::sin(angle);
    for (std::size_t i = 0; i < lattice.count(); ++i) {
        const double x = lattice.x[3 * i], y = lattice.x[3 * i + 1];
        lattice.x[3 * i] = static_cast<float>(c * x - s * y);
        lattice.x[3 * i + 1] = static_cast<float>(s * x + c * y);
    }
    return lattice;
}

/// Returns the accelerations of blocks down the surface of one heavy slab, which is tilted by
/// `slope` against gravity and by `turn` against the grid.
/// @param materials  of the blocks; of the last one the slab has its friction
std::vector<double> slides(double slope, double turn, std::vector<SolverMaterial> materials)
{
    SerialExecutor serial;
    SolverSettings settings = meeting();
    const double c = std::cos(turn), s = std::sin(turn);
    const double along = 9.81 * std::sin(slope), down = -9.81 * std::cos(slope);
    settings.gravity = Vec3d{c * along - s * down, s * along + c * down, 0};
    const auto slab = static_cast<std::uint16_t>(materials.size() - 1);
    materials[slab].law = material("fixedCorotated", 1e7, {{"youngModulus", 1e10}}).law;
    Solver solver(settings, serial);
    solver.setMaterials(materials);
    for (std::uint16_t b = 0; b < slab; ++b)
        solver.addParticles(
            turned(Lattice({0, 0.15, 0.45 * b}, {0.3, 0.3, 0.45 * b + 0.3}, kCell), turn)
                .particles(b));
    solver.addParticles(
        turned(Lattice({-0.1, -0.1, -0.05}, {0.7, 0.15, 0.45 * slab - 0.1}, kCell), turn)
            .particles(slab));
    auto hold = std::make_shared<Plane>(Vec3d{-s, c, 0});
    hold->contact = Contact::stick;
    solver.setColliders({hold});
    run(solver, 0.25); // what it has slid before it lay on the slab has come to rest
    const Bodies before(solver);
    run(solver, 0.15);
    const Bodies after(solver);
    std::vector<double> accelerations;
    for (std::size_t b = 0; b < slab; ++b) {
        EXPECT_NEAR(-s * after.mean[b].x + c * after.mean[b].y, 0.225, 0.1 * kCell)
            << "it lies on the slab";
        const Vec3d change = after.velocity[b] - before.velocity[b];
        accelerations.push_back((c * change.x + s * change.y) / 0.15);
    }
    return accelerations;
}

SolverMaterial rubbing(double friction, std::uint16_t surface = 0)
{
    SolverMaterial m = rubber(0.002);
    m.friction = friction;
    m.surface = surface;
    return m;
}

double slide(double slope, double friction, double turn)
{
    return slides(slope, turn, {rubbing(friction), rubbing(friction)})[0];
}

/// Returns what Coulomb says: it slides where the slope is steeper than friction holds.
double coulomb(double slope, double friction)
{
    return std::max(9.81 * (std::sin(slope) - friction * std::cos(slope)), 0.0);
}

} // namespace

// a = g (sin - mu cos), along the grid and across it.
TEST(Meeting, ABlockSlidesOnASlabAsCoulombSays)
{
    const double slope = 0.45;
    for (const auto& [turn, friction] :
         {std::pair{0.0, 0.2}, std::pair{0.3, 0.2}, std::pair{0.6, 0.0}})
        EXPECT_NEAR(slide(slope, friction, turn),
                    9.81 * (std::sin(slope) - friction * std::cos(slope)), 0.15)
            << "turned by " << turn << ", friction " << friction;
    EXPECT_NEAR(slide(0.35, 0.5, 0.3), 0, 0.02); // tan 0.35 = 0.365
}

// Two blocks on one slope of a third, each with friction of its own there, on slopes a little less
// and a little more steep than each holds: 0.2 = tan 0.197 and 0.43 = tan 0.406.
TEST(Meeting, EachPairOfBodiesHasItsFriction)
{
    const auto expect = [](const std::vector<SolverMaterial>& materials, double first,
                           double second, std::initializer_list<double> slopes) {
        for (const double slope : slopes) {
            const std::vector<double> a = slides(slope, 0.3, materials);
            EXPECT_NEAR(a[0], coulomb(slope, first), slope < std::atan(first) ? 0.03 : 0.15)
                << "slope " << slope;
            EXPECT_NEAR(a[1], coulomb(slope, second), slope < std::atan(second) ? 0.03 : 0.15)
                << "slope " << slope;
        }
    };
    // Of two bodies the geometric mean: sqrt(0.1 * 0.4) and sqrt(0.46225 * 0.4).
    expect({rubbing(0.1), rubbing(0.46225), rubbing(0.4)}, 0.2, 0.43, {0.25, 0.35});
    // A pair's own, whatever the bodies' are; the last one of a pair counts.
    std::vector<SolverMaterial> pairs = {rubbing(5, 0), rubbing(0, 1), rubbing(0.8, 2)};
    setFriction(pairs, 0, 2, 0.7);
    setFriction(pairs, 2, 0, 0.2);
    setFriction(pairs, 1, 2, 0.43);
    expect(pairs, 0.2, 0.43, {0.15, 0.25, 0.35, 0.45});
}

TEST(Meeting, FrictionIsBetweenSurfaces)
{
    std::vector<SolverMaterial> m = {rubbing(0.3, 7), rubbing(0.3, 7), rubbing(1.2, 9)};
    EXPECT_EQ(frictionBetween(m[0], m[1]), 0.3);
    EXPECT_EQ(frictionBetween(m[0], m[2]), 0.6);
    setFriction(m, 7, 7, 0.05);
    EXPECT_EQ(frictionBetween(m[0], m[1]), 0.05);
    EXPECT_EQ(frictionBetween(m[1], m[0]), 0.05);
    EXPECT_EQ(frictionBetween(m[2], m[0]), 0.6);
    setFriction(m, 7, 9, 0);
    EXPECT_EQ(frictionBetween(m[2], m[1]), 0);
    EXPECT_EQ(frictionBetween(m[0], m[2]), 0);
    SerialExecutor serial;
    Solver solver(meeting(), serial);
    for (const double wrong : {-0.1, std::nan("")}) {
        EXPECT_THROW(solver.setMaterials({rubbing(wrong)}), std::invalid_argument);
        std::vector<SolverMaterial> one = {rubbing(0.3)};
        setFriction(one, 0, 0, wrong);
        EXPECT_THROW(solver.setMaterials(one), std::invalid_argument);
    }
}

// Two at rest on each other and on the floor, and a third beside them, whose nodes all three share.
TEST(Meeting, AStackStands)
{
    SerialExecutor serial;
    SolverSettings settings = meeting();
    settings.gravity = {0, -9.81, 0};
    Solver solver(settings, serial);
    Domain box;
    box.bounded = true;
    box.center = {0, 2, 0};
    box.halfSize = {2, 2, 2};
    box.faces.fill(Contact::separate);
    box.faces[2] = Contact::slip; // a mirror
    solver.setDomain(box);
    solver.setMaterials({rubber(0.002), rubber(0.002), rubber(0.002)});
    solver.addParticles(Lattice({0, 0, 0}, {0.4, 0.2, 0.4}, kCell).particles(0));
    solver.addParticles(Lattice({0.05, 0.2, 0}, {0.35, 0.4, 0.4}, kCell).particles(1));
    solver.addParticles(Lattice({0.4, 0, 0}, {0.6, 0.4, 0.4}, kCell).particles(2));
    run(solver, 0.5);
    const Bodies end(solver);
    for (std::size_t b = 0; b < 3; ++b) {
        const Vec3d begin = b == 0   ? Vec3d{0.2, 0.1, 0.2}
                            : b == 1 ? Vec3d{0.2, 0.3, 0.2}
                                     : Vec3d{0.5, 0.2, 0.2};
        EXPECT_LT(floe::physics::length(end.velocity[b]), 0.01) << b;
        EXPECT_LT(floe::physics::length(end.mean[b] - begin), 0.2 * kCell) << b;
    }
}

namespace {

/// Snow, water, rubber and sand fall onto each other in a box, one side of which is a mirror.
void fillBox(Solver& solver)
{
    solver.setMaterials({material("snow", 400), material("liquid", 1000), rubber(),
                         material("druckerPrager", 1600)});
    Domain box;
    box.bounded = true;
    box.center = {0, 0.4, 0};
    box.halfSize = {0.4, 0.4, 0.4};
    box.faces = {Contact::separate, Contact::slip,     Contact::slip,
                 Contact::open,     Contact::separate, Contact::stick};
    box.friction = 0.3f;
    solver.setDomain(box);
    solver.addParticles(Lattice({-0.3, 0, -0.3}, {0.3, 0.1, 0.3}, kCell).particles(0));
    solver.addParticles(
        Lattice({-0.1, 0.15, -0.3}, {0.3, 0.3, 0.2}, kCell, {-1, -2, 0}).particles(1));
    solver.addParticles(Lattice({-0.3, 0.2, 0}, {-0.12, 0.4, 0.2}, kCell, {2, -2, 1}).particles(2));
    solver.addParticles(Lattice({0, 0.35, 0}, {0.2, 0.5, 0.3}, kCell, {0, -3, 0}).particles(3));
}

} // namespace

TEST(Meeting, ThreadsAndRestartsChangeNoBit)
{
    SerialExecutor serial;
    ThreadExecutor threads(4);
    for (const bool blends : {false, true}) {
        SolverSettings settings = meeting();
        settings.gravity = {0, -9.81, 0};
        settings.transfer = blends ? Transfer::picFlip : Transfer::apic;
        settings.kernel = blends ? Kernel::cubic : Kernel::quadratic;
        Solver one(settings, serial), many(settings, threads), second(settings, serial);
        fillBox(one);
        fillBox(many);
        run(one, 0.02);
        run(many, 0.02);
        const auto state = one.save();
        ASSERT_EQ(state, many.save());
        run(one, 0.04);
        run(many, 0.04);
        ASSERT_EQ(one.save(), many.save());
        fillBox(second);
        second.load(state);
        run(second, 0.04);
        EXPECT_EQ(one.save(), second.save());
        EXPECT_GT(Frame(one).id.size(), 1000u);
    }
}
