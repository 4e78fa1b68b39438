#include "views/placement.hpp"

#include "document/document.hpp"
#include "views/handle_shapes.hpp"
#include "views/motion_path.hpp"

#include "floe/base/rotation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace floe::views {

using graph::Handle;

namespace {

constexpr const char* kTransform = "transform"; // kind of socket
constexpr int kMaxNodes = 64;                   // that lie behind each other
constexpr std::size_t kMaxPlaces = 64;          // of a node

bool isOfKind(const graph::Socket* socket, const char* kind)
{
    return socket &&
           std::find(socket->kinds.begin(), socket->kinds.end(), kind) != socket->kinds.end();
}

Placement scaled(const Vec3& factors)
{
    return {{axisOf(0) * factors[0], axisOf(1) * factors[1], axisOf(2) * factors[2]}, {}};
}

class Spaces {
public:
    Spaces(const editor::Document& document, const std::string& scope, double frame)
        : document_(document), scope_(scope), frame_(frame), graph_(document.graph(scope))
    {}

    /// Where the transform that is linked to a node takes it.
    std::optional<Placement> motionOf(const std::string& node, int nodes) const
    {
        const graph::NodeType* type = document_.typeOf(scope_, node);
        for (const graph::Link& link : graph_->links) {
            if (link.to.node != node || !type || !isOfKind(type->input(link.to.socket), kTransform))
                continue;
            const graph::NodeType* parent = document_.typeOf(scope_, link.from.node);
            const bool known =
                nodes < kMaxNodes && parent &&
                std::any_of(parent->parameters.begin(), parent->parameters.end(),
                            [](const auto& spec) { return spec.handle == Handle::Position; });
            const auto outer = known ? motionOf(link.from.node, nodes + 1) : std::nullopt;
            const auto own =
                known ? ownPlacement(document_, scope_, link.from.node, frame_) : std::nullopt;
            if (!outer || !own)
                return std::nullopt;
            return outer->of(*own);
        }
        return Placement();
    }

    /// Without those that are the same.
    std::vector<Placement> spacesOf(const std::string& node, int nodes)
    {
        if (const auto known = known_.find(node); known != known_.end())
            return known->second;
        std::vector<Placement>& spaces = known_[node];
        const auto motion = motionOf(node, nodes);
        const graph::NodeType* type = document_.typeOf(scope_, node);
        if (!motion || !type || nodes >= kMaxNodes)
            return spaces;
        bool isLed = false;
        for (const graph::Link& link : graph_->links) {
            if (link.from.node != node || isOfKind(type->output(link.from.socket), kTransform))
                continue;
            const graph::NodeType* next = document_.typeOf(scope_, link.to.node);
            const graph::Socket* input = next ? next->input(link.to.socket) : nullptr;
            if (!input || next->role != graph::Role::Value)
                continue;
            isLed = true;
            const auto moved = input->moved ? ownPlacement(document_, scope_, link.to.node, frame_)
                                            : std::optional(Placement());
            if (!moved)
                continue;
            for (const Placement& outer : spacesOf(link.to.node, nodes + 1)) {
                const Placement space = outer.of(*moved).of(*motion);
                if (spaces.size() < kMaxPlaces &&
                    std::find(spaces.begin(), spaces.end(), space) == spaces.end())
                    spaces.push_back(space);
            }
        }
        if (!isLed)
            spaces.push_back(*motion);
        return spaces;
    }

private:
    const editor::Document& document_;
    const std::string& scope_;
    double frame_;
    const graph::Graph* graph_;
    std::map<std::string, std::vector<Placement>> known_;
};

} // namespace

Vec3 Placement::wayBack(const Vec3& v) const
{
    const double all = volume();
    if (all == 0)
        return {};
    return Vec3{dot(cross(axes[1], axes[2]), v), dot(cross(axes[2], axes[0]), v),
                dot(cross(axes[0], axes[1]), v)} *
           (1 / all);
}

double Placement::volume() const
{
    return dot(axes[0], cross(axes[1], axes[2]));
}

Placement Placement::of(const Placement& inner) const
{
    return {{way(inner.axes[0]), way(inner.axes[1]), way(inner.axes[2])}, point(inner.origin)};
}

std::optional<Placement> ownPlacement(const editor::Document& document, const std::string& scope,
                                      const std::string& node, double frame)
{
    Vec3 position{}, angles{}, pivot{}, factors{1, 1, 1};
    const graph::NodeType* type = document.typeOf(scope, node);
    const graph::Node* stored = document.node(scope, node);
    bool hasPosition = false;
    for (std::size_t i = 0; type && stored && i < type->parameters.size(); ++i) {
        const graph::ParameterSpec& spec = type->parameters[i];
        const bool single = spec.type == graph::ValueType::Float;
        const bool placed = spec.handle == Handle::Position || spec.handle == Handle::Rotation ||
                            spec.handle == Handle::Pivot || spec.handle == Handle::Scale;
        if (!placed || !type->matters(spec, stored->parameters))
            continue;
        const auto value = numbersAt(document.value(scope, node, spec.name), single ? 1 : 3, frame);
        if (!value)
            return std::nullopt;
        if (spec.handle == Handle::Position && !std::exchange(hasPosition, true))
            position = *value;
        else if (spec.handle == Handle::Rotation)
            angles = *value;
        else if (spec.handle == Handle::Pivot)
            pivot = *value;
        else if (spec.handle == Handle::Scale)
            for (std::size_t axis = 0; axis < 3; ++axis)
                factors[axis] *= (*value)[single ? 0 : axis];
    }
    const UnitQuaternion turn = orientationOf(angles);
    Placement turned{{rotated(turn, axisOf(0)), rotated(turn, axisOf(1)), rotated(turn, axisOf(2))},
                     {}};
    turned = turned.of(scaled(factors));
    turned.origin = position + pivot - turned.way(pivot);
    return turned;
}

std::vector<Placement> spacesOf(const editor::Document& document, const std::string& scope,
                                const std::string& node, double frame)
{
    if (!document.graph(scope))
        return {Placement()};
    return Spaces(document, scope, frame).spacesOf(node, 0);
}

double SpaceCamera::scale() const
{
    return std::cbrt(std::max(std::abs(space.volume()), 1e-30));
}

std::optional<QPointF> SpaceCamera::project(const Vec3& point, QSizeF size) const
{
    return camera.project(space.point(point), size);
}

double SpaceCamera::metresPerPixel(const Vec3& point, double height) const
{
    return camera.metresPerPixel(space.point(point), height) / scale();
}

Vec3 SpaceCamera::right() const
{
    return space.wayBack(camera.right()) * scale();
}

Vec3 SpaceCamera::up() const
{
    return space.wayBack(camera.up()) * scale();
}

Vec3 SpaceCamera::towards(const Vec3& point) const
{
    const Vec3 way = space.wayBack(camera.towards(space.point(point)));
    const double size = length(way);
    return size > 0 ? way * (1 / size) : Vec3{0, 0, 1};
}

} // namespace floe::views
