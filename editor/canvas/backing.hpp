#pragma once

#include "canvas/painting.hpp"

#include <QPixmap>

#include <memory>
#include <optional>

namespace floe::editor {

/// The network's picture, kept from one paint to the next, so that each takes a few milliseconds
/// whatever the network's size: a pan scrolls it and paints what comes into view; what has changed
/// is painted where it was; a zoom stretches it until the sharp one, painted piece by piece, is
/// there.
class Backing {
public:
    struct View {
        double zoom = 1;
        QPointF origin; ///< of the scene in the widget [pixels], whole device pixels
        QSize size;     ///< of the widget
        double ratio = 1;
        bool operator==(const View&) const = default;
        QTransform transform() const { return {zoom, 0, 0, zoom, origin.x(), origin.y()}; }
        QRectF visible(const QRectF& area) const
        {
            return {(area.topLeft() - origin) / zoom, area.size() / zoom};
        }
    };

    void touch() { whole_ = true; }                    ///< everything may look different
    void touch(const QRectF& area) { areas_ += area; } ///< [scene] only this
    void forget();                                     ///< another network
    void recount();                     ///< the same, but its cards have other numbers
    void leaveOut(std::set<int> cards); ///< the caller paints these, above

    /// Cards that the picture just painted lacks. They may lag behind leaveOut().
    const std::set<int>& missing() const { return missing_; }

    /// Paints the best picture there is, having worked on it for about so long.
    /// @return false when a better one follows: paint again soon
    bool paint(QPainter& painter, const Scene& scene, const View& view, const Attention& attention,
               int milliseconds);

private:
    struct Work {
        View view;
        std::set<int> leftOut;
        QPixmap pixmap;
        Painting painting;
    };
    void begin(const View& view);
    bool advance(const Scene& scene, const Attention& attention, const QDeadlineTimer& end);
    bool scrollTo(const View& view, const Scene& scene, const Attention& attention);
    void repaint(const QRect& area, const Scene& scene, const Attention& attention);
    void repaintAreas(const Scene& scene, const Attention& attention);

    QPixmap pixmap_;
    View view_; ///< of pixmap_
    bool whole_ = true;
    QVector<QRectF> areas_;
    std::set<int> leftOut_, missing_;
    std::optional<Work> work_; ///< the next picture
};

} // namespace floe::editor
