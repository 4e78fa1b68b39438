#include "views/table_model.hpp"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace floe::views {

TableModel::TableModel(client::Runtime* runtime, QObject* parent)
    : QAbstractTableModel(parent), runtime_(runtime)
{}

void TableModel::setSource(const QString& node, const QString& socket, int frame)
{
    if (node != node_ || socket != socket_)
        sortColumn_ = -1;
    node_ = node;
    socket_ = socket;
    frame_ = frame;
    forget();
}

void TableModel::forget()
{
    ++generation_;
    pages_.clear();
    used_.clear();
    asked_.clear();
    failure_.clear();
    if (node_.isEmpty()) {
        beginResetModel();
        total_ = 0;
        columns_.clear();
        endResetModel();
        emit refreshed();
        return;
    }
    fetch(0); // the old content stays until the new one is here
}

void TableModel::fetch(int page) const
{
    if (asked_[page] || asked_.size() > 16) // scrolled past many: the next paint asks again
        return;
    asked_[page] = true;
    Json params = {{"node", node_.toStdString()},
                   {"socket", socket_.toStdString()},
                   {"frame", frame_},
                   {"offset", qint64(page) * kRows},
                   {"count", kRows}};
    if (sortColumn_ >= 0 && sortColumn_ < columns_.size()) {
        params["sort"] = columns_[sortColumn_].toStdString();
        params["descending"] = order_ == Qt::DescendingOrder;
    }
    auto* self = const_cast<TableModel*>(this);
    runtime_->request(
        self, QStringLiteral("value.table"), std::move(params),
        [self, page, generation = generation_](const Json& result) {
            if (generation == self->generation_)
                self->arrived(page, client::tablePage(result));
        },
        [self, page, generation = generation_](const QString& message) {
            if (generation != self->generation_)
                return;
            self->asked_.erase(page);
            if (page != 0)
                return;
            self->beginResetModel();
            self->failure_ = message;
            self->columns_.clear();
            self->total_ = 0;
            self->endResetModel();
            emit self->refreshed();
        });
}

void TableModel::arrived(int page, const client::TablePage& content)
{
    asked_.erase(page);
    const bool reshaped = content.columns != columns_ || content.total != total_;
    if (reshaped) {
        beginResetModel();
        columns_ = content.columns;
        total_ = content.total;
        pages_.clear();
        used_.clear();
    }
    pages_[page] = content.rows;
    used_.remove(page);
    used_.push_front(page);
    while (used_.size() > static_cast<std::size_t>(kPages)) {
        pages_.erase(used_.back());
        used_.pop_back();
    }
    if (reshaped)
        endResetModel();
    else if (rowCount() > 0 && columnCount() > 0)
        emit dataChanged(index(page * kRows, 0),
                         index(std::min(rowCount(), (page + 1) * kRows) - 1, columnCount() - 1));
    emit refreshed();
}

int TableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(std::min(total_, kMaxRows));
}

int TableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

bool TableModel::isText(const QModelIndex& index) const
{
    const auto page = pages_.find(index.row() / kRows);
    if (page == pages_.end() || index.row() % kRows >= page->second.size())
        return false;
    const auto& row = page->second[index.row() % kRows];
    return index.column() < row.size() && row[index.column()].typeId() == QMetaType::QString;
}

QVariant TableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((isText(index) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && isText(index))
        return data(index, Qt::DisplayRole);
    if (role != Qt::DisplayRole)
        return {};
    const int page = index.row() / kRows;
    const auto found = pages_.find(page);
    if (found == pages_.end()) {
        fetch(page);
        return QStringLiteral("…");
    }
    if (used_.empty() || used_.front() != page) {
        used_.remove(page);
        used_.push_front(page);
    }
    const int row = index.row() % kRows;
    if (row >= found->second.size() || index.column() >= found->second[row].size())
        return {};
    const QVariant& cell = found->second[row][index.column()];
    if (cell.typeId() != QMetaType::Double)
        return cell;
    const double value = cell.toDouble();
    if (std::isnan(value))
        return QStringLiteral("nan");
    if (std::isinf(value))
        return value > 0 ? QStringLiteral("inf") : QStringLiteral("-inf");
    if (value == std::floor(value) && std::abs(value) < 1e15)
        return QString::number(static_cast<qint64>(value));
    return QString::number(value, 'g', 7);
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role != Qt::DisplayRole)
        return {};
    if (orientation == Qt::Vertical)
        return section;
    return section < columns_.size() ? columns_[section] : QString();
}

void TableModel::sort(int column, Qt::SortOrder order)
{
    if (column == sortColumn_ && order == order_)
        return;
    sortColumn_ = column;
    order_ = order;
    forget();
}

} // namespace floe::views
