#pragma once

#include "views/direction_handle.hpp"
#include "views/node_handles.hpp"
#include "views/rotate_handle.hpp"
#include "views/size_handle.hpp"
#include "views/translate_handle.hpp"

#include <QString>

#include <vector>

class QKeyEvent;

namespace floe::views {

/// The handles of a node, one kind at a time beside its directions, and how they are dragged: by
/// the mouse, with snapping, or by typing a number meanwhile. Only geometry and state: the owner
/// paints, hands it the mouse and the keys, and writes what comes out.
class HandleTools {
public:
    enum class Tool { Move, Turn, Size };

    /// What a drag has made of a parameter.
    struct Change {
        std::string parameter;
        Vec3 value{};
        bool single = false;         ///< a number: value[0]
        bool exact = false;          ///< typed or snapped: to be written as it is
        std::optional<double> frame; ///< whose key it is; nothing: the present one
    };

    void set(const NodeHandles& node);
    /// Only the node's place is left, where its parameter has that value. Nothing: no handles.
    /// @param spaces  of the node, as they are now
    void setPlace(std::optional<Vec3> value, const std::vector<Placement>& spaces);
    bool isShown() const { return hasPlace() || !node_.directions.empty(); }
    const NodeHandles& node() const { return node_; }

    bool has(Tool tool) const;
    void setTool(Tool tool); ///< not while one is held
    Tool tool() const { return has(wanted_) ? wanted_ : Tool::Move; }
    void setSnapping(bool on) { snapping_ = on; } ///< what Ctrl then suspends
    std::size_t point() const { return point_; }  ///< of the node's, that is moved
    /// What a pixel is worth in the node's numbers, where that point is [m].
    double finest(const OrbitCamera& camera, double height) const;

    /// Goes to the place under the mouse, of others where the node appears.
    /// @return whether there is one
    bool goTo(const OrbitCamera& camera, QSizeF size, QPointF mouse);
    /// Goes to the nearest of the places where the node appears.
    void goTo(const Vec3& place);

    /// @return whether it looks different now
    bool hover(const OrbitCamera& camera, QSizeF size, QPointF mouse);
    /// @param pivot  of the node's place, take its pivot
    /// @return whether the mouse has taken hold of one; of a point of the node that was not moved
    ///         so far it takes hold from then on
    bool press(const OrbitCamera& camera, QSizeF size, QPointF mouse, bool pivot = false);
    bool isHeld() const { return held_; }
    Change drag(const OrbitCamera& camera, QSizeF size, QPointF mouse, Qt::KeyboardModifiers keys);
    /// A digit, a sign, a point or Backspace while it is held; @return false: another key
    bool type(const QKeyEvent& key);
    void release();
    void cancel(); ///< everything as it was at press()

    void paint(QPainter& p, const OrbitCamera& camera, QSizeF size) const;
    /// What the drag has done so far, for people: "x +0.35 m". Empty: none goes on.
    QString reading() const;

private:
    bool hasPlace() const { return !node_.points.empty(); }
    int hit(const SpaceCamera& camera, QSizeF size, QPointF mouse) const;
    /// Number of another place where the node appears, that the mouse is at; -1: none.
    int placeAt(const OrbitCamera& camera, QSizeF size, QPointF mouse) const;
    Vec3 middleIn(const Placement& space) const; ///< of the node's place, in the world
    void stand(std::size_t place);
    void take(std::size_t point); ///< to be moved from now on
    void place();                 ///< the handles where the node is
    void paintPoints(QPainter& p, const OrbitCamera& world, QSizeF size) const;
    void paintPath(QPainter& p, const SpaceCamera& camera, QSizeF size) const;
    std::optional<double> typed() const;

    NodeHandles node_, before_; ///< before_: at press()
    TranslateHandle move_;
    RotateHandle turn_;
    SizeHandle size_;
    DirectionHandle aim_; ///< beside the tool's
    Tool wanted_ = Tool::Move;
    std::size_t point_ = 0;
    std::size_t standing_ = 0; ///< number of the place, among those where the node appears
    int lit_ = 0;              ///< part of the tool's handle; 0: none
    int litPoint_ = -1;        ///< of the points that are not moved
    int litPlace_ = -1;        ///< of the places where it appears as well
    int litKey_ = -1;          ///< of the path
    int heldKey_ = -1;         ///< of the path: what is dragged in place of a point
    int litAim_ = 0;           ///< number of an arrow of directions; 0: none
    int heldAim_ = 0;          ///< the same, that is dragged
    bool held_ = false, snapping_ = false;
    QString typed_;
};

} // namespace floe::views
