#include "views/picture_area.hpp"

#include "document/presets.hpp"
#include "themes/colours.hpp"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>
#include <QStyleHints>
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

void PictureArea::setHandle(std::optional<Vec3> position, const std::vector<Placement>& spaces)
{
    handles_.setPlace(position, spaces);
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
    if (left && !(keys & Qt::AltModifier) && hasHandle()) {
        const bool went = handles_.goTo(camera_, size(), last_);
        if (handles_.press(camera_, size(), last_, keys & Qt::ShiftModifier)) {
            drag_ = Drag::Handle;
            keys_ = keys;
            ++dragNumber_;
        }
        if (went || drag_ == Drag::Handle) {
            update();
            return;
        }
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
