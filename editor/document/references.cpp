#include "document/references.hpp"

#include "floe/graph/expression.hpp"

namespace floe::editor {

Json withNodesRenamed(const Json& value, const std::map<std::string, std::string>& names)
{
    if (value.is_array()) {
        Json result = Json::array();
        for (const Json& entry : value)
            result.push_back(withNodesRenamed(entry, names));
        return result;
    }
    const auto expression = value.is_object() ? value.find("expr") : value.end();
    if (!value.is_object() || expression == value.end() || !expression->is_string())
        return value;
    Json result = value;
    result["expr"] = graph::renameReferences(
        expression->get_ref<const std::string&>(), [&](const std::string& reference) {
            const auto dot = reference.find('.');
            const auto name = names.find(reference.substr(0, dot));
            return name != names.end() && dot != std::string::npos
                       ? name->second + reference.substr(dot)
                       : reference;
        });
    return result;
}

} // namespace floe::editor
