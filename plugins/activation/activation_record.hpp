/// Makes the record "activation" from a strategy and the parameters common to all activation nodes.
#pragma once

#include "floe/sdk/node.hpp"
#include "floe/sdk/records.h"

#include <cstddef>
#include <memory>

namespace floe::activation {

/// Negative speeds of a record are relative to the domain's scale / 400 per second of the picture
/// (Sirois-Vigneux 2023, equation 3.1): 1/5 pixel per frame if the picture spans the domain.
inline constexpr double kDomainSpeed = -1;
inline constexpr double kDomainsPerThreshold = 400;

/// Returns one domain length per second of the picture, in simulated time [m/s].
inline double domainSpeed(const floe_activation_request& request)
{
    const bool told = request.struct_size > offsetof(floe_activation_request, time_scale);
    return request.domain_scale / (told && request.time_scale > 0 ? request.time_scale : 1);
}

/// Returns the speed that counts as moving [m/s]: `speed`, or the domain's where that is 0.
inline double thresholdOf(double speed, const floe_activation_request& request)
{
    return speed > 0 ? speed : domainSpeed(request) / kDomainsPerThreshold;
}

/// Makes a record with the strategy and the parameters `evaluate`, `evaluationsPerFrame`,
/// `neverSleeps`, `startsPassive` and `stiffFrom`; the node sets restSpeed and wakeSpeed.
sdk::Value makeActivation(sdk::Context& context, const sdk::Value& strategy);

/// Makes the record from a table of functions and its object.
template <class Strategy>
sdk::Value makeActivation(sdk::Context& context, const floe_activation_interface& table,
                          std::unique_ptr<Strategy> strategy)
{
    return makeActivation(
        context, sdk::makeInterface(FLOE_ACTIVATION_INTERFACE, table, std::move(strategy)));
}

} // namespace floe::activation
