#include "panels/curve_view.hpp"

#include "panels/number_field.hpp"
#include "panels/parameter_row.hpp"
#include "themes/colours.hpp"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineF>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace floe::panels {

using Mode = CurveKey::Mode;

namespace {

constexpr double kGrip = 8; // logical pixels

QColor channelColour(std::size_t channel, std::size_t count)
{
    static const QColor kColours[] = {QColor(0xe8, 0x5d, 0x5d), QColor(0x7c, 0xc4, 0x4f),
                                      QColor(0x4f, 0x94, 0xe8)};
    return count == 1 ? editor::themeColours().keyed : editor::onTheme(kColours[channel % 3]);
}

/// Distance of lines of a grid: 1, 2 or 5 times a power of ten.
double gridStep(double span, double pixels, double apart)
{
    const double least = span * apart / std::max(1.0, pixels);
    const double decade = std::pow(10, std::floor(std::log10(std::max(least, 1e-12))));
    for (const double step : {1.0, 2.0, 5.0, 10.0})
        if (step * decade >= least)
            return step * decade;
    return 10 * decade;
}

} // namespace

CurveView::CurveView(QWidget* parent)
    : QWidget(parent), area_(new QWidget(this)), title_(new QLabel(this))
{
    area_->setFocusPolicy(Qt::StrongFocus);
    area_->setMouseTracking(true);
    area_->setAccessibleName(tr("Curves"));
    area_->installEventFilter(this);
    area_->setMinimumHeight(120);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 3, 6, 3);
    bar->setSpacing(2);
    bar->addWidget(title_, 1);
    const QString texts[] = {tr("Step"), tr("Linear"), tr("Bezier")};
    const QString tips[] = {tr("Hold the value until the next key"), tr("Straight to the next key"),
                            tr("Smooth to the next key")};
    for (int i = 0; i < 3; ++i) {
        modes_[i] = new QToolButton(this);
        modes_[i]->setText(texts[i]);
        modes_[i]->setToolTip(tips[i]);
        modes_[i]->setCheckable(true);
        modes_[i]->setAutoRaise(true);
        connect(modes_[i], &QToolButton::clicked, this,
                [this, i] { setMode(static_cast<Mode>(i)); });
        bar->addWidget(modes_[i]);
    }
    auto* close = new QToolButton(this);
    close->setText(QStringLiteral("×"));
    close->setToolTip(tr("Close the curves"));
    close->setAutoRaise(true);
    connect(close, &QToolButton::clicked, this, &CurveView::closed);
    bar->addWidget(close);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins({});
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(area_, 1);
}

void CurveView::setTitle(const QString& title)
{
    title_->setText(title);
}

void CurveView::setCurves(const Channels& channels, const QStringList& names)
{
    if (drag_ == 0 || grip_.part == Part::None)
        channels_ = channels;
    names_ = names;
    if (selected_ && (selected_->channel >= channels_.size() ||
                      selected_->key >= channels_[selected_->channel].keys.size()))
        selected_.reset();
    if (!std::exchange(framed_, true))
        frameAll();
    showModes();
    area_->update();
}

void CurveView::setRange(int first, int last)
{
    first_ = first;
    last_ = last;
    area_->update();
}

void CurveView::setFrame(int frame)
{
    frame_ = frame;
    area_->update();
}

void CurveView::frameAll()
{
    left_ = first_;
    right_ = last_;
    double low = INFINITY, high = -INFINITY;
    for (const Channel& channel : channels_)
        for (const CurveKey& key : channel.keys) {
            left_ = std::min(left_, key.frame);
            right_ = std::max(right_, key.frame);
            low = std::min(low, key.value);
            high = std::max(high, key.value);
        }
    if (!(low <= high)) {
        low = 0;
        high = 1;
    }
    const double margin = high > low ? 0.18 * (high - low) : std::max(0.5, 0.3 * std::abs(high));
    low_ = low - margin;
    high_ = high + margin;
    const double wide = std::max(1.0, right_ - left_);
    left_ -= 0.05 * wide;
    right_ += 0.05 * wide;
    area_->update();
}

QPointF CurveView::place(double frame, double value) const
{
    return {(frame - left_) / (right_ - left_) * area_->width(),
            (high_ - value) / (high_ - low_) * area_->height()};
}

QPointF CurveView::at(QPointF place) const
{
    return {left_ + place.x() / std::max(1, area_->width()) * (right_ - left_),
            high_ - place.y() / std::max(1, area_->height()) * (high_ - low_)};
}

bool CurveView::isSelected(const Grip& grip) const
{
    return selected_ && selected_->channel == grip.channel && selected_->key == grip.key;
}

