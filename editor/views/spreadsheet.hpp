#pragma once

#include "client/runtime.hpp"

#include <QTimer>
#include <QWidget>

class QComboBox;
class QLabel;
class QTableView;

namespace floe::editor {
class Document;
}

namespace floe::views {

class TableModel;

/// The numbers of any socket's value at the frame shown: particles, records.
class Spreadsheet : public QWidget {
    Q_OBJECT
public:
    Spreadsheet(client::Runtime* runtime, editor::Document* document, QWidget* parent = nullptr);
    void setFrame(int frame);
    /// The node whose outputs can be chosen; empty: the first solver.
    void setNode(const QString& node);
    TableModel* model() const { return model_; }
    QTableView* table() const { return table_; }
    QString summary() const; ///< what it says above the table

protected:
    void showEvent(QShowEvent* event) override;

private:
    void refreshSockets();
    void refreshSummary();
    bool isToBeSimulated() const;
    void renew();

    client::Runtime* runtime_;
    editor::Document* document_;
    TableModel* model_;
    QComboBox* sockets_;
    QLabel* summary_;
    QTableView* table_;
    QString node_;
    int frame_ = 1;
    QTimer wait_; // frames that go by quickly are not asked for
};

} // namespace floe::views
