#pragma once

#include "document/document.hpp"
#include "floe/graph/merge.hpp"

#include <QStringList>
#include <QTimer>
#include <QWidget>

#include <map>
#include <optional>
#include <string>

class QLabel;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace floe::editor {

class Canvas;

/// What differs between the document and another version of it, by node and parameter, with marks
/// on the network; or what a merge with another version would make, and which side each conflict
/// takes. Follows the document while it is edited.
class ComparePanel : public QWidget {
    Q_OBJECT
public:
    /// @param document, canvas  must live longer
    ComparePanel(Document& document, Canvas& canvas, QWidget* parent = nullptr);

    /// Compares with another version. @param name  of it, for a person
    /// @param columns  above its values and those of the document; empty: it is from before
    void compare(graph::Document other, const QString& name, const QStringList& columns = {});
    /// Shows what a button under the list would do next; empty: there is none.
    void offer(const QString& button, std::function<void()> action);

    /// Prepares to merge what another program has made of the file.
    /// @param base  what both began from
    void prepareMerge(graph::Document base, graph::Document theirs, const QString& name);

    void stop(); ///< compares no longer

    bool isComparing() const { return mode_ == Mode::Compare; }
    bool isMerging() const { return mode_ == Mode::Merge; }
    const graph::Document& other() const { return other_; } ///< before, or theirs

    /// What the merge would make now; none while a conflict is not decided, or it is impossible.
    std::optional<graph::Document> merged() const;
    /// Lets a conflict, or all of them, take a side.
    void decide(const graph::Conflict& conflict, graph::Side side);
    void decideAll(graph::Side side);
    const std::vector<graph::Conflict>& conflicts() const { return result_.conflicts; }

    QSize minimumSizeHint() const override;

signals:
    void mergeWanted(); ///< merged() is there
    void stopped();

protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    enum class Mode { Off, Compare, Merge };
    using Id = std::string;

    static Id idOf(const graph::Conflict& conflict);
    void refresh();
    void showComparison();
    void computeMerge();
    void showMerge();
    void listChanges(const std::vector<graph::Change>& changes, QTreeWidgetItem* group,
                     int beforeColumn, int afterColumn);
    void addConflict(const graph::Conflict& conflict, QTreeWidgetItem* group);
    void fitColumns();
    void setColumns(const QStringList& titles);
    void refreshButtons();
    void go(QTreeWidgetItem* item);
    QString fieldOf(const std::string& what, const std::string& where,
                    const std::string& field) const;

    Document& document_;
    Canvas& canvas_;
    Mode mode_ = Mode::Off;
    graph::Document base_, other_;
    QString name_;
    QStringList columns_;
    std::map<Id, graph::Side> choices_;
    graph::Merged result_;
    QString failure_; ///< why there is no merge
    std::function<void()> offered_;
    QLabel* title_;
    QTreeWidget* tree_;
    QPushButton *next_, *merge_, *allMine_, *allTheirs_, *close_;
    QTimer later_; ///< a drag is compared where it rests
};

} // namespace floe::editor
