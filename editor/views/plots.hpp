#pragma once

#include "views/statistics.hpp"

#include <QWidget>

namespace floe::views {

/// Statistics over the frames, one small plot under another: particles, active share, substeps,
/// time by stage (stacked), memory. The mouse reads values; a click goes to the frame.
class Plots : public QWidget {
    Q_OBJECT
public:
    explicit Plots(History* history, QWidget* parent = nullptr);
    void setRange(int first, int last);
    void setFrame(int frame);
    QSize sizeHint() const override { return {480, 420}; }
    QSize minimumSizeHint() const override { return {200, 160}; }

signals:
    void frameClicked(int frame);

protected:
    void paintEvent(QPaintEvent*) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent*) override;

private:
    QRectF area(int plot) const;
    double xOf(double frame, const QRectF& area) const;
    int frameAt(double x) const;
    void paintFrames(QPainter& p) const;
    void paintPlot(QPainter& p, int plot, const QRectF& area) const;

    History* history_;
    int first_ = 1, last_ = 48, frame_ = 1;
    int hover_ = -1; // frame; -1: none
};

} // namespace floe::views
