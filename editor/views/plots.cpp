#include "views/plots.hpp"

#include "views/colours.hpp"

#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace floe::views {

namespace {

constexpr int kPlots = 5;
constexpr int kTime = 3;

double value(const FrameNumbers& n, int plot)
{
    switch (plot) {
    case 0:
        return n.particles;
    case 1:
        return n.activeShare * 100;
    case 2:
        return n.substeps;
    case kTime:
        return n.seconds;
    default:
        return n.bytes;
    }
}

QString valueText(int plot, double v)
{
    switch (plot) {
    case 1:
        return std::isnan(v) ? QStringLiteral("–") : QStringLiteral("%1 %").arg(std::lround(v));
    case kTime:
        return secondsText(v);
    case 4:
        return bytesText(v);
    default:
        return countText(v);
    }
}

/// 1, 2 or 5 times a power of ten, at least v.
double roundUp(double v)
{
    if (!(v > 0) || !std::isfinite(v))
        return 1;
    const double decade = std::pow(10, std::floor(std::log10(v)));
    for (const double step : {1.0, 1.5, 2.0, 3.0, 5.0, 7.5, 10.0})
        if (step * decade >= v * 0.9999)
            return step * decade;
    return 10 * decade;
}

} // namespace

Plots::Plots(History* history, QWidget* parent) : QWidget(parent), history_(history)
{
    setMouseTracking(true);
    setAccessibleName(tr("Statistics over the frames"));
    connect(history_, &History::changed, this, [this] { update(); });
}

void Plots::setRange(int first, int last)
{
    first_ = first;
    last_ = std::max(first, last);
    update();
}

void Plots::setFrame(int frame)
{
    frame_ = frame;
    update();
}

QRectF Plots::area(int plot) const
{
    const double each = (height() - 10.0 - fontMetrics().height()) / kPlots; // frames below
    const double title = fontMetrics().height() + 5;
    const double left = fontMetrics().horizontalAdvance(QStringLiteral("000,000")) + 18;
    return {left, 4 + plot * each + title, std::max(10.0, width() - left - 14.0),
            std::max(4.0, each - title - 8)};
}

double Plots::xOf(double frame, const QRectF& area) const
{
    return area.left() + (frame - first_) / std::max(1, last_ - first_) * area.width();
}

int Plots::frameAt(double x) const
{
    const QRectF at = area(0);
    const double frame = first_ + (x - at.left()) / at.width() * (last_ - first_);
    return static_cast<int>(std::clamp(std::round(frame), double(first_), double(last_)));
}

