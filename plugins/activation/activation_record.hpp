/// The record "activation", from a strategy and the parameters that every activation node shares.
#pragma once

#include "floe/sdk/node.hpp"
#include "floe/sdk/records.h"

#include <cstddef>
#include <memory>

namespace floe::activation {

/// Speeds of a record that are negative stand for the domain's scale / 400 a second
/// of the picture (Sirois-Vigneux 2023, equation 3.1): on a picture as wide as the domain, a fifth
/// of a pixel a frame.
inline constexpr double kDomainSpeed = -1;
inline constexpr double kDomainsPerThreshold = 400;

/// One domain's length a second of the picture, in simulated time [m/s].
inline double domainSpeed(const floe_activation_request& request)
{
    const bool told = request.struct_size > offsetof(floe_activation_request, time_scale);
    return request.domain_scale / (told && request.time_scale > 0 ? request.time_scale : 1);
}

/// The speed that counts as moving: `speed`, or, where that is 0, the domain's [m/s].
inline double thresholdOf(double speed, const floe_activation_request& request)
{
    return speed > 0 ? speed : domainSpeed(request) / kDomainsPerThreshold;
}

/// A record with the strategy and what the parameters `evaluate`, `evaluationsPerFrame`,
/// `neverSleeps`, `startsPassive` and `stiffFrom` say; restSpeed and wakeSpeed are left to the
/// node.
sdk::Value makeActivation(sdk::Context& context, const sdk::Value& strategy);

/// The same from a table of functions and its object.
template <class Strategy>
sdk::Value makeActivation(sdk::Context& context, const floe_activation_interface& table,
                          std::unique_ptr<Strategy> strategy)
{
    return makeActivation(
        context, sdk::makeInterface(FLOE_ACTIVATION_INTERFACE, table, std::move(strategy)));
}

} // namespace floe::activation
