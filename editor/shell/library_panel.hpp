#pragma once

#include "canvas/fuzzy.hpp"

#include <QWidget>

#include <functional>
#include <vector>

class QComboBox;
class QLineEdit;
class QListWidget;

namespace floe::editor {

/// What can be put into a network, by its picture: presets, assets, ready scenes, node types. An
/// entry is dragged to where it belongs (document/presets.hpp: kLibraryFormat), or chosen by a
/// double click or Return.
class LibraryPanel : public QWidget {
    Q_OBJECT
public:
    /// @param entries  what there is, asked for when it is shown, and by refresh()
    explicit LibraryPanel(std::function<std::vector<Entry>()> entries, QWidget* parent = nullptr);

    QLineEdit* field() const { return field_; }
    QComboBox* groups() const { return groups_; } ///< the first: everything
    QListWidget* list() const { return list_; }
    /// Something may be there that was not. Nothing happens while it is hidden.
    void refresh();

signals:
    void chosen(const QString& id);

protected:
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void find();

    std::function<std::vector<Entry>()> ask_;
    std::vector<Entry> entries_;
    QLineEdit* field_;
    QComboBox* groups_;
    QListWidget* list_;
};

} // namespace floe::editor
