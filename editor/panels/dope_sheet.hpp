#pragma once

#include "floe/base/json.hpp"

#include <QPointF>
#include <QString>
#include <QTimer>
#include <QWidget>

#include <map>
#include <set>
#include <string>
#include <vector>

class QKeyEvent;
class QLabel;
class QMouseEvent;
class QPainter;
class QScrollBar;
class QToolButton;
class QWheelEvent;

namespace floe::editor {
class Document;
}

namespace floe::panels {

/// All keys of the scene, or of the selected nodes: a row for each animated parameter, with a
/// diamond at each frame that has a key, whatever its value.
///
/// Keys are selected by clicks and boxes, dragged in time by whole frames, removed, copied and
/// pasted; each is one step of undo. A click on a row's name selects its node. The wheel zooms
/// (Shift: rows), the middle button pans, F sees all.
class DopeSheet : public QWidget {
    Q_OBJECT
public:
    explicit DopeSheet(editor::Document* document, QWidget* parent = nullptr);

    struct Row {
        std::string scope, node, parameter;
        QString label;              ///< "ball · Radius"
        std::vector<double> frames; ///< with keys, in order
        /// The same parameter, whatever keys it has.
        bool isOf(const Row& other) const
        {
            return scope == other.scope && node == other.node && parameter == other.parameter;
        }
    };
    const std::vector<Row>& rows() const { return rows_; }
    /// Selected keys by row.
    const std::map<int, std::set<double>>& selection() const { return selected_; }

    void setSelection(const std::string& scope, const std::vector<std::string>& nodes);
    void setOnlySelected(bool only); ///< rows of the selected nodes alone
    void setRange(int first, int last);
    void setFrame(int frame);
    void frameAll();

    QWidget* area() const { return area_; }
    /// Where the key of a row lies in the area, in its pixels; a frame without a key as well.
    QPointF place(int row, double frame) const;
    QPointF namePlace(int row) const; ///< the middle of its name
    double rulerHeight() const;

    void removeSelected();
    void copySelected() const; ///< to the clipboard, as JSON text
    void paste();              ///< the first key at the current frame
    void selectAll();

signals:
    void nodeClicked(const QString& scope, const QString& node);
    void frameWanted(int frame);

protected:
    bool eventFilter(QObject* object, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    enum class Drag { None, Keys, Box, Scrub, Pan };
    struct Hit {
        int row = -1;
        double frame = 0;
        explicit operator bool() const { return row >= 0; }
    };

    struct Edit {
        Row row;
        Json value;
        std::set<double> chosen; ///< keys that are selected then
    };

    void refresh();
    void addRows(const std::string& scope);
    void paint();
    void paintRuler(QPainter& painter) const;
    void paintRows(QPainter& painter) const;
    void press(QMouseEvent* event);
    void move(QMouseEvent* event);
    void release();
    bool key(QKeyEvent* event, bool act);
    void wheel(QWheelEvent* event);
    void applyBox();
    void edit(const QString& text, const std::vector<Edit>& edits);
    void moveSelected(double by);
    Json valueOf(const Row& row) const;
    Hit keyAt(QPointF mouse) const;
    int rowAt(double y) const; ///< -1: none
    double frameAt(double x) const;
    double nameWidth() const;
    double rowHeight() const;
    double shift() const; ///< frames that the dragged keys are away from where they were
    bool isSelected(int row, double frame) const;
    void fitScroll();

    editor::Document* document_;
    QWidget* area_;
    QScrollBar* scroll_;
    QToolButton* only_;
    QLabel* note_;
    std::vector<Row> rows_;
    std::map<int, std::set<double>> selected_, before_; ///< before: of the box
    std::string scope_;                                 ///< of the selected nodes
    std::vector<std::string> nodes_;
    int current_ = -1; ///< row that was clicked last
    int first_ = 1, last_ = 48, frame_ = 1;
    double left_ = 0, right_ = 49; ///< frames that are seen
    bool framed_ = false;          ///< by a person: the scene's range changes nothing
    Drag drag_ = Drag::None;
    bool moved_ = false;
    QPointF pressed_, now_;
    QTimer later_;
};

} // namespace floe::panels
