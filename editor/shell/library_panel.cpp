#include "shell/library_panel.hpp"

#include "canvas/look.hpp"
#include "document/presets.hpp"
#include "themes/category_icon.hpp"

#include <QCollator>
#include <QComboBox>
#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QImageReader>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QPainter>
#include <QPixmapCache>
#include <QSettings>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace floe::editor {

namespace {
constexpr QSize kThumbnail(96, 64); // logical pixels
const QString kGroupKey = QStringLiteral("library/group");

/// Entries that can be dragged, by their id.
class EntryList : public QListWidget {
public:
    using QListWidget::QListWidget;

protected:
    QStringList mimeTypes() const override { return {kLibraryFormat}; }
    QMimeData* mimeData(const QList<QListWidgetItem*>& items) const override
    {
        if (items.isEmpty())
            return nullptr;
        auto* dragged = new QMimeData;
        dragged->setData(kLibraryFormat, items.front()->data(Qt::UserRole).toString().toUtf8());
        return dragged;
    }
    Qt::DropActions supportedDropActions() const override { return Qt::CopyAction; }
};

/// Null: there is no such file, or no picture in it.
QImage read(const QString& file, QSize size)
{
    QImageReader reader(file);
    reader.setAutoTransform(true);
    if (const QSize whole = reader.size(); whole.isValid())
        reader.setScaledSize(whole.scaled(size, Qt::KeepAspectRatioByExpanding));
    return reader.read();
}

/// The entry's picture, else the drawing of its category.
QPixmap thumbnail(const Entry& entry, qreal ratio)
{
    const QFileInfo file(entry.picture);
    const QString key = QStringLiteral("library %1 %2 %3 %4 %5")
                            .arg(entry.picture, entry.picture.isEmpty() ? entry.colour : QString(),
                                 themeColours().raised.name())
                            .arg(file.lastModified().toMSecsSinceEpoch())
                            .arg(ratio);
    QPixmap made;
    if (QPixmapCache::find(key, &made))
        return made;
    made = QPixmap(kThumbnail * ratio);
    made.setDevicePixelRatio(ratio);
    made.fill(themeColours().raised);
    QPainter p(&made);
    p.setRenderHint(QPainter::SmoothPixmapTransform);
    const QImage picture = entry.picture.isEmpty() ? QImage() : read(entry.picture, made.size());
    if (!picture.isNull()) {
        const QPointF corner((picture.width() - made.width()) / 2.0,
                             (picture.height() - made.height()) / 2.0);
        p.drawImage(QRectF(QPointF(), QSizeF(kThumbnail)), picture,
                    QRectF(corner, QSizeF(made.size())));
    } else {
        const std::string category = entry.colour.toStdString();
        const double side = 30;
        paintCategory(
            p, category,
            QRectF((kThumbnail.width() - side) / 2, (kThumbnail.height() - side) / 2, side, side),
            standingOut(categoryColour(category), themeColours().raised, 4.5));
    }
    p.end();
    QPixmapCache::insert(key, made);
    return made;
}
} // namespace

LibraryPanel::LibraryPanel(std::function<std::vector<Entry>()> entries, QWidget* parent)
    : QWidget(parent), ask_(std::move(entries)), field_(new QLineEdit(this)),
      groups_(new QComboBox(this)), list_(new EntryList(this))
{
    field_->setPlaceholderText(tr("Search"));
    field_->setClearButtonEnabled(true);
    field_->setAccessibleName(tr("Search"));
    groups_->setAccessibleName(tr("Group"));
    groups_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    list_->setObjectName("library");
    list_->setAccessibleName(tr("Library"));
    list_->setViewMode(QListView::IconMode);
    list_->setResizeMode(QListView::Adjust);
    list_->setMovement(QListView::Static); // its entries keep their places
    list_->setUniformItemSizes(true);
    list_->setWordWrap(false);
    list_->setTextElideMode(Qt::ElideRight);
    list_->setIconSize(kThumbnail);
    list_->setGridSize({kThumbnail.width() + 12, kThumbnail.height() + 30});
    list_->setDragEnabled(true);
    list_->setDragDropMode(QAbstractItemView::DragOnly);
    auto* first = new QHBoxLayout;
    first->addWidget(field_, 1);
    first->addWidget(groups_);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(8, 8, 8, 8);
    all->addLayout(first);
    all->addWidget(list_, 1);
    connect(field_, &QLineEdit::textChanged, this, &LibraryPanel::find);
    connect(groups_, &QComboBox::activated, this, [this](int index) {
        QSettings().setValue(kGroupKey, index > 0 ? groups_->currentText() : QString());
        find();
    });
    connect(list_, &QListWidget::itemActivated, this,
            [this](QListWidgetItem* item) { emit chosen(item->data(Qt::UserRole).toString()); });
}

void LibraryPanel::refresh()
{
    if (!isVisible())
        return;
    entries_ = ask_();
    QStringList names;
    for (const Entry& entry : entries_)
        if (!names.contains(entry.group))
            names += entry.group;
    const QCollator order{QLocale()};
    std::sort(names.begin(), names.end(), order);
    groups_->clear();
    groups_->addItem(tr("Everything"));
    groups_->addItems(names);
    groups_->setCurrentIndex(
        std::max(0, groups_->findText(QSettings().value(kGroupKey).toString())));
    find();
}

void LibraryPanel::find()
{
    const QString group = groups_->currentIndex() > 0 ? groups_->currentText() : QString();
    list_->clear();
    for (const int index : search(entries_, field_->text(), {})) {
        const Entry& entry = entries_[std::size_t(index)];
        if (!group.isEmpty() && entry.group != group)
            continue;
        auto* item = new QListWidgetItem(thumbnail(entry, devicePixelRatioF()), entry.label, list_);
        item->setData(Qt::UserRole, entry.id);
        item->setToolTip(entry.help.isEmpty() ? entry.group : entry.group + '\n' + entry.help);
    }
    list_->setCurrentRow(0);
}

void LibraryPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
}

void LibraryPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::StyleChange) // the theme's colours are in the pictures
        refresh();
}

} // namespace floe::editor
