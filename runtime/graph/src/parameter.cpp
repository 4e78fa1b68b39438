#include "floe/graph/parameter.hpp"

#include "floe/graph/text.hpp"

#include "floe/base/json.hpp"

namespace floe::graph {

std::string_view name(ValueType type)
{
    constexpr std::string_view kNames[] = {"float",  "int",    "bool",   "string",
                                           "choice", "vector", "colour", "path"};
    return kNames[static_cast<std::size_t>(type)];
}

std::string text(const ParameterValue& value)
{
    struct Writer {
        std::string operator()(double v) const { return number(v); }
        std::string operator()(std::int64_t v) const { return std::to_string(v); }
        std::string operator()(bool v) const { return v ? "true" : "false"; }
        std::string operator()(const std::string& v) const { return dumpJson(v); }
        std::string operator()(const std::array<double, 3>& v) const
        {
            return "[" + number(v[0]) + ", " + number(v[1]) + ", " + number(v[2]) + "]";
        }
    };
    return std::visit(Writer(), value);
}

} // namespace floe::graph
