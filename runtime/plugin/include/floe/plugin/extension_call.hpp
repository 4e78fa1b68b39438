/// Building blocks of the host's extensions (files, pictures).
#pragma once

#include "floe/base/error.hpp"
#include "floe/data/value.hpp"
#include "floe/plugin/cook_context.hpp"
#include "floe/plugin/node_instance.hpp"

#include <exception>

namespace floe::plugin {

/// Runs the body of a function that plugins call; turns exceptions into a status and reports the
/// reason to the node's call.
/// @param raw  of the node's call; may be null
template <class Body>
floe_status guarded(const floe_context* raw, const Body& body) noexcept
{
    CookContext* context = CookContext::of(raw);
    try {
        body();
        return FLOE_OK;
    } catch (const std::exception& error) {
        if (context)
            context->fail(sentenceOf(error));
        return statusOf(error);
    } catch (...) {
        return FLOE_FAILED;
    }
}

/// Passes a value to a plugin, which owns the reference.
/// @throws InputError the destination is null
template <class T>
void give(floe_value** out, const Ref<T>& value)
{
    if (!out)
        throw InputError({}, "there is nowhere to put the value");
    value->seal();
    Ref<const Value> reference = value;
    *out = const_cast<floe_value*>(toInterface(reference.detach()));
}

/// Returns a value that a plugin passed; the plugin keeps its reference.
/// @throws InputError it is missing or of another kind
template <class T>
Ref<const T> take(const floe_value* value)
{
    return Ref<const T>::share(&expect<T>(fromInterface(value)));
}

} // namespace floe::plugin
