#pragma once

#include "floe/compute/device.hpp"
#include "floe/render/renderer.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace floe::view {

/// Memory that the renderer draws from and a compute device writes into.
struct SharedBuffer {
    std::shared_ptr<render::ExternalBuffer> drawn;
    std::unique_ptr<compute::ImportedMemory> written; ///< the same memory, for the compute device
    compute::DevicePointer device;
};

/// Names for a renderer the Vulkan device that is also `device`, so that they can share memory;
/// "auto" when there is none, or no device.
std::string drawingDevice(const compute::Device* device);

/// Gives shared memory to who prepares pictures, and takes it back for the next one. Of one
/// renderer; any thread.
class SharedMemory {
public:
    explicit SharedMemory(render::Renderer& renderer) : renderer_(renderer) {}

    /// At least `bytes` that nobody else uses; free again when the last reference outside goes.
    /// Null when the renderer and `device` cannot share memory: they are not one device (Vulkan and
    /// CUDA name a device by the same UUID), a driver lacks the extension, or it failed once. Then
    /// particles go through host memory.
    std::shared_ptr<const SharedBuffer> take(const compute::DevicePointer& device,
                                             std::uint64_t bytes);

    /// For people, the first time after take() has given nothing: why not. Else empty.
    std::string takeNotice();

private:
    /// Why there is no sharing with `device`; empty when there may be.
    std::string obstacle(const compute::Device& device) const;

    render::Renderer& renderer_;
    std::mutex mutex_;
    std::vector<std::shared_ptr<const SharedBuffer>> buffers_;
    std::string failure_; ///< of the first try to share that failed; there is no second
    std::string notice_;
    bool noticed_ = false;
};

} // namespace floe::view
