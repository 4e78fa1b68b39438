#include "views/frame_bar.hpp"

#include "views/colours.hpp"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace floe::views {

using client::FrameState;

namespace {

constexpr double kMargin = 10; // left and right, so that the first and last labels fit
constexpr double kBarHeight = 10;

/// Distance of labels: 1, 2, 5, 10, ... frames, at least `pixels` apart.
int labelStep(double pixelsPerFrame, double pixels)
{
    for (int decade = 1; decade < 1'000'000'000; decade *= 10)
        for (const int step : {1, 2, 5})
            if (step * decade * pixelsPerFrame >= pixels)
                return step * decade;
    return 1'000'000'000;
}

} // namespace

FrameBar::FrameBar(QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setMouseTracking(true);
    setAccessibleName(tr("Frames"));
}

QSize FrameBar::sizeHint() const
{
    return {600, fontMetrics().height() + 28};
}

QSize FrameBar::minimumSizeHint() const
{
    return {160, sizeHint().height()};
}

void FrameBar::setRange(int first, int last)
{
    first_ = first;
    last_ = std::max(first, last);
    update();
}

void FrameBar::setFrames(const QVector<client::FrameSpan>& frames)
{
    frames_ = frames;
    update();
}

void FrameBar::setFrame(int frame)
{
    frame_ = frame;
    update();
}

void FrameBar::setKeys(const QVector<int>& frames)
{
    keys_ = frames;
    update();
}

FrameState FrameBar::stateAt(int frame) const
{
    FrameState state = FrameState::Empty;
    for (const client::FrameSpan& span : frames_) // later ones say more
        if (frame >= span.first && frame <= span.last)
            state = span.state;
    return state;
}

double FrameBar::xOf(double frame) const
{
    return kMargin + (frame - first_) * (width() - 2 * kMargin) / (double(last_) - first_ + 1);
}

int FrameBar::frameAt(double x) const
{
    const double cell = (width() - 2 * kMargin) / (double(last_) - first_ + 1);
    return static_cast<int>(
        std::clamp(std::floor(first_ + (x - kMargin) / cell), double(first_), double(last_)));
}

void FrameBar::paintEvent(QPaintEvent*)
{
    QPainter p(this);
    p.setRenderHint(QPainter::Antialiasing);
    const QPalette& colours = palette();
    const QColor text = quietText(colours);
    const double cell = (width() - 2 * kMargin) / (double(last_) - first_ + 1);
    const double barTop = height() - kBarHeight - 5;
    const QRectF bar(kMargin, barTop, width() - 2 * kMargin, kBarHeight);

    p.setPen(Qt::NoPen);
    p.setBrush(frameColour(FrameState::Empty));
    p.drawRoundedRect(bar, 3, 3);
    QPainterPath clip;
    clip.addRoundedRect(bar, 3, 3);
    p.save();
    p.setClipPath(clip);
    for (const client::FrameSpan& span : frames_) {
        if (span.last < first_ || span.first > last_ || span.state == FrameState::Empty)
            continue;
        const double left = xOf(std::max(span.first, first_));
        const QRectF rect(left, barTop, xOf(std::min(span.last, last_) + 1.0) - left, kBarHeight);
        const QColor colour = frameColour(span.state);
        p.fillRect(rect, colour);
        const QColor mark = colour.darker(160);
        if (span.state == FrameState::Stale)
            p.fillRect(rect, QBrush(mark, Qt::BDiagPattern));
        else if (span.state == FrameState::Broken)
            p.fillRect(rect, QBrush(mark, Qt::DiagCrossPattern));
        else if (span.state == FrameState::Running)
            p.fillRect(rect, QBrush(mark, Qt::Dense6Pattern));
    }
    if (cell >= 6) {
        p.setPen(QPen(colours.color(QPalette::Window), 1));
        for (int frame = first_ + 1; frame <= last_; ++frame)
            p.drawLine(QPointF(xOf(frame), barTop), QPointF(xOf(frame), barTop + kBarHeight));
    }
    p.restore();

    const QFontMetrics metrics = fontMetrics();
    const int step = labelStep(cell, metrics.horizontalAdvance(QStringLiteral("00000")) + 10);
    const int minor = labelStep(cell, 6);
    p.setPen(hairline(colours));
    if (step > minor)
        for (int frame = first_ + ((minor - first_ % minor) % minor); frame <= last_;
             frame += minor) {
            const double x = xOf(frame + 0.5);
            p.drawLine(QPointF(x, barTop - 4), QPointF(x, barTop - 1));
        }
    const QString now = QString::number(frame_);
    const double nowWidth = metrics.horizontalAdvance(now) + 12;
    const double nowX = xOf(frame_ + 0.5);
    const QRectF flag(std::clamp(nowX - nowWidth / 2, 0.0, width() - nowWidth), 1, nowWidth,
                      metrics.height() + 3);
    for (int frame = first_ + ((step - first_ % step) % step); frame <= last_; frame += step) {
        const double x = xOf(frame + 0.5);
        p.setPen(hairline(colours));
        p.drawLine(QPointF(x, barTop - 6), QPointF(x, barTop - 1));
        const QString label = QString::number(frame);
        const double half = metrics.horizontalAdvance(label) / 2.0;
        if (x + half + 4 < flag.left() || x - half - 4 > flag.right()) {
            p.setPen(text);
            p.drawText(QPointF(x - half, 2 + metrics.ascent()), label);
        }
    }

    p.setPen(Qt::NoPen);
    p.setBrush(seriesColour(1));
    for (const int key : keys_)
        if (key >= first_ && key <= last_) {
            const double x = xOf(key + 0.5), y = barTop + kBarHeight / 2;
            p.drawPolygon(QPolygonF({{x, y - 4}, {x + 4, y}, {x, y + 4}, {x - 4, y}}));
        }

    const QColor accent = colours.color(QPalette::Highlight);
    if (frame_ >= first_ && frame_ <= last_) {
        p.setPen(QPen(accent.lighter(130), 2));
        p.drawLine(QPointF(nowX, flag.bottom()), QPointF(nowX, height() - 2.0));
    }
    p.setPen(Qt::NoPen);
    p.setBrush(accent);
    p.drawRoundedRect(flag, 3, 3);
    p.setPen(colours.color(QPalette::HighlightedText));
    p.drawText(flag, Qt::AlignCenter, now);
    if (hasFocus()) {
        p.setPen(QPen(blend(colours.color(QPalette::Window), accent, 0.7), 1));
        p.setBrush(Qt::NoBrush);
        p.drawRoundedRect(bar.adjusted(-2, -2, 2, 2), 4, 4);
    }
}

void FrameBar::scrubTo(double x, bool scrubbing)
{
    const int frame = frameAt(x);
    if (frame == frame_ && scrubbing)
        return;
    setFrame(frame);
    emit scrubbed(frame, scrubbing);
}

void FrameBar::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    down_ = true;
    scrubTo(event->position().x(), true);
}

