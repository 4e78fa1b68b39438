#include "material_record.hpp"

#include <floe/sdk/physics/parameters.hpp>
#include <floe/sdk/world/forces.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace floe::mpm {

namespace {

std::string shortNumber(double a)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", a);
    return text;
}

/// A third-party model behind the solver's own interface. The record keeps the model alive.
struct RecordModel : CustomModel {
    sdk::Value value;
    const floe_material_interface* table = nullptr;
    void* object = nullptr;
    floe_device device{}; ///< the solver's

    static bool call(void* self, double dt, float* const F[9], float* const state[4],
                     const float* const gradient[9], const float* stiffness, float* const stress[6])
    {
        CustomBatch rows{};
        std::copy_n(F, 9, rows.F);
        std::copy_n(state, 4, rows.state);
        std::copy_n(gradient, 9, rows.gradient);
        rows.stiffness = stiffness;
        std::copy_n(stress, 6, rows.stress);
        const auto& model = *static_cast<RecordModel*>(self);
        const bool there = model.device.kind == FLOE_DEVICE_CPU;
        return model.ask(there ? model.device : sdk::world::hostDevice(), dt, kLanes, rows) ==
               FLOE_OK;
    }
    static Answer callOnDevice(void* self, double dt, std::uint32_t count, const CustomBatch& rows)
    {
        const auto& model = *static_cast<RecordModel*>(self);
        const floe_status status = model.ask(model.device, dt, count, rows);
        return status == FLOE_OK            ? Answer::done
               : status == FLOE_UNSUPPORTED ? Answer::unsupported
                                            : Answer::failed;
    }

private:
    floe_status ask(const floe_device& where, double dt, std::uint32_t count,
                    const CustomBatch& rows) const
    {
        floe_material_batch batch{};
        batch.struct_size = sizeof batch;
        batch.count = count;
        batch.time_step = dt;
        std::copy_n(rows.F, 9, batch.F);
        std::copy_n(rows.gradient, 9, batch.gradient);
        std::copy_n(rows.state, table->state_count, batch.state);
        batch.stiffness = rows.stiffness;
        std::copy_n(rows.stress, 6, batch.stress);
        return table->update(object, &where, &batch);
    }
};

} // namespace

SolverMaterial materialOf(const sdk::Value& record, double cellSize, const floe_device* device)
{
    SolverMaterial material;
    material.name = record.require("name").string();
    const auto fail = [&](const std::string& what) {
        throw sdk::Failure("material '" + material.name + "': " + what, FLOE_BAD_ARGUMENT);
    };
    const double density = record.require("density").number();
    if (!(density > 0 && density < 1e9))
        fail("density is " + shortNumber(density) + ", must be above 0 and below 1e9 kg/m^3");
    material.law.density = static_cast<float>(density);
    const std::string law = record.require("law").string();

    if (law == "custom") {
        auto model = std::make_shared<RecordModel>();
        model->value = record.require("model");
        model->source = model->value.get();
        std::tie(model->table, model->object) =
            model->value.interface<floe_material_interface>(FLOE_MATERIAL_INTERFACE);
        if (model->table->state_count > 4)
            fail("its model asks for more than four state variables");
        const double speed = model->table->sound_speed(model->object);
        if (!(speed > 0 && speed < 1e7))
            fail("its model gives a speed of sound of " + shortNumber(speed) +
                 " m/s, must be above 0 and below 1e7");
        model->update = RecordModel::call;
        model->self = model.get();
        model->device = *device;
        if (device->kind == FLOE_DEVICE_CUDA)
            model->updateOnDevice = RecordModel::callOnDevice;
        model->waveModulus = static_cast<float>(density * speed * speed);
        for (uint32_t i = 0; i < model->table->state_count; ++i)
            material.initialState[i] = model->table->initial_state[i];
        material.custom = model;
        return material;
    }

    const sdk::Value whole = record.field("staysWhole");
    material.staysWhole = whole && whole.boolean();
    const physics::LawDescription* description = physics::findLaw(law);
    if (!description)
        fail("there is no law '" + law + "'");
    const sdk::Value numbers = record.require("parameters");
    material.law = physics::makeMaterial(
        description->kind, static_cast<float>(density),
        [&](const physics::LawParameter& parameter) {
            const sdk::Value given = numbers.field(parameter.name);
            const double value = given ? given.number() : parameter.value;
            if (!(value >= parameter.minimum && value <= parameter.maximum))
                fail(std::string(parameter.name) + " is " + shortNumber(value) +
                     ", must be between " + shortNumber(parameter.minimum) + " and " +
                     shortNumber(parameter.maximum) + " " + parameter.unit);
            return value;
        },
        cellSize);
    return material;
}

std::string materialIdentity(const sdk::Value& record)
{
    std::string identity = record.require("name").string() + '\n' + record.require("law").string() +
                           '\n' + shortNumber(record.require("density").number());
    const auto addNumbers = [&](const sdk::Value& numbers) {
        const floe_value_api& api = *sdk::host().values;
        for (uint32_t i = 0; i < api.field_count(numbers.get()); ++i) {
            const char* name = api.field_name(numbers.get(), i);
            double value = 0;
            if (api.get_number(api.field(numbers.get(), name), &value) == FLOE_OK)
                identity += std::string("\n") + name + "=" + shortNumber(value);
        }
    };
    if (const sdk::Value numbers = record.field("parameters"))
        addNumbers(numbers);
    if (const sdk::Value friction = record.field("friction"))
        identity += "\nfriction=" + shortNumber(friction.number());
    if (const sdk::Value whole = record.field("staysWhole"); whole && whole.boolean())
        identity += "\nstaysWhole";
    if (const sdk::Value model = record.field("model")) {
        char address[32];
        std::snprintf(address, sizeof address, "\n%p", static_cast<const void*>(model.get()));
        identity += address;
    }
    return identity;
}

} // namespace floe::mpm
