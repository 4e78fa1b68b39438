#include "floe/plugin/cook_context.hpp"

#include "floe/base/error.hpp"
#include "floe/compute/parallel.hpp"
#include "floe/plugin/call_site.hpp"
#include "floe/plugin/node_instance.hpp"
#include "floe/plugin/plugin_host.hpp"
#include "plugin_errors.hpp"

#include <algorithm>
#include <cmath>
#include <new>

namespace floe::plugin {

namespace {

constexpr std::size_t kMaxErrors = 16; ///< kept per call

compute::Device& deviceOf(const floe_device* device)
{
    return *static_cast<compute::Device*>(device->self);
}

/// Runs `body` for a function of floe_device.
template <class Body>
floe_status guarded(Body&& body) noexcept
{
    try {
        body();
        return FLOE_OK;
    } catch (const std::exception& error) {
        return statusOf(error);
    } catch (...) {
        return FLOE_FAILED;
    }
}

floe_status allocate(const floe_device* device, std::uint64_t bytes, void** memory)
{
    if (!device || !memory)
        return FLOE_BAD_ARGUMENT;
    return guarded([&] { *memory = deviceOf(device).allocate(bytes); });
}

void release(const floe_device* device, void* memory)
{
    if (device)
        deviceOf(device).release(memory);
}

floe_status copy(const floe_device* device, void* to, const void* from, std::uint64_t bytes,
                 std::int32_t direction)
{
    if (!device || (bytes != 0 && (!to || !from)))
        return FLOE_BAD_ARGUMENT;
    compute::Copy typed;
    switch (direction) {
    case FLOE_COPY_TO_DEVICE:
        typed = compute::Copy::toDevice;
        break;
    case FLOE_COPY_TO_HOST:
        typed = compute::Copy::toHost;
        break;
    case FLOE_COPY_ON_DEVICE:
        typed = compute::Copy::onDevice;
        break;
    default:
        return FLOE_BAD_ARGUMENT;
    }
    return guarded([&] { deviceOf(device).copy(to, from, bytes, typed); });
}

floe_status synchronise(const floe_device* device)
{
    if (!device)
        return FLOE_BAD_ARGUMENT;
    return guarded([&] { deviceOf(device).synchronise(); });
}

} // namespace

floe_device deviceInterface(compute::Device& device)
{
    floe_device result{};
    result.struct_size = sizeof result;
    result.kind = device.kind() == compute::DeviceKind::cuda ? FLOE_DEVICE_CUDA : FLOE_DEVICE_CPU;
    result.ordinal = device.ordinal();
    result.stream = device.stream();
    result.self = &device;
    result.allocate = allocate;
    result.release = release;
    result.copy = copy;
    result.synchronise = synchronise;
    return result;
}

floe_status statusOf(const std::exception& error)
{
    if (dynamic_cast<const MemoryError*>(&error) || dynamic_cast<const std::bad_alloc*>(&error))
        return FLOE_OUT_OF_MEMORY;
    if (dynamic_cast<const DeviceError*>(&error))
        return FLOE_DEVICE_FAILED;
    if (dynamic_cast<const IoError*>(&error))
        return FLOE_IO_FAILED;
    if (dynamic_cast<const CancelledError*>(&error))
        return FLOE_CANCELLED;
    if (dynamic_cast<const DivergedError*>(&error))
        return FLOE_DIVERGED;
    if (dynamic_cast<const InputError*>(&error))
        return FLOE_BAD_ARGUMENT;
    return FLOE_FAILED;
}

std::string sentenceOf(const std::exception& error)
{
    return dynamic_cast<const std::bad_alloc*>(&error) ? "memory ran out" : error.what();
}

// ----------------------------------------------------------------------- functions of a context

struct CookContext::Calls {
    /// Runs `body`; an exception becomes the call's reason and a status.
    template <class Body>
    static floe_status guarded(CookContext& context, Body&& body) noexcept
    {
        try {
            return body();
        } catch (const std::exception& error) {
            context.fail(sentenceOf(error));
            return statusOf(error);
        } catch (...) {
            context.fail("unknown failure");
            return FLOE_FAILED;
        }
    }

