#include "panels/dope_sheet.hpp"
#include "themes/colours.hpp"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace floe::panels {

namespace {

constexpr double kDiamond = 4.5; // logical pixels

/// Frames between lines: 1, 2 or 5 times a power of ten, at least so many pixels apart.
double frameStep(double pixelsPerFrame, double apart)
{
    const double least = std::max(1.0, apart / std::max(1e-9, pixelsPerFrame));
    const double decade = std::pow(10, std::floor(std::log10(least)));
    for (const double step : {1.0, 2.0, 5.0})
        if (step * decade >= least)
            return step * decade;
    return 10 * decade;
}

void paintDiamond(QPainter& p, QPointF at, double r)
{
    p.drawPolygon(QPolygonF(
        {at + QPointF(0, -r), at + QPointF(r, 0), at + QPointF(0, r), at + QPointF(-r, 0)}));
}

} // namespace

void DopeSheet::paint()
{
    QPainter p(area_);
    p.setRenderHint(QPainter::Antialiasing);
    p.fillRect(area_->rect(), palette().color(QPalette::Base));
    if (rows_.empty()) {
        p.setPen(editor::themeColours().muted);
        p.drawText(area_->rect().adjusted(12, 0, -12, 0), Qt::AlignCenter | Qt::TextWordWrap,
                   only_->isChecked() && !nodes_.empty()
                       ? tr("The selected nodes have no keys.")
                       : tr("No parameter has keys yet: K over a number sets one."));
        return;
    }
    paintRows(p);
    paintRuler(p);
    if (drag_ == Drag::Box && moved_) {
        QColor fill = editor::themeColours().accent;
        p.setPen(QPen(fill, 1));
        fill.setAlpha(30);
        p.setBrush(fill);
        p.drawRect(QRectF(pressed_, now_).normalized());
    }
    if (area_->hasFocus()) {
        p.setPen(QPen(editor::themeColours().canvasFocus, 1));
        p.setBrush(Qt::NoBrush);
        p.drawRect(QRectF(area_->rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

void DopeSheet::paintRows(QPainter& p) const
{
    const auto& c = editor::themeColours();
    const double names = nameWidth(), high = rowHeight(), by = shift();
    QColor line = palette().color(QPalette::Text), outside = line;
    line.setAlphaF(0.10f);
    outside.setAlphaF(0.06f);
    const QRectF plane(names, rulerHeight(), area_->width() - names,
                       area_->height() - rulerHeight());
    p.save();
    p.setClipRect(plane);
    const double begin = place(0, first_ - 0.5).x(), end = place(0, last_ + 0.5).x();
    p.fillRect(QRectF(plane.left(), plane.top(), begin - plane.left(), plane.height()), outside);
    p.fillRect(QRectF(end, plane.top(), plane.right() - end, plane.height()), outside);
    const double step = frameStep(plane.width() / (right_ - left_), 60);
    p.setPen(line);
    for (double f = std::ceil(left_ / step) * step; f <= right_; f += step)
        p.drawLine(QPointF(place(0, f).x(), plane.top()), QPointF(place(0, f).x(), plane.bottom()));
    p.restore();
    const int from = std::max(0, rowAt(rulerHeight() + 1));
    for (int row = from; row < int(rows_.size()); ++row) {
        const Row& shown = rows_[std::size_t(row)];
        const double y = place(row, 0).y();
        if (y - high / 2 > area_->height())
            break;
        p.save();
        p.setClipRect(QRectF(0, rulerHeight(), area_->width(), plane.height()));
        if (row == current_)
            p.fillRect(QRectF(0, y - high / 2, names, high), c.highlight);
        p.setPen(line);
        p.drawLine(QPointF(0, y + high / 2), QPointF(area_->width(), y + high / 2));
        const bool chosen = shown.scope == scope_ &&
                            std::find(nodes_.begin(), nodes_.end(), shown.node) != nodes_.end();
        p.setPen(row == current_ ? c.highlighted : chosen ? c.link : c.text);
        p.drawText(QRectF(10, y - high / 2, names - 16, high), Qt::AlignVCenter | Qt::AlignLeft,
                   fontMetrics().elidedText(shown.label, Qt::ElideMiddle, int(names) - 16));
        p.setClipRect(plane, Qt::IntersectClip);
        QColor bar = c.keyed;
        bar.setAlphaF(0.22f);
        p.fillRect(QRectF(QPointF(place(row, shown.frames.front()).x(), y - 1.5),
                          QPointF(place(row, shown.frames.back()).x(), y + 1.5)),
                   bar);
        for (const double frame : shown.frames) {
            const bool selected = isSelected(row, frame);
            p.setPen(QPen(selected ? c.strong : c.keyed, 1.4));
            p.setBrush(selected ? c.accent : c.keyed);
            paintDiamond(p, place(row, frame + (selected ? by : 0)),
                         selected ? kDiamond + 1 : kDiamond);
        }
        p.restore();
    }
}

void DopeSheet::paintRuler(QPainter& p) const
{
    const auto& c = editor::themeColours();
    const double names = nameWidth(), high = rulerHeight();
    p.fillRect(QRectF(0, 0, area_->width(), high), c.window);
    p.setPen(c.edge);
    p.drawLine(QPointF(0, high - 0.5), QPointF(area_->width(), high - 0.5));
    p.drawLine(QPointF(names - 0.5, 0), QPointF(names - 0.5, area_->height()));
    p.save();
    p.setClipRect(QRectF(names, 0, area_->width() - names, area_->height()));
    const double now = place(0, frame_).x();
    const QString label = QString::number(frame_);
    const double wide = fontMetrics().horizontalAdvance(label) + 12;
    const double step = frameStep((area_->width() - names) / (right_ - left_), 60);
    for (double f = std::ceil(left_ / step) * step; f <= right_; f += step) {
        const double x = place(0, f).x();
        const QString text = QString::number(f, 'f', 0);
        const double half = fontMetrics().horizontalAdvance(text) / 2.0;
        if (std::abs(x - now) < half + wide / 2 + 2)
            continue;
        p.setPen(c.muted);
        p.drawText(QPointF(x - half, high / 2 + fontMetrics().ascent() / 2.0 - 1), text);
    }
    p.setPen(QPen(c.focus, 1.5));
    p.drawLine(QPointF(now, high), QPointF(now, area_->height()));
    p.setPen(Qt::NoPen);
    p.setBrush(c.highlight);
    const QRectF flag(now - wide / 2, 2, wide, high - 4);
    p.drawRoundedRect(flag, 3, 3);
    p.setPen(c.highlighted);
    p.drawText(flag, Qt::AlignCenter, label);
    p.restore();
}

} // namespace floe::panels
