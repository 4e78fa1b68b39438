#include "resolved_document.hpp"

#include "floe/graph/text.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace floe::graph {

namespace {

class ConnectionChecker {
public:
    ConnectionChecker(const Definition& definition, std::vector<Fault>& faults)
        : definition_(definition), faults_(faults)
    {}

    void checkLinks()
    {
        std::unordered_map<std::string, const Link*> taken; // single inputs
        std::set<Link> seen;
        for (const Link& link : definition_.graph->links) {
            const ResolvedNode* from = nodeOf(link, link.from);
            const ResolvedNode* to = nodeOf(link, link.to);
            if (from && to && isBackward(*from, *to, link)) {
                add(link.to.node, "unknown-socket", link.to.socket,
                    TranslatableText::of("the link from '{output}' to '{input}' starts at an input",
                                         link.from.text(), link.to.text()),
                    TranslatableText::of("links go from an output to an input: swap its ends"));
                continue;
            }
            const Socket* output = from ? socketOf(*from, link, link.from, true) : nullptr;
            const Socket* input = to ? socketOf(*to, link, link.to, false) : nullptr;
            if (!seen.insert(link).second) {
                add(link.to.node, "duplicate-link", link.to.socket,
                    TranslatableText::of("the link from '{output}' to '{input}' is there twice",
                                         link.from.text(), link.to.text()),
                    TranslatableText::of("keep one"));
                continue;
            }
            if (input && !input->multiple) {
                const auto [first, fresh] = taken.emplace(link.to.text(), &link);
                if (!fresh)
                    add(link.to.node, "two-links", link.to.socket,
                        TranslatableText::of(
                            "input '{input}' takes one link but has one from '{first}' "
                            "and one from '{second}'",
                            link.to.socket, first->second->from.text(), link.from.text()),
                        TranslatableText::of("remove one of them"));
            }
            if (input && output && !shareKind(*input, *output))
                add(link.to.node, "kind-clash", link.to.socket,
                    TranslatableText::of(
                        "input '{input}' takes {kinds}, but '{output}' gives {given}",
                        link.to.socket, alternatives(input->kinds), link.from.text(),
                        alternatives(output->kinds)),
                    TranslatableText::of("link an output that fits"));
        }
    }

    void checkReferences()
    {
        for (const ResolvedNode& node : definition_.nodes) {
            for (std::size_t i = 0; i < node.parameters.size(); ++i) {
                if (!node.parameters[i])
                    continue;
                for (const std::string& text : node.parameters[i]->references)
                    checkReference(node.node->name, node.type->parameters[i].name, text);
            }
        }
    }

private:
    static bool shareKind(const Socket& a, const Socket& b)
    {
        return std::any_of(a.kinds.begin(), a.kinds.end(), [&](const std::string& kind) {
            return std::find(b.kinds.begin(), b.kinds.end(), kind) != b.kinds.end();
        });
    }

    static bool isBackward(const ResolvedNode& from, const ResolvedNode& to, const Link& link)
    {
        return from.type && to.type && !from.type->output(link.from.socket) &&
               from.type->input(link.from.socket) && to.type->output(link.to.socket);
    }

    void add(const std::string& node, const char* code, const std::string& field,
             const TranslatableText& cause, const TranslatableText& cure)
    {
        FaultSink sink{faults_, definition_.document->path, "", ""};
        if (const ResolvedNode* found = definition_.find(node)) {
            sink.node = definition_.prefix + node;
            sink.type = found->node->type;
        }
        sink.add(code, field, cause, cure);
    }

    const ResolvedNode* nodeOf(const Link& link, const Endpoint& end)
    {
        if (const ResolvedNode* node = definition_.find(end.node))
            return node;
        add("", "unknown-node", end.text(),
            TranslatableText::of(
                "the link from '{output}' to '{input}' names the unknown node '{node}'",
                link.from.text(), link.to.text(), end.node),
            didYouMean(end.node, nodeNames()));
        return nullptr;
    }

