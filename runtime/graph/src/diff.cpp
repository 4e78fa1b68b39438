#include "floe/graph/diff.hpp"

#include "one_line.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace floe::graph {

bool sameJson(const Json& a, const Json& b)
{
    return a == b || nlohmann::json(a) == nlohmann::json(b);
}

namespace {

class Comparison {
public:
    std::vector<Change> run(const Document& a, const Document& b)
    {
        compareRange(a.range, b.range);
        compareMaps("plugin", "", toMap(a.plugins), toMap(b.plugins));
        compareGraphs(a.graph, b.graph, "");
        for (const auto& [name, graph] : a.subgraphs)
            if (!b.subgraph(name))
                add(Change::Kind::Removed, "subgraph", name);
        for (const auto& [name, graph] : b.subgraphs) {
            const Graph* before = a.subgraph(name);
            if (!before)
                add(Change::Kind::Added, "subgraph", name);
            compareGraphs(before ? *before : Graph(), graph, name + "/");
        }
        return std::move(changes_);
    }

private:
    using Map = std::map<std::string, Json>;

    void add(Change::Kind kind, std::string what, std::string where, std::string field = {},
             std::string before = {}, std::string after = {})
    {
        changes_.push_back({kind, std::move(what), std::move(where), std::move(field),
                            std::move(before), std::move(after)});
    }

    static Map toMap(const std::vector<std::pair<std::string, std::string>>& plugins)
    {
        return Map(plugins.begin(), plugins.end());
    }

    static Map toMap(const Json& object)
    {
        Map map;
        if (object.is_object())
            for (const auto& [key, value] : object.items())
                map[key] = value;
        return map;
    }

    /// Lists each key that differs. @param where empty: the key itself is the place
    void compareMaps(const std::string& what, const std::string& where, const Map& a, const Map& b)
    {
        const auto report = [&](Change::Kind kind, const std::string& key, const Json* before,
                                const Json* after) {
            add(kind, what, where.empty() ? key : where, where.empty() ? "" : key,
                before ? oneLine(*before) : "", after ? oneLine(*after) : "");
        };
        for (const auto& [key, value] : a) {
            const auto other = b.find(key);
            if (other == b.end())
                report(Change::Kind::Removed, key, &value, nullptr);
            else if (!sameJson(other->second, value))
                report(Change::Kind::Changed, key, &value, &other->second);
        }
        for (const auto& [key, value] : b)
            if (!a.contains(key))
                report(Change::Kind::Added, key, nullptr, &value);
    }

    void compareRange(const FrameRange& a, const FrameRange& b)
    {
        const auto map = [](const FrameRange& range) {
            return Map{{"start", range.start}, {"end", range.end}, {"fps", range.fps}};
        };
        compareMaps("range", "range", map(a), map(b));
    }

    void compareGraphs(const Graph& a, const Graph& b, const std::string& prefix)
    {
        const auto renamed = renamedNodes(a, b);
        std::set<std::string> remaining;
        for (const Node& node : b.nodes)
            remaining.insert(node.name);
        for (const Node& node : a.nodes) {
            if (const auto found = renamed.find(node.name); found != renamed.end())
                add(Change::Kind::Renamed, "node", prefix + node.name, "", node.name,
                    found->second);
            else if (!remaining.contains(node.name))
                add(Change::Kind::Removed, "node", prefix + node.name, node.type);
        }
        std::set<std::string> newNames;
        for (const auto& [from, to] : renamed)
            newNames.insert(to);
        std::map<std::string, const Node*> before;
        for (const Node& node : a.nodes)
            before[node.name] = &node;
        for (const Node& node : b.nodes) {
            const auto old = before.find(node.name);
            if (old != before.end())
                compareNodes(*old->second, node, prefix + node.name);
            else if (!newNames.contains(node.name))
                add(Change::Kind::Added, "node", prefix + node.name, node.type);
        }
        compareLinks(a, b, prefix, renamed);
        comparePromotions(a.promote, b.promote, prefix);
        compareMaps("backdrop", prefix + "backdrops", toMap(a.backdrops), toMap(b.backdrops));
        compareMaps("note", prefix + "notes", toMap(a.notes), toMap(b.notes));
        compareMaps("key", prefix + "document", toMap(a.extra), toMap(b.extra));
    }

    void compareNodes(const Node& a, const Node& b, const std::string& where)
    {
        const auto one = [&](const char* what, const Json& before, const Json& after) {
            if (!sameJson(before, after))
                add(Change::Kind::Changed, what, where, what, oneLine(before), oneLine(after));
        };
        one("type", a.type, b.type);
        if (a.version != 0 && b.version != 0) // 0: not stored, read as the newest
            one("version", a.version, b.version);
        one("graph", a.graph, b.graph);
        one("file", a.file, b.file);
        compareMaps("parameter", where, toMap(a.parameters), toMap(b.parameters));
        one("bypass", a.bypass, b.bypass);
        one("layout", a.layout, b.layout);
        compareMaps("key", where, toMap(a.extra), toMap(b.extra));
    }

