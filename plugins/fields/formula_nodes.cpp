#include "formula.hpp"
#include "lattice.hpp"
#include "nodes.hpp"

#include "floe/sdk/records.h"
#include "floe/sdk/world/forces.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace floe::fields {

namespace {

std::vector<Formulas::Text> textsOf(const sdk::Context& context,
                                    std::initializer_list<const char*> parameters)
{
    std::vector<Formulas::Text> texts;
    for (const char* parameter : parameters)
        texts.push_back({parameter, context.string(parameter)});
    return texts;
}

/// Values of formulas at all voxels, one after another for each voxel.
/// @throws Failure  a value is not finite: names the parameter and the place
std::vector<float> valuesOf(const sdk::Context& context, const Formulas& formulas,
                            const Lattice& lattice, double time)
{
    const std::size_t components = formulas.count();
    std::vector<float> values(components * lattice.count());
    forEachPlane(context, lattice.size[0], [&](std::size_t i) {
        const Formulas::Lease lease(formulas);
        lease->variables.t = time;
        std::size_t n = components * i * lattice.planeCount();
        for (std::size_t j = 0; j < lattice.size[1]; ++j)
            for (std::size_t k = 0; k < lattice.size[2]; ++k) {
                const Point at = lattice.at(i, j, k);
                lease->variables.x = at[0];
                lease->variables.y = at[1];
                lease->variables.z = at[2];
                for (std::size_t c = 0; c < components; ++c, ++n) {
                    values[n] = static_cast<float>(lease->value(c));
                    if (!std::isfinite(values[n]))
                        throw sdk::Failure("parameter '" + formulas.parameter(c) +
                                               "' has no finite value at " +
                                               sdk::world::placeOf(at),
                                           FLOE_BAD_ARGUMENT);
                }
            }
    });
    return values;
}

/// The least value on the lattice's faces: beyond them nothing is nearer.
float leastOnFaces(const Lattice& lattice, const std::vector<float>& values)
{
    float least = HUGE_VALF;
    const auto& size = lattice.size;
    for (std::size_t i = 0; i < size[0]; ++i)
        for (std::size_t j = 0; j < size[1]; ++j)
            for (std::size_t k = 0; k < size[2]; ++k)
                if (i == 0 || j == 0 || k == 0 || i + 1 == size[0] || j + 1 == size[1] ||
                    k + 1 == size[2])
                    least = std::min(least, values[lattice.indexOf(i, j, k)]);
    return least;
}

floe_status accelerate(void* self, const floe_device* device, const floe_force_batch* batch)
{
    if (device->kind != FLOE_DEVICE_CPU)
        return FLOE_UNSUPPORTED;
    return sdk::detail::guarded(nullptr, [&] {
        const Formulas::Lease lease(*static_cast<const Formulas*>(self));
        lease->variables.t = batch->time;
        for (uint32_t i = 0; i < batch->count; ++i) {
            lease->variables.x = batch->corner[0] + static_cast<double>(batch->x[0][i]);
            lease->variables.y = batch->corner[1] + static_cast<double>(batch->x[1][i]);
            lease->variables.z = batch->corner[2] + static_cast<double>(batch->x[2][i]);
            lease->variables.vx = static_cast<double>(batch->v[0][i]);
            lease->variables.vy = static_cast<double>(batch->v[1][i]);
            lease->variables.vz = static_cast<double>(batch->v[2][i]);
            for (std::size_t axis = 0; axis < 3; ++axis)
                batch->acceleration[axis][i] = static_cast<float>(lease->value(axis));
        }
    });
}

constexpr floe_force_interface kForceTable = {
    .struct_size = sizeof(floe_force_interface),
    .reserved = 0,
    .accelerate = accelerate,
};

} // namespace

void FormulaVolumeNode::cook(sdk::Context& context)
{
    const std::string kind = context.string("kind");
    const bool vectors = kind == "vectors";
    const Formulas formulas(vectors ? textsOf(context, {"x", "y", "z"})
                                    : textsOf(context, {"value"}),
                            constantsOf(context), Formulas::Velocity::unknown);
    const Lattice lattice = latticeOf(context);
    const double time = (context.frame() - context.raw()->range_start) / context.fps();
    const std::vector<float> values = valuesOf(context, formulas, lattice, time);
    context.progress(0.6);
    if (vectors) {
        context.setOutput("volume", vectorVolume(context, lattice, values));
        return;
    }
    float background = 0;
    if (kind == "distances") {
        constexpr double kBand = 2.5; // voxels; of three, less rounding
        background = leastOnFaces(lattice, values);
        if (!(background >= kBand * lattice.voxelSize))
            throw sdk::Failure("the shape reaches the sides of the box: make the box larger, at "
                               "least three voxels beyond the shape on every side",
                               FLOE_BAD_ARGUMENT);
    }
    context.setOutput("volume",
                      scalarVolume(context, lattice, values, background, kind == "distances"));
}

void FormulaForceNode::cook(sdk::Context& context)
{
    auto formulas = std::make_unique<Formulas>(textsOf(context, {"x", "y", "z"}),
                                               constantsOf(context), Formulas::Velocity::known);
    sdk::Value record = sdk::makeRecord("force");
    record.set("type", sdk::makeString("custom"));
    record.set("model", sdk::makeInterface(FLOE_FORCE_INTERFACE, kForceTable, std::move(formulas)));
    context.setOutput("force", record);
}

} // namespace floe::fields
