#include "floe/graph/flat_graph.hpp"

#include "floe/base/error.hpp"
#include "floe/graph/check.hpp"

#include "expansion.hpp"
#include "floe/graph/text.hpp"
#include "object_reader.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

namespace floe::graph {

FlatGraph::FlatGraph() = default;
FlatGraph::~FlatGraph() = default;
FlatGraph::FlatGraph(const FlatGraph&) = default;
FlatGraph::FlatGraph(FlatGraph&&) noexcept = default;
FlatGraph& FlatGraph::operator=(const FlatGraph&) = default;
FlatGraph& FlatGraph::operator=(FlatGraph&&) noexcept = default;

std::ptrdiff_t FlatGraph::find(std::string_view name) const
{
    if (!compiled_)
        return -1;
    const auto found = compiled_->byName.find(std::string(name));
    return found == compiled_->byName.end() ? -1 : static_cast<std::ptrdiff_t>(found->second);
}

ParameterValue FlatGraph::Compiled::resolved(const Slot& slot, ParameterValue value) const
{
    if (slot.spec->type != ValueType::Path)
        return value;
    const auto& text = std::get<std::string>(value);
    if (text.empty())
        return value;
    return (std::filesystem::path(folders[slot.folder]) / text).lexically_normal().string();
}

static double component(const ParameterValue& value, int index)
{
    if (const auto* v = std::get_if<double>(&value))
        return *v;
    if (const auto* v = std::get_if<std::int64_t>(&value))
        return static_cast<double>(*v);
    if (const auto* v = std::get_if<bool>(&value))
        return *v ? 1 : 0;
    if (const auto* v = std::get_if<std::array<double, 3>>(&value))
        return (*v)[static_cast<std::size_t>(std::clamp(index, 0, 2))];
    return 0; // text: refused by the checks
}

ParameterValue
FlatGraph::Compiled::evaluate(std::size_t index, Time time,
                              std::unordered_map<std::size_t, ParameterValue>& known) const
{
    const Slot& slot = slots[index];
    if (!slot.value)
        return slot.constant;
    // Values computed on the way are cached: shared expressions stay cheap.
    std::vector<double> references(slot.dependencies.size());
    for (std::size_t i = 0; i < references.size(); ++i) {
        const Slot::Dependency& dependency = slot.dependencies[i];
        if (!slots[dependency.slot].value) {
            references[i] = component(slots[dependency.slot].constant, dependency.component);
            continue;
        }
        auto found = known.find(dependency.slot);
        if (found == known.end())
            found = known.emplace(dependency.slot, evaluate(dependency.slot, time, known)).first;
        references[i] = component(found->second, dependency.component);
    }
    try {
        ParameterValue value =
            evaluateCompiled(*slot.value, *slot.spec, time.frame,
                             (time.frame - firstFrame) / time.fps, time.fps, references);
        if (slot.spec->automatic && value == ParameterValue(0.0))
            return slot.automatic;
        return resolved(slot, std::move(value));
    } catch (const GraphError& error) {
        throw WordedError(
            {.file = path,
             .node = names[slot.node],
             .parameter = slot.spec->name,
             .frame = static_cast<int>(std::clamp(std::floor(time.frame), -2e9, 2e9))},
            causeOf(error), cureOf(error));
    }
}

ParameterValue FlatGraph::evaluate(std::size_t node, std::size_t parameter, Time time) const
{
    const FlatNode& entry = nodes.at(node);
    if (parameter >= entry.type->parameters.size())
        throw GraphError({.file = path, .node = entry.name},
                         "has no parameter number " + std::to_string(parameter));
    const std::size_t index = entry.firstParameter + parameter;
    if (!compiled_->slots[index].value)
        return compiled_->slots[index].constant;
    std::unordered_map<std::size_t, ParameterValue> known;
    return compiled_->evaluate(index, time, known);
}

ParameterValue FlatGraph::evaluate(std::size_t node, std::string_view parameter, Time time) const
{
    const int index = nodes.at(node).type->parameterIndex(parameter);
    if (index < 0)
        throw GraphError({.file = path, .node = nodes[node].name},
                         "type " + nodes[node].type->type + " has no parameter " +
                             quote(parameter));
    return evaluate(node, static_cast<std::size_t>(index), time);
}

/// A pattern of file names, whatever the way in which it asks for the number.
static std::string normalisedPattern(const std::string& pattern)
{
    const std::filesystem::path path = std::filesystem::path(pattern).lexically_normal();
    const std::string name = path.filename().string();
    std::size_t begin = name.find_first_of("#%"), end = begin;
    if (begin == std::string::npos)
        return path.string();
    if (name[begin] == '#')
        end = std::min(name.find_first_not_of('#', begin), name.size());
    else if (end = name.find_first_not_of("0123456789", begin + 1);
             end == std::string::npos || name[end++] != 'd')
        return path.string();
    return (path.parent_path() / (name.substr(0, begin) + "#" + name.substr(end))).string();
}

std::vector<OutputClash> outputClashes(const FlatGraph& graph)
{
    std::vector<OutputClash> clashes;
    std::map<std::string, std::size_t> writers;
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        const NodeType& type = *graph.nodes[node].type;
        for (std::size_t p = 0; type.role == Role::Sink && p < type.parameters.size(); ++p) {
            const ParameterSpec& spec = type.parameters[p];
            if (spec.type != ValueType::String || spec.widget != "output")
                continue;
            const Time start{static_cast<double>(graph.range.start), graph.range.fps};
            const std::string pattern = std::get<std::string>(graph.evaluate(node, p, start));
            const auto [writer, first] = writers.emplace(normalisedPattern(pattern), node);
            if (!first)
                clashes.push_back({node, writer->second, spec.name});
        }
    }
    return clashes;
}

std::vector<Fault> check(const Document& document, const TypeLibrary& types,
                         std::vector<SwitchedOn>* switchedOn)
{
    std::vector<Fault> faults;
    if (switchedOn)
        switchedOn->clear();
    const ResolvedDocument resolved(document, types, faults);
    if (!resolved.expandable())
        return faults;
    Expansion expansion(resolved, faults);
    const FlatGraph flat = expansion.run();
    if (anyError(faults))
        return faults;
    if (switchedOn)
        *switchedOn = expansion.takeSwitchedOn();
    for (const OutputClash& clash : outputClashes(flat)) {
        const FlatNode& node = flat.nodes[clash.node];
        FaultSink{faults, node.file, node.name, node.type->type}.add(
            "same-files", clash.parameter,
            TranslatableText::of("its files have the names of those of '{node}'",
                                 flat.nodes[clash.other].name),
            TranslatableText::of("give one of the two another '{name}'", clash.parameter),
            Severity::Warning);
    }
    return faults;
}

FlatGraph flatten(const Document& document, const TypeLibrary& types)
{
    std::vector<Fault> faults;
    const ResolvedDocument resolved(document, types, faults);
    FlatGraph flat;
    if (resolved.expandable())
        flat = Expansion(resolved, faults).run();
    if (anyError(faults))
        throwFaults(faults);
    return flat;
}

} // namespace floe::graph
