#pragma once

#include <QLayout>
#include <QList>

namespace floe::views {

/// Widgets beside each other, each as wide as it likes to be, in as many rows as that takes.
///
/// A second group stands at the right end. Where there is no room beside the first, it goes into a
/// row of its own, and either breaks where it must.
class WrappingRow final : public QLayout {
public:
    /// @param spacing  between widgets, and between rows [pixels]
    explicit WrappingRow(int spacing);
    ~WrappingRow() override;

    void beginSecondGroup() { second_ = items_.size(); } ///< what is added from here on

    void addItem(QLayoutItem* item) override { items_ << item; }
    int count() const override { return int(items_.size()); }
    QLayoutItem* itemAt(int index) const override { return items_.value(index); }
    QLayoutItem* takeAt(int index) override;

    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize minimumSize() const override; ///< of the widest widget
    QSize sizeHint() const override;    ///< of all in one row
    void setGeometry(const QRect& rect) override;

private:
    struct Row {
        QList<QLayoutItem*> first, second;
        int width = 0, height = 0;
    };
    QList<Row> rows(int width) const;

    QList<QLayoutItem*> items_;
    qsizetype second_ = 0;
};

} // namespace floe::views
