#include "floe/graph/reference.hpp"

#include "floe/graph/text.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>
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

using Words = ReferenceWords;

/// The text with %1, %2, ... replaced, once each.
std::string filled(std::string text, std::initializer_list<std::string> arguments)
{
    for (std::size_t i = 1; i <= arguments.size(); ++i) {
        const std::size_t at = text.find("%" + std::to_string(i));
        if (at == std::string::npos)
            continue;
        const std::string& argument = arguments.begin()[i - 1];
        text.replace(at, 2, argument);
    }
    return text;
}

std::string code(const std::string& text)
{
    return "`" + text + "`";
}

/// "Cell size `cellSize`"; the name alone when there is no other label.
std::string labelled(const std::string& label, const std::string& name)
{
    return label == name ? code(name) : cell(label) + " " + code(name);
}

std::string range(const ParameterSpec& spec, const Words& words)
{
    if (spec.type == ValueType::Choice) {
        std::string result;
        for (const Choice& choice : spec.choices)
            result += (result.empty() ? "" : ", ") + code(choice.value);
        return result;
    }
    if (spec.min && spec.max)
        return filled(words.fromTo, {number(*spec.min), number(*spec.max)});
    if (spec.min)
        return "≥ " + number(*spec.min);
    if (spec.max)
        return "≤ " + number(*spec.max);
    return "";
}

std::string conditionText(const Condition& condition, const Words& words)
{
    std::string values;
    for (std::size_t k = 0; k < condition.values.size(); ++k) {
        const std::string value = code(condition.values[k]);
        values = k == 0                             ? value
                 : k + 1 == condition.values.size() ? filled(words.either, {values, value})
                                                    : values + ", " + value;
    }
    return filled(words.is, {code(condition.parameter), values});
}

std::string parameterHelp(const ParameterSpec& spec, const Words& words)
{
    std::string result = spec.help;
    const auto add = [&](const std::string& sentence) {
        result += (result.empty() ? "" : " ") + sentence;
    };
    for (const Choice& choice : spec.choices)
        if (!choice.help.empty())
            add(labelled(choice.label, choice.value) + ": " + choice.help);
    std::string conditions;
    for (const Condition& entry : spec.shownWhen) {
        const std::string text = conditionText(entry, words);
        conditions = conditions.empty() ? text : filled(words.both, {conditions, text});
    }
    if (!conditions.empty())
        add(filled(words.usedWhen, {conditions}));
    if (!spec.animatable)
        add(words.constant);
    return result;
}

std::string kinds(const Socket& socket, const Words& words)
{
    std::string result;
    for (const std::string& kind : socket.kinds)
        result = result.empty() ? kind : filled(words.either, {result, kind});
    return result;
}

/// "\n| a | b |\n|---|---|\n"
void writeHead(std::initializer_list<std::string> columns, std::ostream& out)
{
    out << "\n|";
    for (const std::string& column : columns)
        out << " " << column << (column.empty() ? "|" : " |");
    out << "\n|";
    for (std::size_t i = 0; i < columns.size(); ++i)
        out << "---|";
    out << "\n";
}

void writeType(const NodeType& type, const Words& words, std::ostream& out)
{
    out << "\n### " << type.label << "\n\n"
        << filled(words.origin, {code(type.type), std::to_string(type.version), code(type.plugin)});
    if (type.role == Role::Solver)
        out << ", " << words.solver;
    if (type.role == Role::Sink)
        out << ", " << words.sink;
    if (!type.cpu || type.cuda == CudaUse::Needed)
        out << ", " << words.needsCuda;
    else if (type.cuda == CudaUse::Yes)
        out << ", " << words.onBoth;
    out << ".";
    if (!type.help.empty())
        out << "\n\n" << type.help;
    if (!type.aliases.empty()) {
        std::string aliases;
        for (const std::string& alias : type.aliases)
            aliases += (aliases.empty() ? "" : ", ") + alias;
        out << "\n\n" << filled(words.alsoFoundAs, {aliases});
    }
    out << "\n";
    if (!type.inputs.empty() || !type.outputs.empty())
        writeHead({words.socket, "", words.kind, ""}, out);
    for (const Socket& socket : type.inputs)
        out << "| " << labelled(socket.label, socket.name) << " | " << words.input
            << (socket.required ? ", " + words.required : "")
            << (socket.multiple ? ", " + words.several : "") << " | " << kinds(socket, words)
            << " | " << cell(socket.help) << " |\n";
    for (const Socket& socket : type.outputs)
        out << "| " << labelled(socket.label, socket.name) << " | " << words.output << " | "
            << kinds(socket, words) << " | " << cell(socket.help) << " |\n";
    if (!type.parameters.empty())
        writeHead({words.parameter, words.type, words.defaultValue, words.range, words.unit, ""},
                  out);
    for (const ParameterSpec& spec : type.parameters)
        out << "| " << labelled(spec.label, spec.name) << " | " << name(spec.type) << " | "
            << cell(text(spec.defaultValue)) << " | " << cell(range(spec, words)) << " | "
            << cell(spec.unit) << " | " << cell(parameterHelp(spec, words)) << " |\n";
    if (!type.presets.empty())
        writeHead({words.preset, words.values, ""}, out);
    for (const Preset& preset : type.presets) {
        std::string values;
        for (const auto& [key, value] : preset.values)
            values += (values.empty() ? "" : ", ") + code(key) + " " + text(value);
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
    return filter.empty() || holds(type.type) || holds(type.label) || holds(type.categoryLabel) ||
           std::any_of(type.aliases.begin(), type.aliases.end(), holds);
}

} // namespace

void writeNodeReference(const TypeLibrary& types, std::ostream& out, const std::string& filter,
                        const ReferenceWords& words)
{
    std::map<std::string, std::vector<const NodeType*>> categories;
    for (const NodeType* type : types.all())
        if (matches(*type, filter))
            categories[type->categoryLabel.empty() ? words.other : type->categoryLabel].push_back(
                type);
    out << "# " << words.title << "\n\n" << words.preface << "\n\n";
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
            writeType(*type, words, out);
    }
}

} // namespace floe::graph
