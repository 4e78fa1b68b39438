#include "exclusions.hpp"

#include "floe/base/error.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace floe::graph {

namespace {

class ExclusionChecker {
public:
    explicit ExclusionChecker(const FlatGraph& graph) : graph_(graph) {}

    void check(std::size_t node, std::vector<Fault>& faults) const
    {
        const FlatNode& own = graph_.nodes[node];
        for (const Exclusion& exclusion : own.type->excludes) {
            if (!holds(node, exclusion.when) ||
                !std::all_of(exclusion.linked.begin(), exclusion.linked.end(),
                             [&](const std::string& input) { return isLinked(own, input); }))
                continue;
            std::vector<std::string> found{""};
            if (exclusion.behind)
                found = behind(own, *exclusion.behind);
            for (const std::string& other : found)
                FaultSink{faults, own.file, own.name, own.type->type}.add(
                    "excluded", fieldOf(exclusion),
                    TranslatableText::verbatim(named(exclusion.cause, other)),
                    TranslatableText::verbatim(named(exclusion.cure, other)));
        }
    }

private:
    /// What a solver gives is made anew, and a node that takes several of a kind may choose.
    static bool endsSearch(const NodeType& type)
    {
        return (type.role == Role::Solver && !type.keepsFrames) ||
               std::any_of(type.inputs.begin(), type.inputs.end(),
                           [](const Socket& input) { return input.multiple; });
    }

    static bool isLinked(const FlatNode& node, const std::string& name)
    {
        return std::any_of(node.inputs.begin(), node.inputs.end(), [&](const FlatInput& input) {
            return input.socket->name == name && !input.sources.empty();
        });
    }

    static std::string fieldOf(const Exclusion& exclusion)
    {
        if (!exclusion.linked.empty())
            return exclusion.linked.front();
        return exclusion.behind ? exclusion.behind->input : exclusion.when.front().parameter;
    }

    static std::string named(std::string text, const std::string& node)
    {
        constexpr std::string_view kPlace = "{node}";
        if (const auto at = text.find(kPlace); at != std::string::npos)
            text.replace(at, kPlace.size(), node);
        return text;
    }

    /// Returns whether parameters have these values, and matter.
    bool holds(std::size_t node, const std::vector<Condition>& conditions, int depth = 0) const
    {
        const NodeType& type = *graph_.nodes[node].type;
        return depth <= kMaxConditionChain &&
               std::all_of(conditions.begin(), conditions.end(), [&](const Condition& condition) {
                   const ParameterSpec* spec = type.parameter(condition.parameter);
                   return spec && holds(node, spec->shownWhen, depth + 1) &&
                          std::find(condition.values.begin(), condition.values.end(),
                                    valueOf(node, condition.parameter)) != condition.values.end();
               });
    }

    /// Returns the value of a choice or bool at the first frame; empty: of another type, or it has
    /// none there.
    std::string valueOf(std::size_t node, const std::string& parameter) const
    {
        try {
            const ParameterValue value = graph_.evaluate(
                node, parameter, {static_cast<double>(graph_.range.start), graph_.range.fps});
            if (const auto* flag = std::get_if<bool>(&value))
                return *flag ? "true" : "false";
            const auto* text = std::get_if<std::string>(&value);
            return text ? *text : std::string();
        } catch (const Error&) {
            return {}; // the run says so
        }
    }

    std::vector<std::string> behind(const FlatNode& node, const Exclusion::Behind& wanted) const
    {
        std::vector<std::string> names;
        std::vector<std::size_t> open;
        std::set<std::size_t> seen;
        const auto follow = [&](const FlatInput& input) {
            for (const Source& source : input.sources)
                if (seen.insert(source.node).second)
                    open.push_back(source.node);
        };
        for (const FlatInput& input : node.inputs)
            if (input.socket->name == wanted.input)
                follow(input);
        while (!open.empty()) {
            const std::size_t at = open.back();
            const FlatNode& other = graph_.nodes[at];
            open.pop_back();
            if (other.type->type == wanted.type && holds(at, wanted.when))
                names.push_back(other.name);
            if (endsSearch(*other.type))
                continue;
            for (const FlatInput& input : other.inputs)
                follow(input);
        }
        std::sort(names.begin(), names.end());
        return names;
    }

    const FlatGraph& graph_;
};

} // namespace

void checkExclusions(const FlatGraph& graph, std::vector<Fault>& faults)
{
    const ExclusionChecker checker(graph);
    for (std::size_t node = 0; node < graph.nodes.size(); ++node)
        checker.check(node, faults);
}

} // namespace floe::graph
