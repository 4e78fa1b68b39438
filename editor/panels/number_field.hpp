#pragma once

#include <QColor>
#include <QLineEdit>
#include <QWidget>

#include <optional>

namespace floe::panels {

/// A number with its unit, and a slider in one: drag it sideways (Shift is finer, Ctrl rounds),
/// click or type to enter it, Tab goes on to the next, Up and Down step it. Text may be arithmetic
/// ("2 * 0.15"); text that starts with '=' or uses frame, time or other parameters is an
/// expression.
class NumberField : public QWidget {
    Q_OBJECT
public:
    struct Range {
        std::optional<double> min, max;         ///< hard: what is typed is brought into it
        std::optional<double> softMin, softMax; ///< of the slider; both: it has a fill
        bool whole = false;
        bool automatic = false; ///< 0 stands for a value that is found, and is shown as such
    };

    explicit NumberField(Range range, const QString& unit, QWidget* parent = nullptr);

    double value() const { return value_; }
    void setValue(double value);           ///< tells nobody
    void setPrefix(const QString& prefix); ///< small, at the left: "x"
    void setTint(const QColor& tint);      ///< marks an animated value; invalid: none
    void setFaulty(bool faulty);
    /// The number follows an expression: it is shown for editing, and not dragged. Empty: none.
    void setFormula(const QString& formula);
    bool isEditing() const { return editor_ && editor_->isVisible(); }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

    /// As a person reads it: "0.32", "140000", "2.5e9".
    static QString text(double value, bool whole);

signals:
    /// @param finished false while a drag goes on
    void edited(double value, bool finished);
    void expressionEntered(const QString& expression); ///< without the '='
    void keyWanted();                                  ///< K was pressed

protected:
    void paintEvent(QPaintEvent*) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    bool logarithmic() const;
    std::optional<double> share() const; ///< of the slider, 0 to 1
    double limited(double value) const;
    QString shown(double value) const;
    QString editable() const;
    double stepSize() const;
    void dragTo(double pixels, Qt::KeyboardModifiers keys);
    void beginEdit(const QString& text);
    void endEdit(bool accept);
    void editNeighbour(bool next);
    void change(double value, bool finished);

    Range range_;
    QString unit_, prefix_, formula_;
    QColor tint_;
    QLineEdit* editor_ = nullptr;
    double value_ = 0, pressValue_ = 0;
    double pressX_ = 0;
    bool faulty_ = false, down_ = false, dragging_ = false;
};

} // namespace floe::panels
