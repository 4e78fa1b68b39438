#pragma once

#include "fullscreen.hpp"
#include "geometry.hpp"

namespace floe::render {

/// Clear matter in screen space (van der Laan et al. 2009): the particles' nearest distances,
/// smoothed into a surface by the narrow-range filter (Truong and Yuksel 2018); the matter along
/// each ray, accumulated; both composited over the lit picture; and the sunlight they absorb. The
/// surface has one value per pixel, not per sample, the matter one for every second pixel.
class ClearPasses {
public:
    explicit ClearPasses(std::shared_ptr<Device> device, VkPipelineLayout layout);

    /// Returns the bytes of the images for a picture, for checks before they are allocated.
    static std::uint64_t bytesFor(std::uint64_t pixels, std::uint64_t samplesAPixel);

    /// Allocates images for pictures of this size; keeps them while it stays the same.
    void resize(VkExtent2D picture, VkExtent2D samples);
    void resizeShadow(int shadowMapSize); ///< for clear meshes too
    void release();

    /// Records the sunlight absorbed from above, for the pass that lights opaque geometry.
    void recordShadow(VkCommandBuffer commands, const Scene& scene, const Geometry& geometry,
                      const VkDescriptorSet& frame, VkPipelineLayout layout);
    const Texture& shadow() const { return shadowMap_; }

    /// Records surface and matter.
    /// @param depths    of the opaque geometry, one per sample
    void recordSurface(VkCommandBuffer commands, const Fullscreen& fullscreen,
                       const Geometry& geometry, const SampleRectangle& samples,
                       const Texture& depths, Layout& layout, const Buffer& block);
    /// Distances to the nearest clear particle, one per pixel; 0 where there is none.
    const Texture& distances() const { return rawDistances_; }

    /// Records the lit picture seen through them. @return the picture with the clear matter
    const Texture& record(VkCommandBuffer commands, const Fullscreen& fullscreen,
                          const Texture& depths, const Texture& shadowMap, const Texture& lights,
                          const Texture* environment);

private:
    std::shared_ptr<Device> device_;
    Pass shadow_, skin_, volume_, volumeBlur_[2], smooth_[2], normal_, light_;
    PipelineHandle shadowing_, meshShadowing_, covering_, filling_, blurring_, smoothing_, turning_,
        lighting_;
    Texture shadowMap_, colours_, skinDepths_, rawDistances_, distances_[2], normals_, matter_[2],
        lights_;
    VkFormat sums_ = VK_FORMAT_UNDEFINED;
    VkExtent2D picture_{};
    VkExtent2D samples_{};
};

} // namespace floe::render
