#include "floe/plugin/node_instance.hpp"

#include "floe/base/error.hpp"
#include "floe/base/scarcity.hpp"
#include "floe/plugin/call_site.hpp"
#include "plugin_errors.hpp"

#include <cmath>
#include <cstring>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace floe::plugin {

namespace {

/// Returns the meaning of a status when the plugin gave no message.
std::string meaning(floe_status status)
{
    switch (status) {
    case FLOE_BAD_ARGUMENT:
        return "the plugin used the interface wrongly";
    case FLOE_NOT_FOUND:
        return "the plugin asked for something that its manifest does not declare";
    case FLOE_WRONG_KIND:
        return "a value or parameter is of another kind than the plugin expects";
    case FLOE_OUT_OF_MEMORY:
        return "memory ran out";
    case FLOE_DEVICE_FAILED:
        return "the device failed";
    case FLOE_CANCELLED:
        return "stopped";
    case FLOE_UNSUPPORTED:
        return "this is not possible on this device or in this build";
    case FLOE_IO_FAILED:
        return "a file could not be read or written";
    case FLOE_DIVERGED:
        return "the simulation left the range of meaningful numbers";
    case FLOE_FAILED:
        return "the plugin failed without saying why";
    default:
        return "the plugin failed with the unknown status " + std::to_string(status);
    }
}

[[noreturn]] void raise(floe_status status, const Place& place, std::string reason)
{
    // The wrapper only knows that a value could not be made; the host has stored the reason.
    const Refusal refusal = std::exchange(lastRefusal(), {});
    const bool generic =
        reason.empty() || reason.find("a value could not be made") != std::string::npos;
    if (generic && !refusal.reason.empty() && status != FLOE_CANCELLED) {
        reason = refusal.reason;
        if (refusal.memory)
            status = FLOE_OUT_OF_MEMORY;
    }
    if (reason.starts_with("cannot set field '") ||
        reason.starts_with("cannot add particle attribute '"))
        reason += refusal.reason.empty() ? "" : ": " + refusal.reason;
    if (reason.empty())
        reason = meaning(status);
    if (status == FLOE_FAILED && saysScarcity(reason))
        status = FLOE_OUT_OF_MEMORY;
    switch (status) {
    case FLOE_OUT_OF_MEMORY:
        throw MemoryError(place, reason);
    case FLOE_DEVICE_FAILED:
        throw DeviceError(place, reason);
    case FLOE_IO_FAILED:
        throw IoError(place, reason);
    case FLOE_DIVERGED:
        throw DivergedError(place, reason);
    case FLOE_CANCELLED:
        throw CancelledError(place, reason);
    default:
        throw PluginError(place, reason);
    }
}

/// Everything of number_state.hpp, as it is when this is made.
class NumberStates {
public:
    /// Returns what has changed since, which is as it was then.
    std::vector<std::string> restore() const
    {
        std::vector<std::string> changes;
        if (FloatMode::now() != mode_) {
            mode_.set();
            changes.push_back("how the processor rounds numbers or treats small ones");
        }
        if (NumericLocale::now() != locale_) {
            locale_.set();
            changes.push_back("the locale of numbers");
        }
        return changes;
    }

private:
    const FloatMode mode_ = FloatMode::now();
    const NumericLocale locale_ = NumericLocale::now();
};

/// Calls a plugin's function with a context; throws every failure, with its place.
template <class Call>
void invoke(const char* name, CookContext& context, const std::string& node,
            const LoadedPlugin& plugin, Call&& call)
{
    const CallScope scope(name, node, plugin.manifest().id, context.settings().frame);
    const NumberStates before;
    const Place place{.node = node,
                      .frame = static_cast<int>(std::floor(context.settings().frame))};
    lastRefusal() = {};
    const auto escaped = [&](const std::string& what) {
        context.takeReason(true);
        throw PluginError(place, "the plugin let a C++ exception escape" +
                                     (what.empty() ? std::string() : ": " + what));
    };
    floe_status status = FLOE_FAILED;
    try {
        status = call();
    } catch (const std::exception& error) {
        escaped(printable(error.what()));
    } catch (...) {
        escaped({});
    }
    for (const std::string& change : before.restore())
        context.environment().message(
            FLOE_LEVEL_WARNING, "the plugin '" + plugin.manifest().id + "' changed " + change +
                                    " in " + name + ", which was set back; tell its maker");
    if (status == FLOE_OK && context.broken())
        status = FLOE_FAILED;
    std::string reason = context.takeReason(status != FLOE_OK);
    // Nobody may end a run as if it had been asked for.
    if (status == FLOE_CANCELLED && !context.environment().mayBeCancelled()) {
        status = FLOE_FAILED;
        if (reason.empty())
            reason = "a plugin says that it was stopped, though nobody stops the run";
    }
    if (status != FLOE_OK)
        raise(status, place, reason);
}

/// The same for functions without a context.
template <class Call>
void invokeWithout(const char* name, const std::string& node, const LoadedPlugin& plugin,
                   Call&& call)
{
    const CallScope scope(name, node, plugin.manifest().id, kNoCallFrame);
    const Place place{.node = node};
    lastRefusal() = {};
    const ErrorCapture errors;
    floe_status status = FLOE_FAILED;
    try {
        status = call();
    } catch (...) {
        throw PluginError(place, "the plugin let a C++ exception escape");
    }
    if (status != FLOE_OK)
        raise(status, place, errors.last());
}

struct StringWriter {
    explicit StringWriter(std::string& target)
    {
        raw.struct_size = sizeof raw;
        raw.self = &target;
        raw.write = [](floe_writer* writer, const void* data, std::uint64_t bytes) -> floe_status {
            if (!writer || (bytes != 0 && !data))
                return FLOE_BAD_ARGUMENT;
            try {
                static_cast<std::string*>(writer->self)
                    ->append(static_cast<const char*>(data), bytes);
                return FLOE_OK;
            } catch (...) {
                return FLOE_OUT_OF_MEMORY;
            }
        };
    }
    floe_writer raw{};
};

struct SourceReader {
    explicit SourceReader(StateSource& from) : source(from)
    {
        raw.struct_size = sizeof raw;
        raw.self = this;
        raw.remaining = source.size();
        raw.read = [](floe_reader* reader, void* data, std::uint64_t bytes) -> floe_status {
            if (!reader || (bytes != 0 && !data))
                return FLOE_BAD_ARGUMENT;
            auto& self = *static_cast<SourceReader*>(reader->self);
            const std::uint64_t size = self.source.size();
            if (bytes > size - self.at)
                return FLOE_IO_FAILED;
            try {
                if (bytes != 0)
                    self.source.read(self.at, data, bytes);
            } catch (...) {
                self.failure = std::current_exception();
                return FLOE_IO_FAILED;
            }
            self.at += bytes;
            reader->remaining = size - self.at;
            return FLOE_OK;
        };
        raw.seek = [](floe_reader* reader, std::uint64_t position) -> floe_status {
            if (!reader)
                return FLOE_BAD_ARGUMENT;
            auto& self = *static_cast<SourceReader*>(reader->self);
            if (position > self.source.size())
                return FLOE_IO_FAILED;
            self.at = position;
            reader->remaining = self.source.size() - position;
            return FLOE_OK;
        };
    }
    SourceReader(const SourceReader&) = delete;
    SourceReader& operator=(const SourceReader&) = delete;
    floe_reader raw{};
    StateSource& source;
    std::uint64_t at = 0;
    std::exception_ptr failure; ///< of the source: says more than the plugin can
};

} // namespace

