#pragma once

#include "linear.hpp"
#include "pass.hpp"
#include "view.hpp"

#include <array>
#include <vector>

namespace floe::render {

/// A scene's 3D Gaussians on the device. Each picture projects them to ellipses (Zwicker et al.
/// 2001), sorts these by distance with a radix sort of four bits a pass (Satish et al. 2009), and
/// blends rectangles around them, the farthest first, where nothing opaque is nearer.
///
/// Sorting reads and writes 8 bytes a Gaussian eight times, whether it is seen or not.
class Splats {
public:
    /// @param block  uniform block of pictures; must outlive this
    Splats(std::shared_ptr<Device> device, const Buffer& block);

    /// Computes the bounds of shadow casters; reads positions and opacities.
    void measure(const Scene& scene);
    const Bounds& casters() const { return casters_; } ///< empty without any
    bool any() const { return count_ > 0; }

    /// Copies changed data to the device. @throws InputError more than the device can address
    void upload(const Scene& scene);
    /// Makes the descriptors for one picture.
    void describe(const Scene& scene);

    /// Returns the bytes of an image for a picture, for checks before it is allocated.
    std::uint64_t bytesFor(std::uint64_t samples) const { return samples * sumBytes_; }
    /// Allocates the images; keeps them while size and depths stay the same.
    /// @param shadows  what falls onto each set, before its recordProjection()
    /// @param front    depths for recordFront(); null: it is not called
    void resize(VkExtent2D samples, const Texture& depths, const Texture& shadows,
                const Texture* front);
    void release();

    std::size_t setCount() const { return setCount_; }
    /// Whether a set other than this one casts a shadow.
    bool othersCast(std::size_t set) const;

    /// Outside of passes: begins, projects each set, and sorts all.
    void recordBegin(VkCommandBuffer commands) const;
    /// @param shaded  the set's colours take the shadows on `shadows`
    void recordProjection(VkCommandBuffer commands, std::size_t set, bool shaded) const;
    void recordSort(VkCommandBuffer commands) const;
    /// Draws shadows, within a pass that `shadowPipeline` was made for.
    /// @param without  a set that casts none
    void recordShadow(VkCommandBuffer commands, std::size_t without = SIZE_MAX) const;
    /// Blends, and returns the picture of Gaussians alone: colours as on a screen times opacity.
    const Texture& record(VkCommandBuffer commands) const;
    /// The same of those that are nearer than other depths.
    const Texture& recordFront(VkCommandBuffer commands) const;

    /// Makes the pipeline of recordShadow().
    void makeShadowPipeline(const Pass& shadow);

private:
    struct SetBuffers {
        GrowingBuffer positions, scales, rotations, opacities, harmonics, turns;
        Bounds casters = kNoBounds;
        std::uint64_t revision = 0;
        std::uint64_t harmonicsRevision = 0;
        std::uint64_t harmonicsCount = 0;
        std::uint64_t count = 0;
        bool holds(const GaussianSet& set) const; // compares its revision
    };
    /// Push constants of shaders/gaussians.glsl.
    struct Step {
        std::uint32_t first = 0, count = 0, degree = 0, turned = 0, groups = 0, shift = 0,
                      shaded = 0;
    };
    /// Gaussians of one set, as many as a binding reaches.
    struct Part {
        VkDescriptorSet set;
        std::size_t number; ///< of the set
        Step step;
        bool shadow;
    };
    VkDescriptorSet allocate();
    void dispatch(VkCommandBuffer commands, const PipelineHandle& pipeline, VkDescriptorSet set,
                  const Step& step, std::uint32_t groups) const;
    std::uint64_t mostInAPart(int degree) const;

    std::shared_ptr<Device> device_;
    const Buffer* block_;
    Buffer staging_;
    SamplerHandle sampler_;
    SetLayoutHandle setLayout_;
    PipelineLayoutHandle layout_;
    std::vector<DescriptorPoolHandle> pools_;
    std::size_t pool_ = 0;
    void draw(VkCommandBuffer commands, const Pass& pass) const;

    Pass pass_, frontPass_;
    PipelineHandle projecting_, counting_, scanning_, scattering_, drawing_, shadowing_;
    VkFormat sums_ = VK_FORMAT_UNDEFINED;
    std::uint64_t sumBytes_ = 0;
    Texture picture_, front_;
    const Texture *depths_ = nullptr, *frontDepths_ = nullptr, *shadows_ = nullptr;

    std::vector<SetBuffers> sets_;
    std::vector<bool> casting_; ///< sets
    std::size_t setCount_ = 0;
    Buffer splats_, counts_;
    std::array<Buffer, 2> pairs_;
    std::vector<Part> parts_;
    std::array<VkDescriptorSet, 2> sorts_{}; ///< from pairs_[0] to pairs_[1], and back
    Bounds casters_ = kNoBounds;
    std::uint64_t count_ = 0;
};

} // namespace floe::render
