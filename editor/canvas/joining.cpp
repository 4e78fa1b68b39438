#include "canvas/joining.hpp"

#include "canvas/look.hpp"

#include <algorithm>
#include <set>

namespace floe::editor {

namespace {

bool fits(const graph::Socket& output, const graph::Socket& input)
{
    return (kindBits(output.kinds) & kindBits(input.kinds)) != 0;
}

bool isLinked(const graph::Graph& g, const graph::Endpoint& input)
{
    return std::any_of(g.links.begin(), g.links.end(),
                       [&](const graph::Link& link) { return link.to == input; });
}

/// Wants links without being asked: it cannot do without, or gathers what a scene has.
bool isHungry(const graph::Graph& g, const graph::NodeType& type, const std::string& node,
              const graph::Socket& input)
{
    const bool gathers = type.role == graph::Role::Solver;
    return input.multiple ? gathers
                          : (input.required || gathers) && !isLinked(g, {node, input.name});
}

/// Free for a value of this kind, and meant for it: an optional input is not when a required one
/// takes the same. A second shape for an emitter is no velocity field.
bool isMeant(const graph::Graph& g, const graph::NodeType& type, const std::string& node,
             const graph::Socket& input, const graph::Socket& output)
{
    if (!fits(output, input) || (!input.multiple && isLinked(g, {node, input.name})))
        return false;
    return input.required ||
           std::none_of(type.inputs.begin(), type.inputs.end(), [&](const graph::Socket& other) {
               return other.required && fits(output, other);
           });
}

/// Nodes whose outputs nobody uses, in the order of the document.
std::vector<std::string> freeNodes(const Document& document, const std::string& scope)
{
    const graph::Graph* g = document.graph(scope);
    std::set<std::string_view> used;
    for (const graph::Link& link : g->links)
        used.insert(link.from.node);
    std::vector<std::string> found;
    for (const graph::Node& node : g->nodes)
        if (!used.contains(node.name))
            found.push_back(node.name);
    return found;
}

const graph::Socket* outputFor(const Document& document, const std::string& scope,
                               const std::string& node, const graph::Socket& input)
{
    const graph::NodeType* type = document.typeOf(scope, node);
    if (type)
        for (const graph::Socket& output : type->outputs)
            if (fits(output, input))
                return &output;
    return nullptr;
}

/// Feeds the inputs of `node` from `sources`.
int feed(Document& document, const std::string& scope, const std::string& node,
         const std::vector<std::string>& sources)
{
    const graph::NodeType* type = document.typeOf(scope, node);
    int made = 0;
    for (const graph::Socket& input : type ? type->inputs : std::vector<graph::Socket>()) {
        if (!isHungry(*document.graph(scope), *type, node, input))
            continue;
        std::vector<std::string> fitting;
        for (const std::string& source : sources)
            if (source != node && outputFor(document, scope, source, input))
                fitting.push_back(source);
        if (!input.multiple && fitting.size() != 1)
            continue; // which one is not ours to guess
        for (const std::string& source : fitting)
            made += linkTogether(
                document, scope,
                {{source, outputFor(document, scope, source, input)->name}, {node, input.name}});
    }
    return made;
}

} // namespace

bool linkTogether(Document& document, const std::string& scope, const graph::Link& link)
{
    if (!document.link(scope, link))
        return false;
    const graph::NodeType* from = document.typeOf(scope, link.from.node);
    const graph::NodeType* to = document.typeOf(scope, link.to.node);
    for (const graph::Socket& same : to->inputs)
        if (same.name != link.to.socket && from->output(same.name) &&
            !isLinked(*document.graph(scope), {link.to.node, same.name}))
            document.link(scope, {{link.from.node, same.name}, {link.to.node, same.name}});
    return true;
}

std::optional<Qt::Edge> join(Document& document, const std::string& scope,
                             const std::string& chosen, const std::string& added)
{
    const graph::NodeType *a = document.typeOf(scope, chosen), *b = document.typeOf(scope, added);
    if (!a || !b)
        return std::nullopt;
    for (const graph::Socket& input : b->inputs)
        for (const graph::Socket& output : a->outputs)
            if (isMeant(*document.graph(scope), *b, added, input, output) &&
                linkTogether(document, scope, {{chosen, output.name}, {added, input.name}}))
                return Qt::RightEdge;
    for (const graph::Socket& input : a->inputs)
        for (const graph::Socket& output : b->outputs)
            if (isMeant(*document.graph(scope), *a, chosen, input, output) &&
                linkTogether(document, scope, {{added, output.name}, {chosen, input.name}}))
                return Qt::LeftEdge;
    return std::nullopt;
}

int joinFree(Document& document, const std::string& scope, const std::vector<std::string>& added)
{
    int made = 0;
    for (const std::string& node : added)
        made += feed(document, scope, node, freeNodes(document, scope));
    const auto isNew = [&](const std::string& node) {
        return std::find(added.begin(), added.end(), node) != added.end();
    };
    for (const std::string& source : freeNodes(document, scope)) {
        if (!isNew(source))
            continue;
        std::vector<std::string> takers;
        for (const graph::Node& node : document.graph(scope)->nodes) {
            const graph::NodeType* type = document.typeOf(scope, node.name);
            if (!isNew(node.name) && type &&
                std::any_of(type->inputs.begin(), type->inputs.end(), [&](const auto& input) {
                    return isHungry(*document.graph(scope), *type, node.name, input) &&
                           outputFor(document, scope, source, input);
                }))
                takers.push_back(node.name);
        }
        if (takers.size() == 1)
            made += feed(document, scope, takers.front(), {source});
    }
    return made;
}

} // namespace floe::editor
