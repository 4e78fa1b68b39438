/// A heap of sand on a floor, and the asking of a strategy, for tests of what sleeps.
#pragma once

#include "scene.hpp"

namespace floe::mpm {

inline SolverSettings settings()
{
    SolverSettings s;
    s.cellSize = 0.1;
    s.restSpeed = 0.05;
    s.wakeSpeed = 0.05;
    return s;
}

inline Domain floorOnly()
{
    Domain box;
    box.bounded = true;
    box.center = {0, 50, 0};
    box.halfSize = {50, 50, 50};
    box.faces.fill(Contact::stick);
    return box;
}

inline void fill(Stepper& solver)
{
    solver.setMaterials({material("druckerPrager", 1600), material("snow", 400)});
    solver.setDomain(floorOnly());
    solver.addParticles(Lattice({0, 0, 0}, {1.2, 0.6, 0.8}, 0.1).particles(0));
}

inline void runWith(Stepper& solver, const SpeedThreshold& strategy, double duration,
                    int evaluations)
{
    for (int i = 0; i < evaluations; ++i) {
        ActivationRequest request = solver.activationRequest();
        strategy.evaluate(request);
        solver.applyActivation(request);
        run(solver, duration / evaluations);
    }
}

} // namespace floe::mpm
