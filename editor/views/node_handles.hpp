#pragma once

#include "views/motion_path.hpp"
#include "views/placement.hpp"

#include "floe/graph/node_type.hpp"

#include <QString>

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace floe::editor {
class Document;
}

namespace floe::views {

/// What of a node may be taken hold of, as its manifest says: parameters that matter, as they are
/// at a frame. What follows an expression has no handle. Places are in `space`.
struct NodeHandles {
    struct Point {
        std::string parameter;
        QString label;
        Vec3 place{};         ///< [m]
        Placement own;        ///< takes the parameter's value to its place
        bool isPivot = false; ///< it lies where the first point does

        Vec3 value() const { return own.pointBack(place); }
    };
    /// A length of it, three, or a factor.
    struct Extent {
        graph::Handle kind = graph::Handle::Size; ///< Scale, or one that is a length
        std::string parameter;
        QString label, unit;
        bool single = false;   ///< a Float: value[0]
        bool turned = true;    ///< it lies along the node's own axes
        std::size_t point = 0; ///< of `points`, that it is around
        Vec3 value{};
        double low = -std::numeric_limits<double>::infinity(); ///< that it may have
        double high = std::numeric_limits<double>::infinity();
    };
    /// A vector in the world that is not zero and is turned about the node's place; where it has
    /// none, in the middle of the view.
    struct Direction {
        std::string parameter;
        QString label;
        Vec3 value{};
        double low = -std::numeric_limits<double>::infinity(); ///< that its numbers may have
        double high = std::numeric_limits<double>::infinity();
    };

    std::string owner;             ///< the node, with its scope
    Placement space;               ///< that the node's numbers are in, in the world
    std::vector<Placement> spaces; ///< of all places where it appears; that one is among them
    /// The first is the node's place, about which it is turned and scaled; without one the node has
    /// no handles but for its directions.
    std::vector<Point> points;
    std::string rotation; ///< parameter; empty: it is not turned
    Vec3 angles{};        ///< about x, then y, then z [degrees]
    std::vector<Extent> extents;
    std::vector<Direction> directions;
    std::optional<MotionPath> path; ///< of the first point, if keys move it

    /// From its place down to its lowest point, as its lengths say while it is not turned [m].
    double halfHeight() const;
};

NodeHandles handlesOf(const editor::Document& document, const std::string& scope,
                      const std::string& node, double frame);

/// The parameter that is the node's place, animated or not; null: there is none.
const graph::ParameterSpec* placeOf(const editor::Document& document, const std::string& scope,
                                    const std::string& node);

} // namespace floe::views
