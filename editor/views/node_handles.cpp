#include "views/node_handles.hpp"

#include "document/document.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace floe::views {

using graph::Handle;

namespace {

constexpr double kAny = std::numeric_limits<double>::infinity();

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

double NodeHandles::halfHeight() const
{
    double radius = 0;
    for (const Extent& extent : extents)
        if (extent.kind == Handle::Height)
            return extent.value[0] / 2;
        else if (extent.kind == Handle::Size && extent.point == 0)
            return extent.single ? 0 : extent.value[1] / 2; // of one number: flat
        else if (extent.kind == Handle::Radius)
            radius = std::max(radius, extent.value[0]);
    return radius;
}

NodeHandles handlesOf(const editor::Document& document, const std::string& scope,
                      const std::string& node, double frame)
{
    NodeHandles handles;
    const auto valueOf = [&](const graph::ParameterSpec* spec) {
        return document.value(scope, node, spec->name);
    };
    const auto tripleOf = [&](const graph::ParameterSpec* spec) {
        return numbersAt(valueOf(spec), 3, frame);
    };
    const auto add = [&](const graph::ParameterSpec* spec, const Vec3& value,
                         const Placement& own) {
        handles.points.push_back(
            {spec->name, QString::fromStdString(spec->label), own.point(value), own, false});
    };
    for (const graph::ParameterSpec* spec : withHandle(document, scope, node, {Handle::Direction}))
        if (const auto value = tripleOf(spec); value && length(*value) > 0)
            handles.directions.push_back({spec->name, QString::fromStdString(spec->label), *value,
                                          spec->min.value_or(-kAny), spec->max.value_or(kAny)});
    handles.owner = scope + '/' + node;
    handles.spaces = spacesOf(document, scope, node, frame);
    if (handles.spaces.empty())
        return handles;
    handles.space = handles.spaces.front();
    std::optional<Vec3> pivot;
    const auto pivots = withHandle(document, scope, node, {Handle::Pivot});
    if (!pivots.empty())
        pivot = tripleOf(pivots.front());
    Vec3 place{};
    for (const graph::ParameterSpec* spec : withHandle(document, scope, node, {Handle::Position})) {
        const auto value = tripleOf(spec);
        if (!value && handles.points.empty())
            return handles; // an expression says where it is
        if (!value)
            continue;
        const bool first = handles.points.empty();
        const Vec3 offset = first ? pivot.value_or(Vec3{}) : Vec3{};
        add(spec, *value, {.origin = offset});
        if (first) {
            place = *value;
            handles.path = pathOf(spec->name, valueOf(spec), offset);
        }
    }
    if (pivot) {
        add(pivots.front(), *pivot, {.origin = place});
        handles.points.back().isPivot = true;
    }
    const bool isPlaced = !handles.points.empty();
    if (const auto own = ownPlacement(document, scope, node, frame))
        for (const graph::ParameterSpec* spec : withHandle(document, scope, node, {Handle::Point}))
            if (const auto value = tripleOf(spec))
                add(spec, *value, *own);
    if (handles.points.empty())
        return handles;

    for (const graph::ParameterSpec* spec : withHandle(document, scope, node, {Handle::Rotation}))
        if (const auto value = tripleOf(spec); value && isPlaced && handles.rotation.empty()) {
            handles.rotation = spec->name;
            handles.angles = *value;
        }
    const auto lengths = withHandle(document, scope, node,
                                    {Handle::Scale, Handle::Size, Handle::Radius, Handle::Height,
                                     Handle::Width, Handle::Length, Handle::Rise, Handle::Tube});
    const bool scalesEach = std::any_of(lengths.begin(), lengths.end(), [](const auto* spec) {
        return spec->handle == Handle::Scale && spec->type == graph::ValueType::Vector;
    });
    for (const graph::ParameterSpec* spec : lengths) {
        NodeHandles::Extent extent;
        extent.kind = spec->handle;
        extent.parameter = spec->name;
        extent.label = QString::fromStdString(spec->label);
        extent.unit = QString::fromStdString(spec->unit);
        extent.single = spec->type == graph::ValueType::Float;
        if (extent.kind == Handle::Scale && extent.single && scalesEach)
            continue; // its arms would be the same
        const auto value = numbersAt(valueOf(spec), extent.single ? 1 : 3, frame);
        const auto middle =
            std::find_if(handles.points.begin(), handles.points.end(),
                         [&](const auto& point) { return point.parameter == spec->about; });
        if (!value || (!spec->about.empty() && middle == handles.points.end()))
            continue;
        if (!spec->about.empty()) {
            const graph::NodeType* type = document.typeOf(scope, node);
            extent.point = static_cast<std::size_t>(middle - handles.points.begin());
            extent.turned = type->parameter(spec->about)->handle == Handle::Point;
        }
        extent.value = *value;
        extent.low = spec->min.value_or(extent.low);
        extent.high = spec->max.value_or(extent.high);
        handles.extents.push_back(std::move(extent));
    }
    return handles;
}

} // namespace floe::views
