#include "merge_graphs.hpp"

#include "one_line.hpp"

#include "floe/base/error.hpp"
#include "floe/graph/check.hpp"
#include "floe/graph/node_type.hpp"

#include <algorithm>

namespace floe::graph {

namespace {

/// Nothing but places differs.
bool isSame(const Graph& a, const Graph& b)
{
    Document before, after;
    before.graph = a;
    after.graph = b;
    const std::vector<Change> changes = diff(before, after);
    return std::all_of(changes.begin(), changes.end(),
                       [](const Change& change) { return change.what == "layout"; });
}

class DocumentMerge {
public:
    DocumentMerge(const Document& base, const Document& mine, Document theirs,
                  const TypeLibrary& types, const Choose& choose)
        : base_(base), mine_(mine), theirs_(std::move(theirs)), types_(types), judge_(choose)
    {}

    Merged run()
    {
        for (const Document* document : {&base_, &mine_, static_cast<const Document*>(&theirs_)})
            if (!document->lossless)
                throw GraphError({.file = document->path}, "it holds text that cannot be kept",
                                 "repair it first: `floe validate` says where");
        partTwins();
        merged_.document.path = mine_.path;
        merged_.document.faults = mine_.faults;
        mergeRange();
        mergePlugins();
        merged_.document.graph = mergeGraph("", base_.graph, mine_.graph, theirs_.graph);
        mergeSubgraphs();
        keepUsed();
        merged_.conflicts = std::move(judge_.conflicts);
        return std::move(merged_);
    }

private:
    /// Subgraphs that both have added under one name, and are not the same, are two.
    void partTwins()
    {
        NewNames names;
        for (const auto& [name, graph] : theirs_.subgraphs) {
            const Graph* twin = mine_.subgraph(name);
            if (!twin || base_.subgraph(name) || isSame(*twin, graph))
                continue;
            const std::string free = freeName(name, [&](const std::string& wish) {
                return base_.subgraph(wish) || mine_.subgraph(wish) || theirs_.subgraph(wish) ||
                       std::any_of(names.begin(), names.end(),
                                   [&](const auto& entry) { return entry.second == wish; });
            });
            names[name] = free;
            merged_.renamed.push_back({Change::Kind::Renamed, "subgraph", name, "", name, free});
        }
        const auto follow = [&](Graph& graph) {
            for (Node& node : graph.nodes)
                node.graph = nameIn(names, node.graph);
        };
        follow(theirs_.graph);
        for (auto& [name, graph] : theirs_.subgraphs) {
            follow(graph);
            name = nameIn(names, name);
        }
    }

    void mergeRange()
    {
        const auto members = [](const FrameRange& range) {
            return Json{{"start", range.start}, {"end", range.end}, {"fps", range.fps}};
        };
        const Json range = judge_.pickMembers("range", "range", members(base_.range),
                                              members(mine_.range), members(theirs_.range));
        merged_.document.range = {range["start"], range["end"], range["fps"]};
    }

    void mergePlugins()
    {
        const auto members = [](const Document& document) {
            Json plugins = Json::object();
            for (const auto& [id, version] : document.plugins)
                plugins[id] = version;
            return plugins;
        };
        const Json plugins = judge_.pickMembers("plugin", "plugins", members(base_), members(mine_),
                                                members(theirs_));
        for (const auto& [id, version] : plugins.items())
            merged_.document.plugins.emplace_back(id, version.get<std::string>());
    }

    std::optional<bool> isMultiple(const Node& node, const std::string& input) const
    {
        const auto in = [&](const NodeType& type) -> std::optional<bool> {
            for (const Socket& socket : type.inputs)
                if (socket.name == input)
                    return socket.multiple;
            return std::nullopt;
        };
        if (node.type != kSubgraphType) {
            const NodeType* type = types_.find(node.type);
            return type ? in(*type) : std::nullopt;
        }
        for (const Document* document : {&mine_, static_cast<const Document*>(&theirs_)})
            try {
                if (const auto known = in(instanceType(*document, node, types_)))
                    return known;
            } catch (const Error&) { // of the other side, or faulty: the check says so
            }
        return std::nullopt;
    }

