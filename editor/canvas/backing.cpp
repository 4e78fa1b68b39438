#include "canvas/backing.hpp"

#include <QPainter>

#include <cmath>

namespace floe::editor {

void Backing::forget()
{
    work_.reset();
    pixmap_ = {};
    areas_.clear();
    leftOut_.clear();
    missing_.clear();
    whole_ = true;
}

void Backing::recount()
{
    work_.reset();
    leftOut_.clear();
    missing_.clear();
    whole_ = true;
}

void Backing::leaveOut(std::set<int> cards)
{
    if (cards == leftOut_)
        return;
    leftOut_ = std::move(cards);
    work_.reset(); // it would show them where they were
    whole_ = true;
}

void Backing::begin(const View& view)
{
    QPixmap pixmap((QSizeF(view.size) * view.ratio).toSize());
    pixmap.setDevicePixelRatio(view.ratio);
    const QRect all(QPoint(), view.size);
    QPainter painter(&pixmap);
    paintGround(painter, all, view.transform());
    painter.end();
    work_.emplace(Work{view, leftOut_, std::move(pixmap),
                       Painting(view.transform(), view.visible(all), leftOut_)});
    whole_ = false;
    areas_.clear();
}

bool Backing::advance(const Scene& scene, const Attention& attention, const QDeadlineTimer& end)
{
    QPainter painter(&work_->pixmap);
    if (!work_->painting.advance(painter, scene, attention, end))
        return false;
    painter.end();
    pixmap_ = std::move(work_->pixmap);
    view_ = work_->view;
    missing_ = std::move(work_->leftOut);
    work_.reset();
    return true;
}

void Backing::repaint(const QRect& area, const Scene& scene, const Attention& attention)
{
    QPainter painter(&pixmap_);
    painter.setClipRect(area);
    const QTransform transform = view_.transform();
    paintGround(painter, area, transform);
    Painting part(transform, view_.visible(QRectF(area)), missing_);
    part.advance(painter, scene, attention, QDeadlineTimer(QDeadlineTimer::Forever));
}

/// @return false when there is too little left to keep
bool Backing::scrollTo(const View& view, const Scene& scene, const Attention& attention)
{
    const QPointF moved = (view.origin - view_.origin) * view.ratio;
    const int dx = int(std::round(moved.x())), dy = int(std::round(moved.y()));
    const int width = pixmap_.width(), height = pixmap_.height();
    if (std::abs(dx) > width / 3 || std::abs(dy) > height / 3)
        return false;
    pixmap_.scroll(dx, dy, pixmap_.rect());
    view_ = view;
    // In widget coordinates, a pixel more on each side.
    const auto across = [&](int pixels) {
        return int(std::ceil(pixels / view.ratio)) + 1;
    };
    if (dx != 0) {
        const int w = across(std::abs(dx));
        repaint({dx > 0 ? 0 : view.size.width() - w, 0, w, view.size.height()}, scene, attention);
    }
    if (dy != 0) {
        const int h = across(std::abs(dy));
        repaint({0, dy > 0 ? 0 : view.size.height() - h, view.size.width(), h}, scene, attention);
    }
    return true;
}

void Backing::repaintAreas(const Scene& scene, const Attention& attention)
{
    const QRect all(QPoint(), view_.size);
    for (const QRectF& area : std::exchange(areas_, {})) {
        const QRect rect =
            view_.transform().mapRect(area).toAlignedRect().adjusted(-1, -1, 1, 1) & all;
        if (!rect.isEmpty())
            repaint(rect, scene, attention);
    }
}

bool Backing::paint(QPainter& painter, const Scene& scene, const View& view,
                    const Attention& attention, int milliseconds)
{
    const QDeadlineTimer end(milliseconds);
    const auto fits = [&](const View& other) {
        return other.size == view.size && other.ratio == view.ratio;
    };
    if (areas_.size() > 16)
        whole_ = true;
    if (pixmap_.isNull() || !fits(view_)) { // nothing to show meanwhile
        begin(view);
        advance(scene, attention, QDeadlineTimer(QDeadlineTimer::Forever));
    } else {
        if (work_ && !fits(work_->view))
            work_.reset();
        if (!work_ && (whole_ || view.zoom != view_.zoom))
            begin(view);
        if (work_)
            advance(scene, attention, end);
        // A pan goes on while the next picture is being made; what is new shows with that.
        if (view.zoom == view_.zoom && view.origin != view_.origin &&
            !scrollTo(view, scene, attention)) {
            if (!work_)
                begin(view);
            advance(scene, attention, end);
        }
        if (!work_ && view.zoom == view_.zoom)
            repaintAreas(scene, attention);
    }
    const bool sharp = view.zoom == view_.zoom;
    if (sharp && view.origin == view_.origin) {
        painter.drawPixmap(0, 0, pixmap_);
    } else {
        const double factor = view.zoom / view_.zoom;
        const QRectF target(view.origin - view_.origin * factor, QSizeF(view.size) * factor);
        if (!target.contains(QRectF(QPointF(), QSizeF(view.size))))
            painter.fillRect(QRect(QPoint(), view.size), themeColours().ground);
        painter.drawPixmap(target, pixmap_, QRectF(pixmap_.rect()));
    }
    return !work_ && !whole_ && areas_.isEmpty() && view == view_;
}

} // namespace floe::editor
