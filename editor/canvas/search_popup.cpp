#include "canvas/search_popup.hpp"

#include "canvas/look.hpp"
#include "themes/category_icon.hpp"

#include <QApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QScreen>
#include <QSettings>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace floe::editor {

namespace {
constexpr int kGroupRole = Qt::UserRole + 1, kHintRole = Qt::UserRole + 2,
              kColourRole = Qt::UserRole + 3, kDimRole = Qt::UserRole + 4,
              kDrawnRole = Qt::UserRole + 5;
constexpr int kRowSpace = 10; // above and below the text of a row
constexpr int kRecent = 8;
constexpr double kIcon = 17;            // pixels
constexpr int kWidth = 380, kRows = 10; // as much as a small screen has room for

/// A row: the drawing of a node's category, or a bar in the group's colour, the label, the group at
/// the right.
class RowDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override
    {
        return {200, option.fontMetrics.height() + kRowSpace};
    }

    void paint(QPainter* p, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        const QRect& r = option.rect;
        p->save();
        p->setRenderHint(QPainter::Antialiasing);
        const bool chosen = option.state & QStyle::State_Selected;
        if (chosen) {
            p->setPen(Qt::NoPen);
            p->setBrush(themeColours().highlight);
            p->drawRoundedRect(r.adjusted(2, 1, -2, -1), 4, 4);
        }
        const QString group = index.data(kGroupRole).toString();
        const std::string key = index.data(kColourRole).toString().toStdString();
        const bool drawing = index.data(kDrawnRole).toBool();
        if (drawing) {
            const QColor ground = chosen ? themeColours().highlight : themeColours().menu;
            paintCategory(*p, key,
                          QRectF(r.left() + 8, r.top() + (r.height() - kIcon) / 2, kIcon, kIcon),
                          standingOut(categoryColour(key), ground, 4.5));
        } else {
            p->setPen(Qt::NoPen);
            p->setBrush(categoryColour(key));
            p->drawRoundedRect(QRectF(r.left() + 10, r.top() + 6, 3.5, r.height() - 12), 1.7, 1.7);
        }
        const QString hint = index.data(kHintRole).toString();
        const QString right = hint.isEmpty() ? group : hint;
        const int width = option.fontMetrics.horizontalAdvance(right);
        p->setPen(chosen ? themeColours().highlightedMuted : themeColours().muted);
        p->drawText(r.adjusted(0, 0, -12, 0), Qt::AlignRight | Qt::AlignVCenter, right);
        p->setPen(chosen                          ? themeColours().highlighted
                  : index.data(kDimRole).toBool() ? themeColours().muted
                                                  : themeColours().strong);
        const QRect text = r.adjusted(drawing ? 33 : 22, 0, -24 - width, 0);
        p->drawText(
            text, Qt::AlignVCenter,
            option.fontMetrics.elidedText(index.data().toString(), Qt::ElideRight, text.width()));
        p->restore();
    }
};

/// As many words as the room has lines for.
QString fitted(QString text, const QFontMetrics& metrics, const QRect& room)
{
    const auto fits = [&](const QString& some) {
        return metrics.boundingRect(QRect(0, 0, room.width(), 10'000), Qt::TextWordWrap, some)
                   .height() <= room.height();
    };
    if (fits(text))
        return text;
    while (text.contains(' ') && !fits(text + QStringLiteral(" …")))
        text.truncate(text.lastIndexOf(' '));
    return text + QStringLiteral(" …");
}
} // namespace

SearchPopup::SearchPopup(const QString& placeholder, const QString& memory, QWidget* parent)
    : QFrame(parent, Qt::Popup | Qt::FramelessWindowHint), field_(new QLineEdit(this)),
      list_(new QListWidget(this)), help_(new QLabel(this)), note_(new QLabel(this)),
      memory_(memory)
{
    setObjectName("searchPopup");
    setFrameShape(QFrame::NoFrame);
    field_->setObjectName("searchField");
    field_->setPlaceholderText(placeholder);
    field_->setClearButtonEnabled(true);
    field_->setAccessibleName(placeholder);
    list_->setItemDelegate(new RowDelegate(list_));
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setUniformItemSizes(true);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setAccessibleName(tr("Results"));
    help_->setObjectName("searchHelp");
    help_->setWordWrap(true);
    help_->setFixedHeight(fontMetrics().lineSpacing() * 4 + 16);
    help_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    note_->setObjectName("searchNote");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 6);
    layout->setSpacing(6);
    layout->addWidget(field_);
    layout->addWidget(note_);
    layout->addWidget(list_, 1);
    layout->addWidget(help_);
    field_->installEventFilter(this);
    connect(field_, &QLineEdit::textChanged, this, &SearchPopup::find);
    connect(list_, &QListWidget::currentRowChanged, this, &SearchPopup::showHelp);
    connect(list_, &QListWidget::itemClicked, this, &SearchPopup::choose);
}

