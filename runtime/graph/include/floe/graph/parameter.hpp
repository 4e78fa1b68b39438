#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace floe::graph {

/// Types of parameters, by their names in manifests.
enum class ValueType {
    Float,  ///< double
    Int,    ///< int64
    Bool,   ///< bool
    String, ///< text
    Choice, ///< text, one of a list
    Vector, ///< three numbers
    Colour, ///< three numbers, linear RGB
    Path    ///< text, a file; relative to the graph file in documents, absolute once evaluated
};

/// Value of a parameter at one time: Float is double, Int is int64, Bool is bool, Vector and Colour
/// are arrays, the others are text.
using ParameterValue = std::variant<double, std::int64_t, bool, std::string, std::array<double, 3>>;

/// A time of the run. Frames may be fractional (motion blur, substeps).
struct Time {
    double frame = 1;
    double fps = 24; ///< frames per second, > 0
};

/// "float", "int", ... as in manifests.
std::string_view name(ValueType type);

/// The value as JSON text: `0.5`, `[0, 1, 0]`, `"slip"`.
std::string text(const ParameterValue& value);

} // namespace floe::graph