    void compareLinks(const Graph& a, const Graph& b, const std::string& prefix,
                      const std::map<std::string, std::string>& renamed)
    {
        std::vector<Link> before = a.links;
        for (Link& link : before) {
            for (Endpoint* end : {&link.from, &link.to})
                if (const auto found = renamed.find(end->node); found != renamed.end())
                    end->node = found->second;
        }
        const std::set<Link> old(before.begin(), before.end());
        const std::set<Link> now(b.links.begin(), b.links.end());
        const auto textOf = [&](const Link& link) {
            return prefix + link.from.text() + " -> " + prefix + link.to.text();
        };
        for (const Link& link : before)
            if (!now.contains(link))
                add(Change::Kind::Removed, "link", textOf(link));
        for (const Link& link : b.links)
            if (!old.contains(link))
                add(Change::Kind::Added, "link", textOf(link));

        // Order counts where an input takes several links.
        const auto sourcesOf = [](const std::vector<Link>& links, const std::set<Link>& kept) {
            std::map<Endpoint, Json> sources;
            for (const Link& link : links)
                if (kept.contains(link))
                    sources[link.to].push_back(link.from.text());
            return sources;
        };
        const auto oldSources = sourcesOf(before, now);
        for (const auto& [to, sources] : sourcesOf(b.links, old))
            if (const auto found = oldSources.find(to);
                found != oldSources.end() && found->second != sources)
                add(Change::Kind::Changed, "order", prefix + to.text(), "", oneLine(found->second),
                    oneLine(sources));
    }

    void comparePromotions(const Promotion& a, const Promotion& b, const std::string& prefix)
    {
        const auto orNull = [](const std::optional<double>& value) {
            return value ? Json(*value) : Json();
        };
        const auto map = [&](const Promotion& promotion) {
            Map result;
            for (const PromotedParameter& parameter : promotion.parameters)
                result["parameter " + parameter.name] = {
                    parameter.to.text(),      parameter.label,       parameter.help,
                    orNull(parameter.min),    orNull(parameter.max), orNull(parameter.softMin),
                    orNull(parameter.softMax)};
            for (const PromotedSocket& socket : promotion.inputs)
                result["input " + socket.name] = socket.to.text();
            for (const PromotedSocket& socket : promotion.outputs)
                result["output " + socket.name] = socket.to.text();
            return result;
        };
        compareMaps("promotion", prefix + "promote", map(a), map(b));
        const auto kept = [](const Promotion& of, const Promotion& other) {
            Json names = Json::array();
            for (const PromotedParameter& parameter : of.parameters)
                if (std::ranges::find(other.parameters, parameter.name, &PromotedParameter::name) !=
                    other.parameters.end())
                    names.push_back(parameter.name);
            return names;
        };
        if (const Json before = kept(a, b), after = kept(b, a); before != after)
            add(Change::Kind::Changed, "order", prefix + "promote.parameters", "", oneLine(before),
                oneLine(after));
    }

    std::vector<Change> changes_;
};

} // namespace

std::string Change::text() const
{
    if (kind == Kind::Renamed)
        return "> " + what + " " + where + " is now " + after;
    const char* sign = kind == Kind::Added ? "+ " : kind == Kind::Removed ? "- " : "~ ";
    std::string line = sign;
    if (what == "node")
        return line + "node " + where + " (" + field + ")";
    if (what == "parameter" || what == "range")
        line += where + "." + field;
    else
        line += what + " " + where + (field.empty() || field == what ? "" : "." + field);
    if (!before.empty() && !after.empty())
        return line + ": " + before + " -> " + after;
    return line + (before.empty() && after.empty() ? "" : ": " + before + after);
}

NewNames renamedNodes(const Graph& a, const Graph& b)
{
    const auto onlyIn = [](const Graph& graph, const Graph& other) {
        std::set<std::string> names;
        for (const Node& node : other.nodes)
            names.insert(node.name);
        std::map<std::string, std::vector<std::string>> byContent;
        for (const Node& node : graph.nodes) {
            if (names.contains(node.name))
                continue;
            Node plain = node;
            plain.layout = Json();
            byContent[nlohmann::json(graph::toJson(plain)).dump()].push_back(node.name);
        }
        return byContent;
    };
    NewNames renamed;
    const auto added = onlyIn(b, a);
    for (const auto& [content, names] : onlyIn(a, b)) {
        const auto found = added.find(content);
        if (found != added.end() && names.size() == 1 && found->second.size() == 1)
            renamed[names[0]] = found->second[0];
    }
    return renamed;
}

std::vector<Change> diff(const Document& a, const Document& b)
{
    return Comparison().run(a, b);
}

Json toJson(const std::vector<Change>& changes)
{
    constexpr const char* kKinds[] = {"added", "removed", "changed", "renamed"};
    Json list = Json::array();
    for (const Change& change : changes) {
        Json entry;
        entry["kind"] = kKinds[static_cast<std::size_t>(change.kind)];
        entry["what"] = change.what;
        entry["where"] = change.where;
        if (!change.field.empty())
            entry["field"] = change.field;
        const bool isJson = change.kind != Change::Kind::Renamed;
        if (!change.before.empty())
            entry["before"] = isJson ? Json::parse(change.before) : Json(change.before);
        if (!change.after.empty())
            entry["after"] = isJson ? Json::parse(change.after) : Json(change.after);
        list.push_back(std::move(entry));
    }
    return list;
}

} // namespace floe::graph
