#include "clear_passes.hpp"

#include "shader_code.hpp"
#include "target_formats.hpp"

#include <algorithm>

namespace floe::render {
namespace {

constexpr std::uint32_t kShadowShare = 4; // its map's texels hold so many of the other map, a side

/// Reaches of the filter [radii]: broad first, then what that left.
constexpr std::array<float, 2> kReaches = {8.0f, 4.0f};

/// The texels of an image with `side` samples a texel that cover `part`.
SampleRectangle texels(const SampleRectangle& part, std::uint32_t side, VkExtent2D extent)
{
    SampleRectangle result{part.x / side, part.y / side, 0, 0};
    const auto size = [&](std::uint32_t begin, std::uint32_t length, std::uint32_t most) {
        const std::uint32_t end = std::min((begin + length + side - 1) / side, most);
        return end - std::min(begin / side, end);
    };
    result.width = size(part.x, part.width, extent.width);
    result.height = size(part.y, part.height, extent.height);
    return result;
}

} // namespace

ClearPasses::ClearPasses(std::shared_ptr<Device> device, VkPipelineLayout layout) : device_(device)
{
    using enum Pass::After;
    using namespace shader;
    // Sums of hundreds of small numbers; every device adds up halfs at least.
    sums_ = device->blends(VK_FORMAT_R32G32B32A32_SFLOAT) ? VK_FORMAT_R32G32B32A32_SFLOAT : kHalfs;
    shadow_ = Pass(device, {sums_}, Pass::Depth::None, Sample);
    skin_ = Pass(device, {kColourFormat, kDistanceFormat}, Pass::Depth::Clear, Sample);
    volume_ = Pass(device, {sums_}, Pass::Depth::None, Sample);
    for (int i = 0; i < 2; ++i) {
        volumeBlur_[i] = Pass(device, {sums_}, Pass::Depth::None, Sample);
        smooth_[i] = Pass(device, {kDistanceFormat}, Pass::Depth::None, Sample);
    }
    normal_ = Pass(device, {kHalfs}, Pass::Depth::None, Sample);
    light_ = Pass(device, {kHalfs}, Pass::Depth::None, Sample);
    shadowing_ = shadow_.pipeline(layout, {.vertex = kClearShadowVert,
                                           .fragment = kClearShadowFrag,
                                           .blend = PipelineShape::Blend::AddAndMaxAlpha});
    meshShadowing_ = shadow_.pipeline(layout, {.vertex = kClearMeshShadowVert,
                                               .fragment = kClearMeshShadowFrag,
                                               .meshAttributes = 1,
                                               .blend = PipelineShape::Blend::AddAndMaxAlpha});
    covering_ =
        skin_.pipeline(layout, {.vertex = kClearVert,
                                .fragment = kClearSkinFrag,
                                .depth = VK_COMPARE_OP_GREATER}); // reversed: nearer is greater
    filling_ = volume_.pipeline(
        layout,
        {.vertex = kClearVert, .fragment = kClearVolumeFrag, .blend = PipelineShape::Blend::Add});
    const auto over = [&](const Pass& pass, Spirv fragment) {
        return pass.pipeline(layout, {.vertex = kFullscreenVert, .fragment = fragment});
    };
    blurring_ = over(volumeBlur_[0], kClearVolumeBlurFrag);
    smoothing_ = over(smooth_[0], kClearSmoothFrag);
    turning_ = over(normal_, kClearNormalFrag);
    lighting_ = over(light_, kClearFrag);
}

std::uint64_t ClearPasses::bytesFor(std::uint64_t pixels, std::uint64_t samplesAPixel)
{
    return pixels * (4 + 4 + 3 * 4 + 8 + 2 * 16 / 4 + 8 * samplesAPixel);
}

void ClearPasses::release()
{
    picture_ = samples_ = {};
    for (Texture* texture : {&colours_, &skinDepths_, &rawDistances_, &distances_[0],
                             &distances_[1], &normals_, &matter_[0], &matter_[1], &lights_})
        *texture = {};
}

void ClearPasses::resizeShadow(int shadowMapSize)
{
    const std::uint32_t square = static_cast<std::uint32_t>(shadowMapSize) / kShadowShare;
    if (shadowMap_.extent().width != square) {
        shadowMap_ = {};
        shadowMap_ = Texture(device_, {square, square}, sums_, kColourTarget);
        shadow_.target({&shadowMap_});
    }
}

void ClearPasses::resize(VkExtent2D picture, VkExtent2D samples)
{
    if (picture_.width == picture.width && picture_.height == picture.height &&
        samples_.width == samples.width)
        return;
    release();
    const VkExtent2D half{(picture.width + 1) / 2, (picture.height + 1) / 2};
    colours_ = Texture(device_, picture, kColourFormat, kColourTarget);
    rawDistances_ = Texture(device_, picture, kDistanceFormat, kColourTarget);
    skinDepths_ = Texture(device_, picture, kDepthFormat, kDepthTarget);
    skin_.target({&colours_, &rawDistances_, &skinDepths_});
    for (int i = 0; i < 2; ++i) {
        distances_[i] = Texture(device_, picture, kDistanceFormat, kColourTarget);
        smooth_[i].target({&distances_[i]});
        matter_[i] = Texture(device_, half, sums_, kColourTarget);
        volumeBlur_[i].target({&matter_[i]});
    }
    volume_.target({&matter_[0]});
    normals_ = Texture(device_, picture, kHalfs, kColourTarget);
    normal_.target({&normals_});
    lights_ = Texture(device_, samples, kHalfs, kColourTarget);
    light_.target({&lights_});
    picture_ = picture;
    samples_ = samples;
}

void ClearPasses::recordShadow(VkCommandBuffer commands, const Scene& scene,
                               const Geometry& geometry, const VkDescriptorSet& frame,
                               VkPipelineLayout layout)
{
    shadow_.begin(commands);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &frame, 0,
                            nullptr);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, shadowing_.get());
    geometry.drawParticles(commands, layout, Geometry::Part::ClearShadow);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, meshShadowing_.get());
    geometry.drawMeshes(commands, layout, scene, Geometry::MeshUse::Clear);
    Pass::end(commands);
}

