// clang-format off
/// What a constitutive law is, and how any law turns a deformation gradient into a stress.
///
/// A law is a small struct of floats in SI units, trivially copyable to a device, with
///
///     static constexpr bool kPlastic;                  // may returnMap change anything?
///     float restModulus() const;                       // wave modulus at rest, rho c^2 [Pa]
///     float initialState() const;                      // of the scalar `state` below
///     Real energy(extension, state) const;             // per rest volume [J/m^3]
///     Vec3 principalStress(extension, state) const;    // Kirchhoff, along the axes of U [Pa]
///     Real waveModulus(extension, state) const;        // >= rho0 c^2 of the fastest wave here [Pa]
///     MaskOf returnMap(extension&, state&, dt) const;  // trial -> admissible; true where changed
///     static constexpr LawParameter kParameters[];     // what a person sets, at most kMaxParameters
///     static Law fromParameters(const float* values);  // in that order; host only
///
/// over principal extensions (sigma - 1, sigma the singular values of the elastic F; stretch.hpp
/// says why) and one scalar `state` whose meaning is the law's (plastic volume of snow, lost volume
/// of sand, ...). For small strain each is as precise, in relation to its size, as the extensions
/// are. returnMap is idempotent: mapping an admissible state again changes nothing beyond rounding
/// (where the law has softened, it follows its smaller surface); with dt = 0 a rate-dependent law
/// changes nothing at all. A law whose energy is another's derives from ElasticPart.
///
/// tau = P F^T = sum_i sigma_i dPsi/dsigma_i u_i u_i^T (Kirchhoff stress; Bonet and Wood 2008, ch.
/// 5-6). A particle's stiffness factor multiplies stress, energy and modulus from outside: it
/// scales every modulus and yield stress of its material alike.
// clang-format on
#pragma once

#include <floe/sdk/physics/stretch.hpp>

#include <cstddef>

namespace floe::physics {
inline namespace FLOE_ISA {

/// One parameter of a law, in the unit a person thinks in.
struct LawParameter {
    const char* name;        ///< in a material record (records.h)
    const char* unit;        ///< "" for a plain number
    double value;            ///< the default
    double minimum, maximum; ///< what makeMaterial() accepts
    /// The parameter of the node `floe.material`, where another law uses `name` for something else.
    const char* ofNode = name;
    /// An energy per area of crack: given to fromParameters() over kCrackBand cells [J/m^3].
    bool overCrackBand = false;
};
inline constexpr std::size_t kMaxParameters = 8;

/// Lame's parameters [Pa] from Young's modulus E > 0 [Pa] and Poisson's ratio 0 <= nu < 0.5.
struct Lame {
    float mu, lambda;
    FLOE_HD float bulkModulus() const { return lambda + 2.0f / 3.0f * mu; }
};
FLOE_HD Lame lameFromYoung(float youngModulus, float poissonRatio)
{
    return {youngModulus / (2 * (1 + poissonRatio)),
            youngModulus * poissonRatio / ((1 + poissonRatio) * (1 - 2 * poissonRatio))};
}

inline constexpr float kRadiansPerDegree = 0.017453292519943295f;

template <class Real>
struct Response {
    Sym3<Real> tau;   ///< Kirchhoff stress [Pa]
    Real waveModulus; ///< bound of rho0 c^2 [Pa]
};

/// The base of plastic laws whose energy is that of another law, `elasticity()`.
template <class Law>
struct ElasticPart {
    template <class Real>
    FLOE_HD Real energy(const Vec3<Real>& extension, Real state) const
    {
        return own().elasticity().energy(extension, state);
    }
    template <class Real>
    FLOE_HD Vec3<Real> principalStress(const Vec3<Real>& extension, Real state) const
    {
        return own().elasticity().principalStress(extension, state);
    }
    template <class Real>
    FLOE_HD Real waveModulus(const Vec3<Real>& extension, Real state) const
    {
        return own().elasticity().waveModulus(extension, state);
    }

private:
    FLOE_HD const Law& own() const { return static_cast<const Law&>(*this); }
};

template <class Real>
FLOE_HD Real largest(const Vec3<Real>& a)
{
    return max(a.x, max(a.y, a.z));
}
/// Hencky's strain ln sigma.
template <class Real>
FLOE_HD Vec3<Real> logarithmicStrain(const Vec3<Real>& extension)
{
    // A crushed or inverted stretch counts as 1/1000: a finite stress that pushes it open again.
    const Real least(-0.999f);
    return {logOnePlus(max(extension.x, least)), logOnePlus(max(extension.y, least)),
            logOnePlus(max(extension.z, least))};
}
/// The extensions of a Hencky strain.
template <class Real>
FLOE_HD Vec3<Real> extensionOf(const Vec3<Real>& logarithmic)
{
    return {expMinusOne(logarithmic.x), expMinusOne(logarithmic.y), expMinusOne(logarithmic.z)};
}
/// sigma^2 - 1
template <class Real>
FLOE_HD Vec3<Real> squareMinusOne(const Vec3<Real>& extension)
{
    const Vec3<Real>& e = extension;
    const Real two(2);
    return {e.x * (two + e.x), e.y * (two + e.y), e.z * (two + e.z)};
}
/// J - 1, J below 1/1000 or negative counting as 1/1000.
template <class Real>
FLOE_HD Real heldVolumeChange(const Vec3<Real>& extension)
{
    return max(volumeChange(extension), Real(-0.999f));
}
/// a without its mean
template <class Real>
FLOE_HD Vec3<Real> deviator(const Vec3<Real>& a)
{
    const Real mean = Real(1.0f / 3.0f) * sum(a);
    return {a.x - mean, a.y - mean, a.z - mean};
}

/// Applies the return map and computes stress with one decomposition.
/// @param H      F - I; in: of the trial elastic deformation gradient; out: of the admissible one
/// @param state  the law's scalar, updated
/// @param dt     time since the last call [s], for rate-dependent flow
template <class Law, class Real>
FLOE_HD Response<Real> respondToGradient(const Law& law, Mat3<Real>& H, Real& state, Real dt)
{
    const Stretching<Real> s = stretching(H);
    Vec3<Real> e = s.extension;
    if constexpr (Law::kPlastic) {
        const MaskOf<Real> yielded = law.returnMap(e, state, dt);
        if (any(yielded))
            H = select<Real>(yielded, withExtension(H, s, e), H);
    }
    return {conjugateDiagonal(s.U, law.principalStress(e, state)), law.waveModulus(e, state)};
}

/// The same for F itself, which resolves strains down to 1e-7 in single precision.
template <class Law, class Real>
FLOE_HD Response<Real> respond(const Law& law, Mat3<Real>& F, Real& state, Real dt)
{
    const Mat3<Real> I = Mat3<Real>::identity(), before = F - I;
    Mat3<Real> H = before;
    const Response<Real> r = respondToGradient(law, H, state, dt);
    if constexpr (Law::kPlastic)
        F = F + (H - before);
    return r;
}

} // namespace FLOE_ISA
} // namespace floe::physics
