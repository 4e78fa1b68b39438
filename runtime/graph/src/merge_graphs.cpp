#include "merge_graphs.hpp"

#include "floe/graph/diff.hpp"
#include "one_line.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace floe::graph {

namespace {

using Sources = std::vector<Endpoint>;

std::map<std::string, const Node*> byName(const Graph& graph)
{
    std::map<std::string, const Node*> nodes;
    for (const Node& node : graph.nodes)
        nodes[node.name] = &node;
    return nodes;
}

bool isEqual(const Stored& a, const Stored& b)
{
    return a && b ? sameJson(*a, *b) : a.has_value() == b.has_value();
}

/// Their places do not count.
bool isSame(const Node& a, const Node& b)
{
    const auto plain = [](Node node) {
        node.layout = Json();
        return toJson(node);
    };
    return sameJson(plain(a), plain(b));
}

/// The members of an object; none of anything else.
Stored memberOf(const Json& object, const std::string& key)
{
    if (!object.is_object())
        return std::nullopt;
    const auto found = object.find(key);
    return found == object.end() ? Stored() : Stored(*found);
}

std::vector<std::string> keysOf(std::initializer_list<const Json*> objects)
{
    std::vector<std::string> keys;
    std::set<std::string> known;
    for (const Json* object : objects)
        if (object->is_object())
            for (const auto& item : object->items())
                if (known.insert(item.key()).second)
                    keys.push_back(item.key());
    return keys;
}

/// Joins three versions of a graph. All are first given the names of nodes that base has.
class GraphMerge {
public:
    GraphMerge(Judge& judge, std::vector<Change>& renamed, const IsMultiple& isMultiple,
               std::string prefix, Graph base, Graph mine, Graph theirs)
        : judge_(judge), renamed_(renamed), isMultiple_(isMultiple), prefix_(std::move(prefix)),
          base_(std::move(base)), mine_(std::move(mine)), theirs_(std::move(theirs))
    {}

    Graph run()
    {
        followNames();
        partTwins();
        baseNodes_ = byName(base_);
        mineNodes_ = byName(mine_);
        theirNodes_ = byName(theirs_);
        mergeNodes();
        for (const Node& node : result_.nodes)
            there_.insert(node.name);
        mergeLinks();
        mergePromotions();
        result_.backdrops =
            mergeDecorations("backdrop", base_.backdrops, mine_.backdrops, theirs_.backdrops);
        result_.notes = mergeDecorations("note", base_.notes, mine_.notes, theirs_.notes);
        result_.extra = judge_.pickMembers("key", prefix_ + "document", base_.extra, mine_.extra,
                                           theirs_.extra);
        nameNodes();
        return std::move(result_);
    }

private:
    void followNames()
    {
        const auto follow = [&](Graph& side, NewNames& names) {
            names = renamedNodes(base_, side);
            NewNames back;
            for (const auto& [before, after] : names)
                back[after] = before;
            renameNodes(side, back);
        };
        follow(mine_, mineNames_);
        follow(theirs_, theirNames_);
    }

    /// What both have added under one name, and is not the same, are two nodes.
    void partTwins()
    {
        const auto base = byName(base_), mine = byName(mine_), theirs = byName(theirs_);
        NewNames names;
        std::set<std::string> taken;
        for (const Node& node : theirs_.nodes) {
            const auto twin = mine.find(node.name);
            if (base.contains(node.name) || twin == mine.end() || isSame(*twin->second, node))
                continue;
            const std::string name = freeName(node.name, [&](const std::string& wish) {
                return base.contains(wish) || mine.contains(wish) || theirs.contains(wish) ||
                       isFinalName(wish) || taken.contains(wish);
            });
            taken.insert(name);
            names[node.name] = name;
            note(node.name, name);
        }
        renameNodes(theirs_, names);
    }

    bool isFinalName(const std::string& name) const
    {
        const auto has = [&](const NewNames& names) {
            return std::any_of(names.begin(), names.end(),
                               [&](const auto& entry) { return entry.second == name; });
        };
        return has(mineNames_) || has(theirNames_);
    }

