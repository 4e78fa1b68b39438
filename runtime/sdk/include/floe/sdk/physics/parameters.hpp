/// The laws by name, and a material from its parameters.
///
/// A material record (records.h) carries `law` and a record `parameters`: FLOE_LAWS has the names
/// of the laws, `kParameters` of each those of its parameters. Host code only.
#pragma once

#include <floe/sdk/physics/material.hpp>

#include <span>
#include <string_view>

namespace floe::physics {
inline namespace FLOE_ISA {

struct LawDescription {
    const char* name;
    LawKind kind;
    std::span<const LawParameter> parameters;
};

inline constexpr LawDescription kLaws[] = {
#define FLOE_LAW(name, Type) {#name, LawKind::name, Type::kParameters},
    FLOE_LAWS(FLOE_LAW)
#undef FLOE_LAW
};

/// @return nullptr when there is no law of that name
inline const LawDescription* findLaw(std::string_view name)
{
    for (const LawDescription& law : kLaws)
        if (name == law.name)
            return &law;
    return nullptr;
}

/// Cells across the band in which a material softens and parts on a grid of quadratic splines:
/// measured by pulling bars apart whose narrow part is 4 to 6 cells long.
inline constexpr double kCrackBand = 2.6;

/// Builds a material.
/// @param density  at rest [kg/m^3] > 0
/// @param value    called as double(const LawParameter&), once for each parameter of the law in
///                 order; the caller has checked that what it returns lies within its bounds
/// @param cellSize of the grid that it is simulated on [m] > 0; only the energy of cracks depends
/// on it
template <class Value>
Material makeMaterial(LawKind kind, float density, Value&& value, double cellSize = 1)
{
    float values[kMaxParameters] = {};
    const auto read = [&]<std::size_t kCount>(const LawParameter(&parameters)[kCount]) {
        static_assert(kCount <= kMaxParameters);
        for (std::size_t i = 0; i < kCount; ++i)
            values[i] = static_cast<float>(
                value(parameters[i]) / (parameters[i].overCrackBand ? kCrackBand * cellSize : 1));
    };
    Material m;
    m.kind = kind;
    m.density = density;
    switch (kind) {
#define FLOE_LAW(name, Type)                                                                       \
    case LawKind::name:                                                                            \
        read(Type::kParameters);                                                                   \
        m.name = Type::fromParameters(values);                                                     \
        break;
        FLOE_LAWS(FLOE_LAW)
#undef FLOE_LAW
    }
    return m;
}

} // namespace FLOE_ISA
} // namespace floe::physics