void ClearPasses::recordSurface(VkCommandBuffer commands, const Fullscreen& fullscreen,
                                const Geometry& geometry, const SampleRectangle& samples,
                                const Texture& depths, Layout& layout, const Buffer& block)
{
    const VkDescriptorSet frame =
        layout.frameSet(block.get(), sizeof(FrameBlock), {nullptr, nullptr, nullptr, &depths});
    const auto particles = [&](const Pass& pass, const PipelineHandle& pipeline,
                               Geometry::Part part) {
        pass.begin(commands);
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout.pipelines(), 0, 1,
                                &frame, 0, nullptr);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.get());
        geometry.drawParticles(commands, layout.pipelines(), part);
        Pass::end(commands);
    };
    particles(skin_, covering_, Geometry::Part::Skin);
    particles(volume_, filling_, Geometry::Part::Volume);

    const std::uint32_t side = samples_.width / picture_.width;
    const SampleRectangle skin = texels(samples, side, picture_);
    const SampleRectangle matter = texels(samples, 2 * side, matter_[0].extent());
    const auto along = [&](const Pass& pass, const PipelineHandle& pipeline, const Texture& source,
                           const Along& direction, const SampleRectangle& part) {
        fullscreen.draw(
            commands, pass, pipeline,
            {nullptr, nullptr, nullptr, &depths, nullptr, nullptr, nullptr, nullptr, &source},
            direction, &part);
    };
    along(volumeBlur_[1], blurring_, matter_[0], {{1, 0}}, matter);
    along(volumeBlur_[0], blurring_, matter_[1], {{0, 1}}, matter);

    const Texture* source = &rawDistances_;
    for (const float reach : kReaches) {
        along(smooth_[0], smoothing_, *source, {{1, 0}, reach}, skin);
        along(smooth_[1], smoothing_, distances_[0], {{0, 1}, reach}, skin);
        source = &distances_[1];
    }
    along(normal_, turning_, distances_[1], {}, skin);
}

const Texture& ClearPasses::record(VkCommandBuffer commands, const Fullscreen& fullscreen,
                                   const Texture& depths, const Texture& shadowMap,
                                   const Texture& lights, const Texture* environment)
{
    fullscreen.draw(commands, light_, lighting_,
                    {&colours_, &matter_[0], &normals_, &depths, &distances_[1], nullptr,
                     &shadowMap, &lights, nullptr, environment});
    return lights_;
}

} // namespace floe::render
