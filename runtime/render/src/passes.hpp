#pragma once

#include "clear_mesh_passes.hpp"
#include "clear_passes.hpp"
#include "environment_map.hpp"
#include "fullscreen.hpp"
#include "geometry.hpp"
#include "immersed_splats.hpp"
#include "splats.hpp"

namespace floe::render {

/// The passes of a picture, their pipelines and the images between them.
class Passes {
public:
    explicit Passes(std::shared_ptr<Device> device);

    Layout& layout() { return layout_; }
    Splats& splats() { return *splats_; }
    EnvironmentMap& environment() { return environment_; }

    /// Allocates images for pictures of this size; keeps them while it stays the same.
    /// @throws MemoryError before allocating, when the device's memory cannot hold them
    /// @param clear, clearMeshes  pictures contain particles, meshes of clear matter
    /// @param shaded shadows fall onto Gaussians
    void resize(std::uint32_t width, std::uint32_t height, int samplesASide, int shadowMapSize,
                bool clear, bool clearMeshes, bool shaded);

    /// Records everything from shadows to copies of the results into `readback`.
    void record(VkCommandBuffer commands, const Scene& scene, const Geometry& geometry,
                const FrameBlock& block);

    /// Results in host memory after the commands have run: display, linear, depth.
    const Buffer& displayBytes() const { return displayBytes_; }
    const Buffer& linearBytes() const { return linearBytes_; }
    const Buffer& depthBytes() const { return depthBytes_; }

private:
    void makePipelines();
    void recordCasters(VkCommandBuffer commands, const Scene& scene, const Geometry& geometry,
                       VkDescriptorSet frame, std::size_t withoutSplats = SIZE_MAX) const;
    void recordSplats(VkCommandBuffer commands, const Scene& scene, const Geometry& geometry,
                      const FrameBlock& block, VkDescriptorSet frame) const;
    void makeImages(VkExtent2D plain, VkExtent2D samples, int samplesASide);

    std::shared_ptr<Device> device_;
    Layout layout_;
    ClearPasses clear_;
    ClearMeshPasses clearMeshes_;
    ImmersedSplats immersed_;
    EnvironmentMap environment_;
    Pass shadow_, splatShadow_, cover_, coverReduce_, geometry_, smooth_[2], occlusion_[2], light_,
        resolve_;
    PipelineHandle covering_, coverReducing_, particleShadow_, meshShadow_, particle_, mesh_, grid_,
        ground_, smoothing_, occluding_, occlusionBlur_, lighting_, resolving_;
    Texture shadowMap_, splatShadowMap_, covered_, coveredFar_, colours_, normals_, surfaces_,
        depths_, smoothNormals_[2], openness_[2], lights_, display_, linear_, depthOut_;
    Buffer block_, displayBytes_, linearBytes_, depthBytes_;
    std::unique_ptr<Splats> splats_; ///< refers to block_
    VkExtent2D extent_{};
    int samplesASide_ = 0;
};

} // namespace floe::render
