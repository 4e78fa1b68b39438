/// The contact constraint: no approach beyond touching, and Coulomb's friction. One text for every
/// lane type.
#pragma once

#include "floe/sdk/physics/vec.hpp"

namespace floe::pbd {

/// Friction coefficients: what sticks up to `hold` times the normal impulse slides with `slide`.
template <class Real>
struct Friction {
    Real hold, slide;
};

/// One projection of n . u + gap >= 0 with multipliers that add up over iterations and, as a first
/// guess, over substeps; friction works against the rest of u (Jia 2017, equations 3.33 to 3.40,
/// with accumulated multipliers instead of single corrections).
/// @param u         relative displacement of the two sides in this substep [m]
/// @param gap       how far they may approach [m]
/// @param normalYield, slideYield  displacement for an impulse, both sides together, each times the
///        number of contacts that share its mass: what makes simultaneous projections converge,
///        and keeps them equal and opposite [1/kg]
/// @param lambda    in, out: sum of normal impulses, never negative [kg m]
/// @param friction  in, out: sum of tangential ones [kg m]
/// @return what to apply: to the first side as it is, to the second reversed [kg m]
template <class Real>
FLOE_HD physics::Vec3<Real>
projectContact(const physics::Vec3<Real>& n, const physics::Vec3<Real>& u, Real gap,
               Real normalYield, Real slideYield, const Friction<Real>& coefficient,
               Real relaxation, Real& lambda, physics::Vec3<Real>& friction)
{
    using namespace physics;
    const Real zero(0), tiny(1e-30f);
    const Real un = dot(n, u);
    const Real wanted = max(lambda - relaxation * (un + gap) / max(normalYield, tiny), zero);
    const Real pushed = wanted - lambda;
    lambda = wanted;
    const Vec3<Real> ut = u - un * n;
    Vec3<Real> held = friction - (relaxation / max(slideYield, tiny)) * ut;
    held = held - dot(n, held) * n; // what an earlier normal left
    const Real size = sqrt(dot(held, held));
    const Real slides = coefficient.slide * lambda / max(size, tiny);
    held = select(size > coefficient.hold * lambda, min(slides, Real(1)) * held, held);
    const Vec3<Real> rubbed = held - friction;
    friction = held;
    return pushed * n + rubbed;
}

} // namespace floe::pbd
