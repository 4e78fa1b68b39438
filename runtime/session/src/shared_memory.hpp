#pragma once

#include "floe/compute/device.hpp"
#include "floe/render/renderer.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace floe::session {

/// Memory that the renderer draws from and a compute device writes into.
struct SharedBuffer {
    std::shared_ptr<render::ExternalBuffer> drawn;
    std::unique_ptr<compute::ImportedMemory> written; ///< the same memory, for the compute device
    compute::DevicePointer device;
};

/// Gives shared memory to who prepares pictures, and takes it back for the next one. Of one
/// renderer; any thread.
class SharedMemory {
public:
    explicit SharedMemory(render::Renderer& renderer) : renderer_(renderer) {}

    /// Whether the renderer and `device` are one device and can share memory. (Vulkan and CUDA name
    /// a device by the same UUID.)
    bool reaches(const compute::Device& device) const;

    /// At least `bytes` that nobody else uses; free again when the last reference outside goes.
    /// @param device  one that reaches()
    /// @throws MemoryError, DeviceError
    std::shared_ptr<const SharedBuffer> take(const compute::DevicePointer& device,
                                             std::uint64_t bytes);

private:
    render::Renderer& renderer_;
    std::mutex mutex_;
    std::vector<std::shared_ptr<const SharedBuffer>> buffers_;
};

} // namespace floe::session