    void note(const std::string& before, const std::string& after)
    {
        renamed_.push_back({Change::Kind::Renamed, "node", prefix_ + before, "", before, after});
    }

    /// For conflicts, by the name that a person knows.
    std::string placeOf(const std::string& name) const
    {
        return prefix_ + nameIn(mineNodes_.contains(name) ? mineNames_ : theirNames_, name);
    }
    std::string placeOf(const Endpoint& end) const { return placeOf(end.node) + "." + end.socket; }

    static const Node* find(const std::map<std::string, const Node*>& nodes,
                            const std::string& name)
    {
        const auto found = nodes.find(name);
        return found == nodes.end() ? nullptr : found->second;
    }

    // ------------------------------------------------------------------------------------ nodes

    void mergeNodes()
    {
        for (const Node& mine : mine_.nodes) {
            const Node* base = find(baseNodes_, mine.name);
            if (const Node* theirs = find(theirNodes_, mine.name))
                result_.nodes.push_back(mergeNode(base ? *base : mine, mine, *theirs));
            else if (!base || stays(*base, mine, Side::Mine))
                result_.nodes.push_back(mine);
        }
        for (const Node& theirs : theirs_.nodes) {
            if (mineNodes_.contains(theirs.name))
                continue;
            const Node* base = find(baseNodes_, theirs.name);
            if (!base || stays(*base, theirs, Side::Theirs))
                result_.nodes.push_back(theirs);
        }
    }

    /// Whether a node that one side has removed stays, as the other has it.
    /// @param keeper  the side that has it
    bool stays(const Node& base, const Node& kept, Side keeper)
    {
        const Graph& side = keeper == Side::Mine ? mine_ : theirs_;
        const auto linksOf = [&](const Graph& graph) {
            std::set<Link> links;
            for (const Link& link : graph.links)
                if (link.from.node == base.name || link.to.node == base.name)
                    links.insert(link);
            return links;
        };
        const std::set<Link> before = linksOf(base_), now = linksOf(side);
        if (isSame(base, kept) &&
            std::includes(before.begin(), before.end(), now.begin(), now.end()))
            return false;
        Conflict conflict{"node", placeOf(base.name), "", oneLine(base.type), "", ""};
        (keeper == Side::Mine ? conflict.mine : conflict.theirs) = oneLine(kept.type);
        return judge_.decide(std::move(conflict)) == keeper;
    }

    Node mergeNode(const Node& base, const Node& mine, const Node& theirs)
    {
        Node node = mine;
        const std::string where = placeOf(mine.name);
        const auto one = [&](const char* what, auto Node::*field) {
            using Type = std::remove_cvref_t<decltype(node.*field)>;
            node.*field = judge_
                              .pick(what, where, what, Json(base.*field), Json(mine.*field),
                                    Json(theirs.*field))
                              ->template get<Type>();
        };
        one("type", &Node::type);
        one("version", &Node::version);
        one("graph", &Node::graph);
        one("file", &Node::file);
        one("bypass", &Node::bypass);
        node.parameters = judge_.pickMembers("parameter", where, base.parameters, mine.parameters,
                                             theirs.parameters);
        if (mine.layout == base.layout)
            node.layout = theirs.layout;
        node.extra = judge_.pickMembers("key", where, base.extra, mine.extra, theirs.extra);
        for (Json* object : {&node.parameters, &node.extra})
            if (object->is_null())
                *object = Json::object();
        return node;
    }

    // ------------------------------------------------------------------------------------ links

    using Inputs = std::map<Endpoint, Sources>;

    /// What ends at each input, of nodes that are there, in order.
    Inputs inputsOf(const Graph& graph) const
    {
        Inputs inputs;
        for (const Link& link : graph.links)
            if (there_.contains(link.from.node) && there_.contains(link.to.node))
                inputs[link.to].push_back(link.from);
        return inputs;
    }

