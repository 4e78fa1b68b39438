/// A solver's bodies as a record "floe.coupling", which other solvers step.
#pragma once

#include "floe/sdk/coupling.h"
#include "floe/sdk/node.hpp"

#include <memory>
#include <span>

namespace floe::pbd {

/// Functions of floe_coupling_interface, of a node. They throw.
class SteppedByOthers {
public:
    virtual ~SteppedByOthers() = default;
    virtual void attach(const void* owner, double frameSeconds) = 0;
    virtual std::span<const floe_coupling_body> beginStep(const sdk::Context& context,
                                                          double dt) = 0;
    virtual void distances(std::uint32_t body, std::uint32_t count, const float* x, float* distance,
                           float* normal) const = 0;
    /// @param pushes  one for each body of beginStep()
    virtual void endStep(const sdk::Context& context, const floe_coupling_push* pushes) = 0;
};

/// What records hold on to. The node sets it to null when it goes.
using CouplingLink = std::shared_ptr<SteppedByOthers*>;

sdk::Value makeCoupling(const CouplingLink& link);

} // namespace floe::pbd
