#include "clear_mesh_passes.hpp"

#include "shader_code.hpp"
#include "target_formats.hpp"

namespace floe::render {

ClearMeshPasses::ClearMeshPasses(std::shared_ptr<Device> device, VkPipelineLayout layout)
    : device_(device)
{
    using enum Pass::After;
    using namespace shader;
    sums_ = device->blends(VK_FORMAT_R32G32B32A32_SFLOAT) ? VK_FORMAT_R32G32B32A32_SFLOAT : kHalfs;
    skin_ = Pass(device, {kColourFormat, kDistanceFormat, kHalfs}, Pass::Depth::Clear, Sample);
    volume_ = Pass(device, {sums_}, Pass::Depth::None, Sample);
    light_ = Pass(device, {kHalfs}, Pass::Depth::None, Sample);
    covering_ =
        skin_.pipeline(layout, {.vertex = kMeshVert,
                                .fragment = kClearMeshSkinFrag,
                                .meshAttributes = 3,
                                .depth = VK_COMPARE_OP_GREATER}); // reversed: nearer is greater
    filling_ = volume_.pipeline(layout, {.vertex = kClearMeshVolumeVert,
                                         .fragment = kClearMeshVolumeFrag,
                                         .meshAttributes = 1,
                                         .blend = PipelineShape::Blend::Add});
    lighting_ = light_.pipeline(layout, {.vertex = kFullscreenVert, .fragment = kClearMeshFrag});
}

std::uint64_t ClearMeshPasses::bytesFor(std::uint64_t pixels, std::uint64_t samplesAPixel)
{
    return pixels * (16 + (4 + 4 + 8 + 4 + 8) * samplesAPixel);
}

void ClearMeshPasses::release()
{
    picture_ = samples_ = {};
    for (Texture* texture : {&colours_, &distances_, &normals_, &skinDepths_, &matter_, &lights_})
        *texture = {};
}

void ClearMeshPasses::resize(VkExtent2D picture, VkExtent2D samples)
{
    if (picture_.width == picture.width && picture_.height == picture.height &&
        samples_.width == samples.width)
        return;
    release();
    colours_ = Texture(device_, samples, kColourFormat, kColourTarget);
    distances_ = Texture(device_, samples, kDistanceFormat, kColourTarget);
    normals_ = Texture(device_, samples, kHalfs, kColourTarget);
    skinDepths_ = Texture(device_, samples, kDepthFormat, kDepthTarget);
    skin_.target({&colours_, &distances_, &normals_, &skinDepths_});
    matter_ = Texture(device_, picture, sums_, kColourTarget);
    volume_.target({&matter_});
    lights_ = Texture(device_, samples, kHalfs, kColourTarget);
    light_.target({&lights_});
    picture_ = picture;
    samples_ = samples;
}

const Texture& ClearMeshPasses::record(VkCommandBuffer commands, const Scene& scene,
                                       const Fullscreen& fullscreen, const Geometry& geometry,
                                       const Texture& depths, const Texture& shadowMap,
                                       const Texture& lights, const Texture* environment,
                                       Layout& layout, const Buffer& block)
{
    const VkDescriptorSet frame =
        layout.frameSet(block.get(), sizeof(FrameBlock), {nullptr, nullptr, nullptr, &depths});
    const auto meshes = [&](const Pass& pass, const PipelineHandle& pipeline) {
        pass.begin(commands);
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout.pipelines(), 0, 1,
                                &frame, 0, nullptr);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.get());
        geometry.drawMeshes(commands, layout.pipelines(), scene, Geometry::MeshUse::Clear);
        Pass::end(commands);
    };
    meshes(skin_, covering_);
    meshes(volume_, filling_);
    fullscreen.draw(commands, light_, lighting_,
                    {&colours_, &matter_, &normals_, &depths, &distances_, nullptr, &shadowMap,
                     &lights, nullptr, environment});
    return lights_;
}

} // namespace floe::render
