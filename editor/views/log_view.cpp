#include "views/log_view.hpp"

#include "themes/theme.hpp"
#include "views/colours.hpp"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QScrollBar>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <map>

namespace floe::views {

using client::LogLine;

namespace {

/// A disc, a triangle or a cross: severity by shape too.
QIcon severityIcon(LogLine::Severity severity)
{
    QIcon icon;
    for (const int ratio : {1, 2}) {
        QPixmap pixmap(16 * ratio, 16 * ratio);
        pixmap.setDevicePixelRatio(ratio);
        pixmap.fill(Qt::transparent);
        QPainter p(&pixmap);
        p.setRenderHint(QPainter::Antialiasing);
        const QColor colour = severityColour(severity);
        p.setPen(Qt::NoPen);
        p.setBrush(colour);
        if (severity == LogLine::Severity::Info) {
            p.drawEllipse(QPointF(8, 8), 3.5, 3.5);
        } else if (severity == LogLine::Severity::Warning) {
            p.drawPolygon(QPolygonF({{8, 2.5}, {14, 13}, {2, 13}}));
        } else {
            p.setPen(QPen(colour, 2.6, Qt::SolidLine, Qt::RoundCap));
            p.drawLine(QPointF(4, 4), QPointF(12, 12));
            p.drawLine(QPointF(12, 4), QPointF(4, 12));
        }
        p.end();
        icon.addPixmap(pixmap);
    }
    return icon;
}

class Filter final : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    bool shown[3] = {true, true, true};
    QStringList words;
    void renew() { invalidateFilter(); }

protected:
    bool filterAcceptsRow(int row, const QModelIndex&) const override
    {
        const QAbstractItemModel& lines = *sourceModel();
        const QModelIndex index = lines.index(row, LogModel::Message);
        if (!shown[index.data(LogModel::kSeverityRole).toInt()])
            return false;
        const QString text = lines.index(row, LogModel::Node).data().toString() + QLatin1Char(' ') +
                             index.data().toString();
        return std::all_of(words.begin(), words.end(), [&](const QString& word) {
            return text.contains(word, Qt::CaseInsensitive);
        });
    }
};

} // namespace

void LogModel::add(const LogLine& line)
{
    if (lines_.size() >= kMaxLines) {
        beginRemoveRows({}, 0, 0);
        lines_.pop_front();
        endRemoveRows();
    }
    const int row = static_cast<int>(lines_.size());
    beginInsertRows({}, row, row);
    lines_.push_back(line);
    endInsertRows();
}

void LogModel::clear()
{
    beginResetModel();
    lines_.clear();
    endResetModel();
}

int LogModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(lines_.size());
}

int LogModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : kColumns;
}

QVariant LogModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const LogLine& line = lines_[static_cast<std::size_t>(index.row())];
    if (role == kSeverityRole)
        return static_cast<int>(line.severity);
    if (role == Qt::DisplayRole) {
        if (index.column() == Time)
            return line.time.toString(QStringLiteral("HH:mm:ss"));
        if (index.column() == Node)
            return line.node;
        return QString(line.message).replace(QLatin1Char('\n'), QLatin1String("  "));
    }
    if (role == Qt::ToolTipRole && index.column() == Message)
        return line.message;
    if (role == Qt::DecorationRole && index.column() == Time) {
        // Never destroyed: pixmaps must not outlive the application.
        static auto& icons = *new std::map<std::pair<editor::Theme, LogLine::Severity>, QIcon>;
        QIcon& icon = icons[{editor::themeInUse(), line.severity}];
        if (icon.isNull())
            icon = severityIcon(line.severity);
        return icon;
    }
    if (role == Qt::ForegroundRole) {
        const QPalette palette = QApplication::palette();
        if (index.column() == Node)
            return palette.color(QPalette::Link);
        if (index.column() == Time)
            return quietText(palette);
    }
    return {};
}

QVariant LogModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == Time ? tr("Time") : section == Node ? tr("Node") : tr("Message");
}