    static Sources at(const Inputs& inputs, const Endpoint& to)
    {
        const auto found = inputs.find(to);
        return found == inputs.end() ? Sources() : found->second;
    }

    bool isMultiple(const Endpoint& to, std::initializer_list<const Sources*> lists) const
    {
        const Node* node = result_.find(to.node);
        if (const auto known = node ? isMultiple_(*node, to.socket) : std::nullopt)
            return *known;
        return std::any_of(lists.begin(), lists.end(),
                           [](const Sources* list) { return list->size() > 1; });
    }

    /// A side that has removed a node that stays has not decided about its links: they are as
    /// before.
    static Sources restored(const std::map<std::string, const Node*>& nodes, const Endpoint& to,
                            const Sources& base, const Sources& side, bool multiple)
    {
        if (!nodes.contains(to.node))
            return base;
        Sources known;
        for (const Endpoint& from : base)
            if (nodes.contains(from.node))
                known.push_back(from);
        if (known.size() == base.size())
            return side;
        if (side == known)
            return base;
        Sources result = side;
        if (multiple)
            for (const Endpoint& from : base)
                if (!nodes.contains(from.node))
                    result.push_back(from);
        return result;
    }

    void mergeLinks()
    {
        const Inputs base = inputsOf(base_), mine = inputsOf(mine_), theirs = inputsOf(theirs_);
        Inputs merged;
        const auto join = [&](const Endpoint& to) {
            if (!merged.contains(to))
                merged[to] = mergeInput(to, at(base, to), at(mine, to), at(theirs, to));
        };
        std::set<Endpoint> written;
        // Where an input has what mine has, its links stay where they are in the file.
        for (const Link& link : mine_.links) {
            if (!there_.contains(link.to.node))
                continue;
            join(link.to);
            const Sources& sources = merged[link.to];
            if (sources == at(mine, link.to)) {
                if (there_.contains(link.from.node))
                    result_.links.push_back(link);
            } else if (written.insert(link.to).second) {
                for (const Endpoint& from : sources)
                    result_.links.push_back({from, link.to});
            }
        }
        for (const Graph* graph : {&theirs_, &base_})
            for (const Link& link : graph->links) {
                if (!there_.contains(link.to.node) || merged.contains(link.to))
                    continue;
                join(link.to);
                for (const Endpoint& from : merged[link.to])
                    result_.links.push_back({from, link.to});
            }
    }

    Sources mergeInput(const Endpoint& to, const Sources& base, const Sources& mineHas,
                       const Sources& theirsHas)
    {
        const bool multiple = isMultiple(to, {&base, &mineHas, &theirsHas});
        const Sources mine = restored(mineNodes_, to, base, mineHas, multiple);
        const Sources theirs = restored(theirNodes_, to, base, theirsHas, multiple);
        if (mine == theirs || theirs == base)
            return mine;
        if (mine == base)
            return theirs;
        const auto has = [](const Sources& list, const Endpoint& end) {
            return std::find(list.begin(), list.end(), end) != list.end();
        };
        if (multiple) {
            Sources result;
            for (const Endpoint& from : mine)
                if (!has(base, from) || has(theirs, from))
                    result.push_back(from);
            for (const Endpoint& from : theirs)
                if (!has(base, from) && !has(result, from))
                    result.push_back(from);
            return result;
        }
        const auto text = [&](const Sources& list) {
            if (list.empty())
                return std::string();
            if (list.size() == 1)
                return oneLine(placeOf(list.front()));
            Json names = Json::array();
            for (const Endpoint& from : list)
                names.push_back(placeOf(from));
            return oneLine(names);
        };
        const Side side =
            judge_.decide({"input", placeOf(to), "", text(base), text(mine), text(theirs)});
        return side == Side::Mine ? mine : theirs;
    }

    // --------------------------------------------------------------------- what subgraphs expose

    static constexpr const char* kParameter = "parameter ";
    static constexpr const char* kInput = "input ";
    static constexpr const char* kOutput = "output ";

