#pragma once

#include "floe/compute/device.hpp"
#include "floe/render/renderer.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace floe::view {

/// Memory that a compute device writes and the renderer reads.
struct SharedBuffer {
    std::shared_ptr<render::ExternalBuffer> drawn;
    std::unique_ptr<compute::ImportedMemory> written; ///< the same memory, for the compute device
    compute::DevicePointer device;
};

/// Returns the Vulkan device that is also `device`, so that they can share memory; "auto" when
/// there is none, or no device.
std::string drawingDevice(const compute::Device* device);

/// Lends shared memory to the maker of pictures, and reuses it. For one renderer; any thread.
class SharedMemory {
public:
    explicit SharedMemory(render::Renderer& renderer) : renderer_(renderer) {}

    /// Returns at least `bytes` of unused memory, released with the last outside reference. Null
    /// when the renderer and `device` cannot share memory: they are different devices (Vulkan and
    /// CUDA identify a device by the same UUID), a driver lacks the extension, or it failed once.
    /// Particles then go through host memory.
    std::shared_ptr<const SharedBuffer> take(const compute::DevicePointer& device,
                                             std::uint64_t bytes);

    /// Returns, the first time after take() has returned null, the reason for the user; else empty.
    std::string takeNotice();

private:
    /// Returns why memory cannot be shared with `device`; empty when it may be.
    std::string obstacle(const compute::Device& device) const;

    render::Renderer& renderer_;
    std::mutex mutex_;
    std::vector<std::shared_ptr<const SharedBuffer>> buffers_;
    std::string failure_; ///< of the first failed attempt; there is no second
    std::string notice_;
    bool noticed_ = false;
};

} // namespace floe::view
