#pragma once

#include "fullscreen.hpp"

namespace floe::render {

/// Gaussians in pictures that have clear matter too: those behind its surface are put into the lit
/// picture that is seen through it. They are found as what the picture of all Gaussians has more
/// than that of the front ones.
class ImmersedSplats {
public:
    ImmersedSplats(std::shared_ptr<Device> device, VkPipelineLayout layout);

    /// Returns the bytes of the images for a picture, for checks before they are allocated.
    static std::uint64_t bytesFor(std::uint64_t samples) { return samples * (4 + 8); }
    /// Allocates images; keeps them while their size stays the same.
    void resize(VkExtent2D samples);
    void release();

    /// Records the nearer of opaque things and the surface of clear matter.
    /// @param distances  to that surface; see ClearPasses
    void recordDepths(VkCommandBuffer commands, const Fullscreen& fullscreen, const Texture& depths,
                      const Texture& distances);
    const Texture& depths() const { return depths_; }

    /// Records the lit picture with the Gaussians that are not in front.
    const Texture& record(VkCommandBuffer commands, const Fullscreen& fullscreen,
                          const Texture& lights, const Texture& all, const Texture& front);

private:
    std::shared_ptr<Device> device_;
    Pass depth_, light_;
    PipelineHandle nearing_, lighting_;
    Texture depths_, lights_;
};

} // namespace floe::render
