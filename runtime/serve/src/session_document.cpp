#include "session_document.hpp"

#include "floe/base/error.hpp"
#include "floe/graph/check.hpp"
#include "floe/session/library.hpp"

#include <set>

namespace floe::serve {

namespace {

constexpr int kRounds = 8;

void checkAndFlatten(SessionDocument& state, const session::Library& library)
{
    try {
        state.faults = graph::check(state.document, library.types());
        if (graph::anyError(state.faults))
            return;
        graph::Document current = state.document;
        graph::migrate(current, library.types());
        state.flat = graph::flatten(current, library.types());
    } catch (const Error& error) {
        state.faults.push_back({.code = "unusable",
                                .file = error.place().file,
                                .node = error.place().node,
                                .field = error.place().parameter,
                                .cause = graph::causeOf(error),
                                .cure = graph::cureOf(error)});
    }
}

} // namespace

std::shared_ptr<const SessionDocument> readDocument(const Json& document, const std::string& path,
                                                    int revision, const session::Library& library)
{
    auto state = std::make_shared<SessionDocument>();
    state->revision = revision;
    try {
        state->document = graph::Document::parse(dumpJson(document), path);
    } catch (const Error& error) {
        state->faults.push_back({.code = "unreadable",
                                 .file = path,
                                 .node = error.place().node,
                                 .field = error.place().parameter,
                                 .cause = graph::causeOf(error),
                                 .cure = graph::cureOf(error)});
        return state;
    }
    checkAndFlatten(*state, library);
    return state;
}

std::shared_ptr<const SessionDocument>
withParameter(const SessionDocument& before, const std::string& node, const std::string& parameter,
              const Json& value, int revision, const session::Library& library)
{
    auto state = std::make_shared<SessionDocument>();
    state->revision = revision;
    state->document = before.document;
    const Place place{.file = before.document.path, .node = node, .parameter = parameter};
    graph::Node* changed = state->document.graph.find(node);
    if (!changed)
        throw InputError(place, "there is no such node in the main graph",
                         "name a node, or a subgraph and a parameter it shows");
    changed->parameters[parameter] = value;
    checkAndFlatten(*state, library);
    if (!state->flat) {
        for (const graph::Fault& fault : state->faults)
            if (fault.severity == graph::Severity::Error && fault.node == node &&
                fault.field == parameter)
                throw InputError(place, fault.cause.text(), fault.cure.text());
        throw InputError(place, "cannot be set while the document has errors");
    }
    return state;
}

std::shared_ptr<const SessionDocument> withoutFaulty(const SessionDocument& document,
                                                     const session::Library& library)
{
    auto rest = std::make_shared<SessionDocument>(document);
    rest->document.plugins.clear();
    rest->document.faults.clear();
    graph::Graph& graph = rest->document.graph;
    // Each round removes nodes, and so inputs that later nodes require.
    for (int round = 0; round < kRounds && !rest->flat; ++round) {
        std::set<std::string, std::less<>> faulty;
        for (const graph::Fault& fault : rest->faults)
            if (fault.severity == graph::Severity::Error)
                faulty.insert(fault.node.substr(0, fault.node.find('/')));
        std::erase_if(graph.nodes, [&](const auto& node) { return faulty.contains(node.name); });
        std::set<std::string_view> there;
        for (const graph::Node& node : graph.nodes)
            there.insert(node.name);
        std::erase_if(graph.links, [&](const graph::Link& link) {
            return !there.contains(link.from.node) || !there.contains(link.to.node);
        });
        checkAndFlatten(*rest, library);
    }
    return rest->flat && !graph.nodes.empty() ? rest : nullptr;
}

Json faultJson(const graph::Fault& fault)
{
    Json json = graph::toJson(fault);
    json["message"] = fault.cause.text();
    if (fault.cause.translatable())
        json["causeText"] = graph::toJson(fault.cause);
    if (fault.cure.translatable())
        json["cureText"] = graph::toJson(fault.cure);
    return json;
}

Json typesJson(const session::Library& library)
{
    Json types = Json::array();
    Json warnings = Json::array();
    for (const std::string& warning : library.warnings())
        warnings.push_back(warning);
    for (const plugin::Manifest& manifest : library.discovery().plugins) {
        Json content;
        try {
            content = loadJson(manifest.path().string());
        } catch (const Error&) {
            continue; // a warning of the library reports it
        }
        const auto nodes = content.find("nodes");
        if (nodes == content.end() || !nodes->is_array())
            continue;
        const bool loadable =
            manifest.library.empty() || library.scanReport().usable(manifest.folder);
        for (Json& node : *nodes) {
            if (!node.is_object() || !node.contains("type") || !node["type"].is_string())
                continue;
            const graph::NodeType* known =
                library.types().find(node["type"].get_ref<const std::string&>());
            Json entry = std::move(node);
            entry["plugin"] = manifest.id;
            entry["pluginVersion"] = manifest.version;
            entry["folder"] = manifest.folder.string();
            entry["usable"] = loadable && known && known->plugin == manifest.id;
            types.push_back(std::move(entry));
        }
    }
    return {{"types", std::move(types)}, {"warnings", std::move(warnings)}};
}

} // namespace floe::serve
