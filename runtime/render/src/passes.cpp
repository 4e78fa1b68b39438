#include "passes.hpp"

#include "shader_code.hpp"
#include "target_formats.hpp"

#include "floe/compute/memory.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace floe::render {
namespace {

/// What a driver that draws with the processor takes besides: to compile shaders, and to sort some
/// million particles into tiles (lavapipe of Mesa 22).
constexpr std::uint64_t kProcessorDriverBytes = 128ull << 20;

constexpr VkFormat kNormalFormat = VK_FORMAT_R16G16B16A16_SFLOAT;
constexpr VkFormat kSurfaceFormat = VK_FORMAT_R8G8B8A8_UNORM;
constexpr VkFormat kOpennessFormat = VK_FORMAT_R8_UNORM;
constexpr VkFormat kDisplayFormat = VK_FORMAT_R8G8B8A8_UNORM;
constexpr VkFormat kLinearFormat = VK_FORMAT_R32G32B32A32_SFLOAT;
constexpr VkFormat kDepthOutFormat = VK_FORMAT_R32_SFLOAT;

constexpr std::uint64_t kManyParticles = 30'000;
constexpr VkImageUsageFlags kCopied =
    VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;

} // namespace

Passes::Passes(std::shared_ptr<Device> device)
    : device_(device), layout_(device), clear_(device, layout_.pipelines()),
      clearMeshes_(device, layout_.pipelines()), immersed_(device, layout_.pipelines()),
      environment_(device)
{
    using enum Pass::After;
    shadow_ = Pass(device, {}, Pass::Depth::Clear, Sample);
    splatShadow_ = Pass(device, {}, Pass::Depth::Clear, Sample);
    cover_ = Pass(device, {}, Pass::Depth::Clear, Sample);
    coverReduce_ = Pass(device, {kDepthOutFormat}, Pass::Depth::None, Sample);
    geometry_ =
        Pass(device, {kColourFormat, kNormalFormat, kSurfaceFormat}, Pass::Depth::Clear, Sample);
    for (int i = 0; i < 2; ++i) {
        smooth_[i] = Pass(device, {kNormalFormat}, Pass::Depth::None, Sample);
        occlusion_[i] = Pass(device, {kOpennessFormat}, Pass::Depth::None, Sample);
    }
    light_ = Pass(device, {kHalfs}, Pass::Depth::None, Sample);
    resolve_ =
        Pass(device, {kDisplayFormat, kLinearFormat, kDepthOutFormat}, Pass::Depth::None, Copy);
    block_ = Buffer(device, sizeof(FrameBlock), VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
                    Buffer::Place::Upload);
    splats_ = std::make_unique<Splats>(device, block_);
    splats_->makeShadowPipeline(shadow_);
    makePipelines();
}

void Passes::makePipelines()
{
    using namespace shader;
    const VkPipelineLayout layout = layout_.pipelines();
    // The shadow map holds distances from the light, the other depths are reversed.
    constexpr VkCompareOp kNearer = VK_COMPARE_OP_LESS;
    constexpr VkCompareOp kNearerReversed = VK_COMPARE_OP_GREATER;
    particleShadow_ = shadow_.pipeline(
        layout, {.vertex = kParticleShadowVert, .fragment = kDiscFrag, .depth = kNearer});
    meshShadow_ = shadow_.pipeline(
        layout, {.vertex = kMeshShadowVert, .fragment = {}, .meshAttributes = 1, .depth = kNearer});
    covering_ = cover_.pipeline(
        layout, {.vertex = kCoverVert, .fragment = kDiscFrag, .depth = kNearerReversed});
    coverReducing_ =
        coverReduce_.pipeline(layout, {.vertex = kFullscreenVert, .fragment = kCoverReduceFrag});
    particle_ = geometry_.pipeline(
        layout, {.vertex = kParticleVert, .fragment = kParticleFrag, .depth = kNearerReversed});
    mesh_ = geometry_.pipeline(layout, {.vertex = kMeshVert,
                                        .fragment = kMeshFrag,
                                        .meshAttributes = 3,
                                        .depth = kNearerReversed});
    ground_ = geometry_.pipeline(
        layout, {.vertex = kFullscreenVert, .fragment = kGroundFrag, .depth = kNearerReversed});
    grid_ = geometry_.pipeline(layout, {.vertex = kFullscreenVert, .fragment = kGridFrag});
    smoothing_ = smooth_[0].pipeline(layout, {.vertex = kFullscreenVert, .fragment = kSmoothFrag});
    occluding_ =
        occlusion_[0].pipeline(layout, {.vertex = kFullscreenVert, .fragment = kOcclusionFrag});
    occlusionBlur_ =
        occlusion_[0].pipeline(layout, {.vertex = kFullscreenVert, .fragment = kOcclusionBlurFrag});
    lighting_ = light_.pipeline(layout, {.vertex = kFullscreenVert, .fragment = kLightFrag});
    resolving_ = resolve_.pipeline(layout, {.vertex = kFullscreenVert, .fragment = kResolveFrag});
}

