#include "nodes.hpp"
#include "output_file.hpp"

#include "floe/sdk/render.h"

#include <cmath>
#include <filesystem>
#include <vector>

namespace floe::output {

namespace {

const floe_render& renderer()
{
    const auto* table =
        static_cast<const floe_render*>(sdk::host().extension(FLOE_RENDER_EXTENSION));
    if (!table)
        throw sdk::Failure("this host cannot draw pictures", FLOE_UNSUPPORTED);
    return *table;
}

void replaceAll(std::string& text, const std::string& what, const std::string& with)
{
    for (std::size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
}

/// "1234567" as "1,234,567".
std::string grouped(uint64_t number)
{
    std::string digits = std::to_string(number);
    for (std::size_t i = digits.size(); i > 3; i -= 3)
        digits.insert(i - 3, ",");
    return digits;
}

std::string captionOf(const sdk::Context& context, const std::vector<sdk::Value>& particles)
{
    uint64_t count = 0;
    for (const sdk::Value& set : particles)
        count += set.particleCount();
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.2f",
                  (context.frame() - context.raw()->range_start) / context.fps());
    std::string caption = context.string("caption");
    replaceAll(caption, "{frame}", std::to_string(std::llround(context.frame())));
    replaceAll(caption, "{time}", seconds);
    replaceAll(caption, "{particles}", grouped(count));
    return caption;
}

sdk::Value settingsOf(const sdk::Context& context, const std::string& caption, bool sceneReferred)
{
    sdk::Value settings = sdk::makeRecord("render");
    for (const char* name : {"width", "height", "exposures"})
        settings.set(name, sdk::makeNumber(static_cast<double>(context.integer(name))));
    settings.set("samples", sdk::makeNumber(std::stod(context.string("samples"))));
    for (const char* name : {"colorBy", "colorMap", "gaussianFilter", "surfaces"})
        settings.set(name, sdk::makeString(context.string(name)));
    for (const char* name : {"mapMin", "mapMax", "particleRadius", "groundHeight",
                             "ambientOcclusion", "exposure", "shutter"})
        settings.set(name, sdk::makeNumber(context.number(name)));
    for (const char* name : {"background", "backgroundTop", "groundColor", "sleepColor"})
        settings.set(name, sdk::makeVector(context.vector(name)));
    for (const char* name : {"legend", "ground", "gaussianShadows"})
        settings.set(name, sdk::makeBoolean(context.boolean(name)));
    settings.set("sceneReferred", sdk::makeBoolean(sceneReferred));
    if (!caption.empty())
        settings.set("caption", sdk::makeString(caption));
    return settings;
}

std::vector<const floe_value*> pointersTo(const std::vector<sdk::Value>& values)
{
    std::vector<const floe_value*> pointers;
    for (const sdk::Value& value : values)
        pointers.push_back(value.get());
    return pointers;
}

std::string extensionOf(const std::string& path)
{
    return std::filesystem::path(path).extension().string();
}

/// Whether a picture gets a second file beside it, in linear colours.
bool hasLayer(const sdk::Context& context, const std::string& picture)
{
    return context.boolean("exr") && extensionOf(picture) != ".exr";
}

} // namespace

void Render::cook(sdk::Context& context)
{
    if (!isDue(context))
        return;
    const std::string path = fileAtFrame(context);
    const std::vector<sdk::Value> particles = context.inputs("particles");
    const auto sets = pointersTo(particles);
    const std::vector<sdk::Value> meshValues = context.inputs("meshes");
    const auto meshes = pointersTo(meshValues);
    const std::vector<sdk::Value> colliderValues = context.inputs("colliders");
    const auto colliders = pointersTo(colliderValues);
    const std::vector<sdk::Value> lightValues = context.inputs("lights");
    const auto lights = pointersTo(lightValues);
    const sdk::Value camera = context.input("camera");
    const std::string caption = captionOf(context, particles);

    const auto draw = [&](const std::string& to, bool sceneReferred) {
        const sdk::Value settings = settingsOf(context, caption, sceneReferred);
        floe_render_scene scene{};
        scene.struct_size = sizeof scene;
        scene.particle_count = static_cast<uint32_t>(sets.size());
        scene.particles = sets.data();
        scene.mesh_count = static_cast<uint32_t>(meshes.size());
        scene.meshes = meshes.data();
        scene.collider_count = static_cast<uint32_t>(colliders.size());
        scene.colliders = colliders.data();
        scene.light_count = static_cast<uint32_t>(lights.size());
        scene.lights = lights.data();
        scene.camera = camera.get();
        scene.settings = settings.get();
        scene.frame = context.frame();
        floe_value* image = nullptr;
        sdk::Context::require(renderer().draw(context.raw(), &scene, &image));
        const sdk::Value picture = sdk::Value::own(image);
        sdk::Context::require(files().write_image(context.raw(), to.c_str(), picture.get()));
    };
    draw(path, extensionOf(path) == ".exr");
    if (hasLayer(context, path))
        draw(std::filesystem::path(path).replace_extension(".exr").string(), true);
}

void Render::finish(sdk::Context& context)
{
    const std::string pattern = filePattern(context);
    const std::vector<std::string> written =
        writtenFiles(context, hasLayer(context, pattern) ? ".exr" : "");
    if (!context.boolean("movie") || context.cancelled())
        return;
    if (extensionOf(pattern) != ".png") {
        context.warn("no movie: it is made of PNG pictures; set 'path' to a .png");
        return;
    }
    if (!FLOE_HAS(&files(), join_pictures) || files().can_write_movies() == 0) {
        context.warn("no movie: ffmpeg is not installed; install it, or join the pictures of " +
                     pattern + " with another program");
        return;
    }
    const std::string movie = nameOfAll(pattern, "movie", ".mp4");
    const double every = static_cast<double>(std::max<int64_t>(context.integer("every"), 1));
    std::vector<const char*> pictures;
    for (const std::string& picture : written)
        pictures.push_back(picture.c_str());
    sdk::Context::require(files().join_pictures(context.raw(), movie.c_str(), pictures.data(),
                                                static_cast<uint32_t>(pictures.size()),
                                                context.fps() / every));
}

} // namespace floe::output
