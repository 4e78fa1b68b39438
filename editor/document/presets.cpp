#include "document/presets.hpp"

#include "document/document.hpp"
#include "floe/base/json.hpp"

#include <QCoreApplication>

#include <algorithm>

namespace floe::editor {

namespace {
constexpr double kBeside = 240; // where a new node lies left of the one that it feeds
} // namespace

QString PresetOf::id() const
{
    return "preset:" + QString::fromStdString(type->type + "/" + preset->name);
}

std::optional<PresetOf> findPreset(const graph::TypeLibrary& types, const QString& id)
{
    if (!id.startsWith(QLatin1String("preset:")))
        return std::nullopt;
    if (const auto* type = types.find(id.mid(7).section('/', 0, 0).toStdString()))
        for (const graph::Preset& preset : type->presets)
            if (const PresetOf found{type, &preset}; found.id() == id)
                return found;
    return std::nullopt;
}

Json jsonOf(const graph::ParameterValue& value)
{
    return Json::parse(graph::text(value));
}

void applyPreset(Document& document, const std::string& scope,
                 const std::vector<std::string>& nodes, const PresetOf& chosen)
{
    std::vector<std::pair<std::string, Json>> values;
    for (const auto& [name, value] : chosen.preset->values)
        values.emplace_back(name, jsonOf(value));
    for (const graph::Preset& other : chosen.type->presets)
        for (const auto& set : other.values)
            if (std::none_of(values.begin(), values.end(),
                             [&](const auto& entry) { return entry.first == set.first; }))
                values.emplace_back(set.first, Json());
    const QString text =
        QCoreApplication::translate("floe::editor::Document", "Preset %1").arg(chosen.label());
    document.begin(text);
    for (const std::string& node : nodes)
        document.setParameters(scope, node, values, text);
    document.end();
}

std::string addPreset(Document& document, const std::string& scope, const PresetOf& chosen,
                      QPointF place)
{
    const std::string name = document.addNode(scope, chosen.type->type, place);
    std::vector<std::pair<std::string, Json>> values;
    for (const auto& [parameter, value] : chosen.preset->values)
        values.emplace_back(parameter, jsonOf(value));
    document.setParameters(scope, name, values, {}); // part of a step that has a name
    std::string wish = chosen.preset->name;          // "damp sand"
    std::ranges::replace(wish, ' ', '_');
    std::string free = wish;
    for (int number = 2; document.node(scope, free); ++number)
        free = wish + std::to_string(number);
    return document.rename(scope, name, free).isEmpty() ? free : name;
}

namespace {
/// Of an input that takes what nodes of a type give: it, and the output. Null: there is none.
std::pair<const graph::Socket*, const graph::Socket*> fitting(const graph::NodeType& to,
                                                              const graph::NodeType& from)
{
    for (const graph::Socket& input : to.inputs)
        for (const graph::Socket& output : from.outputs)
            for (const std::string& kind : output.kinds)
                if (std::find(input.kinds.begin(), input.kinds.end(), kind) != input.kinds.end())
                    return {&input, &output};
    return {};
}
} // namespace

std::vector<std::string> takersOf(const Document& document, const std::string& scope,
                                  const std::string& node, const PresetOf& chosen)
{
    std::vector<std::string> takers, seen, next{node};
    while (takers.empty() && !next.empty()) {
        std::vector<std::string> before;
        for (const std::string& name : next) {
            const graph::NodeType* type = document.typeOf(scope, name);
            if (!type || std::find(seen.begin(), seen.end(), name) != seen.end())
                continue;
            seen.push_back(name);
            if (type->type == chosen.type->type || fitting(*type, *chosen.type).first)
                takers.push_back(name);
            for (const graph::Link& link : document.graph(scope)->links)
                if (link.to.node == name)
                    before.push_back(link.from.node);
        }
        next = std::move(before);
    }
    return takers;
}

std::string givePreset(Document& document, const std::string& scope, const std::string& node,
                       const PresetOf& chosen)
{
    const graph::NodeType* type = document.typeOf(scope, node);
    if (!type)
        return {};
    if (type->type == chosen.type->type) {
        applyPreset(document, scope, {node}, chosen);
        return node;
    }
    const auto [input, output] = fitting(*type, *chosen.type);
    if (!input)
        return {};
    const auto& links = document.graph(scope)->links;
    for (const graph::Link& link : links) {
        const graph::Node* source = document.node(scope, link.from.node);
        const auto isOthers = [&](const graph::Link& other) {
            return other.from.node == link.from.node && &other != &link;
        };
        if (link.to == graph::Endpoint{node, input->name} && source &&
            source->type == chosen.type->type &&
            std::none_of(links.begin(), links.end(), isOthers)) {
            const std::string name = source->name;
            applyPreset(document, scope, {name}, chosen);
            return name;
        }
    }
    document.begin(
        QCoreApplication::translate("floe::editor::Document", "Preset %1").arg(chosen.label()));
    const QPointF place = document.position(scope, node) - QPointF(kBeside, 0);
    const std::string name = addPreset(document, scope, chosen, place);
    const bool linked = document.link(scope, {{name, output->name}, {node, input->name}});
    document.end();
    return linked ? name : std::string();
}

} // namespace floe::editor
