#pragma once

#include "floe/data/value.hpp"

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>

namespace floe {

/// Values as bytes: lossless (every bit of every number), versioned, checksummed. The frame cache,
/// checkpoints and `.floe` files hold them. Memory of a CUDA device is written from a copy in host
/// memory and comes back as host memory. A value that several fields share is written once.
///
/// Layout, little endian: "FLOEVALU", version, number of values; then each value (kind, contents;
/// fields name earlier values by index), the last one being the one written; then a hash of all
/// before it. Streams may hold several, one after the other, or other things around them.

/// True when `value` can be written: neither it nor a field within it is an interface.
bool isStorable(const Value& value);

/// @throws InputError  not storable
/// @throws IoError     the stream failed
void writeValue(std::ostream& stream, const Value& value);

/// Reads what writeValue wrote and leaves the stream right behind it. The value is sealed.
/// @param stream  must be able to seek: sizes are checked against what is left before memory is
///                taken
/// @throws IoError      not a value, of a newer version, cut off, or damaged
/// @throws MemoryError
ValueRef readValue(std::istream& stream);

/// The same in memory. readValue takes the first value of `bytes`.
std::string writeValue(const Value& value);
ValueRef readValue(std::span<const std::byte> bytes);

} // namespace floe
