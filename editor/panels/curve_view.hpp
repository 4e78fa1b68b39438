#pragma once

#include "panels/animated_value.hpp"

#include <QPointF>
#include <QStringList>
#include <QWidget>

#include <optional>

class QLabel;
class QToolButton;

namespace floe::panels {

/// The curves of one parameter: drag keys and handles, double click for a new key, Delete removes;
/// the wheel zooms (Shift: frames only, Ctrl: values only), the middle button pans, F sees all.
class CurveView : public QWidget {
    Q_OBJECT
public:
    explicit CurveView(QWidget* parent = nullptr);

    /// Channels that are no curves are left alone. @param names "x", ...; one each
    void setCurves(const Channels& channels, const QStringList& names);
    void setTitle(const QString& title);
    void setRange(int first, int last); ///< frames of the scene: shaded outside
    void setFrame(int frame);
    void frameAll();

    /// Where a point of the curve plane lies in the area, and back.
    QPointF place(double frame, double value) const;
    QPointF at(QPointF place) const; ///< (frame, value)
    QWidget* area() const { return area_; }
    void setMode(CurveKey::Mode mode); ///< of the selected key; without one, of all

signals:
    /// @param drag the same for all steps of one drag, > 0
    void edited(const floe::panels::Channels& channels, int drag);
    void frameWanted(int frame);
    void closed();

protected:
    bool eventFilter(QObject* object, QEvent* event) override;
    QSize sizeHint() const override { return {420, 230}; }

private:
    enum class Part { None, Key, In, Out };
    struct Grip {
        Part part = Part::None;
        std::size_t channel = 0, key = 0;
        bool operator==(const Grip&) const = default;
    };

    void paint(QWidget* area);
    void paintCurve(QPainter& p, std::size_t channel) const;
    Grip gripAt(QPointF mouse) const;
    void press(QMouseEvent* event);
    void move(QMouseEvent* event);
    void dragTo(QPointF mouse, Qt::KeyboardModifiers keys);
    void addKey(QPointF mouse);
    void removeSelected();
    void zoom(QPointF mouse, double steps, Qt::KeyboardModifiers keys);
    bool isSelected(const Grip& grip) const;
    void showModes();

    QWidget* area_;
    QLabel* title_;
    QToolButton* modes_[3];
    Channels channels_, before_; // before the drag
    QStringList names_;
    int first_ = 1, last_ = 48, frame_ = 1;
    double left_ = 0, right_ = 49, low_ = -1, high_ = 1; // what is seen
    std::optional<Grip> selected_;
    Grip grip_; // dragged
    QPointF pressed_, panned_;
    bool panning_ = false, scrubbing_ = false, moved_ = false, framed_ = false;
    int drag_ = 0;
};

} // namespace floe::panels
