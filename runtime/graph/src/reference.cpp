#include "floe/graph/reference.hpp"

#include "floe/graph/words.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <ostream>
#include <tuple>

namespace floe::graph {

namespace {

/// Text for a table cell: no line breaks, no column marks.
std::string cell(const std::string& text)
{
    std::string result;
    for (const char c : text) {
        if (c == '|')
            result += "\\|";
        else
            result += c == '\n' || c == '\r' ? ' ' : c;
    }
    return result;
}

std::string range(const ParameterSpec& spec)
{
    if (spec.type == ValueType::Choice) {
        std::string result;
        for (const Choice& choice : spec.choices)
            result += (result.empty() ? "`" : ", `") + choice.value + "`";
        return result;
    }
    if (spec.min && spec.max)
        return number(*spec.min) + " to " + number(*spec.max);
    if (spec.min)
        return "≥ " + number(*spec.min);
    if (spec.max)
        return "≤ " + number(*spec.max);
    return "";
}

std::string parameterHelp(const ParameterSpec& spec)
{
    std::string result = spec.help.empty() && spec.label != spec.name ? spec.label : spec.help;
    for (const Choice& choice : spec.choices) {
        if (!choice.help.empty())
            result += (result.empty() ? "`" : " `") + choice.value + "`: " + choice.help;
    }
    for (std::size_t i = 0; i < spec.shownWhen.size(); ++i) {
        const Condition& condition = spec.shownWhen[i];
        result += i ? " and `" : result.empty() ? "Used when `" : " Used when `";
        result += condition.parameter + "` is ";
        for (std::size_t k = 0; k < condition.values.size(); ++k)
            result += (k == 0                             ? "`"
                       : k + 1 == condition.values.size() ? "` or `"
                                                          : "`, `") +
                      condition.values[k];
        result += i + 1 == spec.shownWhen.size() ? "`." : "`";
    }
    if (!spec.animatable)
        result += result.empty() ? "Constant." : " Constant over time.";
    return result;
}

std::string kinds(const Socket& socket)
{
    std::string result;
    for (const std::string& kind : socket.kinds)
        result += (result.empty() ? "" : " or ") + kind;
    return result;
}

void writeType(const NodeType& type, std::ostream& out)
{
    out << "\n### " << type.label << "\n\n`" << type.type << "`, version " << type.version
        << ", plugin `" << type.plugin << "`";
    if (type.role == Role::Solver)
        out << ", solver";
    if (type.role == Role::Sink)
        out << ", sink";
    out << (!type.cpu                      ? ", needs CUDA"
            : type.cuda == CudaUse::Yes    ? ", CPU and CUDA"
            : type.cuda == CudaUse::Needed ? ", needs CUDA"
                                           : "")
        << ".";
    if (!type.help.empty())
        out << "\n\n" << type.help;
    if (!type.aliases.empty()) {
        out << "\n\nAlso found as: ";
        for (std::size_t i = 0; i < type.aliases.size(); ++i)
            out << (i ? ", " : "") << type.aliases[i];
        out << ".";
    }
    out << "\n";
    if (!type.inputs.empty() || !type.outputs.empty())
        out << "\n| socket | | kind | |\n|---|---|---|---|\n";
    for (const Socket& socket : type.inputs)
        out << "| `" << socket.name << "` | input" << (socket.required ? ", required" : "")
            << (socket.multiple ? ", several" : "") << " | " << kinds(socket) << " | "
            << cell(socket.help) << " |\n";
    for (const Socket& socket : type.outputs)
        out << "| `" << socket.name << "` | output | " << kinds(socket) << " | "
            << cell(socket.help) << " |\n";
    if (!type.parameters.empty())
        out << "\n| parameter | type | default | range | unit | |\n|---|---|---|---|---|---|\n";
    for (const ParameterSpec& spec : type.parameters)
        out << "| `" << spec.name << "` | " << name(spec.type) << " | "
            << cell(text(spec.defaultValue)) << " | " << cell(range(spec)) << " | "
            << cell(spec.unit) << " | " << cell(parameterHelp(spec)) << " |\n";
    if (!type.presets.empty())
        out << "\n| preset | values | |\n|---|---|---|\n";
    for (const Preset& preset : type.presets) {
        std::string values;
        for (const auto& [key, value] : preset.values)
            values += (values.empty() ? "`" : ", `") + key + "` " + text(value);
        out << "| " << cell(preset.label) << " | " << cell(values) << " | " << cell(preset.help)
            << " |\n";
    }
}

bool matches(const NodeType& type, const std::string& filter)
{
    const auto holds = [&](const std::string& text) {
        return std::search(text.begin(), text.end(), filter.begin(), filter.end(),
                           [](unsigned char a, unsigned char b) {
                               return std::tolower(a) == std::tolower(b);
                           }) != text.end();
    };
    return filter.empty() || holds(type.type) || holds(type.label) || holds(type.category) ||
           std::any_of(type.aliases.begin(), type.aliases.end(), holds);
}

} // namespace

void writeNodeReference(const TypeLibrary& types, std::ostream& out, const std::string& filter)
{
    std::map<std::string, std::vector<const NodeType*>> categories;
    for (const NodeType* type : types.all())
        if (matches(*type, filter))
            categories[type->category.empty() ? "Other" : type->category].push_back(type);
    out << "# Node reference\n\nMade by `floe` from the manifests of the plugins. Lengths are in "
           "metres, all units SI unless\nstated; *several* inputs take any number of links, in "
           "order.\n\n";
    for (auto& [category, list] : categories) {
        std::sort(list.begin(), list.end(), [](const NodeType* a, const NodeType* b) {
            return std::tie(a->label, a->type) < std::tie(b->label, b->type);
        });
        out << "* **" << category << "**: ";
        for (std::size_t i = 0; i < list.size(); ++i)
            out << (i ? ", " : "") << list[i]->label << " (`" << list[i]->type << "`)";
        out << "\n";
    }
    for (const auto& [category, list] : categories) {
        out << "\n## " << category << "\n";
        for (const NodeType* type : list)
            writeType(*type, out);
    }
}

} // namespace floe::graph
