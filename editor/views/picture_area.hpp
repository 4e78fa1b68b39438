#pragma once

#include "client/messages.hpp"
#include "views/orbit_camera.hpp"
#include "views/translate_handle.hpp"
#include "views/wipe.hpp"

#include <QImage>
#include <QTimer>
#include <QWidget>

namespace floe::views {

/// The picture, and the mouse over it: turning (left or middle drag), panning (Shift with either,
/// or Alt+middle), nearing (wheel or right drag), picking (click) and dragging the handle.
/// Houdini's Alt+left/middle/right and Blender's middle, Shift+middle and Ctrl+middle work as
/// there.
class PictureArea : public QWidget {
    Q_OBJECT
public:
    explicit PictureArea(QWidget* parent = nullptr);

    void setPicture(const QImage& image);
    const QImage& picture() const { return picture_; }
    /// Shown in the middle while there is no picture, or over a dimmed one. Empty: nothing.
    void setMessage(const QString& title, const QString& text);
    QString message() const { return title_ + QLatin1Char('\n') + text_; }
    void setLegend(const client::Legend& legend);
    const client::Legend& legend() const { return legend_; }
    void setCorner(const QString& text); ///< small, at the lower left
    /// Advice over the picture, at the top: what is odd about it. Empty: none.
    void setHint(const QString& text);
    QString hint() const { return hint_; }

    /// Width by height of the picture that is rendered: what lies beside it is dimmed. 0: none.
    void setGate(double aspect);
    double gate() const { return gate_; }

    /// The picture of another run, over this one or beside it.
    const Wipe& wipe() const { return wipe_; }
    void setWipe(const Wipe& wipe); ///< its line stays where it was dragged to

    const OrbitCamera& camera() const { return camera_; }
    void setCamera(const OrbitCamera& camera); ///< tells nobody

    /// The point that may be dragged. Empty: no handle.
    void setHandle(std::optional<Vec3> position);
    /// Not while a message lies over the picture.
    bool hasHandle() const { return handleShown_ && title_.isEmpty() && !isBeside(); }

    QSize sizeHint() const override { return {960, 540}; }
    QSize minimumSizeHint() const override { return {160, 90}; }

signals:
    /// @param moving more will follow soon
    void cameraMoved(bool moving);
    void picked(QPointF position); ///< logical pixels
    /// @param drag the same for all steps of one drag, > 0
    void handleMoved(std::array<double, 3> position, int drag, bool finished);
    void resized();

protected:
    void paintEvent(QPaintEvent*) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    enum class Drag { None, Orbit, Pan, Zoom, Handle, Wipe };
    bool isBeside() const { return wipe_.shown && wipe_.layout == Wipe::Layout::Beside; }
    void paintAxes(QPainter& p) const;
    void paintMessage(QPainter& p) const;
    void paintLegend(QPainter& p) const;
    void paintGate(QPainter& p) const;
    void paintLabel(QPainter& p, const QRectF& box, const QString& text) const;

    QImage picture_;
    Wipe wipe_;
    QString title_, text_, corner_, hint_;
    client::Legend legend_;
    OrbitCamera camera_;
    double gate_ = 0;
    TranslateHandle handle_;
    TranslateHandle::Part lit_ = TranslateHandle::Part::None;
    bool handleShown_ = false;
    Drag drag_ = Drag::None;
    QPointF last_, pressed_;
    bool moved_ = false;
    int dragNumber_ = 0;
    QTimer settle_; // after the wheel's last notch
};

} // namespace floe::views
