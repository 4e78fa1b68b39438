#pragma once

#include "client/messages.hpp"
#include "views/handle_tools.hpp"
#include "views/orbit_camera.hpp"
#include "views/wipe.hpp"

#include <QImage>
#include <QTimer>
#include <QWidget>

namespace floe::views {

/// Along an axis, without perspective.
enum class StandardView { Front, Back, Right, Left, Top, Bottom };

/// The picture, and the mouse over it: turning (left or middle drag), panning (Shift with either,
/// or Alt+middle), nearing (wheel or right drag), picking (click) and dragging the handles.
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
    QRectF legendBox() const { return legendLook().box; } ///< empty: none, or no room for it
    void setCorner(const QString& text);                  ///< small, at the lower left
    /// Advice over the picture, at the top: what is odd about it. Empty: none.
    void setHint(const QString& text);
    QString hint() const { return hint_; }
    /// One of several views: it has a name, and the active one a frame and everything that is
    /// written over the picture.
    /// @param name  of the camera; orthographic views have their own
    void setOneOfSeveral(bool several, bool active, const QString& name = {});
    bool isActive() const { return active_; } ///< true of one that is alone

    /// Width by height of the picture that is rendered: what lies beside it is dimmed. 0: none.
    void setGate(double aspect);
    double gate() const { return gate_; }

    /// The picture of another run, over this one or beside it.
    const Wipe& wipe() const { return wipe_; }
    void setWipe(const Wipe& wipe); ///< its line stays where it was dragged to

    const OrbitCamera& camera() const { return camera_; }
    void setCamera(const OrbitCamera& camera); ///< tells nobody but of its lens
    void lookFrom(StandardView view);          ///< at the same target, which stays as large
    /// With parallel rays; what lies at the target stays as large. Turning the camera keeps them,
    /// which those of lookFrom() do not outlast.
    void setOrthographic(bool on);

    /// What may be dragged. While it is, both of these change nothing.
    void setHandles(const NodeHandles& node);
    /// See HandleTools::setPlace.
    void setHandle(std::optional<Vec3> position, const std::vector<Placement>& spaces);
    HandleTools& handles() { return handles_; }
    const HandleTools& handles() const { return handles_; }
    /// Not while a message lies over the picture.
    bool hasHandle() const { return handles_.isShown() && title_.isEmpty() && !isBeside(); }

    QSize sizeHint() const override { return {960, 540}; }
    QSize minimumSizeHint() const override { return {160, 90}; }

signals:
    void touched(); ///< the mouse is used on it, or it has the focus: it becomes the active view
    /// @param moving more will follow soon
    void cameraMoved(bool moving);
    void lensChanged();                                ///< it is orthographic, or in perspective
    void picked(QPointF position);                     ///< logical pixels
    void dropped(const QString& id, QPointF position); ///< an entry of the library
    /// @param drag the same for all steps of one drag, > 0
    void handleChanged(const floe::views::HandleTools::Change& change, int drag, bool finished);
    void handleCancelled(int drag); ///< what it has changed is taken back
    void resized();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent*) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    enum class Drag { None, Orbit, Pan, Zoom, Handle, Wipe };
    bool isBeside() const { return wipe_.shown && wipe_.layout == Wipe::Layout::Beside; }
    void dragHandle();
    void endHandle(bool keep);
    void setLens(bool orthographic);
    QString viewName() const; ///< "Front"; empty: none of them
    void paintReading(QPainter& p) const;
    void paintAxes(QPainter& p) const;
    void paintMessage(QPainter& p) const;
    struct LegendLook {
        QRectF box; ///< empty: there is no room for it
        bool small = false, titled = true;
    };
    LegendLook legendLook() const;
    void paintLegend(QPainter& p) const;
    void paintMappedLegend(QPainter& p, const QRectF& in) const;
    void paintLegendEntries(QPainter& p, const QRectF& in) const;
    void paintLegendEntry(QPainter& p, const client::Legend::Entry& entry, const QRectF& at) const;
    void paintSmallLegend(QPainter& p, const QRectF& in, bool titled) const;
    void paintGate(QPainter& p) const;
    void paintNotes(QPainter& p) const;
    void paintLabel(QPainter& p, const QRectF& box, const QString& text) const;

    QImage picture_;
    Wipe wipe_;
    QString title_, text_, corner_, hint_, cameraName_;
    bool several_ = false, active_ = true;
    client::Legend legend_;
    OrbitCamera camera_;
    bool keepsLens_ = false; ///< it stays orthographic when it is turned
    double gate_ = 0;
    HandleTools handles_;
    Drag drag_ = Drag::None;
    QPointF last_, pressed_;
    bool moved_ = false;
    Qt::KeyboardModifiers keys_; ///< at the mouse's last move
    int dragNumber_ = 0;
    QTimer settle_; // after the wheel's last notch
};

} // namespace floe::views
