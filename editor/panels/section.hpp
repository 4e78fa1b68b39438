#pragma once

#include <QToolButton>
#include <QWidget>

class QVBoxLayout;

namespace floe::panels {

/// A titled part of a panel that folds away.
class Section : public QWidget {
    Q_OBJECT
public:
    explicit Section(const QString& title, QWidget* parent = nullptr);
    void add(QWidget* row);
    void refresh(); ///< hides it when all its rows are hidden
    void setFolded(bool folded);
    bool isFolded() const { return folded_; }
    QToolButton* header() const { return header_; }

signals:
    void foldedChanged(bool folded);

private:
    QToolButton* header_;
    QWidget* body_;
    QVBoxLayout* rows_;
    bool folded_ = false;
};

} // namespace floe::panels
