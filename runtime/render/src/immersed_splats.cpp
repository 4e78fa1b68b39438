#include "immersed_splats.hpp"

#include "shader_code.hpp"

namespace floe::render {

namespace {

constexpr VkFormat kDepthFormat = VK_FORMAT_D32_SFLOAT;
constexpr VkFormat kLightFormat = VK_FORMAT_R16G16B16A16_SFLOAT;

} // namespace

ImmersedSplats::ImmersedSplats(std::shared_ptr<Device> device, VkPipelineLayout layout)
    : device_(device), depth_(device, {}, Pass::Depth::Clear, Pass::After::Sample),
      light_(device, {kLightFormat}, Pass::Depth::None, Pass::After::Sample)
{
    using namespace shader;
    nearing_ = depth_.pipeline(layout, {.vertex = kFullscreenVert,
                                        .fragment = kImmersedDepthFrag,
                                        .depth = VK_COMPARE_OP_GREATER});
    lighting_ = light_.pipeline(layout, {.vertex = kFullscreenVert, .fragment = kImmersedFrag});
}

void ImmersedSplats::resize(VkExtent2D samples)
{
    if (depths_.extent().width == samples.width && depths_.extent().height == samples.height)
        return;
    release();
    depths_ = Texture(device_, samples, kDepthFormat,
                      VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
    lights_ = Texture(device_, samples, kLightFormat,
                      VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
    depth_.target({&depths_});
    light_.target({&lights_});
}

void ImmersedSplats::release()
{
    depths_ = {};
    lights_ = {};
}

void ImmersedSplats::recordDepths(VkCommandBuffer commands, const Fullscreen& fullscreen,
                                  const Texture& depths, const Texture& distances)
{
    fullscreen.draw(
        commands, depth_, nearing_,
        {nullptr, nullptr, nullptr, &depths, nullptr, nullptr, nullptr, nullptr, &distances});
}

const Texture& ImmersedSplats::record(VkCommandBuffer commands, const Fullscreen& fullscreen,
                                      const Texture& lights, const Texture& all,
                                      const Texture& front)
{
    fullscreen.draw(commands, light_, lighting_,
                    {&front, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, &lights, &all});
    return lights_;
}

} // namespace floe::render
