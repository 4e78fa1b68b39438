#pragma once

#include "layout.hpp"
#include "pass.hpp"
#include "view.hpp"

namespace floe::render {

/// Push constants of passes that sample along one direction.
struct Along {
    std::array<std::int32_t, 2> direction = {0, 0};
    float reach = 0;
};

/// Draws passes that compute every pixel of their targets from textures.
class Fullscreen {
public:
    using Textures = std::array<const Texture*, Layout::kTextures>;

    /// @param block uniform block of the picture; both must outlive this
    Fullscreen(Layout& layout, const Buffer& block) : layout_(&layout), block_(&block) {}

    /// @param textures for bindings 1 to 9; null where the pass uses none
    /// @param part     pixels of the target to compute; default: all
    void draw(VkCommandBuffer commands, const Pass& pass, const PipelineHandle& pipeline,
              const Textures& textures, const Along& along = {},
              const SampleRectangle* part = nullptr) const;

private:
    Layout* layout_;
    const Buffer* block_;
};

} // namespace floe::render
