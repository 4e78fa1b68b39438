#include "shell/shortcut_editor.hpp"

#include <QAction>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QTableWidget>
#include <QVBoxLayout>

namespace floe::editor {

namespace {
constexpr const char* kDefault = "defaultShortcuts";

QString plain(const QAction* action)
{
    if (action->objectName() == "edit.undo") // their texts say what would be undone
        return ShortcutEditor::tr("Undo");
    if (action->objectName() == "edit.redo")
        return ShortcutEditor::tr("Redo");
    return action->text().remove('&').remove(QStringLiteral("…"));
}

QList<QKeySequence> defaults(const QAction* action)
{
    return QKeySequence::listFromString(action->property(kDefault).toString());
}
} // namespace

void loadShortcuts(const QList<QAction*>& actions)
{
    const QSettings settings;
    for (QAction* action : actions) {
        if (!action->property(kDefault).isValid())
            action->setProperty(kDefault, QKeySequence::listToString(action->shortcuts()));
        const QString key = "shortcuts/" + action->objectName();
        if (settings.contains(key))
            action->setShortcuts(QKeySequence::listFromString(settings.value(key).toString()));
    }
}

ShortcutEditor::ShortcutEditor(const QList<QAction*>& actions, QWidget* parent)
    : QDialog(parent), actions_(actions), filter_(new QLineEdit(this)),
      table_(new QTableWidget(this)), conflict_(new QLabel(this))
{
    setWindowTitle(tr("Shortcuts"));
    resize(560, 600);
    filter_->setPlaceholderText(tr("Search commands"));
    filter_->setClearButtonEnabled(true);
    table_->setColumnCount(2);
    table_->setHorizontalHeaderLabels({tr("Command"), tr("Keys")});
    table_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table_->setColumnWidth(1, 210);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(34);
    table_->setSelectionMode(QAbstractItemView::NoSelection);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setShowGrid(false);
    conflict_->setWordWrap(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    auto* reset = buttons->addButton(tr("All to default"), QDialogButtonBox::ResetRole);
    for (QAbstractButton* button : buttons->buttons()) {
        button->setIcon({});
        static_cast<QPushButton*>(button)->setAutoDefault(false); // Return ends a search
    }
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::accept);
    connect(reset, &QPushButton::clicked, this, [this] {
        QSettings().remove("shortcuts");
        for (QAction* action : actions_)
            action->setShortcuts(defaults(action));
        fill();
    });
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& words) {
        for (int row = 0; row < table_->rowCount(); ++row)
            table_->setRowHidden(
                row, !table_->item(row, 0)->text().contains(words, Qt::CaseInsensitive));
    });
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(filter_);
    layout->addWidget(table_, 1);
    layout->addWidget(conflict_);
    layout->addWidget(buttons);
    fill();
}

void ShortcutEditor::fill()
{
    table_->setRowCount(int(actions_.size()));
    for (int row = 0; row < actions_.size(); ++row) {
        const QAction* action = actions_[row];
        auto* name = new QTableWidgetItem(plain(action));
        name->setToolTip(action->toolTip());
        table_->setItem(row, 0, name);
        auto* edit = new QKeySequenceEdit(action->shortcut(), table_);
        edit->setAccessibleName(plain(action));
        connect(edit, &QKeySequenceEdit::editingFinished, this, [this, row] { change(row); });
        table_->setCellWidget(row, 1, edit);
    }
    markConflicts();
}

void ShortcutEditor::change(int row)
{
    QAction* action = actions_[row];
    const auto* edit = static_cast<QKeySequenceEdit*>(table_->cellWidget(row, 1));
    if (edit->keySequence() == action->shortcut())
        return;
    QList<QKeySequence> keys;
    if (!edit->keySequence().isEmpty())
        keys << edit->keySequence();
    action->setShortcuts(keys);
    QSettings().setValue("shortcuts/" + action->objectName(), QKeySequence::listToString(keys));
    markConflicts();
}

void ShortcutEditor::markConflicts()
{
    QStringList found;
    for (int a = 0; a < actions_.size(); ++a)
        for (int b = a + 1; b < actions_.size(); ++b)
            for (const QKeySequence& key : actions_[a]->shortcuts())
                // Keys of the network and of the viewport act where the focus is.
                if (actions_[b]->shortcuts().contains(key) &&
                    actions_[a]->parent() == actions_[b]->parent())
                    found += tr("%1: %2 and %3")
                                 .arg(key.toString(QKeySequence::NativeText), plain(actions_[a]),
                                      plain(actions_[b]));
    conflict_->setText(found.isEmpty() ? QString()
                                       : tr("The same keys twice: %1").arg(found.join("; ")));
    conflict_->setVisible(!found.isEmpty());
}

} // namespace floe::editor
