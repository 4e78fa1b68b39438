/// The record "activation", from a strategy and the parameters that every activation node shares.
#pragma once

#include "floe/sdk/node.hpp"
#include "floe/sdk/records.h"

#include <memory>

namespace floe::activation {

/// Speeds of a record that are negative stand for the domain's scale / 400 a second (Sirois-Vigneux
/// 2023, equation 3.1): on a picture as wide as the domain, a fifth of a pixel a frame.
inline constexpr double kDomainSpeed = -1;
inline constexpr double kDomainsPerThreshold = 400;

/// The speed that counts as moving: `speed`, or, where that is 0, the domain's [m/s].
inline double thresholdOf(double speed, const floe_activation_request& request)
{
    return speed > 0 ? speed : request.domain_scale / kDomainsPerThreshold;
}

/// A record with the strategy and what the parameters `evaluate`, `evaluationsPerFrame`,
/// `neverSleeps`, `startsAsleep` and `stiffFrom` say; restSpeed and wakeSpeed are left to the node.
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
