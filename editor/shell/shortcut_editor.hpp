#pragma once

#include <QDialog>
#include <QList>

class QAction;
class QLabel;
class QLineEdit;
class QTableWidget;

namespace floe::editor {

/// Applies the shortcuts that the user has chosen (settings "shortcuts/ID").
void loadShortcuts(const QList<QAction*>& actions);

/// A table of all commands with their keys, to be changed; two commands with one key are marked.
class ShortcutEditor : public QDialog {
    Q_OBJECT
public:
    ShortcutEditor(const QList<QAction*>& actions, QWidget* parent);

private:
    void fill();
    void change(int row);
    void markConflicts();

    QList<QAction*> actions_;
    QLineEdit* filter_;
    QTableWidget* table_;
    QLabel* conflict_;
};

} // namespace floe::editor
