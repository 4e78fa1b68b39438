#pragma once

#include "fullscreen.hpp"
#include "geometry.hpp"

namespace floe::render {

/// Clear matter in the space of the picture (van der Laan et al. 2009): the particles' nearest
/// distances, smoothed into a surface by the narrow-range filter (Truong and Yuksel 2018); the
/// matter along each ray, added up; both put before the lit picture. And what it takes from the
/// sun. The surface is kept for each pixel, not for each sample, the matter for every second one.
class ClearPasses {
public:
    explicit ClearPasses(std::shared_ptr<Device> device, VkPipelineLayout layout);

    /// Bytes of the images for a picture, for checks before they are made.
    static std::uint64_t bytesFor(std::uint64_t pixels, std::uint64_t samplesAPixel);

    /// Images for pictures of this size; kept while it stays.
    void resize(VkExtent2D picture, VkExtent2D samples, int shadowMapSize);
    void release();

    /// What the sun loses on its way, from above; for the pass that lights opaque things.
    void recordShadow(VkCommandBuffer commands, const Geometry& geometry,
                      const VkDescriptorSet& frame, VkPipelineLayout layout);
    const Texture& shadow() const { return shadowMap_; }

    /// Surface and matter, and the lit picture seen through them.
    /// @param depths    of the opaque things, as all others: a sample each
    /// @return the picture with the clear matter
    const Texture& record(VkCommandBuffer commands, const Fullscreen& fullscreen,
                          const Geometry& geometry, const SampleRectangle& samples,
                          const Texture& depths, const Texture& shadowMap, const Texture& lights,
                          Layout& layout, const Buffer& block);

private:
    std::shared_ptr<Device> device_;
    Pass shadow_, skin_, volume_, volumeBlur_[2], smooth_[2], normal_, light_;
    PipelineHandle shadowing_, covering_, filling_, blurring_, smoothing_, turning_, lighting_;
    Texture shadowMap_, colours_, skinDepths_, rawDistances_, distances_[2], normals_, matter_[2],
        lights_;
    VkFormat sums_ = VK_FORMAT_UNDEFINED;
    VkExtent2D picture_{};
    VkExtent2D samples_{};
};

} // namespace floe::render
