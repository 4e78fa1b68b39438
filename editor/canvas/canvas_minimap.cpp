#include "canvas/canvas.hpp"

#include <QPainter>

namespace floe::editor {

namespace {
constexpr double kMapWidth = 168, kMapHeight = 112, kMapRim = 10;
constexpr std::size_t kWorthAMap = 8; // cards
} // namespace

/// Lower right, while part of the network is out of sight or when asked for.
QRectF Canvas::mapRect() const
{
    const bool room = width() >= 2 * kMapWidth && height() >= 1.4 * kMapHeight;
    const bool needed = scene_.cards.size() >= kWorthAMap && width() >= 3 * kMapWidth &&
                        height() >= 1.6 * kMapHeight &&
                        !visible().adjusted(-80, -60, 80, 60).contains(scene_.bounds());
    if (!room || scene_.cards.empty() || mapWanted_ == Map::Hidden ||
        (mapWanted_ == Map::WhenNeeded && !needed))
        return {};
    return {width() - kMapWidth - kMapRim, height() - kMapHeight - kMapRim, kMapWidth, kMapHeight};
}

/// Scene to map, whole and in the middle.
QTransform Canvas::mapView() const
{
    const QRectF area = scene_.bounds().adjusted(-60, -60, 60, 60);
    const double scale = std::min(kMapWidth / area.width(), kMapHeight / area.height());
    const QPointF corner = QPointF(kMapWidth, kMapHeight) / 2 - area.center() * scale;
    return {scale, 0, 0, scale, corner.x(), corner.y()};
}

void Canvas::switchMap()
{
    mapWanted_ = mapRect().isEmpty() ? Map::Shown : Map::Hidden;
    if (mapWanted_ == Map::Hidden)
        emit said(tr("The map of the network is hidden; M shows it."));
    else if (scene().cards.empty())
        emit said(tr("The map shows the network as soon as there is a node."));
    else if (mapRect().isEmpty())
        emit said(tr("The map needs a larger network panel."));
    update();
}

void Canvas::paintMap(QPainter& painter)
{
    const QRectF rect = mapRect();
    if (rect.isEmpty())
        return;
    const QTransform transform = mapView();
    const double ratio = devicePixelRatioF();
    if (map_.isNull() || map_.devicePixelRatio() != ratio) {
        map_ = QPixmap((rect.size() * ratio).toSize());
        map_.setDevicePixelRatio(ratio);
        map_.fill(themeColours().map);
        QPainter p(&map_);
        for (const Backdrop& backdrop : scene_.backdrops) {
            QColor fill = backdrop.colour;
            fill.setAlpha(70);
            p.fillRect(transform.mapRect(backdrop.rect), fill);
        }
        for (const Card& card : scene_.cards) {
            QRectF at = transform.mapRect(card.rect);
            at.setSize(at.size().expandedTo({1.5, 1.5}));
            p.fillRect(at, card.status.state == NodeState::Error ? themeColours().error
                                                                 : card.category);
        }
    }
    painter.setOpacity(0.92);
    painter.drawPixmap(rect.topLeft(), map_);
    painter.setOpacity(1);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(themeColours().mapEdge, 1));
    painter.drawRect(rect);
    painter.save();
    painter.setClipRect(rect, Qt::IntersectClip);
    QColor fill = themeColours().accent;
    fill.setAlpha(28);
    painter.setBrush(fill);
    painter.setPen(QPen(themeColours().accent, 1));
    painter.drawRect(transform.mapRect(visible()).translated(rect.topLeft()));
    painter.restore();
}

/// Brings what lies under a point of the map to the middle.
void Canvas::lookAt(QPointF mapPoint)
{
    const QPointF at = mapView().inverted().map(mapPoint - mapRect().topLeft());
    setView(zoom_, QPointF(width(), height()) / 2 - at * zoom_);
}

} // namespace floe::editor
