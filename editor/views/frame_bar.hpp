#pragma once

#include "client/messages.hpp"

#include <QWidget>

namespace floe::views {

/// The strip of frames: what state each has, where the current one is. Drag it to scrub.
///
/// States differ by colour and by pattern: simulated frames are filled, out-of-date ones striped,
/// failed ones crossed, the one being simulated dotted, the others only a thin line.
class FrameBar : public QWidget {
    Q_OBJECT
public:
    explicit FrameBar(QWidget* parent = nullptr);

    void setRange(int first, int last); ///< what is shown; last >= first
    void setFrames(const QVector<client::FrameSpan>& frames);
    void setFrame(int frame);
    /// Frames with keys of the parameters that are selected: small diamonds.
    void setKeys(const QVector<int>& frames);

    int first() const { return first_; }
    int last() const { return last_; }
    int frame() const { return frame_; }
    client::FrameState stateAt(int frame) const;

    /// Left edge of a frame's cell [logical pixels], and the frame under a position.
    double xOf(double frame) const;
    int frameAt(double x) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    /// The user chose a frame. @param scrubbing the mouse is still down
    void scrubbed(int frame, bool scrubbing);
    void resumeWanted(int frame); ///< from the menu
    void rangeWanted(int first, int last);

protected:
    void paintEvent(QPaintEvent*) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool event(QEvent* event) override;

private:
    void scrubTo(double x, bool scrubbing);

    int first_ = 1, last_ = 48, frame_ = 1;
    QVector<client::FrameSpan> frames_;
    QVector<int> keys_;
    bool down_ = false;
};

} // namespace floe::views
