#include "guarded_interface.hpp"

#include "floe/base/error.hpp"
#include "floe/plugin/call_site.hpp"
#include "floe/plugin/loaded_plugin.hpp"
#include "floe/sdk/records.h"
#include "plugin_errors.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <string>
#include <type_traits>

namespace floe::plugin {

namespace {

/// The maker of an interface, and its object.
struct Maker {
    void* self = nullptr;
    void (*destroy)(void*) = nullptr;
    std::string node, plugin;
    std::shared_ptr<const LoadedPlugin> owner;

    /// Returns whether its functions may be given a CUDA device's memory: a manifest says so of
    /// each node, of which one made this.
    bool knowsCuda() const
    {
        return !owner || std::any_of(owner->manifest().nodes.begin(), owner->manifest().nodes.end(),
                                     [](const ManifestNode& each) { return each.knowsCuda; });
    }
    /// Runs `body` in a scope, in the frame of whoever calls.
    template <class Result, class Body>
    Result call(const char* name, Result failed, const Body& body) const noexcept
    {
        const CallSite* const outer = currentCall();
        const CallScope scope(name, node, plugin, outer ? outer->frame : kNoCallFrame);
        try {
            const Result result = body();
            if constexpr (std::is_same_v<Result, floe_status>)
                if (result != FLOE_OK && result != FLOE_CANCELLED && lastRefusal().reason.empty())
                    lastRefusal().reason =
                        of(name) + " failed with status " + std::to_string(result);
            return result;
        } catch (const std::exception& error) {
            say(name, printable(error.what()));
        } catch (...) {
            say(name, "of an unknown kind");
        }
        return failed;
    }

private:
    /// "emit of node 'a' (plugin studio.waves)"
    std::string of(const char* name) const
    {
        return std::string(name) + " of node '" + node + "' (plugin " + plugin + ")";
    }
    void say(const char* name, const std::string& what) const noexcept
    {
        try {
            lastRefusal().reason = of(name) + " let a C++ exception escape";
            keepOrLog(FLOE_LEVEL_ERROR, ("node '" + node + "': the plugin '" + plugin +
                                         "' let a C++ exception escape " + name + ": " + what)
                                            .c_str());
        } catch (...) { // no memory for a message
        }
    }
};

/// Maker and both tables; `Table` is of the interface.
template <class Table>
struct Guarded : Maker {
    const Table* theirs = nullptr;
    Table ours{};
    static const Guarded& of(void* self) { return *static_cast<const Guarded*>(self); }
};

void guard(Guarded<floe_emitter_interface>& g)
{
    g.ours.emit = [](void* self, const floe_context* context, const floe_emission* request,
                     floe_value** particles) -> floe_status {
        const auto& emitter = Guarded<floe_emitter_interface>::of(self);
        return emitter.call<floe_status>("emit", FLOE_FAILED, [&] {
            return emitter.theirs->emit(emitter.self, context, request, particles);
        });
    };
}

void guard(Guarded<floe_material_interface>& g)
{
    g.ours.state_count = g.theirs->state_count;
    std::copy(std::begin(g.theirs->initial_state), std::end(g.theirs->initial_state),
              g.ours.initial_state);
    g.ours.sound_speed = [](void* self) -> double {
        const auto& material = Guarded<floe_material_interface>::of(self);
        return material.call<double>("sound_speed", std::numeric_limits<double>::quiet_NaN(),
                                     [&] { return material.theirs->sound_speed(material.self); });
    };
    g.ours.update = [](void* self, const floe_device* device,
                       const floe_material_batch* batch) -> floe_status {
        const auto& material = Guarded<floe_material_interface>::of(self);
        const bool onCuda = device->kind == FLOE_DEVICE_CUDA;
        if (onCuda && !material.knowsCuda())
            return FLOE_UNSUPPORTED;
        const floe_status status = material.call<floe_status>("update", FLOE_FAILED, [&] {
            return material.theirs->update(material.self, device, batch);
        });
        if (onCuda && status == FLOE_UNSUPPORTED) // no failure: it is asked on the host
            lastRefusal() = {};
        return status;
    };
}

void guard(Guarded<floe_activation_interface>& g)
{
    using Activation = Guarded<floe_activation_interface>;
    g.ours.wants = g.theirs->wants;
    g.ours.evaluate = [](void* self, const floe_context* context,
                         const floe_activation_request* request, uint8_t* state) -> floe_status {
        const auto& activation = Activation::of(self);
        return activation.call<floe_status>("evaluate", FLOE_FAILED, [&] {
            return activation.theirs->evaluate(activation.self, context, request, state);
        });
    };
    if (FLOE_HAS(g.theirs, depends) && g.theirs->depends)
        g.ours.depends = [](void* self, const floe_activation_request* request,
                            const uint8_t* state) -> int32_t {
            const auto& activation = Activation::of(self);
            return activation.call<int32_t>("depends", 1, [&] {
                return activation.theirs->depends(activation.self, request, state);
            });
        };
}

void guard(Guarded<floe_force_interface>& g)
{
    g.ours.accelerate = [](void* self, const floe_device* device,
                           const floe_force_batch* batch) -> floe_status {
        const auto& force = Guarded<floe_force_interface>::of(self);
        return force.call<floe_status>("accelerate", FLOE_FAILED, [&] {
            return force.theirs->accelerate(force.self, device, batch);
        });
    };
}

/// What each table must have at least.
bool complete(const floe_emitter_interface& table)
{
    return FLOE_HAS(&table, emit) && table.emit;
}
bool complete(const floe_material_interface& table)
{
    return FLOE_HAS(&table, update) && table.sound_speed && table.update;
}
bool complete(const floe_force_interface& table)
{
    return FLOE_HAS(&table, accelerate) && table.accelerate;
}
bool complete(const floe_activation_interface& table)
{
    return FLOE_HAS(&table, evaluate) && table.evaluate;
}

template <class Table>
Ref<InterfaceValue> makeGuarded(const char* id, const void* theirs, void* self,
                                void (*destroy)(void*))
{
    auto guarded = std::make_unique<Guarded<Table>>();
    guarded->theirs = static_cast<const Table*>(theirs);
    if (!complete(*guarded->theirs))
        throw InputError({.parameter = id},
                         "the interface's table lacks a function, or its struct_size is too small",
                         "fill what floe/sdk/records.h declares");
    guarded->ours.struct_size = sizeof(Table);
    guarded->self = self;
    guarded->destroy = destroy;
    guarded->owner = pluginHolding(theirs);
    if (guarded->owner)
        guarded->plugin = guarded->owner->manifest().id;
    if (const CallSite* const site = currentCall()) {
        guarded->node = site->node;
        if (guarded->plugin.empty())
            guarded->plugin = site->plugin;
    }
    guard(*guarded);
    const auto end = [](void* object) {
        const std::unique_ptr<Guarded<Table>> ended(static_cast<Guarded<Table>*>(object));
        if (ended->destroy)
            ended->template call<bool>("destroy", false, [&] {
                ended->destroy(ended->self);
                return true;
            });
    };
    Ref<InterfaceValue> value =
        make<InterfaceValue>(id, &guarded->ours, guarded.get(), end, guarded->owner);
    guarded.release();
    return value;
}

} // namespace

Ref<InterfaceValue> makeGuardedInterface(const char* id, const void* table, void* self,
                                         void (*destroy)(void*))
{
    const std::string_view name(id);
    if (table && name == FLOE_EMITTER_INTERFACE)
        return makeGuarded<floe_emitter_interface>(id, table, self, destroy);
    if (table && name == FLOE_MATERIAL_INTERFACE)
        return makeGuarded<floe_material_interface>(id, table, self, destroy);
    if (table && name == FLOE_FORCE_INTERFACE)
        return makeGuarded<floe_force_interface>(id, table, self, destroy);
    if (table && name == FLOE_ACTIVATION_INTERFACE)
        return makeGuarded<floe_activation_interface>(id, table, self, destroy);
    return make<InterfaceValue>(id, table, self, destroy, pluginHolding(table));
}

} // namespace floe::plugin
