// Walls of a domain: symmetry planes, tanks that do not lie on nodes, films on floors.

#include "backends.hpp"

using namespace floe::mpm;

template <class Where>
class Walls : public OnEachBackend<Where> {};
TYPED_TEST_SUITE(Walls, Backends);

namespace {

constexpr double kCell = 0.05;

Domain box(Vec3d low, Vec3d high)
{
    Domain domain;
    domain.bounded = true;
    domain.center = 0.5 * (low + high);
    domain.halfSize = 0.5 * (high - low);
    domain.faces.fill(Contact::open);
    return domain;
}

/// A cube that is squeezed along x and y and stretched along z, which stays symmetric about x = c.
Lattice squeezed(double from, double c)
{
    Lattice cube({c + from, 0.003, 0.004}, {c + 0.4, 0.403, 0.404}, kCell);
    for (std::size_t i = 0; i < cube.count(); ++i) {
        cube.v[3 * i] = static_cast<float>(-3 * (cube.x[3 * i] - c));
        cube.v[3 * i + 1] = static_cast<float>(-2 * (cube.x[3 * i + 1] - 0.2));
        cube.v[3 * i + 2] = static_cast<float>(4 * (cube.x[3 * i + 2] - 0.2));
    }
    return cube;
}

} // namespace

// Half a body before a slip wall moves as the whole body does without it: to rounding where the
// wall is on a node or midway between two, by first order elsewhere.
TYPED_TEST(Walls, ASlipWallIsAPlaneOfSymmetry)
{
    for (const char* law : {"fixedCorotated", "vonMises", "liquid"})
        for (const double place : {0.0, 0.5, 0.3}) {
            if (kEmulated && place != 0.3)
                continue;
            const double c = (2 + place) * kCell;
            std::vector<std::vector<float>> x;
            for (const bool half : {false, true}) {
                SolverSettings s;
                s.cellSize = kCell;
                s.gravity = {0, -9.81, 0};
                s.longestStep = 2e-4;
                typename TestFixture::Solver solver(s, this->serial);
                solver.setMaterials({material(law, 1000)});
                Domain domain = box({c, -9, -9}, {9, 9, 9});
                if (half)
                    domain.faces[0] = Contact::slip;
                else
                    domain.bounded = false;
                solver.setDomain(domain);
                solver.addParticles(squeezed(half ? 0 : -0.4, c).particles());
                run(solver, kEmulated ? 0.01 : 0.1);
                x.push_back(Frame(solver).x);
            }
            // The whole's first half is the mirror image: x is its slowest index.
            ASSERT_EQ(x[0].size(), 2 * x[1].size());
            double worst = 0;
            for (std::size_t i = 0; i < x[1].size(); ++i)
                worst = std::max(worst, std::abs(double{x[1][i]} - x[0][x[1].size() + i]));
            const bool exact = place != 0.3;
            EXPECT_LT(worst, (exact ? 2e-4 : 0.2) * kCell) << law << " at " << place;
        }
}

// A tank whose walls lie anywhere between nodes keeps its width to a fifth of a cell.
TYPED_TEST(Walls, ATankDoesNotLeakIntoItsWalls)
{
    for (const double place : {0.0, 0.25, 0.5, 0.8}) {
        if (kEmulated && place != 0.25)
            continue;
        SolverSettings s;
        s.cellSize = kCell;
        typename TestFixture::Solver solver(s, this->serial);
        solver.setMaterials({material("liquid", 1000)});
        const Vec3d low{place * kCell, place * kCell, 0}, high = low + Vec3d{0.6, 0.6, 0.2};
        Domain tank = box(low, high);
        tank.faces.fill(Contact::slip);
        solver.setDomain(tank);
        solver.addParticles(Lattice(low, {high.x, low.y + 0.4, high.z}, kCell).particles());
        run(solver, kEmulated ? 0.05 : 1);
        const Frame frame(solver);
        double out = 0;
        for (std::size_t i = 0; i < frame.x.size(); ++i) {
            const int axis = static_cast<int>(i % 3);
            out = std::max({out, low[axis] - frame.x[i], frame.x[i] - high[axis]});
        }
        EXPECT_LT(out, 0.2 * kCell) << place;
    }
}

