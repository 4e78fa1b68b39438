#pragma once

#include <QToolButton>

namespace floe::panels {

/// The diamond beside a number: hollow (constant), ringed (keyed elsewhere), full (a key here), or
/// an equals sign (an expression).
class KeyButton : public QToolButton {
    Q_OBJECT
public:
    enum class Mark { Constant, Elsewhere, Here, Expression };
    explicit KeyButton(QWidget* parent = nullptr);
    void setMark(Mark mark);
    Mark mark() const { return mark_; }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    Mark mark_ = Mark::Constant;
};

} // namespace floe::panels
