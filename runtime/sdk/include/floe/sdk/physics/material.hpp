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

enum class LawKind : std::uint32_t {
    fixedCorotated,
    neoHookean,
    hencky,
    liquid,
    snow,
    druckerPrager,
    vonMises,
    herschelBulkley,
    camClay,
};

/// A law with its density. Exactly the member named by `kind` is meaningful.
struct Material {
    LawKind kind = LawKind::fixedCorotated;
    float density = 1000; ///< at rest [kg/m^3] > 0
    union {
        FixedCorotated fixedCorotated;
        NeoHookean neoHookean;
        Hencky hencky;
        Liquid liquid;
        Snow snow;
        DruckerPrager druckerPrager;
        VonMises vonMises;
        HerschelBulkley herschelBulkley;
        CamClay camClay;
    };

    FLOE_HD Material() : fixedCorotated{} {}
    FLOE_HD bool isLiquid() const { return kind == LawKind::liquid; }
};

/// Calls f with the law that `material` holds, as its own type.
#if defined(__CUDACC__)
#pragma nv_exec_check_disable // f may be for the device only
#endif
template <class Function>
FLOE_HD auto visitLaw(const Material& material, Function&& f)
{
    switch (material.kind) {
    case LawKind::neoHookean:
        return f(material.neoHookean);
    case LawKind::hencky:
        return f(material.hencky);
    case LawKind::liquid:
        return f(material.liquid);
    case LawKind::snow:
        return f(material.snow);
    case LawKind::druckerPrager:
        return f(material.druckerPrager);
    case LawKind::vonMises:
        return f(material.vonMises);
    case LawKind::herschelBulkley:
        return f(material.herschelBulkley);
    case LawKind::camClay:
        return f(material.camClay);
    case LawKind::fixedCorotated:
        break;
    }
    return f(material.fixedCorotated);
}

} // namespace FLOE_ISA
} // namespace floe::physics
