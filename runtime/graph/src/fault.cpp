#include "floe/graph/fault.hpp"

#include "floe/base/error.hpp"
#include "floe/base/json.hpp"

#include <algorithm>

namespace floe::graph {

TranslatableText Fault::sentence() const
{
    return cure.empty() ? cause : TranslatableText::of("{cause}, {cure}", cause, cure);
}

TranslatableText Fault::line() const
{
    TranslatableText result = sentence();
    if (!node.empty())
        result = within(
            type.empty()
                ? TranslatableText::of("node '{node}'", TranslatableText::verbatim(node))
                : TranslatableText::of("node '{node}' ({type})", TranslatableText::verbatim(node),
                                       TranslatableText::verbatim(type)),
            result);
    result = within(TranslatableText::verbatim(file), result);
    return within(severity == Severity::Error ? TranslatableText::of("error")
                                              : TranslatableText::of("warning"),
                  result);
}

std::string Fault::text() const
{
    return line().text();
}

bool anyError(const std::vector<Fault>& faults)
{
    return std::any_of(faults.begin(), faults.end(),
                       [](const Fault& fault) { return fault.severity == Severity::Error; });
}

bool anyMissingPlugin(const std::vector<Fault>& faults)
{
    return std::any_of(faults.begin(), faults.end(),
                       [](const Fault& fault) { return fault.code == kMissingPlugin; });
}

nlohmann::ordered_json toJson(const Fault& fault)
{
    Json json;
    json["severity"] = fault.severity == Severity::Error ? "error" : "warning";
    const auto put = [&json](const char* key, const std::string& value) {
        if (!value.empty())
            json[key] = value;
    };
    put("code", fault.code);
    put("file", fault.file);
    put("node", fault.node);
    put("type", fault.type);
    put("field", fault.field);
    put("cause", fault.cause.text());
    put("cure", fault.cure.text());
    return json;
}

void throwFaults(const std::vector<Fault>& faults)
{
    constexpr std::size_t kMaxShown = 100; // a message is for a person; check() returns all
    std::vector<const Fault*> errors;
    for (const Fault& fault : faults)
        if (fault.severity == Severity::Error)
            errors.push_back(&fault);
    std::string message;
    Place place;
    if (errors.size() == 1) {
        const Fault& only = *errors.front();
        place = {.file = only.file, .node = only.node};
        message = only.sentence().text();
    } else {
        message = std::to_string(errors.size()) + " faults";
        for (std::size_t i = 0; i < std::min(errors.size(), kMaxShown); ++i)
            message += "\n" + errors[i]->text();
        if (errors.size() > kMaxShown)
            message += "\n... and " + std::to_string(errors.size() - kMaxShown) + " more";
    }
    if (anyMissingPlugin(faults))
        throw PluginError(place, message);
    throw GraphError(place, message);
}

} // namespace floe::graph
