/// Laws asked by stretches, in which test cases are plainer than in stretches less one.
#pragma once

#include <floe/sdk/physics/differential.hpp>
#include <floe/sdk/physics/parameters.hpp>

namespace floe::physics {
inline namespace FLOE_ISA {

template <class Real>
Vec3<Real> extensionFrom(const Vec3<Real>& sigma)
{
    return {sigma.x - Real(1), sigma.y - Real(1), sigma.z - Real(1)};
}
template <class Law>
double energyAt(const Law& law, const Vec3<double>& sigma, double state)
{
    return law.energy(extensionFrom(sigma), state);
}
template <class Law>
Vec3<double> stressAt(const Law& law, const Vec3<double>& sigma, double state)
{
    return law.principalStress(extensionFrom(sigma), state);
}
template <class Law>
double modulusAt(const Law& law, const Vec3<double>& sigma, double state)
{
    return law.waveModulus(extensionFrom(sigma), state);
}
/// returnMap of stretches.
template <class Law>
bool mapStretches(const Law& law, Vec3<double>& sigma, double& state, double dt)
{
    Vec3<double> e = extensionFrom(sigma);
    const bool changed = law.returnMap(e, state, dt);
    if (changed)
        sigma = {1 + e.x, 1 + e.y, 1 + e.z};
    return changed;
}
/// The same, returned.
template <class Law>
Vec3<double> mapped(const Law& law, Vec3<double> sigma, double& state, double dt = 1e-3)
{
    mapStretches(law, sigma, state, dt);
    return sigma;
}
inline double product(const Vec3<double>& sigma)
{
    return sigma.x * sigma.y * sigma.z;
}
inline Vec3<double> logarithm(const Vec3<double>& sigma)
{
    return logarithmicStrain(extensionFrom(sigma));
}

} // namespace FLOE_ISA
} // namespace floe::physics
