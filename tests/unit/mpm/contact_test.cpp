// Walls, colliders and friction.

#include "backends.hpp"
#include "plane.hpp"

using namespace floe::mpm;

template <class Where>
class Contacts : public OnEachBackend<Where> {};
TYPED_TEST_SUITE(Contacts, Backends);

// A floor that rises at 2 m/s lifts what lies on it.
TYPED_TEST(Contacts, AMovingColliderCarriesWhatItTouches)
{
    SolverSettings settings;
    settings.cellSize = 0.05;
    typename TestFixture::Solver solver(settings, this->serial);
    solver.setMaterials({material("fixedCorotated", 1000, {{"youngModulus", 1e5}})});
    auto plane = std::make_shared<Plane>(Vec3d{0, 1, 0});
    plane->speed = 2;
    plane->contact = Contact::slip;
    FLOE_SET_COLLIDERS_OR_SKIP(solver, {plane});
    solver.addParticles(Lattice({0, 0, 0}, {0.4, 0.2, 0.4}, 0.05, {0, 2, 0}).particles());
    run(solver, 0.5);
    EXPECT_NEAR(Frame(solver).meanVelocity().y, 2, 0.1);
    EXPECT_NEAR(Frame(solver).meanPosition().y, 0.1 + 1.0, 0.03);
}

namespace {

/// A box at rest, with the distances of a level set: the nearest face is the way out.
class Barrier final : public Collider {
public:
    Barrier(Vec3d low, Vec3d high) : low_(low), high_(high) {}
    void moveTo(double, double) override {}
    bool mayTouch(const Vec3d&, double) const override { return true; }
    bool rests() const override { return true; }
    void sample(const PointBatch& points, ColliderSample& out) const override
    {
        for (int i = 0; i < points.count; ++i) {
            double nearest = -1e30;
            for (int axis = 0; axis < 3; ++axis) {
                out.normal[axis][i] = out.v[axis][i] = 0;
                const double x = points.corner[axis] + points.x[axis][i];
                nearest = std::max({nearest, low_[axis] - x, x - high_[axis]});
            }
            out.distance[i] = static_cast<float>(nearest);
            for (int axis = 0; axis < 3; ++axis) {
                const double x = points.corner[axis] + points.x[axis][i];
                if (nearest == low_[axis] - x || nearest == x - high_[axis]) {
                    out.normal[axis][i] = nearest == low_[axis] - x ? -1.0f : 1.0f;
                    break;
                }
            }
        }
    }

private:
    Vec3d low_, high_;
};

} // namespace

// A barrier from wall to wall, as long as the tank is wide and no longer, with its foot on the
// floor: whether or not the walls lie on nodes, water finds no way round its ends nor under it.
TYPED_TEST(Contacts, ABarrierThatEndsAtTheWallsIsTight)
{
    for (const double shift : {0.0, 0.02}) {
        SolverSettings settings;
        settings.cellSize = 0.05;
        typename TestFixture::Solver solver(settings, this->serial);
        solver.setMaterials({material("liquid", 1000)});
        Domain tank;
        tank.bounded = true;
        tank.center = {0.5, 0.5 + shift, 0.2 + shift};
        tank.halfSize = {0.5, 0.5, 0.2};
        tank.faces.fill(Contact::slip);
        solver.setDomain(tank);
        auto barrier =
            std::make_shared<Barrier>(Vec3d{0.5, shift, shift}, Vec3d{0.65, 0.8, 0.4 + shift});
        barrier->contact = Contact::slip;
        FLOE_SET_COLLIDERS_OR_SKIP(solver, {barrier});
        solver.addParticles(
            Lattice({0, shift, shift}, {0.5, 0.5 + shift, 0.4 + shift}, 0.05).particles());
        run(solver, 0.6);
        const Frame f(solver);
        for (std::size_t i = 0; i < f.id.size(); ++i)
            ASSERT_LT(f.x[3 * i], 0.55) << shift; // a cell of the barrier may be wet
    }
}

// Bounce acts on particles that are already inside, whose grid does not see the collider.
TYPED_TEST(Contacts, ParticlesInsideAColliderBounceOrVanish)
{
    for (const ParticleContact mode : {ParticleContact::bounce, ParticleContact::remove}) {
        SolverSettings settings;
        settings.cellSize = 0.05;
        settings.gravity = {0, 0, 0};
        typename TestFixture::Solver solver(settings, this->serial);
        solver.setMaterials({material("liquid", 1000)});
        auto plane = std::make_shared<Plane>(Vec3d{0, 1, 0});
        plane->contact = Contact::separate;
        plane->particles = mode;
        FLOE_SET_COLLIDERS_OR_SKIP(solver, {plane});
        Lattice particles({0, -0.2, 0}, {0.2, 0.2, 0.2}, 0.05, {0, -1, 0});
        solver.addParticles(particles.particles());
        const std::uint64_t all = solver.particleCount();
        run(solver, 0.01);
        if (mode == ParticleContact::remove) {
            EXPECT_EQ(solver.particleCount(), all / 2);
            EXPECT_EQ(solver.counts().deletedByCollider, all / 2);
            const Frame f(solver);
            for (std::size_t i = 0; i < f.id.size(); ++i)
                EXPECT_GT(f.x[3 * i + 1], 0);
        } else {
            EXPECT_EQ(solver.particleCount(), all);
            const Frame f(solver);
            for (std::size_t i = 0; i < f.id.size(); ++i)
                EXPECT_TRUE(f.x[3 * i + 1] > 0 || f.v[3 * i + 1] >= -1e-4);
        }
    }
}

// Water in a closed, turned box stays inside: nothing is farther out than the half cell a wall can
// give.
TYPED_TEST(Contacts, AnOrientedBoxHoldsWater)
{
    SolverSettings settings;
    settings.cellSize = 0.05;
    typename TestFixture::Solver solver(settings, this->serial);
    solver.setMaterials({material("liquid", 1000)});
    Domain box;
    box.bounded = true;
    box.center = {0, 0, 0};
    box.halfSize = {0.4, 0.3, 0.3};
    const double c = std::cos(0.5), s = std::sin(0.5);
    box.axes = {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
    box.faces.fill(Contact::slip);
    solver.setDomain(box);
    Lattice water;
    const double step = 0.025;
    for (double a = -0.2; a < 0.2; a += step)
        for (double b = -0.15; b < 0.15; b += step)
            for (double d = -0.15; d < 0.15; d += step)
                water.add({a, b, d}, {0, 0, 0}, step * step * step);
    solver.addParticles(water.particles());
    run(solver, 0.6);
    EXPECT_EQ(solver.particleCount(), water.count());
    const Frame f(solver);
    for (std::size_t i = 0; i < f.id.size(); ++i) {
        const Vec3d x{f.x[3 * i], f.x[3 * i + 1], f.x[3 * i + 2]};
        for (int axis = 0; axis < 3; ++axis)
            EXPECT_LT(std::abs(floe::physics::dot(box.axes.column(axis), x)),
                      box.halfSize[axis] + 0.05);
    }
}