// A bar that reaches into a no-slip wall is clamped by it: what lies deep behind stands still, what
// is before bends about as fast as it falls at most.
TYPED_TEST(Walls, ABarThatReachesIntoANoSlipWallIsClamped)
{
    for (const double place : {0.0, 0.4}) {
        if (kEmulated && place != 0.4)
            continue;
        const double wall = (2 + place) * kCell, time = kEmulated ? 0.02 : 0.2;
        SolverSettings s;
        s.cellSize = kCell;
        s.gravity = {0, -4, 0};
        typename TestFixture::Solver solver(s, this->serial);
        solver.setMaterials({material("hencky", 2700, {{"youngModulus", 1e7}})});
        Domain domain = box({wall, -9, -9}, {9, 9, 9});
        domain.faces[0] = Contact::stick;
        solver.setDomain(domain);
        const Vec3d low{wall - 4 * kCell, 0, 0}, high{wall + 10 * kCell, 4 * kCell, 2 * kCell};
        solver.addParticles(Lattice(low, high, kCell).particles());
        const Frame before(solver);
        run(solver, time);
        const Frame after(solver);
        double tip = 0, tips = 0;
        ASSERT_EQ(after.x.size(), before.x.size());
        for (std::size_t i = 0; i < after.id.size(); ++i) {
            const double x = before.x[3 * i], moved = after.x[3 * i + 1] - before.x[3 * i + 1];
            ASSERT_LT(std::abs(moved), 1.5 * 2 * time * time) << x; // half of g t^2, and waves
            if (x < wall - 1.5 * kCell) {
                ASSERT_EQ(moved, 0) << x;
            }
            if (x > high.x - kCell) {
                tip += moved;
                ++tips;
            }
        }
        EXPECT_LT(tip / tips, kEmulated ? -0.5 * 2 * time * time : -1e-3);
    }
}

// A film that starts to run down an incline, here gravity that is turned: the mean speed after t is
// g H^2/(3 nu) (1 - 96 sum exp(-nu (k pi/2 H)^2 t)/(k pi)^4), k odd (Navier and Stokes between a
// wall and a free surface).
TYPED_TEST(Walls, AFilmRunsDownANoSlipFloorAsFastWhateverTheStep)
{
    const double depth = 0.1, along = 2, viscosity = 0.05,
                 time = 0.2; // [m], [m/s^2], [m^2/s], [s]
    double share = 1;
    for (int k = 1; k < 20; k += 2)
        share -= 96 / std::pow(k * M_PI, 4) *
                 std::exp(-viscosity * std::pow(k * M_PI / (2 * depth), 2) * time);
    const double expected = share * along * depth * depth / (3 * viscosity);
    if (kEmulated)
        GTEST_SKIP() << "half an hour";
    for (const auto& [cells, limit] : {std::pair{4, 0.5}, {4, 0.1}, {8, 0.5}}) {
        const double cell = depth / cells;
        SolverSettings s;
        s.cellSize = cell;
        s.gravity = {along, -9.6, 0};
        s.materialLimit = limit;
        typename TestFixture::Solver solver(s, this->serial);
        solver.setMaterials({material("liquid", 1000, {{"viscosity", 1000 * viscosity}})});
        Domain domain = box({-9, 0, 0}, {9, 9, 4 * cell});
        domain.faces[2] = Contact::stick;
        domain.faces[4] = domain.faces[5] = Contact::slip;
        solver.setDomain(domain);
        solver.addParticles(Lattice({0, 0, 0}, {6 * depth, depth, 4 * cell}, cell).particles());
        run(solver, time);
        const Frame frame(solver);
        double sum = 0, count = 0, middle = frame.meanPosition().x;
        for (std::size_t i = 0; i < frame.id.size(); ++i)
            if (std::abs(frame.x[3 * i] - middle) < depth) {
                sum += frame.v[3 * i];
                ++count;
            }
        EXPECT_NEAR(sum / count, expected, (cells == 8 ? 0.06 : 0.12) * expected)
            << cells << " cells, limit " << limit;
    }
}
