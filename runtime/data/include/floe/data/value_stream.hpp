#pragma once

#include "floe/data/value.hpp"

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>

namespace floe {

/// Serialisation of values: lossless (every bit of every number), versioned, checksummed; used by
/// the frame cache, checkpoints and `.floe` files. Memory of a CUDA device is written from a host
/// copy and read back as host memory. A value shared by several fields is written once.
///
/// Layout, little endian: "FLOEVALU", version, number of values; then each value (kind, contents;
/// fields refer to earlier values by index), the last one being the one written; then a hash of
/// everything before. Streams may hold several in sequence, or other data around them.

/// Returns whether `value` can be written: neither it nor a field within it is an interface.
bool isStorable(const Value& value);

/// @throws InputError  not storable
/// @throws IoError     the stream failed
void writeValue(std::ostream& stream, const Value& value);

/// Reads the output of writeValue and leaves the stream right behind it. The value is sealed.
/// @param stream  must be seekable: sizes are checked against the rest before memory is allocated
/// @throws IoError      not a value, of a newer version, truncated, or damaged
/// @throws MemoryError
ValueRef readValue(std::istream& stream);

/// The same in memory. readValue takes the first value of `bytes`.
std::string writeValue(const Value& value);
ValueRef readValue(std::span<const std::byte> bytes);

} // namespace floe
