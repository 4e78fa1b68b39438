#pragma once

#include "fullscreen.hpp"
#include "geometry.hpp"

namespace floe::render {

/// Closed meshes of clear matter: their nearest sides, one per sample; the way of each ray through
/// them, added up from where it enters and leaves, one per pixel; both put before the lit picture.
class ClearMeshPasses {
public:
    explicit ClearMeshPasses(std::shared_ptr<Device> device, VkPipelineLayout layout);

    /// Returns the bytes of the images for a picture, for checks before they are allocated.
    static std::uint64_t bytesFor(std::uint64_t pixels, std::uint64_t samplesAPixel);

    /// Allocates images for pictures of this size; keeps them while it stays the same.
    void resize(VkExtent2D picture, VkExtent2D samples);
    void release();

    /// @param depths  of the opaque geometry, one per sample
    /// @param lights  the lit picture
    /// @return the picture with the clear meshes
    const Texture& record(VkCommandBuffer commands, const Scene& scene,
                          const Fullscreen& fullscreen, const Geometry& geometry,
                          const Texture& depths, const Texture& shadowMap, const Texture& lights,
                          const Texture* environment, Layout& layout, const Buffer& block);

private:
    std::shared_ptr<Device> device_;
    Pass skin_, volume_, light_;
    PipelineHandle covering_, filling_, lighting_;
    Texture colours_, distances_, normals_, skinDepths_, matter_, lights_;
    VkFormat sums_ = VK_FORMAT_UNDEFINED;
    VkExtent2D picture_{};
    VkExtent2D samples_{};
};

} // namespace floe::render