void SearchPopup::open(std::vector<Entry> entries, QPoint position, const QString& note)
{
    entries_ = std::move(entries);
    note_->setText(note);
    note_->setVisible(!note.isEmpty());
    field_->clear();
    find();
    fit(kRows);
    if (const QScreen* screen = QApplication::screenAt(position)) {
        const QRect room = screen->availableGeometry();
        for (int rows = kRows - 1; rows > 0 && height() > room.height(); --rows)
            fit(rows);
        position.setX(std::max(room.left(), std::min(position.x(), room.right() - width())));
        position.setY(std::max(room.top(), std::min(position.y(), room.bottom() - height())));
    }
    move(position);
    choosing_ = false;
    show();
    showHelp(); // its room is known from here on
    field_->setFocus(Qt::PopupFocusReason);
}

/// As high as that many rows need, all of them whole.
void SearchPopup::fit(int rows)
{
    ensurePolished();
    const int row = list_->fontMetrics().height() + kRowSpace;
    const QMargins frame = list_->contentsMargins();
    list_->setFixedHeight(rows * row + frame.top() + frame.bottom());
    layout()->activate();
    resize(kWidth, sizeHint().height());
}

int SearchPopup::count() const
{
    return list_->count();
}

QString SearchPopup::currentId() const
{
    return list_->currentItem() ? list_->currentItem()->data(Qt::UserRole).toString() : QString();
}

void SearchPopup::find()
{
    const QStringList recent =
        memory_.isEmpty() ? QStringList() : QSettings().value(memory_).toStringList();
    list_->clear();
    for (const int index : search(entries_, field_->text(), recent)) {
        const Entry& entry = entries_[std::size_t(index)];
        auto* item = new QListWidgetItem(entry.label, list_);
        item->setData(Qt::UserRole, entry.id);
        item->setData(kGroupRole, entry.group);
        item->setData(kHintRole, entry.hint);
        item->setData(kColourRole, entry.colour.isEmpty() ? entry.group : entry.colour);
        item->setData(kDrawnRole, !entry.colour.isEmpty());
        item->setData(kDimRole, !entry.whyNot.isEmpty());
    }
    list_->setCurrentRow(0);
    if (list_->count() == 0)
        help_->setText(tr("Nothing is called that. Fewer letters find more."));
}

void SearchPopup::showHelp()
{
    const QString id = currentId();
    for (const Entry& entry : entries_)
        if (entry.id == id) {
            const QString text =
                entry.whyNot.isEmpty() ? entry.help : entry.whyNot + '\n' + entry.help;
            help_->setText(
                fitted(text, help_->fontMetrics(), help_->contentsRect().adjusted(5, 6, -5, -5)));
            help_->setToolTip(text);
        }
}

void SearchPopup::choose()
{
    const QString id = currentId();
    const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& some) { return some.id == id; });
    if (entry == entries_.end() || !entry->whyNot.isEmpty())
        return; // its help says why
    if (!memory_.isEmpty()) {
        QSettings settings;
        QStringList recent = settings.value(memory_).toStringList();
        recent.removeAll(id);
        recent.prepend(id);
        settings.setValue(memory_, recent.mid(0, kRecent));
    }
    choosing_ = true;
    hide();
    emit chosen(id);
}

bool SearchPopup::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == field_ && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const int row = list_->currentRow(), last = list_->count() - 1;
        switch (key->key()) {
        case Qt::Key_Down:
            list_->setCurrentRow(row >= last ? 0 : row + 1);
            return true;
        case Qt::Key_Up:
            list_->setCurrentRow(row <= 0 ? last : row - 1);
            return true;
        case Qt::Key_PageDown:
            list_->setCurrentRow(std::min(row + 8, last));
            return true;
        case Qt::Key_PageUp:
            list_->setCurrentRow(std::max(row - 8, 0));
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Tab:
            choose();
            return true;
        case Qt::Key_Escape:
            hide();
            return true;
        default:
            break;
        }
    }
    return QFrame::eventFilter(watched, event);
}

void SearchPopup::hideEvent(QHideEvent* event)
{
    QFrame::hideEvent(event);
    if (!choosing_)
        emit dismissed();
}

} // namespace floe::editor
