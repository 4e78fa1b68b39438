#pragma once

#include "views/statistics.hpp"

#include <QWidget>

namespace floe::views {

/// One line of numbers about the frame shown: particles, active share, substeps, time by stage (a
/// stacked bar), memory. Falls back to the last simulated frame before it.
class StatisticsStrip : public QWidget {
    Q_OBJECT
public:
    explicit StatisticsStrip(History* history, QWidget* parent = nullptr);
    void setFrame(int frame);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent*) override;
    bool event(QEvent* event) override;

private:
    const FrameNumbers* shown() const;

    History* history_;
    int frame_ = 1;
};

} // namespace floe::views