    /// For functions that return no status.
    template <class Body>
    static void silently(const floe_context* raw, Body&& body) noexcept
    {
        CookContext* context = of(raw);
        if (!context)
            return;
        guarded(*context, [&]() -> floe_status {
            body(*context);
            return FLOE_OK;
        });
    }

    /// Passes a parameter to `take`, which returns whether its type was right.
    template <class Take>
    static floe_status parameter(const floe_context* raw, const char* name, double frame,
                                 const void* to, Take&& take) noexcept
    {
        CookContext* context = of(raw);
        if (!context || !name || !to)
            return FLOE_BAD_ARGUMENT;
        return guarded(*context, [&]() -> floe_status {
            if (!std::isfinite(frame)) {
                context->fail("parameter '" + printable(name) +
                              "' was asked for at a frame that is not finite");
                return FLOE_BAD_ARGUMENT;
            }
            const std::optional<Parameter> value = context->environment_.parameter(name, frame);
            if (!value)
                return FLOE_NOT_FOUND;
            return take(*context, *value) ? FLOE_OK : FLOE_WRONG_KIND;
        });
    }

    static floe_status number(const floe_context* raw, const char* name, double frame, double* to)
    {
        return parameter(raw, name, frame, to, [to](CookContext&, const Parameter& value) {
            if (const auto* whole = std::get_if<std::int64_t>(&value))
                *to = static_cast<double>(*whole); // every integer is a number
            else if (const auto* number = std::get_if<double>(&value))
                *to = *number;
            else
                return false;
            return true;
        });
    }
    static floe_status integer(const floe_context* raw, const char* name, double frame,
                               std::int64_t* to)
    {
        return parameter(raw, name, frame, to, [to](CookContext&, const Parameter& value) {
            const auto* typed = std::get_if<std::int64_t>(&value);
            if (typed)
                *to = *typed;
            return typed != nullptr;
        });
    }
    static floe_status boolean(const floe_context* raw, const char* name, double frame,
                               std::int32_t* to)
    {
        return parameter(raw, name, frame, to, [to](CookContext&, const Parameter& value) {
            const auto* typed = std::get_if<bool>(&value);
            if (typed)
                *to = *typed ? 1 : 0;
            return typed != nullptr;
        });
    }
    static floe_status vector(const floe_context* raw, const char* name, double frame, double to[3])
    {
        return parameter(raw, name, frame, to, [to](CookContext&, const Parameter& value) {
            const auto* typed = std::get_if<std::array<double, 3>>(&value);
            if (typed)
                std::copy_n(typed->data(), 3, to);
            return typed != nullptr;
        });
    }
    static floe_status string(const floe_context* raw, const char* name, double frame,
                              const char** to)
    {
        return parameter(raw, name, frame, to, [to](CookContext& context, const Parameter& value) {
            const auto* typed = std::get_if<std::string>(&value);
            if (typed) {
                const std::lock_guard lock(context.mutex_);
                *to = context.strings_.insert(*typed).first->c_str();
            }
            return typed != nullptr;
        });
    }

    static std::uint32_t inputCount(const floe_context* raw, const char* socket)
    {
        std::uint32_t count = 0;
        if (socket)
            silently(raw, [&](CookContext& context) {
                count = static_cast<std::uint32_t>(context.environment_.inputs(socket).size());
            });
        return count;
    }
    static const floe_value* input(const floe_context* raw, const char* socket, std::uint32_t index)
    {
        const floe_value* value = nullptr;
        if (socket)
            silently(raw, [&](CookContext& context) {
                const auto values = context.environment_.inputs(socket);
                if (index < values.size())
                    value = toInterface(values[index].get());
            });
        return value;
    }
    static floe_status setOutput(const floe_context* raw, const char* socket,
                                 const floe_value* value)
    {
        CookContext* context = of(raw);
        if (!context || !socket)
            return FLOE_BAD_ARGUMENT;
        return guarded(*context, [&]() -> floe_status {
            if (!value) {
                context->fail("no value was given for output '" + printable(socket) + "'");
                return FLOE_BAD_ARGUMENT;
            }
            auto output = ValueRef::share(fromInterface(value));
            output->seal();
            try {
                return context->environment_.setOutput(socket, std::move(output)) ? FLOE_OK
                                                                                  : FLOE_NOT_FOUND;
            } catch (const InputError& error) {
                context->fail(error.what());
                return FLOE_FAILED; // the reason is already reported: the wrapper adds none
            }
        });
    }

