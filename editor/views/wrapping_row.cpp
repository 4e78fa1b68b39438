#include "views/wrapping_row.hpp"

#include <algorithm>

namespace floe::views {

WrappingRow::WrappingRow(int spacing)
{
    setSpacing(spacing);
}

WrappingRow::~WrappingRow()
{
    qDeleteAll(items_);
}

QLayoutItem* WrappingRow::takeAt(int index)
{
    if (index < 0 || index >= items_.size())
        return nullptr;
    second_ -= index < second_;
    return items_.takeAt(index);
}

QList<WrappingRow::Row> WrappingRow::rows(int width) const
{
    const auto widthOf = [this](qsizetype from) {
        int sum = 0;
        for (qsizetype i = from; i < items_.size(); ++i)
            if (!items_[i]->isEmpty())
                sum += items_[i]->sizeHint().width() + (sum > 0 ? spacing() : 0);
        return sum;
    };
    QList<Row> rows(1);
    for (qsizetype i = 0; i < items_.size(); ++i) {
        if (items_[i]->isEmpty())
            continue;
        const QSize size = items_[i]->sizeHint();
        const bool opensSecond = i >= second_ && rows.last().second.isEmpty();
        const int needed =
            opensSecond && widthOf(i) <= width ? widthOf(i) : size.width(); // whole, if it can be
        if (rows.last().width > 0 && rows.last().width + spacing() + needed > width)
            rows.append(Row());
        Row& row = rows.last();
        (i >= second_ ? row.second : row.first) << items_[i];
        row.width += size.width() + (row.width > 0 ? spacing() : 0);
        row.height = std::max(row.height, size.height());
    }
    return rows;
}

int WrappingRow::heightForWidth(int width) const
{
    const QMargins margins = contentsMargins();
    int height = margins.top() + margins.bottom() - spacing();
    for (const Row& row : rows(width - margins.left() - margins.right()))
        height += row.height + spacing();
    return height;
}

QSize WrappingRow::minimumSize() const
{
    QSize size;
    for (const QLayoutItem* item : items_)
        if (!item->isEmpty())
            size = size.expandedTo(item->minimumSize());
    return size.grownBy(contentsMargins());
}

QSize WrappingRow::sizeHint() const
{
    const Row all = rows(QWIDGETSIZE_MAX).first();
    return QSize(all.width, all.height).grownBy(contentsMargins());
}

void WrappingRow::setGeometry(const QRect& rect)
{
    QLayout::setGeometry(rect);
    const QRect room = rect.marginsRemoved(contentsMargins());
    int y = room.top();
    for (const Row& row : rows(room.width())) {
        int x = room.left();
        const auto place = [&](QLayoutItem* item) {
            const QSize size = item->sizeHint().boundedTo({room.width(), row.height});
            item->setGeometry({{x, y + (row.height - size.height()) / 2}, size});
            x += size.width() + spacing();
        };
        std::for_each(row.first.begin(), row.first.end(), place);
        x += std::max(0, room.width() - row.width);
        std::for_each(row.second.begin(), row.second.end(), place);
        y += row.height + spacing();
    }
}

} // namespace floe::views