    /// @return null after a fault, or when the type is not sufficiently known
    const Socket* socketOf(const ResolvedNode& node, const Link& link, const Endpoint& end,
                           bool output)
    {
        if (!node.type)
            return nullptr;
        const Socket* socket =
            output ? node.type->output(end.socket) : node.type->input(end.socket);
        if (socket || (node.inside && node.inside->partial))
            return socket;
        std::vector<std::string> known;
        for (const Socket& other : output ? node.type->outputs : node.type->inputs)
            known.push_back(other.name);
        const bool reversed = output ? node.type->input(end.socket) != nullptr
                                     : node.type->output(end.socket) != nullptr;
        add(end.node, "unknown-socket", end.socket,
            output ? TranslatableText::of(
                         "the link from '{output}' to '{input}': the node has no output "
                         "'{socket}'",
                         link.from.text(), link.to.text(), end.socket)
                   : TranslatableText::of(
                         "the link from '{output}' to '{input}': the node has no input "
                         "'{socket}'",
                         link.from.text(), link.to.text(), end.socket),
            reversed ? TranslatableText::of("links go from an output to an input")
                     : didYouMean(end.socket, known,
                                  !known.empty()
                                      ? TranslatableText::of("it has {names}", alternatives(known))
                                  : output ? TranslatableText::of("it has no outputs")
                                           : TranslatableText::of("it has no inputs")));
        return nullptr;
    }

    void checkReference(const std::string& node, const std::string& field, const std::string& text)
    {
        const auto fail = [&](const TranslatableText& cause, const TranslatableText& cure) {
            add(node, "bad-reference", field,
                within(TranslatableText::of("parameter '{name}'", field), cause), cure);
        };
        Reference reference;
        if (!parseReference(text, reference)) {
            fail(TranslatableText::of("the reference '{reference}' has the component '{component}'",
                                      text, text.substr(text.rfind('.') + 1)),
                 TranslatableText::of("must be x, y or z (or r, g, b)"));
            return;
        }
        const ResolvedNode* target = definition_.find(reference.node);
        if (!target) {
            fail(TranslatableText::of("the reference '{reference}' names the unknown node '{node}'",
                                      text, reference.node),
                 didYouMean(reference.node, nodeNames()));
            return;
        }
        if (!target->type)
            return; // a fault of that node
        const ParameterSpec* spec = target->type->parameter(reference.parameter);
        if (!spec) {
            if (target->inside && target->inside->partial)
                return;
            std::vector<std::string> known;
            for (const ParameterSpec& other : target->type->parameters)
                known.push_back(other.name);
            fail(TranslatableText::of("the reference '{reference}' names the unknown parameter "
                                      "'{parameter}'",
                                      text, reference.parameter),
                 didYouMean(reference.parameter, known));
            return;
        }
        const bool vector = spec->type == ValueType::Vector || spec->type == ValueType::Colour;
        const bool number = spec->type == ValueType::Float || spec->type == ValueType::Int ||
                            spec->type == ValueType::Bool;
        if (!vector && !number)
            fail(TranslatableText::of("the reference '{reference}' is {type}", text,
                                      name(spec->type)),
                 TranslatableText::of("must be a number"));
        else if (vector && reference.component < 0)
            fail(TranslatableText::of("the reference '{reference}' is three numbers", text),
                 TranslatableText::of("add .x, .y or .z"));
        else if (number && reference.component >= 0)
            fail(TranslatableText::of("the reference '{reference}' is one number", text),
                 TranslatableText::of("remove the component"));
    }

    /// Candidates for a wrong name; none after so many faults that the search takes too long.
    std::vector<std::string> nodeNames() const
    {
        constexpr std::size_t kEnough = 200;
        std::vector<std::string> names;
        if (faults_.size() > kEnough)
            return names;
        for (const Node& node : definition_.graph->nodes)
            names.push_back(node.name);
        return names;
    }

    const Definition& definition_;
    std::vector<Fault>& faults_;
};

} // namespace

bool parseReference(const std::string& text, Reference& reference)
{
    const auto first = text.find('.');
    const auto second = text.find('.', first + 1);
    reference.node = text.substr(0, first);
    reference.parameter =
        text.substr(first + 1, second == std::string::npos ? second : second - first - 1);
    reference.component = -1;
    if (second == std::string::npos)
        return true;
    const std::string letter = text.substr(second + 1);
    const auto at =
        letter.size() == 1 ? std::string_view("xyzrgb").find(letter[0]) : std::string_view::npos;
    if (at == std::string_view::npos)
        return false;
    reference.component = static_cast<int>(at % 3);
    return true;
}

void checkConnections(const Definition& definition, std::vector<Fault>& faults)
{
    ConnectionChecker checker(definition, faults);
    checker.checkLinks();
    checker.checkReferences();
}

} // namespace floe::graph
