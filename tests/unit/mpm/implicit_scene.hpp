/// What tests of the semi-implicit integrator are built from.
#pragma once

#include "scene.hpp"

namespace floe::mpm {

/// The presets of plugins/materials.
inline SolverMaterial metal(double youngModulus = 1e8)
{
    return material("vonMises", 2700,
                    {{"youngModulus", youngModulus},
                     {"poissonRatio", 0.33},
                     {"yieldStress", 5e5},
                     {"hardeningModulus", 1e6}});
}
inline SolverMaterial concrete()
{
    return material("camClay", 2240,
                    {{"youngModulus", 1e8},
                     {"poissonRatio", 0.2},
                     {"frictionAngle", 45},
                     {"tensionShare", 0.5},
                     {"crushHardening", 0.8},
                     {"initialState", -0.01}});
}

inline SolverSettings implicit(double cell, double reach = 10)
{
    SolverSettings s;
    s.cellSize = cell;
    s.integrator = Integrator::semiImplicit;
    s.implicitReach = reach;
    return s;
}
inline SolverSettings symplectic(double cell)
{
    SolverSettings s;
    s.cellSize = cell;
    return s;
}

inline Domain walls(std::initializer_list<Contact> faces, double friction = 0)
{
    Domain box;
    box.bounded = true;
    box.center = {5, 5, 0};
    box.halfSize = {5, 5, 5};
    std::copy(faces.begin(), faces.end(), box.faces.begin());
    box.friction = static_cast<float>(friction);
    return box;
}

} // namespace floe::mpm
