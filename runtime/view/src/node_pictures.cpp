#include "floe/view/node_pictures.hpp"

#include "floe/base/error.hpp"
#include "floe/plugin/extension_call.hpp"
#include "floe/plugin/plugin_host.hpp"
#include "floe/sdk/render.h"
#include "floe/view/measure.hpp"
#include "floe/view/picture.hpp"

#include <string>
#include <vector>

namespace floe::view {

namespace {

std::vector<ValueRef> takeAll(const floe_value* const* values, std::uint32_t count)
{
    if (count > 0 && !values)
        throw InputError({}, "a list of values is missing");
    std::vector<ValueRef> result;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (!values[i])
            throw InputError({}, "a value in a list is missing");
        result.push_back(ValueRef::share(plugin::fromInterface(values[i])));
    }
    return result;
}

PictureRequest requestOf(const floe_render_scene* scene)
{
    if (!scene || !FLOE_HAS(scene, frame))
        throw InputError({}, "the scene is missing or of an unknown layout");
    PictureRequest request;
    request.particles = takeAll(scene->particles, scene->particle_count);
    request.meshes = takeAll(scene->meshes, scene->mesh_count);
    request.colliders = takeAll(scene->colliders, scene->collider_count);
    request.lights = takeAll(scene->lights, scene->light_count);
    request.camera = ValueRef::share(plugin::fromInterface(scene->camera));
    request.settings = ValueRef::share(plugin::fromInterface(scene->settings));
    request.frame = scene->frame;
    return request;
}

floe_status draw(const floe_context* context, const floe_render_scene* scene, floe_value** image)
{
    return plugin::guarded(context, [&] {
        PictureRequest request = requestOf(scene);
        plugin::CookContext* called = plugin::CookContext::of(context);
        if (called) {
            request.fps = called->settings().fps;
            request.cancelled = [called] {
                return called->environment().cancelled();
            };
        }
        std::string notice;
        const auto drawn = drawPicture(request, &notice);
        if (called && !notice.empty())
            called->environment().message(FLOE_LEVEL_WARNING, notice);
        plugin::give(image, drawn);
    });
}

floe_status measure(const floe_context* context, const floe_render_scene* scene,
                    floe_value** pixels)
{
    return plugin::guarded(context, [&] {
        plugin::give(pixels, measurePixels(requestOf(scene), context ? context->fps : 24));
    });
}

constexpr floe_render kPictures = {sizeof(floe_render), draw, measure};

} // namespace

NodePictures::NodePictures()
{
    plugin::registerExtension(FLOE_RENDER_EXTENSION, &kPictures);
}

NodePictures::~NodePictures()
{
    plugin::registerExtension(FLOE_RENDER_EXTENSION, nullptr);
    releaseRenderer();
}

} // namespace floe::view