void Passes::resize(std::uint32_t width, std::uint32_t height, int samplesASide, int shadowMapSize,
                    bool clear, bool clearMeshes, bool shaded)
{
    const std::uint32_t side = static_cast<std::uint32_t>(samplesASide);
    const VkExtent2D samples{width * side, height * side};
    const std::uint32_t most = device_->limits().maxImageDimension2D;
    if (samples.width > most || samples.height > most)
        throw InputError({.parameter = "samples"},
                         "a picture of " + std::to_string(width) + " x " + std::to_string(height) +
                             " pixels with " + std::to_string(side * side) +
                             " samples needs images of " + std::to_string(samples.width) + " x " +
                             std::to_string(samples.height) + ", and '" + device_->info().name +
                             "' does at most " + std::to_string(most) + " a side",
                         "lower the resolution or the samples");
    const auto square = static_cast<std::uint32_t>(shadowMapSize);
    if (shadowMap_.extent().width != square) {
        shadowMap_ = {};
        shadowMap_ = Texture(device_, {square, square}, kDepthFormat, kDepthTarget);
        shadow_.target({&shadowMap_});
    }
    const std::uint32_t splatSquare = shaded ? square : 1; // unused, but always bound
    if (splatShadowMap_.extent().width != splatSquare) {
        splatShadowMap_ = {};
        splatShadowMap_ = Texture(device_, {splatSquare, splatSquare}, kDepthFormat, kDepthTarget);
        splatShadow_.target({&splatShadowMap_});
    }
    const std::uint64_t pixels = static_cast<std::uint64_t>(width) * height;
    const bool host = device_->info().kind == DeviceInfo::Kind::Cpu;
    const std::uint64_t needed =
        (host ? kProcessorDriverBytes : 0) +
        pixels * (side * side * (4 + 8 + 4 + 4 + 8 + 8 + 8) + 2 + 24 + 24) +
        (clear ? ClearPasses::bytesFor(pixels, side * side) : 0) +
        (clearMeshes ? ClearMeshPasses::bytesFor(pixels, side * side) : 0) +
        (splats_->any() ? splats_->bytesFor(pixels * side * side) : 0) +
        (clear && splats_->any() ? splats_->bytesFor(pixels * side * side) +
                                       ImmersedSplats::bytesFor(pixels * side * side)
                                 : 0);
    const bool fits =
        extent_.width == width && extent_.height == height && samplesASide_ == samplesASide;
    if (needed > device_->localHeapBytes() || (!fits && host && !compute::claimHost(needed)))
        throw MemoryError({.parameter = "width"},
                          "a picture of " + std::to_string(width) + " x " + std::to_string(height) +
                              " pixels with " + std::to_string(side * side) + " samples needs " +
                              std::to_string(needed >> 20) + " MiB, more than " +
                              (host ? "the machine or its control group" : "the device") + " has",
                          "lower the resolution or the samples");
    // Drivers that draw on the processor crash where there is no room for what they take besides.
    constexpr std::uint64_t kBesides = std::uint64_t{256} << 20;
    if (const std::uint64_t left = compute::addressSpaceLeft();
        !fits && host && left < needed + kBesides)
        throw MemoryError({.parameter = "width"},
                          "the limit on the address space leaves " + std::to_string(left >> 20) +
                              " MiB, and drawing this picture needs " +
                              std::to_string((needed + kBesides) >> 20),
                          "raise the limit (ulimit -v), or lower the resolution or the samples");
    if (!fits) {
        clear_.release();
        clearMeshes_.release();
        immersed_.release();
        splats_->release();
    }
    if (clear || clearMeshes)
        clear_.resizeShadow(shadowMapSize);
    if (clear)
        clear_.resize({width, height}, samples);
    if (clearMeshes)
        clearMeshes_.resize({width, height}, samples);
    if (!fits)
        makeImages({width, height}, samples, samplesASide);
    if (clear && splats_->any())
        immersed_.resize(samples);
    if (splats_->any())
        splats_->resize(samples, depths_, splatShadowMap_, clear ? &immersed_.depths() : nullptr);
}

