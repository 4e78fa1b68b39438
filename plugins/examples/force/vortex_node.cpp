// A force of one's own: a vortex, for Floe's solver or anybody's.
#include "vortex.hpp"
#include "vortex_kernel.hpp"

#include "floe/sdk/node.hpp"
#include "floe/sdk/records.h"

#include <cmath>
#include <memory>

namespace {

namespace sdk = floe::sdk;

floe_status accelerate(void* self, const floe_device* device, const floe_force_batch* batch)
{
    const auto& vortex = *static_cast<const Vortex*>(self);
#if defined(EXAMPLE_HAVE_CUDA)
    if (device->kind == FLOE_DEVICE_CUDA)
        return accelerateOnCuda(vortex, *device, *batch);
#endif
    if (device->kind != FLOE_DEVICE_CPU)
        return FLOE_UNSUPPORTED;
    for (uint32_t i = 0; i < batch->count; ++i)
        vortex.apply(*batch, i);
    return FLOE_OK;
}

constexpr floe_force_interface kVortexTable = {
    .struct_size = sizeof(floe_force_interface),
    .reserved = 0,
    .accelerate = accelerate,
};

class VortexNode final : public sdk::Node {
public:
    static constexpr const char* kType = "example.force.vortex";

    void cook(sdk::Context& context) override
    {
        const sdk::Vector center = context.vector("center"), axis = context.vector("axis");
        const double length = std::hypot(axis[0], axis[1], axis[2]);
        if (!(length > 0))
            throw sdk::Failure("the vortex's axis has no direction; give one such as 0, 1, 0");
        auto vortex = std::make_unique<Vortex>();
        for (std::size_t k = 0; k < 3; ++k) {
            vortex->center[k] = static_cast<float>(center[k]);
            vortex->axis[k] = static_cast<float>(axis[k] / length);
        }
        vortex->speed = static_cast<float>(context.number("speed"));
        vortex->radius = static_cast<float>(context.number("radius"));
        vortex->rate = static_cast<float>(context.number("rate"));
        sdk::Value force = sdk::makeRecord("force");
        force.set("type", sdk::makeString("custom"))
            .set("model",
                 sdk::makeInterface(FLOE_FORCE_INTERFACE, kVortexTable, std::move(vortex)));
        context.setOutput("force", force);
    }
};

} // namespace

FLOE_PLUGIN("example.forces", "1.0.0", VortexNode)
