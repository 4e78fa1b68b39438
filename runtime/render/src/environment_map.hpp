#pragma once

#include "memory.hpp"
#include "view.hpp"

namespace floe::render {

/// The picture of an environment on the device, with its halves for blurred reflections and its
/// irradiance as spherical harmonics. Keeps them while the picture stays the same.
class EnvironmentMap {
public:
    explicit EnvironmentMap(std::shared_ptr<Device> device) : device_(std::move(device)) {}

    /// @throws MemoryError, DeviceError
    void upload(const Environment& environment);
    void describe(const Environment& environment, FrameBlock& block) const;
    const Texture* texture() const { return width_ > 0 ? &texture_ : nullptr; }

private:
    std::shared_ptr<Device> device_;
    Texture texture_;
    std::array<Float3, 9> irradiance_{};
    std::uint64_t revision_ = 0;
    int width_ = 0; ///< of the finest level [pixels]; 0: there is none
    int height_ = 0;
};

} // namespace floe::render
