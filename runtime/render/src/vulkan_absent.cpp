#include "floe/render/renderer.hpp"

#include "floe/base/error.hpp"

namespace floe::render {

class Renderer::Impl {};

namespace {

[[noreturn]] void refuse()
{
    throw DeviceError({}, "pictures cannot be drawn: this Floe was built without Vulkan",
                      "take the render node out of the graph, or use a build with Vulkan");
}

} // namespace

std::vector<DeviceInfo> listDevices()
{
    return {};
}

// There is no renderer, so nothing below the constructor is ever called.
Renderer::Renderer(RendererSettings)
{
    refuse();
}
Renderer::~Renderer() = default;
Renderer::Renderer(Renderer&&) noexcept = default;
Renderer& Renderer::operator=(Renderer&&) noexcept = default;
Image Renderer::render(const Scene&)
{
    refuse();
}
Visible Renderer::visible(const Scene&)
{
    refuse();
}
const DeviceInfo& Renderer::device() const
{
    refuse();
}
const RenderTimes& Renderer::times() const
{
    refuse();
}
std::uint64_t Renderer::messageCount() const
{
    return 0;
}
std::shared_ptr<ExternalBuffer> Renderer::createExternalBuffer(std::uint64_t)
{
    refuse();
}

} // namespace floe::render
