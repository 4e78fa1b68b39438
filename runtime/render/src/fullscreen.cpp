#include "fullscreen.hpp"

namespace floe::render {

void Fullscreen::draw(VkCommandBuffer commands, const Pass& pass, const PipelineHandle& pipeline,
                      const Textures& textures, const Along& along,
                      const SampleRectangle* part) const
{
    const VkDescriptorSet set = layout_->frameSet(block_->get(), sizeof(FrameBlock), textures);
    pass.begin(commands);
    if (part != nullptr) {
        const VkRect2D scissor{
            {static_cast<std::int32_t>(part->x), static_cast<std::int32_t>(part->y)},
            {part->width, part->height}};
        vkCmdSetScissor(commands, 0, 1, &scissor);
    }
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.get());
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_->pipelines(), 0, 1,
                            &set, 0, nullptr);
    vkCmdPushConstants(commands, layout_->pipelines(),
                       VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof along,
                       &along);
    vkCmdDraw(commands, 3, 1, 0, 0);
    Pass::end(commands);
}

} // namespace floe::render
