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

Ref<const ImageValue> drawPicture(const PictureRequest& request, std::string* notice)
{
    std::shared_ptr<Drawing> sharing; // not made, because particles of the host do not need it
    const compute::Device* device = deviceOf(request);
    if (device) {
        const std::lock_guard lock(rendererMutex);
        sharing = madeDrawing(device);
    }
    const PictureScene prepared(request, sharing ? &sharing->shared : nullptr);
    if (sharing && notice)
        *notice = sharing->shared.takeNotice();
    render::Scene scene = prepared.scene;
    const auto* settings = as<RecordValue>(request.settings);
    const bool sceneReferred = settings && settings->boolean("sceneReferred", false);
    scene.outputs = {.display = !sceneReferred, .linear = sceneReferred};

    render::MeanImage mean;
    for (int i = 0; i < prepared.exposures; ++i) {
        if (request.cancelled && request.cancelled())
            throw CancelledError({}, "stopped while a picture was drawn");
        render::Scene exposed = scene;
        const auto moved = prepared.moveTo(exposed, render::momentOf(i, prepared.exposures));
        render::expose(exposed, i, prepared.exposures);
        withRenderer(device,
                     [&](render::Renderer& renderer) { mean.add(renderer.render(exposed)); });
    }
    const std::vector<float> linear = mean.linear();
    compute::Array<float> pixels(linear.size());
    std::ranges::copy(linear, pixels.span().begin());
    return make<ImageValue>(static_cast<std::uint32_t>(scene.width),
                            static_cast<std::uint32_t>(scene.height), 4u, std::move(pixels));
}

void releaseRenderer()
{
    const std::lock_guard lock(rendererMutex);
    drawing.reset();
}

} // namespace floe::view
