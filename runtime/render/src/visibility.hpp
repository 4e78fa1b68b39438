#pragma once

#include "geometry.hpp"
#include "pass.hpp"
#include "view.hpp"

namespace floe::render {

/// The pass that finds what each pixel shows, and its images.
class Visibility {
public:
    /// @param layout  of all pipelines
    Visibility(std::shared_ptr<Device> device, VkPipelineLayout layout);

    /// Allocates images of this size; keeps them while it stays the same.
    /// @throws MemoryError before allocating
    void resize(std::uint32_t width, std::uint32_t height);
    /// Records the pass and the copy of its result.
    void record(VkCommandBuffer commands, const Scene& scene, const Geometry& geometry,
                const FrameBlock& block, Layout& layout);
    /// The result, two numbers a pixel, after the commands have run.
    const Buffer& bytes() const { return bytes_; }

private:
    std::shared_ptr<Device> device_;
    Pass pass_;
    PipelineHandle particle_, mesh_;
    Texture numbers_, depths_;
    Buffer block_, bytes_;
};

} // namespace floe::render
