/// The laws by name, with their parameters in the units a person thinks in.
///
/// A material record (records.h) carries `law` and a record `parameters`; both use the names below.
/// Host code only.
#pragma once

#include <floe/sdk/physics/material.hpp>

#include <span>
#include <string_view>

namespace floe::physics {
inline namespace FLOE_ISA {

/// One parameter of a law.
struct LawParameter {
    const char* name;
    const char* unit;   ///< "" for a plain number
    double value;       ///< the default
    double least, most; ///< what makeMaterial accepts
};

struct LawDescription {
    const char* name;
    LawKind kind;
    std::span<const LawParameter> parameters;
};

namespace law_tables {

inline constexpr LawParameter kYoung{"youngModulus", "Pa", 1e5, 1, 1e13};
inline constexpr LawParameter kPoisson{"poissonRatio", "", 0.3, 0, 0.49};

inline constexpr LawParameter kElastic[] = {kYoung, kPoisson, {"damping", "s", 0, 0, 10}};
inline constexpr LawParameter kLiquid[] = {
    {"bulkModulus", "Pa", 5e4, 1, 1e11}, ///< artificially low values give large time steps
    {"exponent", "", 7, 1, 10},
    {"viscosity", "Pa s", 1e-3, 0, 1e6},
    {"tensileStrength", "Pa", 0, 0, 1e11},
};
inline constexpr LawParameter kSnow[] = {
    {"youngModulus", "Pa", 1.4e5, 1, 1e13},
    {"poissonRatio", "", 0.2, 0, 0.49},
    {"criticalCompression", "", 2.5e-2, 0, 0.9},
    {"criticalStretch", "", 7.5e-3, 0, 10},
    {"hardening", "", 10, 0, 100},
    {"minHardening", "", 0.05, 1e-3, 1}, ///< least factor on stiffness, of snow torn loose
    {"maxHardening", "", 20, 1, 1e3}, ///< largest factor, of packed snow; it shortens the time step
};
inline constexpr LawParameter kDruckerPrager[] = {
    {"youngModulus", "Pa", 1e6, 1, 1e13},
    {"poissonRatio", "", 0.3, 0, 0.49},
    {"frictionAngle", "degrees", 35, 0.1, 80},
    {"cohesion", "Pa", 0, 0, 1e10},
    {"coulombShare", "", 0, 0, 1}, ///< 0: a circular cone; 1: Mohr and Coulomb's, rounded
};
inline constexpr LawParameter kVonMises[] = {
    {"youngModulus", "Pa", 1e7, 1, 1e13}, {"poissonRatio", "", 0.3, 0, 0.49},
    {"yieldStress", "Pa", 1e5, 0, 1e12},  {"hardening", "Pa", 0, 0, 1e12},
    {"failureStrain", "", 0, 0, 100}, ///< plastic strain at which it tears; 0: never
};
inline constexpr LawParameter kHerschelBulkley[] = {
    {"youngModulus", "Pa", 1e5, 1, 1e13},
    {"poissonRatio", "", 0.4, 0, 0.49},
    {"yieldStress", "Pa", 100, 0, 1e12},
    {"viscosity", "Pa s^h", 5, 0, 1e8}, ///< the consistency; plain viscosity where h = 1
    {"flowIndex", "", 1, 0.2, 2},       ///< h: below 1 it thins when it is stirred
};
inline constexpr LawParameter kCamClay[] = {
    {"youngModulus", "Pa", 2e6, 1, 1e13},
    {"poissonRatio", "", 0.3, 0, 0.49},
    {"frictionAngle", "degrees", 45, 0.1, 80},
    {"cohesion", "", 0.5, 0, 100},   ///< beta: tension borne, as a share of the compression borne
    {"hardening", "", 1, 1e-3, 100}, ///< xi
    {"initialState", "", -0.01, -5, 0}, ///< alpha0: log of the volume already crushed away
};

inline constexpr LawDescription kAll[] = {
    {"fixedCorotated", LawKind::fixedCorotated, kElastic},
    {"neoHookean", LawKind::neoHookean, kElastic},
    {"hencky", LawKind::hencky, kElastic},
    {"liquid", LawKind::liquid, kLiquid},
    {"snow", LawKind::snow, kSnow},
    {"druckerPrager", LawKind::druckerPrager, kDruckerPrager},
    {"vonMises", LawKind::vonMises, kVonMises},
    {"herschelBulkley", LawKind::herschelBulkley, kHerschelBulkley},
    {"camClay", LawKind::camClay, kCamClay},
};

} // namespace law_tables

/// @return nullptr when there is no law of that name
inline const LawDescription* findLaw(std::string_view name)
{
    for (const LawDescription& law : law_tables::kAll)
        if (name == law.name)
            return &law;
    return nullptr;
}

/// Builds a material.
/// @param density  at rest [kg/m^3] > 0
/// @param value    called as double(const LawParameter&), once for each parameter of the law in
/// order; the
///                 caller has checked that what it returns lies within least and most
template <class Value>
Material makeMaterial(LawKind kind, float density, Value&& value)
{
    float v[8] = {};
    for (const LawDescription& law : law_tables::kAll)
        if (law.kind == kind)
            for (std::size_t i = 0; i < law.parameters.size(); ++i)
                v[i] = static_cast<float>(value(law.parameters[i]));
    const Lame lame = lameFromYoung(v[0], v[1]);
    const float kappa = lame.lambda + 2.0f / 3.0f * lame.mu;
    const float radians = v[2] * 0.017453292519943295f;
    Material m;
    m.kind = kind;
    m.density = density;
    switch (kind) {
    case LawKind::fixedCorotated:
        m.fixedCorotated = {lame.mu, lame.lambda, v[2]};
        break;
    case LawKind::neoHookean:
        m.neoHookean = {lame.mu, lame.lambda, v[2]};
        break;
    case LawKind::hencky:
        m.hencky = {lame.mu, lame.lambda, v[2]};
        break;
    case LawKind::liquid:
        m.liquid = {v[0], v[1], v[2], v[3]};
        break;
    case LawKind::snow:
        m.snow = {lame.mu, lame.lambda, v[2], v[3], v[4], v[5], v[6]};
        break;
    case LawKind::druckerPrager:
        m.druckerPrager = {lame.mu, lame.lambda, DruckerPrager::frictionSlope(radians),
                           DruckerPrager::cohesionStrainOf(v[3], radians, lame),
                           DruckerPrager::sectionOf(radians, v[4])};
        break;
    case LawKind::vonMises:
        m.vonMises = {lame.mu, lame.lambda, v[2], v[3], v[4]};
        break;
    case LawKind::herschelBulkley:
        m.herschelBulkley = {lame.mu, kappa, v[2], v[3], v[4]};
        break;
    case LawKind::camClay:
        m.camClay = {lame.mu, kappa, v[3], v[4], CamClay::slopeOf(radians), v[5]};
        break;
    }
    return m;
}

} // namespace FLOE_ISA
} // namespace floe::physics
