#include "visibility.hpp"

#include "shader_code.hpp"

#include "floe/base/error.hpp"
#include "floe/render/renderer.hpp"

#include <cstring>
#include <limits>
#include <string>

namespace floe::render {
namespace {

constexpr VkFormat kNumbersFormat = VK_FORMAT_R32G32_UINT;

} // namespace

Visibility::Visibility(std::shared_ptr<Device> device, VkPipelineLayout layout)
    : device_(device), pass_(device, {kNumbersFormat}, Pass::Depth::Clear, Pass::After::Copy)
{
    block_ = Buffer(device, sizeof(FrameBlock), VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
                    Buffer::Place::Upload);
    constexpr VkCompareOp kNearerReversed = VK_COMPARE_OP_GREATER;
    particle_ = pass_.pipeline(layout, {.vertex = shader::kVisibleParticleVert,
                                        .fragment = shader::kVisibleParticleFrag,
                                        .depth = kNearerReversed});
    mesh_ = pass_.pipeline(layout, {.vertex = shader::kVisibleMeshVert,
                                    .fragment = shader::kVisibleMeshFrag,
                                    .meshAttributes = 1,
                                    .depth = kNearerReversed});
}

void Visibility::resize(std::uint32_t width, std::uint32_t height)
{
    if (numbers_.extent().width == width && numbers_.extent().height == height)
        return;
    constexpr std::uint64_t kBytesAPixel = 8 + 4 + 8;
    const std::uint64_t needed = kBytesAPixel * width * height;
    const std::uint32_t most = device_->limits().maxImageDimension2D;
    if (width > most || height > most || needed > device_->localHeapBytes())
        throw MemoryError({.parameter = "width"},
                          "a measurement of " + std::to_string(width) + " x " +
                              std::to_string(height) + " pixels is more than '" +
                              device_->info().name + "' does",
                          "lower the resolution");
    numbers_ = {}; // before there are others
    depths_ = {};
    bytes_ = {};
    numbers_ = Texture(device_, {width, height}, kNumbersFormat,
                       VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
    depths_ = Texture(device_, {width, height}, VK_FORMAT_D32_SFLOAT,
                      VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
    pass_.target({&numbers_, &depths_});
}

void Visibility::record(VkCommandBuffer commands, const Scene& scene, const Geometry& geometry,
                        const FrameBlock& block, Layout& layout)
{
    FrameBlock ours = block;
    ours.eye[3] = std::numeric_limits<float>::infinity(); // nothing is known to be hidden
    std::memcpy(block_.mapped(), &ours, sizeof ours);
    const VkDescriptorSet frame = layout.frameSet(block_.get(), sizeof ours, {});
    const auto bind = [&](const PipelineHandle& pipeline) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.get());
    };
    pass_.begin(commands, 0);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout.pipelines(), 0, 1,
                            &frame, 0, nullptr);
    if (geometry.hasMeshes()) {
        bind(mesh_);
        geometry.drawMeshes(commands, layout.pipelines(), scene, Geometry::MeshUse::Visibility);
    }
    if (geometry.particleCount() > 0) {
        bind(particle_);
        geometry.drawParticles(commands, layout.pipelines(), Geometry::Part::All);
    }
    Pass::end(commands);
    recordCopy(commands, device_, numbers_, sizeof(Visible::Pixel), bytes_);
    recordHostRead(commands);
}

} // namespace floe::render
