#include "picture.hpp"

#include "picture_scene.hpp"

#include "floe/data/record.hpp"
#include "floe/render/renderer.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>

namespace floe::session {

namespace {

std::mutex rendererMutex;
std::unique_ptr<render::Renderer> renderer;

} // namespace

Ref<const ImageValue> drawPicture(const PictureRequest& request)
{
    PictureScene prepared(request);
    render::Scene& scene = prepared.scene;
    const auto* settings = as<RecordValue>(request.settings);
    const bool sceneReferred = settings && settings->boolean("sceneReferred", false);
    scene.outputs = {.display = !sceneReferred, .linear = sceneReferred};

    render::Image image;
    {
        const std::lock_guard lock(rendererMutex);
        if (!renderer)
            renderer = std::make_unique<render::Renderer>();
        image = renderer->render(scene);
    }
    compute::Array<float> pixels(4 * image.pixelCount());
    if (sceneReferred) {
        std::copy(image.linear.begin(), image.linear.end(), pixels.data());
    } else {
        std::array<float, 256> linear;
        for (std::size_t i = 0; i < linear.size(); ++i)
            linear[i] = render::srgbToLinear(static_cast<float>(i) / 255.0f);
        for (std::size_t i = 0; i < pixels.size(); ++i)
            pixels[i] = i % 4 == 3 ? static_cast<float>(image.display[i]) / 255.0f
                                   : linear[image.display[i]];
    }
    return make<ImageValue>(static_cast<std::uint32_t>(image.width),
                            static_cast<std::uint32_t>(image.height), 4u, std::move(pixels));
}

void releaseRenderer()
{
    const std::lock_guard lock(rendererMutex);
    renderer.reset();
}

std::string rendererName()
{
    const std::lock_guard lock(rendererMutex);
    return renderer ? renderer->device().name : std::string();
}

} // namespace floe::session
