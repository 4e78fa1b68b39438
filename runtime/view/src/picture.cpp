#include "floe/view/picture.hpp"

#include "shared_renderer.hpp"

#include "floe/view/picture_scene.hpp"
#include "floe/view/shared_memory.hpp"

#include "floe/base/error.hpp"

#include "floe/data/particles.hpp"
#include "floe/data/record.hpp"
#include "floe/render/exposure.hpp"
#include "floe/render/renderer.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>

namespace floe::view {

namespace {

/// The renderer and its memory shared with compute devices.
struct Drawing {
    explicit Drawing(const std::string& device) : renderer({.device = device}) {}
    render::Renderer renderer;
    SharedMemory shared{renderer};
};

std::mutex rendererMutex;
std::shared_ptr<Drawing> drawing;

/// Call with the mutex held. @throws DeviceError
const std::shared_ptr<Drawing>& madeDrawing(const compute::Device* device)
{
    if (!drawing)
        drawing = std::make_shared<Drawing>(drawingDevice(device));
    return drawing;
}

/// Returns the device that holds particles; null when all are in host memory.
const compute::Device* deviceOf(const PictureRequest& request)
{
    for (const ValueRef& value : request.particles)
        if (const auto* particles = as<ParticlesValue>(value);
            particles && particles->space() != compute::Space::host)
            return particles->device().get();
    return nullptr;
}

} // namespace

void withRenderer(const compute::Device* device, const std::function<void(render::Renderer&)>& use)
{
    const std::lock_guard lock(rendererMutex);
    use(madeDrawing(device)->renderer);
}

namespace {

/// Adds a share of a picture, in linear colours.
void addShare(std::span<float> sum, const render::Image& image, float share)
{
    if (!image.linear.empty()) {
        for (std::size_t i = 0; i < sum.size(); ++i)
            sum[i] += share * image.linear[i];
        return;
    }
    std::array<float, 256> linear;
    for (std::size_t i = 0; i < linear.size(); ++i)
        linear[i] = render::srgbToLinear(static_cast<float>(i) / 255.0f);
    for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] += share * (i % 4 == 3 ? static_cast<float>(image.display[i]) / 255.0f
                                      : linear[image.display[i]]);
}

} // namespace

Ref<const ImageValue> drawPicture(const PictureRequest& request, std::string* notice)
{
    std::shared_ptr<Drawing> sharing; // not made, because particles of the host do not need it
    const compute::Device* device = deviceOf(request);
    if (device) {
        const std::lock_guard lock(rendererMutex);
        sharing = madeDrawing(device);
    }
    PictureScene prepared(request, sharing ? &sharing->shared : nullptr);
    if (sharing && notice)
        *notice = sharing->shared.takeNotice();
    render::Scene& scene = prepared.scene;
    const auto* settings = as<RecordValue>(request.settings);
    const bool sceneReferred = settings && settings->boolean("sceneReferred", false);
    scene.outputs = {.display = !sceneReferred, .linear = sceneReferred};

    compute::Array<float> pixels(4 * static_cast<std::size_t>(scene.width) *
                                 static_cast<std::size_t>(scene.height));
    std::ranges::fill(pixels.span(), 0.0f);
    for (int i = 0; i < prepared.exposures; ++i) {
        if (request.cancelled && request.cancelled())
            throw CancelledError({}, "stopped while a picture was drawn");
        prepared.moveTo(render::momentOf(i, prepared.exposures));
        render::Scene exposed = scene;
        render::expose(exposed, i, prepared.exposures);
        render::Image image;
        withRenderer(device, [&](render::Renderer& renderer) { image = renderer.render(exposed); });
        addShare(pixels.span(), image, 1.0f / static_cast<float>(prepared.exposures));
    }
    return make<ImageValue>(static_cast<std::uint32_t>(scene.width),
                            static_cast<std::uint32_t>(scene.height), 4u, std::move(pixels));
}

void releaseRenderer()
{
    const std::lock_guard lock(rendererMutex);
    drawing.reset();
}

} // namespace floe::view
