// What is reported where no step can be taken.

#include "stepper.hpp"

#include <algorithm>
#include <cstdio>

namespace floe::mpm {

namespace {

/// Formats a number for messages.
std::string number(double a)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", a);
    return text;
}

} // namespace

const std::string& Stepper::stiffest()
{
    static const std::string none;
    const std::uint32_t material = backend_->signalMaterial();
    return material < materials_.size() ? materials_[material].name : none;
}

void Stepper::failNotANumber()
{
    if (const auto material = backend_->findNotFinite())
        throw Diverged("material '" + materials_[*material].name +
                       "' produced a value that is not a number at " + number(time_) +
                       " s; lower the solver's material limit or its stiffness");
    throw Diverged("velocities became infinite at " + number(time_) + " s (stiffest material: '" +
                   stiffest() + "'); lower the solver's material limit or the stiffness");
}

/// Reports that no step is short enough for the speed or the stiffness, whichever is worse.
void Stepper::failStep(double dt)
{
    const Bounds bounds = backend_->bounds();
    const double reach =
        settings_.integrator == Integrator::semiImplicit ? settings_.implicitReach : 1;
    if (!(std::max(bounds.component, bounds.nodeComponent) / advectionLimit() >
          bounds.signalSpeed / (reach * settings_.materialLimit)))
        throw Diverged("material '" + stiffest() + "' needs a time step of " + number(dt) +
                       " s at " + number(time_) + " s (its waves run at " +
                       number(bounds.signalSpeed) +
                       " m/s); lower its stiffness or hardening, raise its density, or use larger "
                       "cells");
    const auto [material, speed] = backend_->findFastest();
    throw Diverged("material '" + materials_[material].name + "' reached an absurd speed of " +
                   number(std::max(bounds.nodeComponent, speed)) + " m/s at " + number(time_) +
                   " s; lower the initial speed, the stiffness or the solver's material limit");
}

void Stepper::failSolve(double dt)
{
    throw Diverged("the semi-implicit integrator found no solution for material '" + stiffest() +
                   "' at " + number(time_) + " s, not even with steps of " + number(dt) +
                   " s; raise its iterations or tolerance, lower its reach, or use the explicit "
                   "integrator");
}

} // namespace floe::mpm