void Passes::makeImages(VkExtent2D plain, VkExtent2D samples, int samplesASide)
{
    extent_ = {}; // the images fit no size until all exist
    for (Texture* texture : {&covered_, &coveredFar_, &colours_, &normals_, &surfaces_, &depths_,
                             &smoothNormals_[0], &smoothNormals_[1], &openness_[0], &openness_[1],
                             &lights_, &display_, &linear_, &depthOut_})
        *texture = {};
    for (Buffer* buffer : {&displayBytes_, &linearBytes_, &depthBytes_})
        *buffer = {};

    covered_ = Texture(device_, {(samples.width + 1) / 2, (samples.height + 1) / 2}, kDepthFormat,
                       kDepthTarget);
    coveredFar_ = Texture(device_, {(samples.width + 15) / 16, (samples.height + 15) / 16},
                          kDepthOutFormat, kColourTarget);
    cover_.target({&covered_});
    coverReduce_.target({&coveredFar_});
    colours_ = Texture(device_, samples, kColourFormat, kColourTarget);
    normals_ = Texture(device_, samples, kNormalFormat, kColourTarget);
    surfaces_ = Texture(device_, samples, kSurfaceFormat, kColourTarget);
    depths_ = Texture(device_, samples, kDepthFormat, kDepthTarget);
    for (int i = 0; i < 2; ++i) {
        smoothNormals_[i] = Texture(device_, samples, kNormalFormat, kColourTarget);
        openness_[i] = Texture(device_, plain, kOpennessFormat, kColourTarget);
        smooth_[i].target({&smoothNormals_[i]});
        occlusion_[i].target({&openness_[i]});
    }
    lights_ = Texture(device_, samples, kHalfs, kColourTarget);
    display_ = Texture(device_, plain, kDisplayFormat, kCopied);
    linear_ = Texture(device_, plain, kLinearFormat, kCopied);
    depthOut_ = Texture(device_, plain, kDepthOutFormat, kCopied);
    geometry_.target({&colours_, &normals_, &surfaces_, &depths_});
    light_.target({&lights_});
    resolve_.target({&display_, &linear_, &depthOut_});
    extent_ = plain;
    samplesASide_ = samplesASide;
}

void Passes::recordCasters(VkCommandBuffer commands, const Scene& scene, const Geometry& geometry,
                           VkDescriptorSet frame, std::size_t withoutSplats) const
{
    const VkPipelineLayout layout = layout_.pipelines();
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &frame, 0,
                            nullptr);
    const auto bind = [&](const PipelineHandle& pipeline) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.get());
    };
    if (geometry.hasMeshes()) {
        bind(meshShadow_);
        geometry.drawMeshes(commands, layout, scene, Geometry::MeshUse::Shadow);
    }
    if (geometry.hasParticles()) {
        bind(particleShadow_);
        geometry.drawParticles(commands, layout, Geometry::Part::Opaque);
    }
    if (splats_->any()) // last: binds another layout
        splats_->recordShadow(commands, withoutSplats);
}

/// Each set is projected with the shadows of everything else before it.
void Passes::recordSplats(VkCommandBuffer commands, const Scene& scene, const Geometry& geometry,
                          const FrameBlock& block, VkDescriptorSet frame) const
{
    const bool othersCast = geometry.hasMeshes() || geometry.hasParticles();
    const bool shadows = scene.effects.gaussianShadows && block.sunColour[3] > 0;
    splats_->recordBegin(commands);
    for (std::size_t set = 0; set < splats_->setCount(); ++set) {
        const bool shaded = shadows && (othersCast || splats_->othersCast(set));
        if (shaded || set == 0) { // what is bound was once drawn
            splatShadow_.begin(commands, 1);
            if (shaded)
                recordCasters(commands, scene, geometry, frame, set);
            Pass::end(commands);
        }
        splats_->recordProjection(commands, set, shaded);
    }
    splats_->recordSort(commands);
}