    static Json fromReal(const std::optional<double>& value)
    {
        return value ? Json(*value) : Json();
    }
    static std::optional<double> toReal(const Json& value)
    {
        return value.is_null() ? std::nullopt : std::optional(value.get<double>());
    }

    /// The place of a promoted parameter in panels; last: it has none.
    static std::size_t rankOf(const Promotion& promotion, const std::string& name)
    {
        return std::size_t(std::ranges::find(promotion.parameters, name, &PromotedParameter::name) -
                           promotion.parameters.begin());
    }

    /// Whether the parameters of `a` that `b` has too are in the same order there.
    static bool sameOrder(const Promotion& a, const Promotion& b)
    {
        std::size_t last = 0;
        for (const PromotedParameter& parameter : a.parameters)
            if (const std::size_t place = rankOf(b, parameter.name); place < b.parameters.size()) {
                if (place < last)
                    return false;
                last = place;
            }
        return true;
    }

    static Json toMembers(const Promotion& promotion)
    {
        Json members = Json::object();
        for (const PromotedParameter& parameter : promotion.parameters)
            members[kParameter + parameter.name] = {parameter.to.node,
                                                    parameter.to.socket,
                                                    parameter.label,
                                                    parameter.help,
                                                    fromReal(parameter.min),
                                                    fromReal(parameter.max),
                                                    fromReal(parameter.softMin),
                                                    fromReal(parameter.softMax)};
        for (const PromotedSocket& socket : promotion.inputs)
            members[kInput + socket.name] = {socket.to.node, socket.to.socket};
        for (const PromotedSocket& socket : promotion.outputs)
            members[kOutput + socket.name] = {socket.to.node, socket.to.socket};
        return members;
    }

    void mergePromotions()
    {
        const Json base = toMembers(base_.promote);
        Json mine = toMembers(mine_.promote), theirs = toMembers(theirs_.promote);
        // As with links: who has removed a node that stays has not decided about them.
        for (const auto& [key, value] : base.items()) {
            const std::string node = value[0].get<std::string>();
            if (!mineNodes_.contains(node) && !mine.contains(key))
                mine[key] = value;
            if (!theirNodes_.contains(node) && !theirs.contains(key))
                theirs[key] = value;
        }
        const Json merged =
            judge_.pickMembers("promotion", prefix_ + "promote", base, mine, theirs);
        for (const auto& [key, value] : merged.items()) {
            const Endpoint to{value[0].get<std::string>(), value[1].get<std::string>()};
            if (!there_.contains(to.node))
                continue;
            const std::string name = key.substr(key.find(' ') + 1);
            if (key.starts_with(kParameter))
                result_.promote.parameters.push_back(
                    {name, to, value[2].get<std::string>(), value[3].get<std::string>(),
                     toReal(value[4]), toReal(value[5]), toReal(value[6]), toReal(value[7])});
            else
                (key.starts_with(kInput) ? result_.promote.inputs : result_.promote.outputs)
                    .push_back({name, to});
        }
        // The order of who has changed it; where both have, mine.
        const Promotion& order =
            sameOrder(mine_.promote, base_.promote) ? theirs_.promote : mine_.promote;
        std::ranges::stable_sort(
            result_.promote.parameters, {},
            [&](const PromotedParameter& parameter) { return rankOf(order, parameter.name); });
    }

    /// Backdrops or notes: what both have added under one name is kept twice.
    Json mergeDecorations(const char* what, const Json& base, const Json& mine, Json theirs)
    {
        Json parted = theirs.is_object() ? Json::object() : Json();
        for (const std::string& key : keysOf({&theirs})) {
            const Stored twin = memberOf(mine, key);
            const bool apart = twin && !memberOf(base, key) && !sameJson(*twin, theirs[key]);
            const std::string name =
                apart ? freeName(key,
                                 [&](const std::string& wish) {
                                     return memberOf(base, wish) || memberOf(mine, wish) ||
                                            memberOf(theirs, wish) || parted.contains(wish);
                                 })
                      : key;
            parted[name] = theirs[key];
        }
        return judge_.pickMembers(what, prefix_ + what + "s", base, mine, parted);
    }

