#include "views/picture_area.hpp"

#include "document/presets.hpp"
#include "themes/colours.hpp"
#include "views/colours.hpp"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QStyleHints>
#include <QTextOption>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace floe::views {

PictureArea::PictureArea(QWidget* parent) : QWidget(parent)
{
    setMouseTracking(true);
    setAcceptDrops(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Viewport"));
    settle_.setSingleShot(true);
    settle_.setInterval(150);
    connect(&settle_, &QTimer::timeout, this, [this] { emit cameraMoved(false); });
}

void PictureArea::setPicture(const QImage& image)
{
    picture_ = image;
    update();
}

void PictureArea::setWipe(const Wipe& wipe)
{
    const double at = wipe_.at;
    wipe_ = wipe;
    wipe_.at = at;
    if (!wipe_.shown)
        unsetCursor();
    update();
}

void PictureArea::setMessage(const QString& title, const QString& text)
{
    if (title == title_ && text == text_)
        return;
    title_ = title;
    text_ = text;
    update();
}

void PictureArea::setLegend(const client::Legend& legend)
{
    legend_ = legend;
    update();
}

void PictureArea::setCorner(const QString& text)
{
    if (std::exchange(corner_, text) != text)
        update();
}

void PictureArea::setGate(double aspect)
{
    if (std::exchange(gate_, aspect) != aspect)
        update();
}

void PictureArea::setHint(const QString& text)
{
    if (std::exchange(hint_, text) != text)
        update();
}

void PictureArea::setOneOfSeveral(bool several, bool active, const QString& name)
{
    several_ = several;
    active_ = active;
    cameraName_ = name;
    update();
}

void PictureArea::setCamera(const OrbitCamera& camera)
{
    const bool lens = camera_.orthographic != camera.orthographic;
    camera_ = camera;
    keepsLens_ = keepsLens_ || lens;
    update();
    if (lens)
        emit lensChanged();
}

void PictureArea::setLens(bool orthographic)
{
    if (std::exchange(camera_.orthographic, orthographic) != orthographic)
        emit lensChanged();
}

void PictureArea::setOrthographic(bool on)
{
    keepsLens_ = true;
    setLens(on);
    update();
    emit cameraMoved(false);
}

void PictureArea::lookFrom(StandardView view)
{
    constexpr std::pair<double, double> kYawAndPitch[] = {{0, 0},   {180, 0}, {90, 0},
                                                          {-90, 0}, {0, 90},  {0, -90}};
    std::tie(camera_.yaw, camera_.pitch) = kYawAndPitch[static_cast<int>(view)];
    camera_.roll = 0;
    keepsLens_ = keepsLens_ && camera_.orthographic;
    setLens(true);
    update();
    emit cameraMoved(false);
}

QString PictureArea::viewName() const
{
    if (!camera_.orthographic || camera_.roll != 0)
        return {};
    if (camera_.pitch == 90 || camera_.pitch == -90)
        return camera_.yaw != 0 ? QString() : camera_.pitch > 0 ? tr("Top") : tr("Bottom");
    if (camera_.pitch != 0)
        return {};
    return camera_.yaw == 0               ? tr("Front")
           : camera_.yaw == 90            ? tr("Right")
           : camera_.yaw == -90           ? tr("Left")
           : std::abs(camera_.yaw) == 180 ? tr("Back")
                                          : QString();
}

void PictureArea::setHandles(const NodeHandles& node)
{
    handles_.set(node);
    update();
}

void PictureArea::setHandle(std::optional<Vec3> position)
{
    handles_.setPlace(position);
    update();
}

void PictureArea::dragHandle()
{
    const HandleTools::Change change = handles_.drag(camera_, size(), last_, keys_);
    update();
    emit handleChanged(change, dragNumber_, false);
}

/// @param keep  what it has changed
void PictureArea::endHandle(bool keep)
{
    drag_ = Drag::None;
    const bool changed = std::exchange(moved_, false);
    HandleTools::Change last;
    if (keep && changed)
        last = handles_.drag(camera_, size(), last_, keys_);
    if (keep)
        handles_.release();
    else
        handles_.cancel();
    if (changed && keep)
        emit handleChanged(last, dragNumber_, true);
    else if (changed)
        emit handleCancelled(dragNumber_);
    update();
}

void PictureArea::paintAxes(QPainter& p) const
{
    static const QColor kColours[] = {QColor(0xe8, 0x5d, 0x5d), QColor(0x7c, 0xc4, 0x4f),
                                      QColor(0x4f, 0x94, 0xe8)};
    static const char* const kNames[] = {"x", "y", "z"};
    const QPointF centre(width() - 40.0, 40);
    std::array<int, 3> order{0, 1, 2};
    const Vec3 forward = camera_.forward();
    std::sort(order.begin(), order.end(), [&](int a, int b) { // far ones first
        return forward[static_cast<std::size_t>(a)] > forward[static_cast<std::size_t>(b)];
    });
    for (const int axis : order) {
        const auto i = static_cast<std::size_t>(axis);
        const QPointF end = centre + QPointF(camera_.right()[i], -camera_.up()[i]) * 24;
        QColor colour = kColours[axis];
        if (forward[i] > 0.2)
            colour = colour.darker(160);
        p.setPen(QPen(colour, 2, Qt::SolidLine, Qt::RoundCap));
        p.drawLine(centre, end);
        p.setPen(Qt::NoPen);
        p.setBrush(colour);
        p.drawEllipse(end, 6.5, 6.5);
        QFont small = font();
        small.setPixelSize(10);
        small.setBold(true);
        p.setFont(small);
        p.setPen(QColor(20, 22, 25));
        p.drawText(QRectF(end.x() - 7, end.y() - 7.5, 14, 14), Qt::AlignCenter,
                   QLatin1String(kNames[axis]));
    }
    p.setFont(font());
}

void PictureArea::paintMessage(QPainter& p) const
{
    if (title_.isEmpty() || !active_ || (wipe_.shown && wipe_.hidesMine))
        return;
    QFont big = font();
    big.setPointSizeF(QFontInfo(big).pointSizeF() * 1.35);
    big.setWeight(QFont::DemiBold);
    const QFontMetrics bigMetrics(big);
    const int wide = std::min(width() - 48, 560);
    if (wide < 40)
        return;
    const QRect title =
        bigMetrics.boundingRect(0, 0, wide, 10'000, Qt::TextWordWrap | Qt::AlignHCenter, title_);
    const QRect body =
        fontMetrics().boundingRect(0, 0, wide, 10'000, Qt::TextWordWrap | Qt::AlignHCenter, text_);
    const int high = title.height() + (text_.isEmpty() ? 0 : 10 + body.height());
    const int top = (height() - high) / 2;
    if (!picture_.isNull()) {
        p.setPen(Qt::NoPen);
        p.setBrush(QColor(16, 18, 21, 215));
        const int w = std::max(title.width(), body.width()) + 48;
        p.drawRoundedRect(QRectF((width() - w) / 2.0, top - 20, w, high + 40), 8, 8);
    }
    const QRect box((width() - wide) / 2, top, wide, title.height());
    p.setFont(big);
    p.setPen(QColor(0xd8, 0xdb, 0xdf));
    p.drawText(box, Qt::TextWordWrap | Qt::AlignHCenter, title_);
    p.setFont(font());
    p.setPen(QColor(0x9a, 0xa0, 0xa8));
    p.drawText(QRect(box.left(), box.bottom() + 11, wide, body.height()),
               Qt::TextWordWrap | Qt::AlignHCenter, text_);
}

void PictureArea::paintLegend(QPainter& p) const
{
    if (legend_.title.isEmpty() || !active_ || (legend_.entries.isEmpty() && legend_.map.isEmpty()))
        return;
    const QFontMetrics metrics = fontMetrics();
    const int line = metrics.height() + 3;
    const bool mapped = legend_.entries.isEmpty();
    const QString low = QString::number(legend_.low, 'g', 4);
    const QString high = QString::number(legend_.high, 'g', 4);
    int wide = metrics.horizontalAdvance(legend_.title);
    if (mapped)
        wide = std::max({wide, 150, metrics.horizontalAdvance(low + high) + 20});
    for (const client::Legend::Entry& entry : legend_.entries)
        wide = std::max(wide, metrics.horizontalAdvance(entry.label) + 18);
    const auto lines = mapped ? 2 : static_cast<int>(legend_.entries.size());
    const QRectF box(width() - wide - 32, height() - (lines + 1) * line - 24, wide + 24,
                     (lines + 1) * line + 14);
    if (box.top() < 70 || box.left() < 0)
        return; // the picture is too small for it
    p.setPen(Qt::NoPen);
    p.setBrush(QColor(16, 18, 21, 165));
    p.drawRoundedRect(box, 5, 5);
    const QRectF in = box.adjusted(12, 7, -12, -7);
    p.setPen(QColor(0xd8, 0xdb, 0xdf));
    p.drawText(QRectF(in.left(), in.top(), in.width(), line), Qt::AlignLeft, legend_.title);
    if (mapped) {
        const QRectF bar(in.left(), in.top() + line + 3, in.width(), line - 8);
        p.setPen(Qt::NoPen);
        p.setBrush(colourMap(legend_.map, bar));
        p.drawRoundedRect(bar, 2, 2);
        p.setPen(QColor(0xc4, 0xc8, 0xcd));
        const QRectF ends(in.left(), bar.bottom() + 4, in.width(), line);
        p.drawText(ends, Qt::AlignLeft, low);
        p.drawText(ends, Qt::AlignRight, high);
        return;
    }
    double y = in.top() + line;
    for (const client::Legend::Entry& entry : legend_.entries) {
        p.setPen(QPen(QColor(255, 255, 255, 50), 1));
        p.setBrush(entry.colour);
        p.drawRoundedRect(QRectF(in.left(), y + line / 2.0 - 6, 11, 11), 2, 2);
        p.setPen(QColor(0xc4, 0xc8, 0xcd));
        p.drawText(QRectF(in.left() + 18, y, in.width() - 18, line),
                   Qt::AlignLeft | Qt::AlignVCenter, entry.label);
        y += line;
    }
}

void PictureArea::paintEvent(QPaintEvent*)
{
    QPainter p(this);
    p.setRenderHint(QPainter::Antialiasing);
    if (picture_.isNull() && !(wipe_.shown && wipe_.hidesMine)) {
        QLinearGradient sky(0, 0, 0, height());
        sky.setColorAt(0, QColor(0x2c, 0x30, 0x36));
        sky.setColorAt(1, QColor(0x1d, 0x20, 0x24));
        p.fillRect(rect(), sky);
    } else if (wipe_.shown) {
        wipe_.paint(p, size(), picture_);
    } else {
        paintFilling(p, rect(), picture_);
    }
    paintGate(p);
    if (hasHandle())
        handles_.paint(p, camera_, size());
    paintReading(p);
    paintAxes(p);
    paintLegend(p);
    paintNotes(p);
    paintMessage(p);
    if (several_ && active_) {
        constexpr double kFrame = 2; // pixels
        p.setBrush(Qt::NoBrush);
        p.setPen(QPen(editor::themeColours().focus, kFrame, Qt::SolidLine, Qt::SquareCap,
                      Qt::MiterJoin));
        p.drawRect(QRectF(rect()).adjusted(kFrame / 2, kFrame / 2, -kFrame / 2, -kFrame / 2));
    }
}

/// What is written at the edges.
void PictureArea::paintNotes(QPainter& p) const
{
    const QFontMetrics metrics = fontMetrics();
    if (!corner_.isEmpty() && active_)
        paintLabel(p,
                   {8.0, height() - metrics.height() - 14.0,
                    metrics.horizontalAdvance(corner_) + 14.0, metrics.height() + 6.0},
                   corner_);
    QString name;
    if (several_ && !cameraName_.isEmpty())
        name = cameraName_;
    else if (camera_.orthographic)
        name = viewName().isEmpty() ? tr("Orthographic") : tr("%1, orthographic").arg(viewName());
    else if (several_)
        name = tr("Perspective");
    if (!name.isEmpty())
        paintLabel(p, {8, 8, metrics.horizontalAdvance(name) + 14.0, metrics.height() + 6.0}, name);
    if (!hint_.isEmpty() && title_.isEmpty() && active_) {
        const QRect room(0, 0, width() - 160, height()); // the axes are at the right
        const QSizeF text = metrics.boundingRect(room, Qt::TextWordWrap, hint_).size();
        paintLabel(p,
                   {(width() - text.width() - 28) / 2, 12, text.width() + 28, text.height() + 14},
                   hint_);
    }
}

/// What is rendered is as large as fits: the picture sees all of it (client::View::gate).
void PictureArea::paintGate(QPainter& p) const
{
    if (gate_ <= 0 || isBeside() || picture_.isNull())
        return;
    const QSizeF size = QSizeF(gate_, 1).scaled(this->size(), Qt::KeepAspectRatio);
    QRectF gate({}, size);
    gate.moveCenter(QRectF(rect()).center());
    if (gate.left() < 1 && gate.top() < 1)
        return;
    QPainterPath beyond;
    beyond.addRect(rect());
    beyond.addRect(gate);
    p.fillPath(beyond, QColor(16, 18, 21, 110));
    p.setBrush(Qt::NoBrush);
    p.setPen(QColor(0xd8, 0xdb, 0xdf, 150));
    p.drawRect(gate);
}

/// What a handle does, beside the mouse.
void PictureArea::paintReading(QPainter& p) const
{
    const QString text = drag_ == Drag::Handle && moved_ ? handles_.reading() : QString();
    if (text.isEmpty())
        return;
    const QFontMetrics metrics = fontMetrics();
    QRectF box(last_.x() + 18, last_.y() + 14, metrics.horizontalAdvance(text) + 16,
               metrics.height() + 8);
    box.moveRight(std::min<double>(box.right(), width() - 6));
    box.moveBottom(std::min<double>(box.bottom(), height() - 6));
    paintLabel(p, box, text);
}

void PictureArea::paintLabel(QPainter& p, const QRectF& box, const QString& text) const
{
    p.setPen(Qt::NoPen);
    p.setBrush(QColor(16, 18, 21, 130));
    p.drawRoundedRect(box, 4, 4);
    p.setPen(QColor(0xd8, 0xdb, 0xdf));
    p.drawText(box, Qt::AlignCenter | Qt::TextWordWrap, text);
}

void PictureArea::mousePressEvent(QMouseEvent* event)
{
    emit touched();
    last_ = pressed_ = event->position();
    moved_ = false;
    const Qt::KeyboardModifiers keys = event->modifiers();
    const bool left = event->button() == Qt::LeftButton;
    const bool middle = event->button() == Qt::MiddleButton;
    if (drag_ != Drag::None)
        return;
    if (left && wipe_.isOnLine(size(), last_)) {
        drag_ = Drag::Wipe;
        return;
    }
    if (left && !(keys & Qt::AltModifier) && hasHandle() &&
        handles_.press(camera_, size(), last_, keys & Qt::ShiftModifier)) {
        drag_ = Drag::Handle;
        keys_ = keys;
        ++dragNumber_;
        update();
        return;
    }
    if (event->button() == Qt::RightButton || (middle && (keys & Qt::ControlModifier)))
        drag_ = Drag::Zoom;
    else if ((keys & Qt::ShiftModifier) || (middle && (keys & Qt::AltModifier)))
        drag_ = Drag::Pan;
    else if (left || middle)
        drag_ = Drag::Orbit;
}

void PictureArea::mouseMoveEvent(QMouseEvent* event)
{
    const QPointF now = event->position();
    if (drag_ == Drag::None) {
        if (hasHandle() && handles_.hover(camera_, size(), now))
            update();
        if (wipe_.isOnLine(size(), now))
            setCursor(Qt::SplitHCursor);
        else
            unsetCursor();
        return;
    }
    if (!moved_ &&
        (now - pressed_).manhattanLength() < QGuiApplication::styleHints()->startDragDistance() / 2)
        return;
    moved_ = true;
    const QPointF by = now - std::exchange(last_, now);
    switch (drag_) {
    case Drag::Wipe:
        wipe_.drag(size(), now);
        update();
        return;
    case Drag::Handle:
        keys_ = event->modifiers();
        dragHandle();
        return;
    case Drag::Orbit:
        camera_.orbit(by.x(), by.y());
        if (!keepsLens_)
            setLens(false);
        break;
    case Drag::Pan:
        camera_.pan(by.x(), by.y(), height());
        break;
    case Drag::Zoom:
        camera_.zoom((by.x() + by.y()) / 30);
        break;
    case Drag::None:
        return;
    }
    update();
    emit cameraMoved(true);
}

void PictureArea::mouseReleaseEvent(QMouseEvent* event)
{
    if (drag_ == Drag::Handle) {
        endHandle(true);
        return;
    }
    const Drag was = std::exchange(drag_, Drag::None);
    if (was == Drag::Wipe)
        return;
    if (moved_) {
        emit cameraMoved(false);
    } else if (event->button() == Qt::LeftButton && was == Drag::Orbit) {
        emit picked(event->position());
    }
}

void PictureArea::wheelEvent(QWheelEvent* event)
{
    emit touched();
    camera_.zoom(event->angleDelta().y() / 120.0);
    update();
    emit cameraMoved(true);
    settle_.start();
    event->accept();
}

/// Keys that are shortcuts elsewhere are the handle's while it is held.
bool PictureArea::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride && drag_ == Drag::Handle) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void PictureArea::keyPressEvent(QKeyEvent* event)
{
    if (drag_ == Drag::Handle) {
        if (event->key() == Qt::Key_Escape)
            endHandle(false);
        else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
            endHandle(true);
        else if (handles_.type(*event)) {
            moved_ = true;
            dragHandle();
        }
        return;
    }
    // As on Blender's number pad.
    const bool pad = event->modifiers() & Qt::KeypadModifier;
    const bool opposite = event->modifiers() & Qt::ControlModifier;
    if (pad && event->key() == Qt::Key_1)
        lookFrom(opposite ? StandardView::Back : StandardView::Front);
    else if (pad && event->key() == Qt::Key_3)
        lookFrom(opposite ? StandardView::Left : StandardView::Right);
    else if (pad && event->key() == Qt::Key_7)
        lookFrom(opposite ? StandardView::Bottom : StandardView::Top);
    else if (pad && event->key() == Qt::Key_5)
        setOrthographic(!camera_.orthographic);
    else
        QWidget::keyPressEvent(event);
}

void PictureArea::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    emit touched();
}

void PictureArea::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasFormat(editor::kLibraryFormat))
        event->acceptProposedAction();
}

void PictureArea::dropEvent(QDropEvent* event)
{
    event->acceptProposedAction();
    emit touched();
    emit dropped(QString::fromUtf8(event->mimeData()->data(editor::kLibraryFormat)),
                 event->position());
}

void PictureArea::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    emit resized();
}

} // namespace floe::views