    static std::int32_t cancelled(const floe_context* raw)
    {
        std::int32_t result = 0;
        silently(raw,
                 [&](CookContext& context) { result = context.environment_.cancelled() ? 1 : 0; });
        return result;
    }
    static void progress(const floe_context* raw, double fraction)
    {
        silently(raw, [&](CookContext& context) {
            if (!std::isnan(fraction))
                context.environment_.progress(std::min(std::max(fraction, 0.0), 1.0));
        });
    }
    static void message(const floe_context* raw, std::int32_t level, const char* text)
    {
        silently(raw, [&](CookContext& context) {
            const std::string clean = printable(text);
            if (clean.empty())
                return;
            if (level >= FLOE_LEVEL_ERROR)
                context.fail(clean);
            else
                context.environment_.message(std::max<std::int32_t>(level, FLOE_LEVEL_DEBUG),
                                             clean);
        });
    }
    static void statistic(const floe_context* raw, const char* name, double value)
    {
        silently(raw, [&](CookContext& context) {
            const std::string clean = printable(name);
            if (!clean.empty() && std::isfinite(value))
                context.environment_.statistic(clean, value);
        });
    }

    static void parallelFor(const floe_context* raw, std::uint64_t count, std::uint64_t grain,
                            void (*body)(void*, std::uint64_t, std::uint64_t), void* user)
    {
        CookContext* context = of(raw);
        if (!context || !body)
            return;
        const CallSite* const site = currentCall();
        const std::optional<CallSite> here = site ? std::optional(*site) : std::nullopt;
        try {
            compute::parallelFor(count, grain, [&](std::uint64_t begin, std::uint64_t end) {
                std::optional<CallScope> scope;
                if (here)
                    scope.emplace(*here);
                body(user, begin, end);
            });
        } catch (const std::exception& error) {
            context->broken_ = true;
            context->fail(std::string("an exception left a parallel loop: ") +
                          printable(error.what()));
        } catch (...) {
            context->broken_ = true;
            context->fail("an exception left a parallel loop");
        }
    }
};

CookContext::CookContext(CookSettings settings, Environment& environment)
    : settings_(std::move(settings)), environment_(environment)
{
    device_ = deviceInterface(*settings_.device);
    raw_.struct_size = sizeof raw_;
    raw_.start = settings_.start ? 1 : 0;
    raw_.host = hostInterface();
    raw_.device = &device_;
    raw_.node_name = settings_.node.c_str();
    raw_.output_folder = settings_.outputFolder.c_str();
    raw_.frame = settings_.frame;
    raw_.fps = settings_.fps;
    raw_.range_start = settings_.rangeStart;
    raw_.range_end = settings_.rangeEnd;
    raw_.self = this;
    raw_.number = Calls::number;
    raw_.integer = Calls::integer;
    raw_.boolean = Calls::boolean;
    raw_.vector = Calls::vector;
    raw_.string = Calls::string;
    raw_.input_count = Calls::inputCount;
    raw_.input = Calls::input;
    raw_.set_output = Calls::setOutput;
    raw_.cancelled = Calls::cancelled;
    raw_.progress = Calls::progress;
    raw_.message = Calls::message;
    raw_.statistic = Calls::statistic;
    raw_.parallel_for = Calls::parallelFor;
}

CookContext* CookContext::of(const floe_context* context)
{
    return context ? static_cast<CookContext*>(context->self) : nullptr;
}

void CookContext::fail(const std::string& reason)
{
    try {
        const std::lock_guard lock(mutex_);
        if (errors_.size() == kMaxErrors)
            errors_.erase(errors_.begin());
        errors_.push_back(reason);
    } catch (...) { // no memory for the reason; the status still reports it
    }
}

std::string CookContext::takeReason(bool failed)
{
    std::vector<std::string> errors;
    {
        const std::lock_guard lock(mutex_);
        errors.swap(errors_);
    }
    std::string reason;
    if (failed && !errors.empty()) {
        reason = std::move(errors.back());
        errors.pop_back();
    }
    for (const std::string& error : errors)
        environment_.message(FLOE_LEVEL_ERROR, error);
    return reason;
}

} // namespace floe::plugin
