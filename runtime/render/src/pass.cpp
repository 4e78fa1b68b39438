#include "pass.hpp"

#include "mesh_vertices.hpp"

namespace floe::render {
namespace {

ShaderHandle shaderModule(VkDevice device, Spirv code)
{
    VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    info.codeSize = code.size_bytes();
    info.pCode = code.data();
    VkShaderModule shader;
    check(vkCreateShaderModule(device, &info, nullptr, &shader), "load a shader");
    return {device, shader};
}

} // namespace

Pass::Pass(std::shared_ptr<Device> device, const std::vector<VkFormat>& colours, Depth depth,
           After after)
    : device_(std::move(device)), colourCount_(static_cast<std::uint32_t>(colours.size())),
      depth_(depth)
{
    std::vector<VkAttachmentDescription> attachments;
    std::vector<VkAttachmentReference> references;
    const auto attach = [&](VkFormat format, VkImageLayout finalLayout) {
        VkAttachmentDescription attachment{};
        attachment.format = format;
        attachment.samples = VK_SAMPLE_COUNT_1_BIT;
        attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
        attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
        attachment.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
        attachment.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
        attachment.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
        attachment.finalLayout = finalLayout;
        attachments.push_back(attachment);
    };
    for (const VkFormat format : colours) {
        references.push_back({static_cast<std::uint32_t>(attachments.size()),
                              VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL});
        attach(format, after == After::Copy ? VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL
                                            : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    }
    const VkAttachmentReference depthReference{
        colourCount_, depth == Depth::Keep ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL
                                           : VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    if (depth != Depth::None)
        attach(VK_FORMAT_D32_SFLOAT, VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL);
    if (depth == Depth::Keep) {
        attachments.back().loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
        attachments.back().initialLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL;
    }
    VkSubpassDescription subpass{};
    subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
    subpass.colorAttachmentCount = colourCount_;
    subpass.pColorAttachments = references.data();
    subpass.pDepthStencilAttachment = depth != Depth::None ? &depthReference : nullptr;

    constexpr VkPipelineStageFlags kDraws = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |
                                            VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |
                                            VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT;
    constexpr VkAccessFlags kWrites =
        VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
    constexpr VkPipelineStageFlags kUses =
        VK_PIPELINE_STAGE_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT |
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    const VkSubpassDependency dependencies[] = {
        {VK_SUBPASS_EXTERNAL, 0, kDraws | kUses, kDraws, kWrites,
         kWrites | VK_ACCESS_COLOR_ATTACHMENT_READ_BIT |
             VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT,
         0},
        {0, VK_SUBPASS_EXTERNAL, kDraws, kUses, kWrites,
         VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT, 0}};
    VkRenderPassCreateInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
    info.attachmentCount = static_cast<std::uint32_t>(attachments.size());
    info.pAttachments = attachments.data();
    info.subpassCount = 1;
    info.pSubpasses = &subpass;
    info.dependencyCount = 2;
    info.pDependencies = dependencies;
    VkRenderPass pass;
    check(vkCreateRenderPass(device_->get(), &info, nullptr, &pass), "create a render pass");
    pass_ = {device_->get(), pass};
}

void Pass::target(const std::vector<const Texture*>& textures)
{
    std::vector<VkImageView> views;
    for (const Texture* texture : textures)
        views.push_back(texture->view());
    extent_ = textures.front()->extent();
    VkFramebufferCreateInfo info{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
    info.renderPass = pass_.get();
    info.attachmentCount = static_cast<std::uint32_t>(views.size());
    info.pAttachments = views.data();
    info.width = extent_.width;
    info.height = extent_.height;
    info.layers = 1;
    VkFramebuffer framebuffer;
    check(vkCreateFramebuffer(device_->get(), &info, nullptr, &framebuffer),
          "create a framebuffer");
    framebuffer_ = {device_->get(), framebuffer};
}

void Pass::begin(VkCommandBuffer commands, float clearDepth) const
{
    std::vector<VkClearValue> clears(colourCount_ + (depth_ != Depth::None ? 1 : 0));
    if (depth_ != Depth::None)
        clears.back().depthStencil = {clearDepth, 0};
    VkRenderPassBeginInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
    info.renderPass = pass_.get();
    info.framebuffer = framebuffer_.get();
    info.renderArea = {{0, 0}, extent_};
    info.clearValueCount = static_cast<std::uint32_t>(clears.size());
    info.pClearValues = clears.data();
    vkCmdBeginRenderPass(commands, &info, VK_SUBPASS_CONTENTS_INLINE);
    const VkViewport viewport{
        0, 0, static_cast<float>(extent_.width), static_cast<float>(extent_.height), 0, 1};
    const VkRect2D scissor{{0, 0}, extent_};
    vkCmdSetViewport(commands, 0, 1, &viewport);
    vkCmdSetScissor(commands, 0, 1, &scissor);
}

PipelineHandle Pass::pipeline(VkPipelineLayout layout, const PipelineShape& shape) const
{
    const ShaderHandle vertex = shaderModule(device_->get(), shape.vertex);
    ShaderHandle fragment;
    std::vector<VkPipelineShaderStageCreateInfo> stages;
    const auto stage = [&](VkShaderStageFlagBits kind, const ShaderHandle& shader) {
        VkPipelineShaderStageCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
        info.stage = kind;
        info.module = shader.get();
        info.pName = "main";
        stages.push_back(info);
    };
    stage(VK_SHADER_STAGE_VERTEX_BIT, vertex);
    if (!shape.fragment.empty()) {
        fragment = shaderModule(device_->get(), shape.fragment);
        stage(VK_SHADER_STAGE_FRAGMENT_BIT, fragment);
    }

    const VkVertexInputBindingDescription binding{0, sizeof(MeshVertex),
                                                  VK_VERTEX_INPUT_RATE_VERTEX};
    const VkVertexInputAttributeDescription attributes[] = {
        {0, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(MeshVertex, point)},
        {1, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(MeshVertex, normal)},
        {2, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(MeshVertex, colour)}};
    VkPipelineVertexInputStateCreateInfo input{
        VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    if (shape.meshAttributes > 0) {
        input.vertexBindingDescriptionCount = 1;
        input.pVertexBindingDescriptions = &binding;
        input.vertexAttributeDescriptionCount = shape.meshAttributes;
        input.pVertexAttributeDescriptions = attributes;
    }
    VkPipelineInputAssemblyStateCreateInfo assembly{
        VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    VkPipelineViewportStateCreateInfo viewport{
        VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    viewport.viewportCount = 1;
    viewport.scissorCount = 1;
    VkPipelineRasterizationStateCreateInfo raster{
        VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    raster.polygonMode = VK_POLYGON_MODE_FILL;
    raster.cullMode = VK_CULL_MODE_NONE;
    raster.lineWidth = 1;
    VkPipelineMultisampleStateCreateInfo multisample{
        VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    multisample.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    VkPipelineDepthStencilStateCreateInfo depth{
        VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
    depth.depthTestEnable = shape.depth != VK_COMPARE_OP_NEVER;
    depth.depthWriteEnable = depth.depthTestEnable && depth_ != Depth::Keep;
    depth.depthCompareOp = shape.depth;
    std::vector<VkPipelineColorBlendAttachmentState> writes(colourCount_);
    using enum PipelineShape::Blend;
    for (auto& write : writes) {
        write.blendEnable = shape.blend != None;
        write.srcColorBlendFactor = write.srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
        write.dstColorBlendFactor = write.dstAlphaBlendFactor =
            shape.blend == Over ? VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA : VK_BLEND_FACTOR_ONE;
        write.colorBlendOp = VK_BLEND_OP_ADD;
        write.alphaBlendOp = shape.blend == AddAndMaxAlpha ? VK_BLEND_OP_MAX : VK_BLEND_OP_ADD;
        write.colorWriteMask = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT |
                               VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT;
    }
    VkPipelineColorBlendStateCreateInfo blend{
        VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    blend.attachmentCount = colourCount_;
    blend.pAttachments = writes.data();
    const VkDynamicState dynamicStates[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
    dynamic.dynamicStateCount = 2;
    dynamic.pDynamicStates = dynamicStates;

    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
    info.stageCount = static_cast<std::uint32_t>(stages.size());
    info.pStages = stages.data();
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    info.pViewportState = &viewport;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &multisample;
    info.pDepthStencilState = &depth;
    info.pColorBlendState = &blend;
    info.pDynamicState = &dynamic;
    info.layout = layout;
    info.renderPass = pass_.get();
    VkPipeline pipeline;
    check(vkCreateGraphicsPipelines(device_->get(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
          "create a pipeline");
    return {device_->get(), pipeline};
}

} // namespace floe::render
