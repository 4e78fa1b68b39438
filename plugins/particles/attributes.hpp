#pragma once

/// Particles with the attributes of others: copied, picked out or joined, whatever their types.

#include "floe/sdk/node.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace floe::particles {

/// Returns the attributes in the order of the value; they live as long as it does.
/// @throws Failure  they are not in host memory
std::vector<floe_attribute> attributesOf(const sdk::Value& particles);

/// Bytes of one particle's entry. @throws Failure  an element type that this version does not know
std::size_t entryBytes(const floe_attribute& attribute);

/// Adds an attribute of the same name and type; the memory is uninitialised.
std::byte* addLike(sdk::Value& particles, const floe_attribute& attribute);

/// Sets the fields of `from`, for data common to all particles, on `to`.
void copyFields(const sdk::Value& from, sdk::Value& to);

/// Returns the particles with these indices, in this order, with all attributes and fields.
sdk::Value pick(const sdk::Context& context, const sdk::Value& particles,
                std::span<const uint32_t> indices);

/// Returns the particles without one attribute, ready for it to be added anew.
sdk::Value without(const sdk::Value& particles, const std::string& name);

/// Element i of an attribute of any type as a number; uint64 beyond 2^53 is rounded.
double numberAt(const void* data, floe_element element, std::size_t i);

} // namespace floe::particles
