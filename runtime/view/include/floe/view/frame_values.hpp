#pragma once

#include "floe/data/value.hpp"

#include <map>
#include <memory>
#include <string>

namespace floe::view {

/// Values of one frame: solver node -> socket -> value.
using FrameValues = std::map<std::string, std::map<std::string, ValueRef>>;

/// Source of simulated frames. All functions from any thread.
class FrameSource {
public:
    virtual ~FrameSource() = default;
    virtual bool has(int frame) const = 0;
    /// Returns the whole frame in host memory, or null; reading it from disk may take a while.
    virtual std::shared_ptr<const FrameValues> get(int frame) = 0;
    /// Returns the frame with particles still in their device's memory, or null.
    virtual std::shared_ptr<const FrameValues> inDeviceMemory(int frame) const = 0;
    /// Returns enough for a picture while scrubbing (see previewOf), or the whole frame; fast.
    virtual std::shared_ptr<const FrameValues> preview(int frame) = 0;
};

} // namespace floe::view
