// A custom material: memory foam, for Floe's solver or any other.
#include "foam_kernel.hpp"
#include "kelvin_voigt.hpp"

#include "floe/sdk/node.hpp"
#include "floe/sdk/records.h"

#include <memory>

namespace {

namespace sdk = floe::sdk;

/// The object the solver keeps; shared by its threads, so it never changes.
struct Foam {
    KelvinVoigt law;
    double density;
};

double soundSpeed(void* self)
{
    const auto* foam = static_cast<const Foam*>(self);
    return foam->law.soundSpeed(foam->density);
}

floe_status update(void* self, const floe_device* device, const floe_material_batch* batch)
{
    const KelvinVoigt& law = static_cast<const Foam*>(self)->law;
#if defined(EXAMPLE_HAVE_CUDA)
    if (device->kind == FLOE_DEVICE_CUDA)
        return updateOnCuda(law, *device, *batch);
#endif
    if (device->kind != FLOE_DEVICE_CPU)
        return FLOE_UNSUPPORTED;
    law.stresses(batch->F, batch->gradient, batch->stiffness, batch->stress, batch->count);
    return FLOE_OK; // F is unchanged: no plasticity
}

constexpr floe_material_interface kFoamTable = {
    .struct_size = sizeof(floe_material_interface),
    .state_count = 0,
    .initial_state = {},
    .sound_speed = soundSpeed,
    .update = update,
};

class FoamNode final : public sdk::Node {
public:
    static constexpr const char* kType = "example.material.foam";

    void cook(sdk::Context& context) override
    {
        const double young = context.number("youngModulus");
        const double poisson = context.number("poissonRatio");
        const double viscosity = context.number("viscosity");
        const double density = context.number("density");
        auto foam = std::make_unique<Foam>(KelvinVoigt::of(young, poisson, viscosity), density);

        sdk::Value parameters = sdk::makeRecord("material.custom");
        parameters.set("youngModulus", sdk::makeNumber(young))
            .set("poissonRatio", sdk::makeNumber(poisson))
            .set("viscosity", sdk::makeNumber(viscosity));
        sdk::Value material = sdk::makeRecord("material");
        material.set("name", sdk::makeString("foam"))
            .set("color", sdk::makeVector(context.vector("color")))
            .set("density", sdk::makeNumber(density))
            .set("law", sdk::makeString("custom"))
            .set("parameters", parameters)
            .set("model", sdk::makeInterface(FLOE_MATERIAL_INTERFACE, kFoamTable, std::move(foam)));
        context.setOutput("material", material);
    }
};

} // namespace

FLOE_PLUGIN("example.materials", "1.0.0", FoamNode)