    Graph mergeGraph(const std::string& prefix, const Graph& base, const Graph& mine,
                     const Graph& theirs)
    {
        return mergeGraphs(
            judge_, merged_.renamed,
            [this](const Node& node, const std::string& input) { return isMultiple(node, input); },
            prefix, base, mine, theirs);
    }

    void mergeSubgraphs()
    {
        auto& merged = merged_.document.subgraphs;
        const auto stays = [&](const std::string& name, const Graph& kept, Side keeper) {
            const Graph* base = base_.subgraph(name);
            if (!base)
                return true;
            if (isSame(*base, kept))
                return false;
            Conflict conflict{"subgraph", name, "", oneLine(name), "", ""};
            (keeper == Side::Mine ? conflict.mine : conflict.theirs) = oneLine(name);
            return judge_.decide(std::move(conflict)) == keeper;
        };
        for (const auto& [name, mine] : mine_.subgraphs) {
            const Graph* base = base_.subgraph(name);
            if (const Graph* theirs = theirs_.subgraph(name))
                merged.emplace_back(name,
                                    mergeGraph(name + "/", base ? *base : mine, mine, *theirs));
            else if (stays(name, mine, Side::Mine))
                merged.emplace_back(name, mine);
        }
        for (const auto& [name, theirs] : theirs_.subgraphs)
            if (!mine_.subgraph(name) && stays(name, theirs, Side::Theirs))
                merged.emplace_back(name, theirs);
    }

    /// A subgraph that one side removed is still there for instances that the other has added.
    void keepUsed()
    {
        auto& document = merged_.document;
        const auto wanted = [&](const Graph& graph) -> const std::string* {
            for (const Node& node : graph.nodes)
                if (!node.graph.empty() && !document.subgraph(node.graph) &&
                    (theirs_.subgraph(node.graph) || mine_.subgraph(node.graph)))
                    return &node.graph;
            return nullptr;
        };
        const auto any = [&]() -> const std::string* {
            if (const std::string* name = wanted(document.graph))
                return name;
            for (const auto& [name, graph] : document.subgraphs)
                if (const std::string* inner = wanted(graph))
                    return inner;
            return nullptr;
        };
        while (const std::string* found = any()) {
            const std::string name = *found;
            const Graph* kept = mine_.subgraph(name);
            document.subgraphs.emplace_back(name, kept ? *kept : *theirs_.subgraph(name));
        }
    }

    const Document& base_;
    const Document& mine_;
    Document theirs_;
    const TypeLibrary& types_;
    Judge judge_;
    Merged merged_;
};

} // namespace

std::string Conflict::text() const
{
    std::string line = "! ";
    if (what == "parameter" || what == "range")
        line += where + "." + field;
    else
        line += what + " " + where + (field.empty() || field == what ? "" : "." + field);
    const auto shown = [](const std::string& value) {
        return value.empty() ? std::string("nothing") : value;
    };
    return line + ": " + shown(base) + " -> mine " + shown(mine) + ", theirs " + shown(theirs);
}

Merged merge(const Document& base, const Document& mine, const Document& theirs,
             const TypeLibrary& types, const Choose& choose)
{
    return DocumentMerge(base, mine, theirs, types, choose).run();
}

Json toJson(const std::vector<Conflict>& conflicts)
{
    Json list = Json::array();
    for (const Conflict& conflict : conflicts) {
        Json entry = {{"what", conflict.what}, {"where", conflict.where}};
        if (!conflict.field.empty())
            entry["field"] = conflict.field;
        const auto add = [&](const char* key, const std::string& text) {
            if (!text.empty())
                entry[key] = Json::parse(text);
        };
        add("base", conflict.base);
        add("mine", conflict.mine);
        add("theirs", conflict.theirs);
        list.push_back(std::move(entry));
    }
    return list;
}

} // namespace floe::graph
