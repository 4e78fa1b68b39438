/// A material as one flat value that can be stored in a table and copied to a device.
#pragma once

#include <floe/sdk/physics/cam_clay.hpp>
#include <floe/sdk/physics/drucker_prager.hpp>
#include <floe/sdk/physics/elastic.hpp>
#include <floe/sdk/physics/herschel_bulkley.hpp>
#include <floe/sdk/physics/liquid.hpp>
#include <floe/sdk/physics/snow.hpp>
#include <floe/sdk/physics/von_mises.hpp>

namespace floe::physics {
inline namespace FLOE_ISA {

/// Every law: its name in a material record, and its type. A new law is a header and a line here.
// clang-format off
#define FLOE_LAWS(LAW)                      \
    LAW(fixedCorotated, FixedCorotated)     \
    LAW(neoHookean, NeoHookean)             \
    LAW(hencky, Hencky)                     \
    LAW(liquid, Liquid)                     \
    LAW(snow, Snow)                         \
    LAW(druckerPrager, DruckerPrager)       \
    LAW(vonMises, VonMises)                 \
    LAW(herschelBulkley, HerschelBulkley)   \
    LAW(camClay, CamClay)
// clang-format on

enum class LawKind : std::uint32_t {
#define FLOE_LAW(name, Type) name,
    FLOE_LAWS(FLOE_LAW)
#undef FLOE_LAW
};

template <class Law>
inline constexpr bool kHasMaterialModulus = requires(const Law& law, const Mat3<float>& H)
{
    law.materialModulus(H, 1.0f);
};

/// Returns whether bodies of a law may keep the grid on which they were at rest: it is elastic, and
/// says how fast waves are there.
constexpr bool mayStayWhole(LawKind kind)
{
    switch (kind) {
#define FLOE_LAW(name, Type)                                                                       \
    case LawKind::name:                                                                            \
        return kHasMaterialModulus<Type>;
        FLOE_LAWS(FLOE_LAW)
#undef FLOE_LAW
    }
    return false;
}

/// A law with its density. Only the member named by `kind` is valid.
struct Material {
    LawKind kind = LawKind::fixedCorotated;
    float density = 1000; ///< at rest [kg/m^3] > 0
    union {
#define FLOE_LAW(name, Type) Type name;
        FLOE_LAWS(FLOE_LAW)
#undef FLOE_LAW
    };

    FLOE_HD Material() : fixedCorotated{} {}
    FLOE_HD bool isLiquid() const
    {
        return kind == LawKind::liquid;
    }
};

/// Calls f with the law that `material` holds, as its own type.
#if defined(__CUDACC__)
#pragma nv_exec_check_disable // f may be device-only
#endif
template <class Function>
FLOE_HD auto visitLaw(const Material& material, Function&& f)
{
    switch (material.kind) {
#define FLOE_LAW(name, Type)                                                                       \
    case LawKind::name:                                                                            \
        return f(material.name);
        FLOE_LAWS(FLOE_LAW)
#undef FLOE_LAW
    }
    return f(material.fixedCorotated); // not reached
}

} // namespace FLOE_ISA
} // namespace floe::physics