void CurveView::showModes()
{
    for (int i = 0; i < 3; ++i) {
        bool all = true, any = false;
        for (std::size_t c = 0; c < channels_.size(); ++c)
            for (std::size_t k = 0; k < channels_[c].keys.size(); ++k)
                if (!selected_ || isSelected({Part::Key, c, k})) {
                    any = true;
                    all = all && channels_[c].keys[k].mode == static_cast<Mode>(i);
                }
        modes_[i]->setEnabled(any);
        modes_[i]->setChecked(any && all);
    }
}

void CurveView::setMode(Mode mode)
{
    for (std::size_t c = 0; c < channels_.size(); ++c)
        for (std::size_t k = 0; k < channels_[c].keys.size(); ++k)
            if (!selected_ || isSelected({Part::Key, c, k})) {
                CurveKey& key = channels_[c].keys[k];
                key.mode = mode;
                if (mode != Mode::Bezier)
                    key.in = key.out = std::nullopt;
            }
    showModes();
    area_->update();
    emit edited(channels_, ParameterRow::newDrag());
}

CurveView::Grip CurveView::gripAt(QPointF mouse) const
{
    Grip best;
    double nearest = kGrip;
    const auto offer = [&](Part part, std::size_t c, std::size_t k, QPointF where) {
        const double away = QLineF(where, mouse).length();
        if (away < nearest) {
            nearest = away;
            best = {part, c, k};
        }
    };
    for (std::size_t c = 0; c < channels_.size(); ++c) {
        const auto& keys = channels_[c].keys;
        for (std::size_t k = 0; k < keys.size(); ++k) {
            offer(Part::Key, c, k, place(keys[k].frame, keys[k].value));
            if (!isSelected({Part::Key, c, k}) || keys[k].mode != Mode::Bezier)
                continue;
            const auto in = handleOf(keys, k, false), out = handleOf(keys, k, true);
            offer(Part::In, c, k, place(keys[k].frame + in[0], keys[k].value + in[1]));
            offer(Part::Out, c, k, place(keys[k].frame + out[0], keys[k].value + out[1]));
        }
    }
    return best;
}

void CurveView::paintCurve(QPainter& p, std::size_t c) const
{
    const auto& keys = channels_[c].keys;
    if (channels_[c].kind != Channel::Kind::Keys || keys.empty())
        return;
    const QColor colour = channelColour(c, channels_.size());
    QPolygonF line;
    for (int x = 0; x <= area_->width(); x += 2) {
        const double frame = at({double(x), 0}).x();
        // Corners and steps are drawn exactly.
        for (const CurveKey& key : keys)
            if (key.frame > at({x - 2.0, 0}).x() && key.frame <= frame) {
                if (&key != &keys.front() && (&key - 1)->mode == Mode::Step)
                    line.append(place(key.frame, (&key - 1)->value));
                line.append(place(key.frame, key.value));
            }
        line.append(place(frame, valueAt(keys, frame)));
    }
    p.setPen(QPen(colour, 1.6));
    p.setBrush(Qt::NoBrush);
    p.drawPolyline(line);
    for (std::size_t k = 0; k < keys.size(); ++k) {
        const QPointF centre = place(keys[k].frame, keys[k].value);
        const bool selected = isSelected({Part::Key, c, k});
        if (selected && keys[k].mode == Mode::Bezier)
            for (const bool out : {false, true}) {
                const auto handle = handleOf(keys, k, out);
                const QPointF end = place(keys[k].frame + handle[0], keys[k].value + handle[1]);
                p.setPen(QPen(palette().color(QPalette::WindowText), 1));
                p.drawLine(centre, end);
                p.setBrush(palette().color(QPalette::Base));
                p.drawEllipse(end, 3.5, 3.5);
            }
        p.setPen(QPen(selected ? palette().color(QPalette::WindowText) : colour, 1.4));
        p.setBrush(selected ? colour : palette().color(QPalette::Base));
        p.drawPolygon(QPolygonF({centre + QPointF(0, -5), centre + QPointF(5, 0),
                                 centre + QPointF(0, 5), centre + QPointF(-5, 0)}));
    }
}

