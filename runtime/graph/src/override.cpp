#include "floe/base/error.hpp"
#include "floe/graph/check.hpp"

#include "floe/graph/text.hpp"
#include "resolved_document.hpp"

#include <algorithm>
#include <filesystem>

namespace floe::graph {

namespace fs = std::filesystem;

NodeType instanceType(const Document& document, const Node& node, const TypeLibrary& types)
{
    Document alone;
    alone.path = document.path;
    alone.subgraphs = document.subgraphs;
    alone.graph.nodes.push_back(node);
    alone.graph.nodes.back().parameters = Json::object();
    std::vector<Fault> faults;
    const ResolvedDocument resolved(alone, types, faults);
    const NodeType* type = resolved.root().nodes.front().type;
    if (!type) {
        if (!anyError(faults))
            throw GraphError({.file = document.path, .node = node.name}, "has no known type");
        throwFaults(faults);
    }
    return *type;
}

namespace {

/// `--set` values are typed in a shell, where relative paths start at the current folder.
std::string pathFromShell(const Document& document, const std::string& text)
{
    std::error_code ignored;
    if (text.empty() || fs::path(text).is_absolute())
        return text;
    if (!fs::exists(text, ignored) && fs::exists(fs::path(document.folder()) / text, ignored))
        return text;
    return fs::absolute(text, ignored).lexically_normal().string();
}

Json readValue(const ParameterSpec& spec, const std::string& text, const Document& document)
{
    Json value = Json::parse(text, nullptr, false);
    const bool isText = spec.type == ValueType::String || spec.type == ValueType::Choice ||
                        spec.type == ValueType::Path;
    if (isText && !value.is_string() && !value.is_object())
        value = text;
    if (value.is_discarded())
        value = text;
    if (spec.type == ValueType::Path && value.is_string())
        value = pathFromShell(document, value.get<std::string>());
    return value;
}

} // namespace

void applyOverride(Document& document, const std::string& assignment, const TypeLibrary& types)
{
    const Place place{.file = document.path};
    const auto fail = [&](const std::string& cause, const std::string& cure) {
        throw InputError(place, quote(assignment) + ": " + cause, cure);
    };
    const auto equals = assignment.find('=');
    const auto dot = assignment.find('.');
    if (equals == std::string::npos || dot == std::string::npos || dot > equals)
        fail("is not an assignment", "write node.parameter=value");
    const std::string nodeName = assignment.substr(0, dot);
    std::string name = assignment.substr(dot + 1, equals - dot - 1);
    const std::string text = assignment.substr(equals + 1);

    Node* node = document.graph.find(nodeName);
    if (!node) {
        std::vector<std::string> known;
        for (const Node& other : document.graph.nodes)
            known.push_back(other.name);
        fail("there is no node " + quote(nodeName),
             didYouMean(nodeName, known,
                        TranslatableText::of("nodes are {names}", alternatives(known)))
                 .text());
    }
    NodeType own;
    const NodeType* type = types.find(node->type);
    if (node->type == kSubgraphType) {
        own = instanceType(document, *node, types);
        type = &own;
    }
    if (!type)
        fail("no installed plugin has the node type " + quote(node->type), "install its plugin");

    int component = -1;
    if (const auto second = name.find('.'); second != std::string::npos) {
        const std::string letter = name.substr(second + 1);
        const auto at = letter.size() == 1 ? std::string_view("xyzrgb").find(letter[0])
                                           : std::string_view::npos;
        if (at == std::string_view::npos)
            fail("there is no component " + quote(letter), "components are x, y and z");
        component = static_cast<int>(at % 3);
        name.resize(second);
    }
    const ParameterSpec* spec = type->parameter(name);
    if (!spec) {
        std::vector<std::string> known;
        for (const ParameterSpec& other : type->parameters)
            known.push_back(other.name);
        fail("node " + quote(nodeName) + " (" + type->type + ") has no parameter " + quote(name),
             didYouMean(name, known,
                        known.empty() ? TranslatableText::of("it has none")
                                      : TranslatableText::of("it has {names}", alternatives(known)))
                 .text());
    }
    Json value;
    if (component < 0) {
        value = readValue(*spec, text, document);
    } else {
        if (spec->type != ValueType::Vector && spec->type != ValueType::Colour)
            fail("parameter " + quote(name) + " has no components", "remove the last one");
        const auto stored = node->parameters.find(name);
        value = stored == node->parameters.end() ? Json::parse(graph::text(spec->defaultValue))
                                                 : *stored;
        if (!value.is_array() || value.size() != 3)
            fail("parameter " + quote(name) + " is animated as a whole", "set all of it");
        ParameterSpec number = *spec;
        number.type = ValueType::Float;
        value[static_cast<std::size_t>(component)] = readValue(number, text, document);
    }
    if (Json::parse(dumpJson(value)) != value)
        fail("the value is not UTF-8 text", "rename the file or folder that it names");
    std::vector<Fault> faults;
    if (!compileParameter(*spec, value, FaultSink{faults, document.path, nodeName, type->type}))
        fail(faults.empty() ? "the value cannot be used" : faults.front().cause.text(),
             faults.empty() ? "" : faults.front().cure.text());
    node->parameters[name] = std::move(value);
}

} // namespace floe::graph
