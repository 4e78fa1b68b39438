#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace floe {

/// JSON that keeps the order of keys, so that what is loaded can be saved back as it was.
using Json = nlohmann::ordered_json;

/// Bounds on JSON from outside.
struct JsonLimits {
    std::size_t bytes = 256u << 20; ///< length of the text
    int depth = 64;                 ///< nesting of objects and arrays
    std::size_t keys = 20'000;      ///< of one object: ordered objects are searched from the front
};

/// Parses JSON (comments are refused). Duplicate keys of one object, NaN, too deep nesting and too
/// long texts are errors.
/// @param name names the text in messages, usually its path
/// @throws GraphError with line and column
Json parseJson(std::string_view text, const std::string& name, const JsonLimits& limits = {});

/// Reads and parses a file. @throws IoError, GraphError
Json loadJson(const std::string& path, const JsonLimits& limits = {});

/// One line without spaces. Bytes that are not UTF-8, as names of files and messages of plugins may
/// hold, become U+FFFD.
std::string dumpJson(const Json& value);

/// Stable text, what is not UTF-8 as above: two spaces, one entry a line; arrays and objects that
/// fit into `width` columns stay on one line. Ends with a newline.
std::string formatJson(const Json& value, std::size_t width = 100);

} // namespace floe
