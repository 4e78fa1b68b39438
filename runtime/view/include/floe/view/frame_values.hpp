#pragma once

#include "floe/data/value.hpp"

#include <map>
#include <memory>
#include <string>

namespace floe::view {

/// Values of one frame: solver node -> socket -> value.
using FrameValues = std::map<std::string, std::map<std::string, ValueRef>>;

/// Where simulated frames come from. All functions from any thread.
class FrameSource {
public:
    virtual ~FrameSource() = default;
    virtual bool has(int frame) const = 0;
    /// All of it, in host memory; from disk it may take a while. Null when there is none.
    virtual std::shared_ptr<const FrameValues> get(int frame) = 0;
    /// The same with particles still in the memory of the device that computed them. Null unless
    /// they are there.
    virtual std::shared_ptr<const FrameValues> inDeviceMemory(int frame) const = 0;
    /// What is enough for a picture in passing (see previewOf), or all of it; soon there.
    virtual std::shared_ptr<const FrameValues> preview(int frame) = 0;
};

} // namespace floe::view
