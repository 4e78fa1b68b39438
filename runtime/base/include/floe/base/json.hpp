#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace floe {

/// JSON that preserves the order of keys, so that a loaded document can be saved unchanged.
using Json = nlohmann::ordered_json;

/// Limits for JSON from outside.
struct JsonLimits {
    std::size_t bytes = 256u << 20; ///< length of the text
    int depth = 64;                 ///< nesting of objects and arrays
    std::size_t keys = 20'000;      ///< per object: ordered objects are searched linearly
};

/// Parses JSON without comments. Duplicate keys, NaN, and text beyond the limits are errors.
/// @param name names the text in messages, usually its path
/// @throws GraphError with line and column
Json parseJson(std::string_view text, const std::string& name, const JsonLimits& limits = {});

/// Reads and parses a file. @throws IoError, GraphError
Json loadJson(const std::string& path, const JsonLimits& limits = {});

/// Formats as one line without spaces. Invalid UTF-8 (file names, messages) becomes U+FFFD.
std::string dumpJson(const Json& value);

/// Formats stable text, with UTF-8 as above: two spaces, one entry per line; arrays and objects
/// that fit into `width` columns stay on one line. Ends with a newline.
std::string formatJson(const Json& value, std::size_t width = 100);

} // namespace floe