void Plots::paintPlot(QPainter& p, int plot, const QRectF& at) const
{
    const QString titles[] = {tr("Particles"), tr("Active"), tr("Substeps"), tr("Time a frame"),
                              tr("Memory")};
    const QColor quiet = quietText(palette()), line = hairline(palette());
    const QFontMetrics metrics = fontMetrics();
    const auto& frames = history_->frames();
    const auto begin = frames.lower_bound(first_), end = frames.upper_bound(last_);

    double top = plot == 1 ? 100 : 0;
    if (plot != 1)
        for (auto it = begin; it != end; ++it)
            if (const double v = value(it->second, plot); std::isfinite(v))
                top = std::max(top, v);
    top = roundUp(top);
    const auto y = [&](double v) {
        return at.bottom() - v / top * at.height();
    };

    p.setPen(palette().color(QPalette::WindowText));
    p.drawText(QPointF(at.left(), at.top() - 6), titles[plot]);
    p.setPen(line);
    for (const double share : {0.0, 0.5, 1.0})
        p.drawLine(QPointF(at.left(), y(share * top)), QPointF(at.right(), y(share * top)));
    p.setPen(quiet);
    const auto label = [&](double v) {
        const QRectF box(0, y(v) - metrics.height() / 2.0, at.left() - 7, metrics.height());
        p.drawText(box, Qt::AlignRight | Qt::AlignVCenter,
                   begin == end ? QString() : valueText(plot, v));
    };
    label(top);
    if (at.height() > 2.2 * metrics.height())
        label(0);

    if (plot == kTime) {
        double left = at.left() + metrics.horizontalAdvance(titles[plot]) + 18;
        for (int stage = 0; stage < kStages; ++stage) {
            QPolygonF upper, lower;
            for (auto it = begin; it != end; ++it) {
                double base = 0;
                const auto& stages = it->second.stages;
                for (int i = 0; i < stage; ++i)
                    base += std::isnan(stages[static_cast<std::size_t>(i)])
                                ? 0
                                : stages[static_cast<std::size_t>(i)];
                const double own = stages[static_cast<std::size_t>(stage)];
                const double x = xOf(it->first, at);
                upper.append({x, y(base + (std::isnan(own) ? 0 : own))});
                lower.prepend({x, y(base)});
            }
            const QColor colour = stage == kStages - 1
                                      ? blend(palette().color(QPalette::Window), quiet, 0.55)
                                      : seriesColour(stage);
            p.setPen(Qt::NoPen);
            p.setBrush(colour);
            p.drawPolygon(upper + lower);
            if (begin != end) { // the key
                p.drawRoundedRect(QRectF(left, at.top() - 6 - metrics.ascent() / 2.0 - 3, 7, 7),
                                  1.5, 1.5);
                p.setPen(quiet);
                p.drawText(QPointF(left + 11, at.top() - 6), stageName(stage));
                left += 26 + metrics.horizontalAdvance(stageName(stage));
            }
        }
    } else {
        QPolygonF points;
        const auto flush = [&] {
            if (points.size() == 1)
                p.drawEllipse(points.first(), 1.5, 1.5);
            p.drawPolyline(points);
            points.clear();
        };
        p.setBrush(Qt::NoBrush);
        p.setPen(QPen(seriesColour(plot == 4 ? 3 : plot), 1.6, Qt::SolidLine, Qt::RoundCap,
                      Qt::RoundJoin));
        int last = first_ - 1;
        for (auto it = begin; it != end; ++it) {
            const double v = value(it->second, plot);
            if (!std::isfinite(v) || (last >= first_ && it->first != last + 1))
                flush(); // a gap is a gap
            if (std::isfinite(v))
                points.append({xOf(it->first, at), y(v)});
            last = it->first;
        }
        flush();
    }

    const double now = xOf(frame_, at);
    p.setPen(QPen(palette().color(QPalette::Highlight).lighter(130), 1));
    p.drawLine(QPointF(now, at.top()), QPointF(now, at.bottom()));
    const int read = hover_ >= 0 ? hover_ : frame_;
    if (hover_ >= 0) {
        p.setPen(QPen(quiet, 1, Qt::DotLine));
        const double x = xOf(hover_, at);
        p.drawLine(QPointF(x, at.top()), QPointF(x, at.bottom()));
    }
    if (const FrameNumbers* numbers = history_->at(read)) {
        p.setPen(palette().color(QPalette::WindowText));
        p.drawText(QRectF(at.left(), at.top() - 6 - metrics.ascent(), at.width(), metrics.height()),
                   Qt::AlignRight,
                   (hover_ >= 0 ? tr("frame %1: ").arg(read) : QString()) +
                       valueText(plot, value(*numbers, plot)));
    }
}

/// Numbers of frames under the last plot, as far apart as they can be read.
void Plots::paintFrames(QPainter& p) const
{
    const QRectF at = area(kPlots - 1);
    const QFontMetrics metrics = fontMetrics();
    const double room = metrics.horizontalAdvance(QString::number(last_)) + 24.0;
    int step = 1;
    for (int i = 0; step * at.width() / std::max(1, last_ - first_) < room && i < 24; ++i)
        step = i % 3 == 1 ? step / 2 * 5 : step * 2; // 1, 2, 5, 10, ...
    p.setPen(quietText(palette()));
    for (int frame = (first_ + step - 1) / step * step; frame <= last_; frame += step)
        p.drawText(QRectF(xOf(frame, at) - room / 2, at.bottom() + 3, room, metrics.height()),
                   Qt::AlignCenter, QString::number(frame));
}

void Plots::paintEvent(QPaintEvent*)
{
    QPainter p(this);
    p.setRenderHint(QPainter::Antialiasing);
    if (history_->frames().empty()) {
        p.setPen(quietText(palette()));
        p.drawText(rect(), Qt::AlignCenter, tr("Statistics appear here as frames are simulated"));
        return;
    }
    for (int plot = 0; plot < kPlots; ++plot)
        paintPlot(p, plot, area(plot));
    paintFrames(p);
}

void Plots::mouseMoveEvent(QMouseEvent* event)
{
    hover_ = frameAt(event->position().x());
    if (event->buttons() & Qt::LeftButton)
        emit frameClicked(hover_);
    update();
}

void Plots::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        emit frameClicked(frameAt(event->position().x()));
}

void Plots::leaveEvent(QEvent*)
{
    hover_ = -1;
    update();
}

} // namespace floe::views
