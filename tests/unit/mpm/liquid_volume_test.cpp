// The volume of a liquid is that which its particles have by position, not only by div v.

#include "backends.hpp"

using namespace floe::mpm;

template <class Where>
class LiquidVolume : public OnEachBackend<Where> {};
TYPED_TEST_SUITE(LiquidVolume, Backends);

namespace {

constexpr double kCell = 0.05, kCrowded = 1.05;
/// Time in which sound of the default liquid crosses a cell [s].
const double kCross = kCell / std::sqrt(5e4 * 7 / 1000);

/// A closed tank of 4 cells an axis.
Domain tank()
{
    Domain domain;
    domain.bounded = true;
    domain.halfSize = (2 * kCell) * Vec3d{1, 1, 1};
    domain.center = domain.halfSize;
    domain.faces.fill(Contact::slip);
    return domain;
}

/// The tank full of particles whose volume at rest is 5 % more than its own, none of which has been
/// compressed.
Lattice crowd()
{
    const Domain domain = tank();
    Lattice all(domain.center - domain.halfSize, domain.center + domain.halfSize, kCell);
    for (float& volume : all.volume)
        volume *= static_cast<float>(kCrowded);
    return all;
}

template <class Solver>
std::vector<float> volumesAfter(Solver& solver, std::vector<SolverMaterial> materials,
                                double duration)
{
    solver.setMaterials(std::move(materials));
    solver.setDomain(tank());
    solver.addParticles(crowd().particles());
    run(solver, duration);
    return Frame(solver).J;
}

} // namespace

// J of every particle goes to the tank's volume over that of the particles at rest, also beside
// walls: the difference falls as exp(-t c / 100 h). Nothing else would change it, since nothing
// moves.
TYPED_TEST(LiquidVolume, FollowsTheRoomThatThereIs)
{
    SolverSettings s;
    s.cellSize = kCell;
    s.gravity = {0, 0, 0};
    typename TestFixture::Solver solver(s, this->serial);
    const double cells = kEmulated ? 60 : 200;
    const auto J = volumesAfter(solver, {material("liquid", 1000)}, cells * kCross);
    const double end = 1 / kCrowded, expected = end + (1 - end) * std::exp(-cells / 100);
    // Beside a wall, the mass of a lattice differs by up to 0.5 % an axis from that of a continuum.
    for (const float j : J)
        ASSERT_NEAR(j, expected, 0.015);
}

// Mass says nothing about a liquid's volume where another density may be in it.
TYPED_TEST(LiquidVolume, FollowsMotionAloneAmongOtherDensities)
{
    SolverSettings s;
    s.cellSize = kCell;
    s.gravity = {0, 0, 0};
    typename TestFixture::Solver solver(s, this->serial);
    const auto J = volumesAfter(solver, {material("liquid", 1000), material("fixedCorotated", 400)},
                                20 * kCross);
    for (const float j : J)
        ASSERT_NEAR(j, 1, 1e-5);
}