void Passes::record(VkCommandBuffer commands, const Scene& scene, const Geometry& geometry,
                    const FrameBlock& block)
{
    // Knowing what is hidden pays when particles lie many layers deep.
    const bool cover = geometry.opaqueCount() >= kManyParticles;
    const bool clear = geometry.hasClear();
    using enum Geometry::Part;
    const Fullscreen fullscreen(layout_, block_);
    FrameBlock ours = block;
    ours.eye[3] = cover ? block.depthTerms[3] : std::numeric_limits<float>::infinity();
    std::memcpy(block_.mapped(), &ours, sizeof ours);
    const VkPipelineLayout layout = layout_.pipelines();
    const auto bind = [&](const PipelineHandle& pipeline) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.get());
    };
    const VkDescriptorSet frame = layout_.frameSet(block_.get(), sizeof block, {});
    const auto bindFrame = [&] {
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &frame, 0,
                                nullptr);
    };

    if (splats_->any())
        recordSplats(commands, scene, geometry, block, frame);
    shadow_.begin(commands, 1);
    if (block.sunColour[3] > 0)
        recordCasters(commands, scene, geometry, frame);
    Pass::end(commands);
    if (geometry.hasAnyClear())
        clear_.recordShadow(commands, scene, geometry, frame, layout);

    if (cover) {
        cover_.begin(commands, 0);
        bindFrame();
        bind(covering_);
        geometry.drawParticles(commands, layout, Opaque);
        Pass::end(commands);
        fullscreen.draw(
            commands, coverReduce_, coverReducing_,
            {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, &covered_});
    }
    const VkDescriptorSet withCover =
        layout_.frameSet(block_.get(), sizeof block,
                         {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                          cover ? &coveredFar_ : nullptr});
    geometry_.begin(commands, 0);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &withCover, 0,
                            nullptr);
    const GroundView ground = groundView(scene);
    if (ground == GroundView::Grid) {
        bind(grid_);
        vkCmdDraw(commands, 3, 1, 0, 0);
    }
    if (geometry.hasMeshes()) {
        bind(mesh_);
        geometry.drawMeshes(commands, layout, scene, Geometry::MeshUse::Picture);
    }
    if (geometry.hasParticles()) {
        bind(particle_);
        geometry.drawParticles(commands, layout, Opaque);
    }
    if (ground == GroundView::Plane) {
        bind(ground_);
        vkCmdDraw(commands, 3, 1, 0, 0);
    }
    Pass::end(commands);

    const Texture* smoothed = &normals_;
    if (geometry.hasParticles()) {
        const SampleRectangle part = coveredSamples(scene, block, geometry.particleBounds());
        fullscreen.draw(
            commands, smooth_[0], smoothing_,
            {nullptr, nullptr, nullptr, &depths_, nullptr, nullptr, nullptr, nullptr, &normals_},
            {.direction = {1, 0}}, &part);
        fullscreen.draw(commands, smooth_[1], smoothing_,
                        {nullptr, nullptr, nullptr, &depths_, nullptr, nullptr, nullptr, nullptr,
                         &smoothNormals_[0]},
                        {.direction = {0, 1}}, &part);
        smoothed = &smoothNormals_[1];
    }
    fullscreen.draw(commands, occlusion_[0], occluding_,
                    {nullptr, nullptr, &normals_, &depths_, smoothed});
    fullscreen.draw(
        commands, occlusion_[1], occlusionBlur_,
        {nullptr, nullptr, &normals_, &depths_, smoothed, nullptr, nullptr, nullptr, &openness_[0]},
        {.direction = {1, 0}});
    fullscreen.draw(
        commands, occlusion_[0], occlusionBlur_,
        {nullptr, nullptr, &normals_, &depths_, smoothed, nullptr, nullptr, nullptr, &openness_[1]},
        {.direction = {0, 1}});
    fullscreen.draw(commands, light_, lighting_,
                    {&colours_, &surfaces_, &normals_, &depths_, smoothed, &openness_[0],
                     &shadowMap_, nullptr, geometry.hasAnyClear() ? &clear_.shadow() : nullptr,
                     environment_.texture()});
    const Texture* lights = &lights_;
    const Texture* gaussians = splats_->any() ? &splats_->record(commands) : nullptr;
    if (clear) {
        clear_.recordSurface(commands, fullscreen, geometry,
                             coveredSamples(scene, block, geometry.clearBounds()), depths_, layout_,
                             block_);
        if (gaussians) {
            immersed_.recordDepths(commands, fullscreen, depths_, clear_.distances());
            const Texture* all = gaussians;
            gaussians = &splats_->recordFront(commands);
            lights = &immersed_.record(commands, fullscreen, lights_, *all, *gaussians);
        }
        lights = &clear_.record(commands, fullscreen, depths_, shadowMap_, *lights,
                                environment_.texture());
    }
    if (geometry.hasClearMeshes())
        lights = &clearMeshes_.record(commands, scene, fullscreen, geometry, depths_, shadowMap_,
                                      *lights, environment_.texture(), layout_, block_);
    fullscreen.draw(
        commands, resolve_, resolving_,
        {nullptr, nullptr, nullptr, &depths_, nullptr, nullptr, nullptr, lights, gaussians});

    if (scene.outputs.display)
        recordCopy(commands, device_, display_, 4, displayBytes_);
    if (scene.outputs.linear)
        recordCopy(commands, device_, linear_, 16, linearBytes_);
    if (scene.outputs.depth)
        recordCopy(commands, device_, depthOut_, 4, depthBytes_);
    recordHostRead(commands);
}

} // namespace floe::render
