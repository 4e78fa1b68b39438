#pragma once

#include "floe/compute/device.hpp"
#include "floe/data/value.hpp"
#include "floe/session/statistics.hpp"

#include <string>
#include <vector>

namespace floe::session {

/// Services of a run for its nodes; all functions from any thread.
class RunServices {
public:
    virtual ~RunServices() = default;
    virtual const compute::DevicePointer& device() const = 0; ///< the device that nodes compute on
    virtual std::string deviceId() const = 0;                 ///< part of every value's hash
    virtual const std::string& outputFolder() const = 0;      ///< absolute
    virtual bool cancelled() const = 0;                       ///< nodes should end soon
    virtual void say(const Message& message) = 0;
    /// @param fraction completed share of the node's work on the frame, 0 to 1
    virtual void progress(int frame, const std::string& node, double fraction) = 0;
    /// A node starts or ends cooking.
    virtual void cooking(const std::string& node, bool begins)
    {
        static_cast<void>(node);
        static_cast<void>(begins);
    }
};

/// Values on a node's inputs: one list per socket of its type, in link order.
using Inputs = std::vector<std::vector<ValueRef>>;

} // namespace floe::session
