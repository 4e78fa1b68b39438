#include "pixel_file.hpp"

#include "floe/base/error.hpp"
#include "floe/compute/memory.hpp"
#include "floe/data/scalars.hpp"
#include "floe/io/image.hpp"

#include <charconv>
#include <cmath>
#include <deque>
#include <string>
#include <vector>

namespace floe::session {

namespace {

constexpr float kFarAway = 1e10f; ///< depth where there is nothing, as Blender has it [m]

/// Names of an attribute's components in the file, and their value where nothing is seen. Channels
/// beyond the components have that everywhere.
struct Layer {
    const char* attribute;
    std::size_t components;
    std::vector<const char*> channels;
    float nothing;
};

const std::vector<Layer>& layers()
{
    static const std::vector<Layer> all = {
        {"depth", 1, {"Z"}, kFarAway},
        {"normal", 3, {"N.X", "N.Y", "N.Z"}, 0},
        {"flow", 2, {"flow.X", "flow.Y", "flow.Z"}, 0}, // Blender reads no layers of two
        {"object", 1, {"object.X"}, -1},
        {"element", 1, {"element.X"}, -1},
        {"material", 1, {"material.X"}, -1}};
    return all;
}

[[noreturn]] void refuse(const std::filesystem::path& path)
{
    throw InputError({.file = path.string()}, "an .exr file holds what a camera sensor measured",
                     "link the sensor's pixels, or use another extension");
}

std::size_t side(const std::filesystem::path& path, const ParticlesValue& pixels, const char* name)
{
    const auto* number = as<NumberValue>(pixels.fields().find(name));
    if (!number)
        refuse(path);
    const double value = number->number();
    if (!(value >= 1 && value <= io::kMaxImageSide && value == std::floor(value)))
        throw InputError({.file = path.string()},
                         std::string("its field '") + name + "' is " + std::to_string(value),
                         "must be a whole number from 1 to " + std::to_string(io::kMaxImageSide));
    return static_cast<std::size_t>(value);
}

float numberAt(const Attribute& attribute, std::size_t at)
{
    switch (attribute.element) {
    case Element::float32:
        return static_cast<const float*>(attribute.data.data())[at];
    case Element::int32:
        return static_cast<float>(static_cast<const std::int32_t*>(attribute.data.data())[at]);
    case Element::uint32:
        return static_cast<float>(static_cast<const std::uint32_t*>(attribute.data.data())[at]);
    default:
        return 0;
    }
}

std::string shortest(double value)
{
    char text[32];
    return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

/// The camera: numbers and vectors among the fields, as text.
io::ImageRemarks remarksOf(const ParticlesValue& pixels)
{
    io::ImageRemarks remarks;
    for (const char* name : {"focal", "eye", "right", "down", "forward"}) {
        const Value* value = pixels.fields().find(name);
        if (const auto* number = as<NumberValue>(value)) {
            remarks.emplace_back(name, shortest(number->number()));
        } else if (const auto* vector = as<VectorValue>(value)) {
            const auto& v = vector->vector();
            remarks.emplace_back(name,
                                 shortest(v[0]) + " " + shortest(v[1]) + " " + shortest(v[2]));
        }
    }
    return remarks;
}

} // namespace

void writePixels(const std::filesystem::path& path, const Ref<const ParticlesValue>& given)
{
    if (!given)
        throw InputError({.file = path.string()}, "there are no pixels to write");
    const Ref<const ParticlesValue> pixels = inHostMemory(given);
    const std::size_t width = side(path, *pixels, "width"), height = side(path, *pixels, "height");
    if (width * height > io::kMaxImagePixels)
        throw InputError({.file = path.string()}, "has too many pixels",
                         "measure a smaller picture");
    const Attribute* place = pixels->find("pixel");
    if (!place || place->element != Element::uint32 || place->components != 1)
        refuse(path);
    const auto places = pixels->get<std::uint32_t>("pixel", 1);
    for (const std::uint32_t at : places)
        if (at >= width * height)
            throw InputError({.file = path.string()}, "a pixel lies outside the picture");

    std::deque<std::vector<float>> planes;
    std::vector<io::ExrChannel> channels;
    compute::HostClaim claim;
    for (const Layer& layer : layers()) {
        const Attribute* attribute = pixels->find(layer.attribute);
        if (!attribute || attribute->components != layer.components)
            continue;
        for (std::size_t c = 0; c < layer.channels.size(); ++c) {
            claim.resize((planes.size() + 1) * width * height * sizeof(float));
            std::vector<float>& plane = planes.emplace_back(width * height, layer.nothing);
            for (std::size_t i = 0; i < places.size() && c < layer.components; ++i)
                plane[places[i]] = numberAt(*attribute, i * layer.components + c);
            channels.push_back({.name = layer.channels[c], .values = plane, .half = false});
        }
    }
    io::writeExr(path, static_cast<int>(width), static_cast<int>(height), channels,
                 remarksOf(*pixels));
}

} // namespace floe::session
