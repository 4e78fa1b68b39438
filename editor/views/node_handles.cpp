#include "views/node_handles.hpp"

#include "document/document.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace floe::views {

using graph::Handle;

namespace {

/// Its parameters with a kind of handle, in the manifest's order, as long as they matter.
std::vector<const graph::ParameterSpec*> withHandle(const editor::Document& document,
                                                    const std::string& scope,
                                                    const std::string& name,
                                                    std::initializer_list<Handle> kinds)
{
    std::vector<const graph::ParameterSpec*> found;
    const graph::Node* node = document.node(scope, name);
    const graph::NodeType* type = node ? document.typeOf(scope, name) : nullptr;
    if (!type)
        return found;
    for (const graph::ParameterSpec& spec : type->parameters)
        if (std::find(kinds.begin(), kinds.end(), spec.handle) != kinds.end() &&
            type->matters(spec, node->parameters))
            found.push_back(&spec);
    return found;
}

} // namespace

const graph::ParameterSpec* placeOf(const editor::Document& document, const std::string& scope,
                                    const std::string& node)
{
    const auto places = withHandle(document, scope, node, {Handle::Position});
    return places.empty() ? nullptr : places.front();
}

NodeHandles handlesOf(const editor::Document& document, const std::string& scope,
                      const std::string& node)
{
    NodeHandles handles;
    const auto valueOf = [&](const graph::ParameterSpec* spec) {
        return document.value(scope, node, spec->name);
    };
    const auto add = [&](const graph::ParameterSpec* spec, const Vec3& value, const Vec3& offset) {
        handles.points.push_back(
            {spec->name, QString::fromStdString(spec->label), value + offset, offset});
    };
    std::optional<Vec3> pivot;
    const auto pivots = withHandle(document, scope, node, {Handle::Pivot});
    if (!pivots.empty())
        pivot = client::triple(valueOf(pivots.front()));
    Vec3 place{};
    for (const graph::ParameterSpec* spec : withHandle(document, scope, node, {Handle::Position})) {
        const auto value = client::triple(valueOf(spec));
        if (!value && handles.points.empty())
            return {}; // where it is depends on the frame
        if (!value)
            continue;
        const bool first = handles.points.empty();
        add(spec, *value, first ? pivot.value_or(Vec3{}) : Vec3{});
        if (first)
            place = *value;
    }
    if (pivot) {
        add(pivots.front(), *pivot, place);
        handles.points.back().isPivot = true;
    }
    if (handles.points.empty())
        return handles;

    for (const graph::ParameterSpec* spec : withHandle(document, scope, node, {Handle::Rotation}))
        if (const auto value = client::triple(valueOf(spec)); value && handles.rotation.empty()) {
            handles.rotation = spec->name;
            handles.angles = *value;
        }
    for (const graph::ParameterSpec* spec :
         withHandle(document, scope, node,
                    {Handle::Scale, Handle::Size, Handle::Radius, Handle::Height})) {
        NodeHandles::Extent extent;
        extent.kind = spec->handle;
        extent.parameter = spec->name;
        extent.label = QString::fromStdString(spec->label);
        extent.unit = QString::fromStdString(spec->unit);
        extent.single = spec->type == graph::ValueType::Float;
        const Json value = valueOf(spec);
        if (const auto three = client::triple(value); three && !extent.single)
            extent.value = *three;
        else if (value.is_number() && extent.single)
            extent.value = {value.get<double>(), 0, 0};
        else
            continue;
        extent.low = spec->min.value_or(extent.low);
        extent.high = spec->max.value_or(extent.high);
        handles.extents.push_back(std::move(extent));
    }
    return handles;
}

} // namespace floe::views
