#pragma once

#include "canvas/fuzzy.hpp"

#include <QFrame>

class QLabel;
class QLineEdit;
class QListWidget;

namespace floe::editor {

/// A field to type into and a list of what it finds; for nodes to add (Tab) or to go to (Ctrl+F),
/// and for commands (Ctrl+Shift+P). Return or a click chooses, Esc or a click elsewhere closes,
/// arrows move.
class SearchPopup : public QFrame {
    Q_OBJECT
public:
    /// @param memory  settings key for the recent choices; empty: they are forgotten
    SearchPopup(const QString& placeholder, const QString& memory, QWidget* parent);

    /// Shows it, keeping it within the screen. What is then chosen is reported by chosen().
    void open(std::vector<Entry> entries, QPoint globalPosition, const QString& note = {});

    QLineEdit* field() const { return field_; }
    QString currentId() const;
    int count() const;

signals:
    void chosen(const QString& id);
    void dismissed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void find();
    void choose();
    void showHelp();
    void fit(int rows);

    std::vector<Entry> entries_;
    QLineEdit* field_;
    QListWidget* list_;
    QLabel* help_;
    QLabel* note_;
    QString memory_;
    bool choosing_ = false;
};

} // namespace floe::editor