NodeInstance::NodeInstance(std::shared_ptr<const LoadedPlugin> plugin, const std::string& type,
                           std::string node)
    : plugin_(std::move(plugin)), type_(type), node_(std::move(node)), class_(plugin_->find(type))
{
    if (!class_)
        throw PluginError({.node = node_}, "the plugin '" + plugin_->manifest().id +
                                               "' has no code for '" + type + "'");
    invokeWithout("create", node_, *plugin_,
                  [&] { return class_->create(hostInterface(), &object_); });
}

NodeInstance::~NodeInstance()
{
    const CallScope scope("destroy", node_, plugin_->manifest().id, kNoCallFrame);
    try {
        class_->destroy(object_);
    } catch (...) {
        hostInterface()->log(FLOE_LEVEL_WARNING,
                             ("node '" + node_ + "' let an exception escape its end").c_str());
    }
}

void NodeInstance::cook(CookContext& context)
{
    invoke("cook", context, node_, *plugin_, [&] { return class_->cook(object_, context.raw()); });
}

std::string NodeInstance::save(CookContext& context)
{
    if (!class_->save)
        throw PluginError({.node = node_}, "'" + type_ + "' cannot save its state");
    std::string state;
    StringWriter writer(state);
    invoke("save", context, node_, *plugin_,
           [&] { return class_->save(object_, context.raw(), &writer.raw); });
    return state;
}

void NodeInstance::load(CookContext& context, StateSource& state)
{
    if (!class_->load)
        throw PluginError({.node = node_}, "'" + type_ + "' cannot load a state");
    SourceReader reader(state);
    try {
        invoke("load", context, node_, *plugin_,
               [&] { return class_->load(object_, context.raw(), &reader.raw); });
    } catch (const IoError&) {
        if (reader.failure)
            std::rethrow_exception(reader.failure);
        throw;
    }
    if (reader.at < state.size())
        throw IoError({.node = node_}, "the saved state is longer than the node reads: it is of "
                                       "another version or damaged");
}

void NodeInstance::finish(CookContext& context)
{
    if (class_->finish)
        invoke("finish", context, node_, *plugin_,
               [&] { return class_->finish(object_, context.raw()); });
}

std::string migrate(const LoadedPlugin& plugin, const std::string& type, std::uint32_t fromVersion,
                    const std::string& json)
{
    const floe_node_class* nodeClass = plugin.find(type);
    if (!nodeClass || !nodeClass->migrate)
        return json;
    std::string upgraded;
    StringWriter writer(upgraded);
    invokeWithout("migrate", type, plugin, [&] {
        return nodeClass->migrate(hostInterface(), fromVersion, json.c_str(), &writer.raw);
    });
    return upgraded;
}

} // namespace floe::plugin
