#pragma once

#include "floe/sdk/node.hpp"
#include "floe/sdk/sharing.h"

#include <algorithm>
#include <new>
#include <span>
#include <string>

namespace floe::sdk {

/// Adds to particles that are being made an attribute that other, as many particles have in host
/// memory, and which cannot change any more: without a copy where the host can share arrays.
/// @throws Failure  they have none of that name and size, or are not as many; std::bad_alloc
template <class Element>
void shareAttribute(Value& particles, const char* name, uint32_t components, const Value& others)
{
    const std::span<const Element> values = others.attribute<Element>(name, components);
    const auto* sharing =
        host().extension
            ? static_cast<const floe_sharing*>(host().extension(FLOE_SHARING_EXTENSION))
            : nullptr;
    floe_status status = FLOE_OK;
    if (values.size() != particles.particleCount() * components)
        status = FLOE_BAD_ARGUMENT;
    else if (sharing)
        status = sharing->share_attribute(particles.writable(), name, others.get());
    else
        std::ranges::copy(values, particles.addAttribute<Element>(name, components).begin());
    if (status == FLOE_OUT_OF_MEMORY)
        throw std::bad_alloc();
    if (status != FLOE_OK)
        throw Failure(std::string("cannot share particle attribute '") + name + "'", status);
}

} // namespace floe::sdk