void CurveView::paint(QWidget* area)
{
    QPainter p(area);
    p.setRenderHint(QPainter::Antialiasing);
    const QColor base = palette().color(QPalette::Base);
    p.fillRect(area->rect(), base);
    QColor shade(0, 0, 0, 28), line = palette().color(QPalette::Text), text = line;
    line.setAlphaF(0.10f);
    text.setAlphaF(0.66f); // legible in both themes
    p.fillRect(QRectF(0, 0, place(first_, 0).x(), area->height()), shade);
    const double end = place(last_, 0).x();
    p.fillRect(QRectF(end, 0, area->width() - end, area->height()), shade);
    const QFontMetrics metrics = fontMetrics();
    const double frames = std::max(1.0, gridStep(right_ - left_, area->width(), 60));
    for (double f = std::ceil(left_ / frames) * frames; f <= right_; f += frames) {
        const double x = place(f, 0).x();
        p.setPen(line);
        p.drawLine(QPointF(x, 0), QPointF(x, area->height()));
        p.setPen(text);
        const QString number = QString::number(f, 'f', 0);
        if (x + 3 + metrics.horizontalAdvance(number) <= area->width()) // not half of it
            p.drawText(QPointF(x + 3, area->height() - 4), number);
    }
    const double values = gridStep(high_ - low_, area->height(), 38);
    for (double v = std::ceil(low_ / values) * values; v <= high_; v += values) {
        const double y = place(0, v).y();
        p.setPen(line);
        p.drawLine(QPointF(0, y), QPointF(area->width(), y));
        p.setPen(text);
        p.drawText(QPointF(4, y - 2),
                   NumberField::text(std::abs(v) < values * 1e-6 ? 0 : v, false));
    }
    const double now = place(frame_, 0).x();
    p.setPen(QPen(palette().color(QPalette::Highlight).lighter(130), 1.5));
    p.drawLine(QPointF(now, 0), QPointF(now, area->height()));
    for (std::size_t c = 0; c < channels_.size(); ++c)
        paintCurve(p, c);
    double x = area->width() - 8;
    for (auto c = static_cast<qsizetype>(channels_.size()) - 1; c >= 0 && channels_.size() > 1;
         --c) {
        const QString name = names_.value(c);
        x -= metrics.horizontalAdvance(name) + 14;
        p.setPen(channelColour(static_cast<std::size_t>(c), channels_.size()));
        p.drawText(QPointF(x, metrics.ascent() + 5), name);
    }
    if (selected_) {
        const CurveKey& key = channels_[selected_->channel].keys[selected_->key];
        p.setPen(text);
        p.drawText(
            QPointF(46, metrics.ascent() + 5),
            tr("frame %1, value %2")
                .arg(NumberField::text(key.frame, false), NumberField::text(key.value, false)));
    }
}

void CurveView::press(QMouseEvent* event)
{
    pressed_ = panned_ = event->position();
    moved_ = false;
    if (event->button() == Qt::MiddleButton) {
        panning_ = true;
        return;
    }
    if (event->button() != Qt::LeftButton)
        return;
    grip_ = gripAt(pressed_);
    if (grip_.part == Part::None) {
        selected_.reset();
        scrubbing_ = true;
        emit frameWanted(static_cast<int>(std::lround(at(pressed_).x())));
    } else {
        selected_ = Grip{Part::Key, grip_.channel, grip_.key};
        before_ = channels_;
        drag_ = ParameterRow::newDrag();
    }
    showModes();
    area_->update();
}

void CurveView::move(QMouseEvent* event)
{
    const QPointF now = event->position();
    if (panning_) {
        const QPointF from = at(panned_), to = at(now);
        left_ += from.x() - to.x();
        right_ += from.x() - to.x();
        low_ += from.y() - to.y();
        high_ += from.y() - to.y();
        panned_ = now;
        area_->update();
    } else if (scrubbing_) {
        emit frameWanted(static_cast<int>(std::lround(at(now).x())));
    } else if (event->buttons() & Qt::LeftButton && grip_.part != Part::None) {
        if (moved_ || (now - pressed_).manhattanLength() >= 3)
            dragTo(now, event->modifiers());
    } else {
        area_->setCursor(gripAt(now).part == Part::None ? Qt::ArrowCursor : Qt::SizeAllCursor);
    }
}

