#include "floe/render/renderer.hpp"

#include "external_buffer.hpp"
#include "geometry.hpp"
#include "linear.hpp"
#include "overlay.hpp"
#include "passes.hpp"
#include "scene_check.hpp"
#include "visibility.hpp"

#include <chrono>
#include <cmath>
#include <cstring>
#include <new>
#include <optional>

namespace floe::render {
namespace {

template <class T>
void copyOut(const Buffer& from, std::vector<T>& to, std::size_t count)
{
    to.resize(count);
    std::memcpy(to.data(), from.mapped(), count * sizeof(T));
}

/// Borrows what `scene` borrows.
Scene throughLens(const Scene& scene)
{
    Scene seen = scene;
    seen.camera = lensOf(scene.camera);
    return seen;
}

/// Depths are those from the camera's eye, not from its lens, which is farther away.
void countFromEye(const Camera& camera, Image& image)
{
    const Camera lens = lensOf(camera);
    const float farther =
        length(subtract(lens.target, lens.eye)) - length(subtract(camera.target, camera.eye));
    for (float& depth : image.depth)
        depth -= farther; // infinite ones stay
}

} // namespace

class Renderer::Impl {
public:
    explicit Impl(const RendererSettings& settings)
        : device(std::make_shared<Device>(settings)), passes(device), geometry(device)
    {}

    Image render(const Scene& scene);
    Visible visible(const Scene& scene);

    std::shared_ptr<Device> device;
    Passes passes;
    Geometry geometry;
    std::optional<Visibility> visibility; ///< made when it is first asked for
    RenderTimes times;
};

Image Renderer::Impl::render(const Scene& scene)
{
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    auto last = start;
    const auto lap = [&last] {
        const auto now = Clock::now();
        return std::chrono::duration<double>(now - std::exchange(last, now)).count();
    };
    times = {};
    checkScene(scene);
    const int side = static_cast<int>(std::lround(std::sqrt(scene.samples)));
    const auto width = static_cast<std::uint32_t>(scene.width);
    const auto height = static_cast<std::uint32_t>(scene.height);
    geometry.measure(scene);
    passes.splats().measure(scene);
    Bounds casters = geometry.bounds();
    if (!isEmpty(passes.splats().casters())) {
        include(casters, passes.splats().casters().low);
        include(casters, passes.splats().casters().high);
    }
    passes.resize(width, height, side, scene.effects.shadowMapSize, geometry.hasClear(),
                  geometry.hasClearMeshes(),
                  passes.splats().any() && scene.effects.gaussianShadows);
    const auto samples = static_cast<std::uint32_t>(side);
    FrameBlock block =
        frameBlock(scene, width * samples, height * samples, side, casters, geometry.maxRadius(),
                   geometry.clearRadius(), geometry.hasAnyClear());
    times.prepare = lap();
    passes.environment().upload(scene.environment);
    passes.environment().describe(scene.environment, block);
    geometry.upload(scene);
    passes.splats().upload(scene);
    times.upload = lap();
    passes.layout().reset();
    geometry.describe(scene, passes.layout());
    passes.splats().describe(scene);
    device->run([&](VkCommandBuffer commands) {
        handOver(commands, scene, *device, Handing::Take);
        passes.record(commands, scene, geometry, block);
        handOver(commands, scene, *device, Handing::Give);
    });
    times.draw = lap();

    Image image;
    image.width = scene.width;
    image.height = scene.height;
    if (scene.outputs.display) {
        copyOut(passes.displayBytes(), image.display, 4 * image.pixelCount());
        drawOverlay(scene, image);
    }
    if (scene.outputs.linear)
        copyOut(passes.linearBytes(), image.linear, 4 * image.pixelCount());
    if (scene.outputs.depth)
        copyOut(passes.depthBytes(), image.depth, image.pixelCount());
    times.read = lap();
    times.total = std::chrono::duration<double>(Clock::now() - start).count();
    return image;
}

Visible Renderer::Impl::visible(const Scene& scene)
{
    checkScene(scene);
    const auto width = static_cast<std::uint32_t>(scene.width);
    const auto height = static_cast<std::uint32_t>(scene.height);
    if (!visibility)
        visibility.emplace(device, passes.layout().pipelines());
    geometry.measure(scene);
    visibility->resize(width, height);
    const FrameBlock block =
        frameBlock(scene, width, height, 1, geometry.bounds(), geometry.maxRadius(),
                   geometry.clearRadius(), geometry.hasAnyClear());
    geometry.upload(scene);
    passes.layout().reset();
    geometry.describe(scene, passes.layout());
    device->run([&](VkCommandBuffer commands) {
        handOver(commands, scene, *device, Handing::Take);
        visibility->record(commands, scene, geometry, block, passes.layout());
        handOver(commands, scene, *device, Handing::Give);
    });
    Visible result{.width = scene.width, .height = scene.height, .pixels = {}};
    static_assert(sizeof(Visible::Pixel) == 8);
    copyOut(visibility->bytes(), result.pixels, static_cast<std::size_t>(width) * height);
    return result;
}

Renderer::Renderer(RendererSettings settings) : impl_(std::make_unique<Impl>(settings)) {}
Renderer::~Renderer() = default;
Renderer::Renderer(Renderer&&) noexcept = default;
Renderer& Renderer::operator=(Renderer&&) noexcept = default;

Image Renderer::render(const Scene& scene)
{
    try {
        if (!scene.camera.orthographic)
            return impl_->render(scene);
        Image image = impl_->render(throughLens(scene));
        countFromEye(scene.camera, image);
        return image;
    } catch (const std::bad_alloc&) {
        throw MemoryError({}, "renderer: host memory ran out", "lower the resolution");
    }
}

Visible Renderer::visible(const Scene& scene)
{
    try {
        return scene.camera.orthographic ? impl_->visible(throughLens(scene))
                                         : impl_->visible(scene);
    } catch (const std::bad_alloc&) {
        throw MemoryError({}, "renderer: host memory ran out", "lower the resolution");
    }
}

const DeviceInfo& Renderer::device() const
{
    return impl_->device->info();
}

const RenderTimes& Renderer::times() const
{
    return impl_->times;
}

std::uint64_t Renderer::messageCount() const
{
    return impl_->device->messageCount();
}

std::shared_ptr<ExternalBuffer> Renderer::createExternalBuffer(std::uint64_t bytes)
{
    if (!canExport())
        throw DeviceError({}, "renderer: '" + device().name + "' cannot share memory",
                          "pass positions in host memory");
    if (bytes == 0)
        throw InputError({.parameter = "bytes"}, "is 0");
    return std::make_shared<VulkanExternalBuffer>(impl_->device, bytes);
}

} // namespace floe::render