void FrameBar::mouseMoveEvent(QMouseEvent* event)
{
    if (down_)
        scrubTo(event->position().x(), true);
}

void FrameBar::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !down_)
        return;
    down_ = false;
    scrubTo(event->position().x(), false);
}

void FrameBar::wheelEvent(QWheelEvent* event)
{
    const int step = event->angleDelta().y() > 0 ? -1 : 1;
    const int frame = std::clamp(frame_ + step, first_, last_);
    if (frame != frame_) {
        setFrame(frame);
        emit scrubbed(frame, false);
    }
    event->accept();
}

void FrameBar::contextMenuEvent(QContextMenuEvent* event)
{
    const int frame = frameAt(event->pos().x());
    QMenu menu(this);
    QAction* resume = menu.addAction(tr("Resume from frame %1").arg(frame));
    const FrameState state = stateAt(frame);
    resume->setEnabled(state == FrameState::Cached || state == FrameState::Stale);
    resume->setToolTip(tr("Simulates on from this frame with the scene as it is now"));
    menu.addSeparator();
    QAction* start = menu.addAction(tr("Start range here"));
    QAction* end = menu.addAction(tr("End range here"));
    const QAction* chosen = menu.exec(event->globalPos());
    if (chosen == resume)
        emit resumeWanted(frame);
    else if (chosen == start)
        emit rangeWanted(frame, last_);
    else if (chosen == end)
        emit rangeWanted(first_, frame);
}

bool FrameBar::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int frame = frameAt(help->pos().x());
        QToolTip::showText(help->globalPos(),
                           tr("Frame %1: %2").arg(frame).arg(client::label(stateAt(frame))), this);
        return true;
    }
    return QWidget::event(event);
}

} // namespace floe::views
