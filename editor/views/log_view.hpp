#pragma once

#include "client/runtime.hpp"

#include <QAbstractTableModel>
#include <QWidget>

#include <deque>

class QLabel;
class QLineEdit;
class QSortFilterProxyModel;
class QTableView;
class QToolButton;

namespace floe::views {

/// Lines of the log; the oldest go when there are more than kMaxLines.
class LogModel : public QAbstractTableModel {
    Q_OBJECT
public:
    static constexpr int kMaxLines = 10'000;
    enum Column { Time, Node, Message, kColumns };
    static constexpr int kSeverityRole = Qt::UserRole;
    using QAbstractTableModel::QAbstractTableModel;

    void add(const client::LogLine& line);
    void clear();
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::deque<client::LogLine> lines_;
};

/// The log with a filter by severity and by words (in node or message).
class LogView : public QWidget {
    Q_OBJECT
public:
    /// @param runtime its log is shown; may be null
    explicit LogView(client::Runtime* runtime, QWidget* parent = nullptr);

    LogModel* model() const { return model_; }
    int shownRows() const; ///< that pass the filter

signals:
    void nodeClicked(const QString& node);

private:
    void setFilter();
    void refreshEmpty(); ///< says why no line is to be seen

    LogModel* model_;
    QSortFilterProxyModel* filter_;
    QTableView* table_;
    QLineEdit* words_;
    QLabel* empty_;
    QToolButton* severities_[3];
};

} // namespace floe::views
