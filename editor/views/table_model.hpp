#pragma once

#include "client/runtime.hpp"

#include <QAbstractTableModel>

#include <list>
#include <map>

namespace floe::views {

/// A value of the runtime as a table, fetched in pages as they come into view. Holds kPages pages;
/// the ones not seen for longest go. Sorting is done by the runtime.
class TableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    static constexpr int kRows = 200; ///< of a page
    static constexpr int kPages = 64;
    static constexpr qint64 kMaxRows = 5'000'000; ///< shown; views keep some bytes for each

    explicit TableModel(client::Runtime* runtime, QObject* parent = nullptr);

    /// What to show. Empty node: nothing.
    void setSource(const QString& node, const QString& socket, int frame);
    qint64 total() const { return total_; }
    const QString& failure() const { return failure_; } ///< why there is nothing; may be empty

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override; ///< column -1: as stored

signals:
    void refreshed();

private:
    void forget();
    void fetch(int page) const;
    bool isText(const QModelIndex& index) const;
    void arrived(int page, const client::TablePage& content);

    client::Runtime* runtime_;
    QString node_, socket_, failure_;
    int frame_ = 1;
    int generation_ = 0; // of the source; late answers of an older one are dropped
    QStringList columns_;
    qint64 total_ = 0;
    int sortColumn_ = -1;
    Qt::SortOrder order_ = Qt::AscendingOrder;
    std::map<int, QVector<QVector<QVariant>>> pages_;
    mutable std::list<int> used_; // newest first
    mutable std::map<int, bool> asked_;
};

} // namespace floe::views
