#include "nodes.hpp"

#include "floe/sdk/render.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

namespace floe::sensors {

namespace {

std::vector<const floe_value*> pointersTo(const std::vector<sdk::Value>& values)
{
    std::vector<const floe_value*> pointers;
    for (const sdk::Value& value : values)
        pointers.push_back(value.get());
    return pointers;
}

/// What pixels show of one object: in the picture [pixels], in space [m].
struct Box {
    uint32_t pixels = 0;
    uint32_t left = std::numeric_limits<uint32_t>::max(), top = left, right = 0, bottom = 0;
    sdk::Vector low = {std::numeric_limits<double>::infinity(),
                       std::numeric_limits<double>::infinity(),
                       std::numeric_limits<double>::infinity()};
    sdk::Vector high = {-low[0], -low[0], -low[0]};

    void add(uint32_t column, uint32_t row, std::span<const float, 3> point)
    {
        ++pixels;
        left = std::min(left, column);
        right = std::max(right, column + 1);
        top = std::min(top, row);
        bottom = std::max(bottom, row + 1);
        for (std::size_t a = 0; a < 3; ++a) {
            low[a] = std::min<double>(low[a], point[a]);
            high[a] = std::max<double>(high[a], point[a]);
        }
    }
};

/// One box for each object that is seen, as particles at their middles.
sdk::Value boxesOf(const sdk::Value& pixels)
{
    const auto x = pixels.attribute<float>("x", 3);
    const auto pixel = pixels.attribute<uint32_t>("pixel", 1);
    const auto object = pixels.attribute<uint32_t>("object", 1);
    const auto width = static_cast<uint32_t>(pixels.require("width").number());
    std::map<uint32_t, Box> boxes;
    for (std::size_t i = 0; i < pixel.size(); ++i)
        boxes[object[i]].add(pixel[i] % width, pixel[i] / width,
                             std::span<const float, 3>(x.data() + 3 * i, 3));
    sdk::Value result = sdk::makeParticles(boxes.size());
    const auto middle = result.addAttribute<float>("x", 3);
    const auto size = result.addAttribute<float>("size", 3);
    const auto rectangle = result.addAttribute<uint32_t>("rectangle", 4);
    const auto count = result.addAttribute<uint32_t>("pixels", 1);
    const auto number = result.addAttribute<uint32_t>("object", 1);
    std::size_t i = 0;
    for (const auto& [which, box] : boxes) {
        for (std::size_t a = 0; a < 3; ++a) {
            middle[3 * i + a] = static_cast<float>(0.5 * (box.low[a] + box.high[a]));
            size[3 * i + a] = static_cast<float>(box.high[a] - box.low[a]);
        }
        const uint32_t corners[] = {box.left, box.top, box.right - box.left, box.bottom - box.top};
        std::copy(std::begin(corners), std::end(corners), rectangle.begin() + 4 * i);
        count[i] = box.pixels;
        number[i] = which;
        ++i;
    }
    return result;
}

} // namespace

void CameraSensor::cook(sdk::Context& context)
{
    const auto& table = context.extension<floe_render>(FLOE_RENDER_EXTENSION);
    if (!FLOE_HAS(&table, measure))
        throw sdk::Failure("this version of Floe cannot measure what a camera sees",
                           FLOE_UNSUPPORTED);
    const std::vector<sdk::Value> particles = context.inputs("particles"),
                                  meshes = context.inputs("meshes"),
                                  colliders = context.inputs("colliders");
    const auto sets = pointersTo(particles), surfaces = pointersTo(meshes),
               walls = pointersTo(colliders);
    const sdk::Value camera = context.input("camera");
    sdk::Value settings = sdk::makeRecord("render");
    for (const char* name : {"width", "height"})
        settings.set(name, sdk::makeNumber(static_cast<double>(context.integer(name))));
    settings.set("particleRadius", sdk::makeNumber(context.number("particleRadius")));
    floe_render_scene scene{};
    scene.struct_size = sizeof scene;
    scene.particle_count = static_cast<uint32_t>(sets.size());
    scene.particles = sets.data();
    scene.mesh_count = static_cast<uint32_t>(surfaces.size());
    scene.meshes = surfaces.data();
    scene.collider_count = static_cast<uint32_t>(walls.size());
    scene.colliders = walls.data();
    scene.camera = camera.get();
    scene.settings = settings.get();
    scene.frame = context.frame();
    floe_value* measured = nullptr;
    sdk::Context::require(table.measure(context.raw(), &scene, &measured));
    const sdk::Value pixels = sdk::Value::own(measured);
    context.setOutput("pixels", pixels);
    context.setOutput("boxes", boxesOf(pixels));
    context.statistic("pixels", static_cast<double>(pixels.particleCount()));
}

} // namespace floe::sensors
