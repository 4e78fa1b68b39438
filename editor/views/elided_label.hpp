#pragma once

#include <QLabel>

namespace floe::views {

/// One line that ends in dots where there is no room for all of it.
class ElidedLabel : public QLabel {
public:
    using QLabel::QLabel;

    void setTip(const QString& tip); ///< empty: the text itself

    QSize sizeHint() const override; ///< of the whole text
    QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QString shown() const; ///< what there is room for
    QString tip_;
};

} // namespace floe::views
