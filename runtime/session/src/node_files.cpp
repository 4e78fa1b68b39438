#include "node_files.hpp"

#include "pixel_file.hpp"

#include "floe/base/error.hpp"
#include "floe/data/image.hpp"
#include "floe/data/mesh.hpp"
#include "floe/data/particles.hpp"
#include "floe/data/volume.hpp"
#include "floe/io/image.hpp"
#include "floe/io/mesh.hpp"
#include "floe/io/movie.hpp"
#include "floe/io/particles.hpp"
#include "floe/io/srgb.hpp"
#include "floe/io/surface.hpp"
#include "floe/io/volume.hpp"
#include "floe/plugin/extension_call.hpp"
#include "floe/plugin/plugin_host.hpp"
#include "floe/sdk/io.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace floe::session {
namespace fs = std::filesystem;

namespace {

using plugin::give;
using plugin::guarded;
using plugin::take;

fs::path pathOf(const char* path)
{
    if (!path || !*path)
        throw InputError({}, "no file was named", "set the path");
    return path;
}

std::string extensionOf(const fs::path& path)
{
    std::string text = path.extension().string();
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::function<bool()> cancelledBy(const floe_context* context)
{
    return [context] {
        return context && context->cancelled(context) != 0;
    };
}

floe_status readMesh(const floe_context* context, const char* path, floe_value** mesh)
{
    return guarded(context, [&] { give(mesh, io::readMesh(pathOf(path), cancelledBy(context))); });
}

floe_status readVolume(const floe_context* context, const char* path, const char* grid,
                       floe_value** volume)
{
    return guarded(context, [&] {
        give(volume, io::readVolume(pathOf(path), grid ? grid : "", cancelledBy(context)));
    });
}

floe_status readImage(const floe_context* context, const char* path, int32_t raw,
                      floe_value** image)
{
    return guarded(context, [&] {
        const fs::path file = pathOf(path);
        const std::string extension = extensionOf(file);
        if (extension != ".png" && extension != ".exr")
            throw IoError({.file = file.string()}, "is not a picture that can be read",
                          "use .png or .exr");
        io::LoadedImage loaded = extension == ".png" ? io::readPng(file) : io::readExr(file);
        if (!loaded.linear && raw == 0) {
            const int colours = loaded.channels >= 3 ? 3 : 1;
            for (std::size_t i = 0; i < loaded.samples.size(); ++i)
                if (static_cast<int>(i % static_cast<std::size_t>(loaded.channels)) < colours)
                    loaded.samples[i] = io::srgbToLinear(loaded.samples[i]);
        }
        give(image, make<ImageValue>(static_cast<std::uint32_t>(loaded.width),
                                     static_cast<std::uint32_t>(loaded.height),
                                     static_cast<std::uint32_t>(loaded.channels),
                                     std::span<const float>(loaded.samples)));
    });
}

floe_status readParticles(const floe_context* context, const char* path, floe_value** particles)
{
    return guarded(context,
                   [&] { give(particles, io::readParticles(pathOf(path), cancelledBy(context))); });
}

floe_status writeParticles(const floe_context* context, const char* path,
                           const floe_value* particles)
{
    return guarded(context, [&] {
        const fs::path file = pathOf(path);
        if (extensionOf(file) == ".exr")
            writePixels(file, take<ParticlesValue>(particles));
        else
            io::writeParticles(file, take<ParticlesValue>(particles));
    });
}

floe_status writeMesh(const floe_context* context, const char* path, const floe_value* mesh)
{
    return guarded(context, [&] { io::writeMesh(pathOf(path), *take<MeshValue>(mesh)); });
}

floe_status writeVolume(const floe_context* context, const char* path, const char* grid,
                        const floe_value* volume)
{
    return guarded(context, [&] {
        io::writeVolume(pathOf(path), grid ? grid : "", take<VolumeValue>(volume));
    });
}

void writePng(const fs::path& path, const ImageValue& image)
{
    const auto pixels = image.pixels();
    const std::uint32_t channels = image.channels();
    const std::uint32_t colours = channels >= 3 ? 3 : 1;
    std::vector<std::uint8_t> samples(pixels.size());
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        float value = std::isnan(pixels[i]) ? 0 : std::clamp(pixels[i], 0.0f, 1.0f);
        if (i % channels < colours)
            value = io::linearToSrgb(value);
        samples[i] = static_cast<std::uint8_t>(std::lround(255 * value));
    }
    io::writePng(path, static_cast<int>(image.width()), static_cast<int>(image.height()),
                 static_cast<int>(channels), samples);
}

void writeExr(const fs::path& path, const ImageValue& image)
{
    static constexpr const char* kNames[5][4] = {
        {}, {"Y"}, {"Y", "A"}, {"R", "G", "B"}, {"R", "G", "B", "A"}};
    std::vector<io::ExrChannel> channels;
    for (std::uint32_t c = 0; c < image.channels(); ++c)
        channels.push_back(
            {kNames[image.channels()][c], image.pixels().subspan(c), image.channels(), true});
    io::writeExr(path, static_cast<int>(image.width()), static_cast<int>(image.height()), channels);
}

floe_status writeImage(const floe_context* context, const char* path, const floe_value* value)
{
    return guarded(context, [&] {
        const fs::path file = pathOf(path);
        const auto image = take<ImageValue>(value);
        const std::string extension = extensionOf(file);
        if (extension == ".png")
            writePng(file, *image);
        else if (extension == ".exr")
            writeExr(file, *image);
        else
            throw IoError({.file = file.string()}, "is not a picture that can be written",
                          "use .png or .exr");
    });
}

floe_status writeMovie(const floe_context* context, const char* path, const char* pattern,
                       int32_t first, double fps)
{
    if (!io::canWriteMovies())
        return FLOE_UNSUPPORTED;
    return guarded(context, [&] { io::writeMovie(pathOf(path), pathOf(pattern), first, fps); });
}

floe_status joinPictures(const floe_context* context, const char* path, const char* const* pictures,
                         uint32_t count, double fps)
{
    if (!io::canWriteMovies())
        return FLOE_UNSUPPORTED;
    return guarded(context, [&] {
        if (!pictures || count == 0)
            throw InputError({.file = pathOf(path).string()}, "a movie needs pictures");
        std::vector<fs::path> files;
        for (uint32_t i = 0; i < count; ++i)
            files.push_back(pathOf(pictures[i]));
        io::writeMovie(pathOf(path), files, fps);
    });
}

floe_status makeSurface(const floe_context* context, const floe_value* const* particles,
                        uint32_t count, const floe_surface* settings, floe_value** volume)
{
    return guarded(context, [&] {
        if (!settings || !FLOE_HAS(settings, erosion) || (count > 0 && !particles))
            throw InputError({}, "the settings of the surface are missing or of an unknown layout");
        if (settings->smoothing < FLOE_SMOOTH_NONE ||
            settings->smoothing > FLOE_SMOOTH_MEAN_CURVATURE)
            throw InputError({.parameter = "smoothing"}, "is not a kind of smoothing");
        if (settings->kernel < FLOE_KERNEL_ROUND || settings->kernel > FLOE_KERNEL_ANISOTROPIC)
            throw InputError({.parameter = "kernel"}, "is not a kind of kernel");
        std::vector<Ref<const ParticlesValue>> sets;
        for (std::uint32_t i = 0; i < count; ++i)
            sets.push_back(take<ParticlesValue>(particles[i]));
        io::SurfaceSettings surface;
        surface.kernel = static_cast<io::SurfaceKernel>(settings->kernel);
        surface.radius = settings->radius;
        surface.voxelSize = settings->voxel_size;
        surface.closing = settings->closing;
        surface.erosion = settings->erosion;
        surface.smoothing = static_cast<io::Smoothing>(settings->smoothing);
        surface.smoothingSteps = settings->smoothing_steps;
        surface.cancelled = cancelledBy(context);
        give(volume, io::surfaceOf(sets, surface));
    });
}

floe_status makeSurfaceMesh(const floe_context* context, const floe_value* volume, double isoValue,
                            double adaptivity, floe_value** mesh)
{
    return guarded(
        context, [&] { give(mesh, io::meshOf(take<VolumeValue>(volume), isoValue, adaptivity)); });
}

int32_t canWriteMovies()
{
    return io::canWriteMovies() ? 1 : 0;
}

constexpr floe_io kFiles = {sizeof(floe_io), readMesh,       readVolume,  readImage,
                            readParticles,   writeParticles, writeMesh,   writeVolume,
                            writeImage,      writeMovie,     makeSurface, makeSurfaceMesh,
                            canWriteMovies,  joinPictures};

} // namespace

void offerFiles()
{
    plugin::registerExtension(FLOE_IO_EXTENSION, &kFiles);
}

} // namespace floe::session