void CurveView::dragTo(QPointF mouse, Qt::KeyboardModifiers modifiers)
{
    moved_ = true;
    channels_ = before_;
    auto& keys = channels_[grip_.channel].keys;
    CurveKey& key = keys[grip_.key];
    QPointF by = at(mouse) - at(pressed_);
    if (modifiers & Qt::ShiftModifier) // along one axis
        (std::abs(mouse.x() - pressed_.x()) > std::abs(mouse.y() - pressed_.y()) ? by.ry()
                                                                                 : by.rx()) = 0;
    // As precise as the screen shows.
    const double resolution =
        std::pow(10, std::floor(std::log10((high_ - low_) / std::max(1, area_->height()))));
    const auto rounded = [resolution](double v) {
        return QString::number(std::round(v / resolution) * resolution, 'g', 12).toDouble();
    };
    if (grip_.part == Part::Key) {
        double frame = std::round(key.frame + by.x()); // keys stay between their neighbours
        if (grip_.key > 0)
            frame = std::max(frame, keys[grip_.key - 1].frame + 1);
        if (grip_.key + 1 < keys.size())
            frame = std::min(frame, keys[grip_.key + 1].frame - 1);
        key.frame = frame;
        key.value = rounded(key.value + by.y());
    } else {
        const bool out = grip_.part == Part::Out;
        auto handle = handleOf(keys, grip_.key, out);
        handle[0] = out ? std::max(0.0, handle[0] + by.x()) : std::min(0.0, handle[0] + by.x());
        handle[0] = std::round(handle[0] * 100) / 100;
        handle[1] = rounded(handle[1] + by.y());
        auto other = handleOf(keys, grip_.key, !out);
        if (!(modifiers & Qt::AltModifier) && handle[0] != 0) // Alt breaks the tangent
            other[1] = rounded(handle[1] / handle[0] * other[0]);
        (out ? key.out : key.in) = handle;
        (out ? key.in : key.out) = other;
    }
    area_->update();
    emit edited(channels_, drag_);
}

void CurveView::addKey(QPointF mouse)
{
    const QPointF point = at(mouse);
    const double frame = std::round(point.x());
    std::size_t best = channels_.size();
    double nearest = INFINITY;
    for (std::size_t c = 0; c < channels_.size(); ++c)
        if (channels_[c].kind == Channel::Kind::Keys) {
            const double away =
                std::abs(place(0, valueAt(channels_[c].keys, frame)).y() - mouse.y());
            if (away < nearest) {
                nearest = away;
                best = c;
            }
        }
    if (best == channels_.size() || hasKey(channels_[best], frame))
        return;
    setKey(channels_[best], frame, valueAt(channels_[best].keys, frame));
    const auto& keys = channels_[best].keys;
    for (std::size_t k = 0; k < keys.size(); ++k)
        if (keys[k].frame == frame)
            selected_ = Grip{Part::Key, best, k};
    showModes();
    emit edited(channels_, ParameterRow::newDrag());
}

void CurveView::removeSelected()
{
    if (!selected_)
        return;
    Channel& channel = channels_[selected_->channel];
    removeKey(channel, channel.keys[selected_->key].frame);
    selected_.reset();
    showModes();
    area_->update();
    emit edited(channels_, ParameterRow::newDrag());
}

void CurveView::zoom(QPointF mouse, double steps, Qt::KeyboardModifiers keys)
{
    const double factor = std::pow(0.87, steps);
    const QPointF fixed = at(mouse);
    if (!(keys & Qt::ControlModifier)) {
        const double wide = std::clamp((right_ - left_) * factor, 2.0, 1e7);
        left_ = fixed.x() - (fixed.x() - left_) * wide / (right_ - left_);
        right_ = left_ + wide;
    }
    if (!(keys & Qt::ShiftModifier)) {
        const double high = std::clamp((high_ - low_) * factor, 1e-9, 1e15);
        const double share = (fixed.y() - low_) / (high_ - low_);
        low_ = fixed.y() - share * high;
        high_ = low_ + high;
    }
    area_->update();
}

bool CurveView::eventFilter(QObject* object, QEvent* event)
{
    if (object != area_)
        return QWidget::eventFilter(object, event);
    switch (event->type()) {
    case QEvent::Paint:
        paint(area_);
        return true;
    case QEvent::MouseButtonPress:
        press(static_cast<QMouseEvent*>(event));
        return true;
    case QEvent::MouseMove:
        move(static_cast<QMouseEvent*>(event));
        return true;
    case QEvent::MouseButtonRelease:
        panning_ = scrubbing_ = false;
        grip_ = {};
        drag_ = 0;
        return true;
    case QEvent::MouseButtonDblClick:
        addKey(static_cast<QMouseEvent*>(event)->position());
        return true;
    case QEvent::Wheel: {
        auto* wheel = static_cast<QWheelEvent*>(event);
        const double turned =
            wheel->angleDelta().y() != 0 ? wheel->angleDelta().y() : wheel->angleDelta().x();
        zoom(wheel->position(), turned / 120.0, wheel->modifiers());
        wheel->accept();
        return true;
    }
    case QEvent::ShortcutOverride:
    case QEvent::KeyPress: {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool remove = key->key() == Qt::Key_Delete || key->key() == Qt::Key_Backspace;
        if (!remove && key->key() != Qt::Key_F)
            break;
        if (event->type() == QEvent::KeyPress) {
            if (remove)
                removeSelected();
            else
                frameAll();
        }
        event->accept();
        return true;
    }
    default:
        break;
    }
    return QWidget::eventFilter(object, event);
}

} // namespace floe::panels
