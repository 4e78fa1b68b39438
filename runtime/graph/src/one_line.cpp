#include "one_line.hpp"

namespace floe::graph {

std::string oneLine(const Json& value)
{
    const std::string text = formatJson(Json::array({value}), 1'000'000);
    // "[\n  value\n]\n": the value alone
    return text.substr(4, text.size() - 7);
}

} // namespace floe::graph