    // ------------------------------------------------------------------------------------ names

    /// Gives nodes the names that the sides have for them; where two want one, mine has it.
    void nameNodes()
    {
        std::map<std::string, std::string> wanted;
        std::set<std::string> used;
        for (const Node& node : result_.nodes) {
            const std::string mine = nameIn(mineNames_, node.name);
            const std::string theirs = nameIn(theirNames_, node.name);
            std::string name = mineNodes_.contains(node.name) ? mine : theirs;
            if (mineNodes_.contains(node.name) && theirNodes_.contains(node.name))
                name = judge_
                           .pick("name", placeOf(node.name), "", Json(node.name), Json(mine),
                                 Json(theirs))
                           ->get<std::string>();
            wanted[node.name] = name;
            if (name == mine && mineNodes_.contains(node.name))
                used.insert(name);
        }
        NewNames names;
        for (const Node& node : result_.nodes) {
            std::string name = wanted[node.name];
            const bool isMine =
                mineNodes_.contains(node.name) && name == nameIn(mineNames_, node.name);
            if (!isMine && !used.insert(name).second) {
                const std::string free =
                    freeName(name, [&](const std::string& wish) { return used.contains(wish); });
                note(name, free);
                used.insert(free);
                name = free;
            }
            if (name != node.name)
                names[node.name] = name;
        }
        renameNodes(result_, names);
    }

    Judge& judge_;
    std::vector<Change>& renamed_;
    const IsMultiple& isMultiple_;
    std::string prefix_;
    Graph base_, mine_, theirs_;
    NewNames mineNames_, theirNames_; ///< what a side calls nodes of base
    std::map<std::string, const Node*> baseNodes_, mineNodes_, theirNodes_; ///< by name in base
    std::set<std::string> there_;                                           ///< in the result
    Graph result_;
};

} // namespace

Side Judge::decide(Conflict conflict)
{
    const Side side = choose_ ? choose_(conflict) : Side::Mine;
    conflicts.push_back(std::move(conflict));
    return side;
}

Stored Judge::pick(const std::string& what, const std::string& where, const std::string& field,
                   const Stored& base, const Stored& mine, const Stored& theirs)
{
    if (isEqual(mine, theirs) || isEqual(theirs, base))
        return mine;
    if (isEqual(mine, base))
        return theirs;
    const auto text = [](const Stored& value) {
        return value ? oneLine(*value) : std::string();
    };
    return decide({what, where, field, text(base), text(mine), text(theirs)}) == Side::Mine
               ? mine
               : theirs;
}

Json Judge::pickMembers(const std::string& what, const std::string& where, const Json& base,
                        const Json& mine, const Json& theirs)
{
    Json result = mine.is_object() ? mine : Json::object();
    for (const std::string& key : keysOf({&mine, &theirs, &base})) {
        const Stored value =
            pick(what, where, key, memberOf(base, key), memberOf(mine, key), memberOf(theirs, key));
        if (value)
            result[key] = *value;
        else
            result.erase(key);
    }
    return result.empty() && !mine.is_object() ? Json() : result;
}

std::string nameIn(const NewNames& names, const std::string& name)
{
    const auto found = names.find(name);
    return found == names.end() ? name : found->second;
}

/// "ball" -> "ball2", "ball7" -> "ball2": the first that is free.
std::string freeName(const std::string& wish, const std::function<bool(const std::string&)>& taken)
{
    std::string stem = wish;
    while (stem.size() > 1 && stem.back() >= '0' && stem.back() <= '9')
        stem.pop_back();
    for (int number = 2;; ++number)
        if (std::string name = stem + std::to_string(number); !taken(name))
            return name;
}

Graph mergeGraphs(Judge& judge, std::vector<Change>& renamed, const IsMultiple& isMultiple,
                  const std::string& prefix, const Graph& base, const Graph& mine,
                  const Graph& theirs)
{
    return GraphMerge(judge, renamed, isMultiple, prefix, base, mine, theirs).run();
}

} // namespace floe::graph
