#pragma once

#include "views/motion_path.hpp"

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
/// at a frame. What follows an expression has no handle.
struct NodeHandles {
    struct Point {
        std::string parameter;
        QString label;
        Vec3 place{};         ///< world space [m]
        Vec3 offset{};        ///< from the parameter's value to its place [m]
        bool isPivot = false; ///< it lies where the first point does
    };
    /// A length of it, three, or a factor.
    struct Extent {
        graph::Handle kind = graph::Handle::Size; ///< Scale, Size, Radius or Height
        std::string parameter;
        QString label, unit;
        bool single = false; ///< a Float: value[0]
        Vec3 value{};
        double low = -std::numeric_limits<double>::infinity(); ///< that it may have
        double high = std::numeric_limits<double>::infinity();
    };
    /// A vector that is not zero and is turned about the node's place; where it has none, in the
    /// middle of the view.
    struct Direction {
        std::string parameter;
        QString label;
        Vec3 value{};
        double low = -std::numeric_limits<double>::infinity(); ///< that its numbers may have
        double high = std::numeric_limits<double>::infinity();
    };

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