LogView::LogView(client::Runtime* runtime, QWidget* parent)
    : QWidget(parent), model_(new LogModel(this)), filter_(new Filter(this)),
      table_(new QTableView(this)), words_(new QLineEdit(this)), empty_(new QLabel)
{
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(6, 4, 6, 4);
    bar->setSpacing(4);
    words_->setPlaceholderText(tr("Filter by node or words"));
    words_->setClearButtonEnabled(true);
    words_->setMaximumWidth(320);
    bar->addWidget(words_);
    const QString names[] = {tr("Notes"), tr("Warnings"), tr("Errors")};
    for (int i = 0; i < 3; ++i) {
        severities_[i] = new QToolButton(this);
        severities_[i]->setText(names[i]);
        severities_[i]->setIcon(severityIcon(static_cast<LogLine::Severity>(i)));
        severities_[i]->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        severities_[i]->setCheckable(true);
        severities_[i]->setChecked(true);
        severities_[i]->setAutoRaise(true);
        connect(severities_[i], &QToolButton::toggled, this, &LogView::setFilter);
        bar->addWidget(severities_[i]);
    }
    bar->addStretch();
    auto* copy = new QToolButton(this);
    copy->setText(tr("Copy"));
    copy->setToolTip(tr("Copy the lines shown"));
    copy->setAutoRaise(true);
    auto* clear = new QToolButton(this);
    clear->setText(tr("Clear"));
    clear->setAutoRaise(true);
    bar->addWidget(copy);
    bar->addWidget(clear);

    filter_->setSourceModel(model_);
    table_->setModel(filter_);
    table_->setShowGrid(false);
    table_->setWordWrap(false);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setFrameShape(QFrame::NoFrame);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 7);
    table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table_->horizontalHeader()->hide();
    table_->setColumnWidth(LogModel::Time,
                           fontMetrics().horizontalAdvance(QStringLiteral("00:00:00")) + 40);
    table_->setColumnWidth(LogModel::Node, 130);
    table_->horizontalHeader()->setStretchLastSection(true);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins({});
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(table_, 1);
    empty_->setAlignment(Qt::AlignCenter);
    auto* over = new QVBoxLayout(table_->viewport());
    over->addWidget(empty_);
    empty_->setAttribute(Qt::WA_TransparentForMouseEvents);
    editor::setTone(*empty_, "muted");
    connect(filter_, &QAbstractItemModel::rowsInserted, this, &LogView::refreshEmpty);
    connect(filter_, &QAbstractItemModel::rowsRemoved, this, &LogView::refreshEmpty);
    connect(filter_, &QAbstractItemModel::modelReset, this, &LogView::refreshEmpty);
    connect(filter_, &QAbstractItemModel::layoutChanged, this, &LogView::refreshEmpty);
    refreshEmpty();

    connect(words_, &QLineEdit::textChanged, this, &LogView::setFilter);
    connect(clear, &QToolButton::clicked, model_, &LogModel::clear);
    connect(copy, &QToolButton::clicked, this, [this] {
        QString text;
        for (int row = 0; row < filter_->rowCount(); ++row)
            for (int c = 0; c < LogModel::kColumns; ++c)
                text += filter_->index(row, c).data().toString() +
                        (c + 1 < LogModel::kColumns ? QLatin1Char('\t') : QLatin1Char('\n'));
        QApplication::clipboard()->setText(text);
    });
    connect(table_, &QTableView::clicked, this, [this](const QModelIndex& index) {
        const QString node = index.siblingAtColumn(LogModel::Node).data().toString();
        if (!node.isEmpty())
            emit nodeClicked(node);
    });
    if (runtime)
        connect(runtime, &client::Runtime::logged, this, [this](const LogLine& line) {
            const QScrollBar* scroll = table_->verticalScrollBar();
            const bool atEnd = scroll->value() >= scroll->maximum() - 1;
            model_->add(line);
            if (atEnd)
                table_->scrollToBottom();
        });
}

void LogView::refreshEmpty()
{
    empty_->setText(model_->rowCount() == 0 ? tr("Nothing has been reported")
                                            : tr("No line fits the filter"));
    empty_->setVisible(filter_->rowCount() == 0);
}

int LogView::shownRows() const
{
    return filter_->rowCount();
}

void LogView::setFilter()
{
    auto& filter = static_cast<Filter&>(*filter_);
    for (int i = 0; i < 3; ++i)
        filter.shown[i] = severities_[i]->isChecked();
    filter.words = words_->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    filter.renew();
    refreshEmpty();
}

} // namespace floe::views
