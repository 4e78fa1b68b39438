// Bodies with nodes of their own part, and meet where their surfaces are.

#include "backends.hpp"
#include "meeting_scene.hpp"

using namespace floe::mpm;

template <class Where>
class BodyContact : public OnEachBackend<Where> {};
TYPED_TEST_SUITE(BodyContact, Backends);

// Half a cell apart they share nodes, where a single velocity would drag the one along.
TYPED_TEST(BodyContact, BodiesPartFreely)
{
    for (const bool meet : {true, false}) {
        if (kEmulated && !meet)
            continue;
        SolverSettings settings = meeting();
        settings.bodiesMeet = meet;
        typename TestFixture::Solver solver(settings, this->serial);
        solver.setMaterials({rubber(), rubber()});
        solver.addParticles(Lattice({0, 0, 0}, {0.4, 0.4, 0.4}, kCell).particles(0));
        solver.addParticles(
            Lattice({0.01, 0.425, 0}, {0.41, 0.825, 0.4}, kCell, {0, 1, 0}).particles(1));
        run(solver, kEmulated ? 0.05 : 0.2);
        const Bodies end(solver);
        if (meet) {
            EXPECT_NEAR(end.velocity[0].y, 0, 1e-4);
            EXPECT_NEAR(end.velocity[1].y, 1, 1e-4);
        } else {
            EXPECT_GT(end.velocity[0].y, 0.2);
        }
    }
}

// They neither meet before they touch nor sink into each other, whatever their place on the grid;
// momentum is kept, and of the energy about what an elastic body keeps that meets a wall.
TYPED_TEST(BodyContact, BodiesMeetWhereTheirSurfacesAre)
{
    for (const double speed : {0.2, 1.0})
        for (const double place : {0.0, 0.013, 0.03}) {
            if (kEmulated && (speed < 1 || place != 0.013))
                continue;
            typename TestFixture::Solver solver(meeting(), this->serial);
            solver.setMaterials({rubber(), rubber()});
            solver.addParticles(Lattice({0, 0, 0}, {0.4, 0.4, 0.4}, kCell).particles(0));
            solver.addParticles(
                Lattice({0, 0.425 + place, 0}, {0.4, 0.825 + place, 0.4}, kCell, {0, -speed, 0})
                    .particles(1));
            const Totals before = totals(solver);
            const double meets = (0.025 + place) / speed;
            double least = 1, touch = 1;
            for (int i = 0; i < 40; ++i) {
                run(solver, meets / 20);
                const Bodies now(solver);
                least = std::min(least, now.gap(0, 1));
                if (touch == 1 && std::abs(now.velocity[0].y) > 0.01 * speed)
                    touch = now.gap(0, 1);
            }
            const Totals after = totals(solver);
            EXPECT_NEAR(touch, 0, 0.1) << speed << " " << place;
            EXPECT_GT(least, -0.1) << speed << " " << place;
            EXPECT_NEAR(after.momentum.y / before.momentum.y, 1, 1e-5);
            const double kept = (after.kineticEnergy + after.elasticEnergy) / before.kineticEnergy;
            EXPECT_GT(kept, 0.75); // what rings loses some
            EXPECT_LT(kept, 1.0001);
        }
}
