#include "floe/sdk/io.h"
#include "floe/sdk/node.hpp"

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace floe::surfaces {

namespace {

const floe_io& tools()
{
    const auto* table = static_cast<const floe_io*>(sdk::host().extension(FLOE_IO_EXTENSION));
    if (!table || !FLOE_HAS(table, make_surface_mesh) || !table->make_surface)
        throw sdk::Failure("this host cannot make surfaces", FLOE_UNSUPPORTED);
    return *table;
}

using Choice = std::pair<const char*, int32_t>;

constexpr std::array<Choice, 2> kKernels = {
    {{"anisotropic", FLOE_KERNEL_ANISOTROPIC}, {"round", FLOE_KERNEL_ROUND}}};
constexpr std::array<Choice, 4> kSmoothings = {{{"none", FLOE_SMOOTH_NONE},
                                                {"gaussian", FLOE_SMOOTH_GAUSSIAN},
                                                {"laplacian", FLOE_SMOOTH_LAPLACIAN},
                                                {"meanCurvature", FLOE_SMOOTH_MEAN_CURVATURE}}};

int32_t chosen(const sdk::Context& context, const char* parameter, std::span<const Choice> choices)
{
    const std::string name = context.string(parameter);
    for (const auto& [known, value] : choices)
        if (name == known)
            return value;
    throw sdk::Failure("parameter '" + std::string(parameter) + "' is '" + name +
                       "', which is none of its choices");
}

/// Wraps particles into a level set.
class LevelSet final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.surface.levelset";
    void cook(sdk::Context& context) override
    {
        const std::vector<sdk::Value> particles = context.inputs("particles");
        std::vector<const floe_value*> sets;
        for (const sdk::Value& set : particles)
            sets.push_back(set.get());
        floe_surface settings{};
        settings.struct_size = sizeof settings;
        settings.kernel = chosen(context, "kernel", kKernels);
        settings.smoothing = chosen(context, "smoothing", kSmoothings);
        settings.smoothing_steps = static_cast<int32_t>(context.integer("smoothingSteps"));
        settings.radius = context.number("radius");
        settings.voxel_size = context.number("voxelSize");
        settings.closing = context.number("closing");
        settings.erosion = context.number("erosion");
        floe_value* volume = nullptr;
        sdk::Context::require(tools().make_surface(
            context.raw(), sets.data(), static_cast<uint32_t>(sets.size()), &settings, &volume));
        context.setOutput("shape", sdk::Value::own(volume));
    }
};

/// Triangles around a level set.
class SurfaceMesh final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.surface.mesh";
    void cook(sdk::Context& context) override
    {
        const sdk::Value shape = context.input("shape");
        floe_value* mesh = nullptr;
        sdk::Context::require(tools().make_surface_mesh(context.raw(), shape.get(),
                                                        context.number("isoValue"),
                                                        context.number("adaptivity"), &mesh));
        context.setOutput("mesh", sdk::Value::own(mesh));
    }
};

} // namespace
} // namespace floe::surfaces

using floe::surfaces::LevelSet;
using floe::surfaces::SurfaceMesh;

FLOE_PLUGIN("floe.surfaces", "0.1.0", LevelSet, SurfaceMesh)
