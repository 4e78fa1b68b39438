#pragma once

#include "client/runtime.hpp"

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace floe::views {

/// How the runtime is, in one line: starting, simulating (frame, node, time left, cancel), failed,
/// or lost, with a button that starts it again. Hidden while there is nothing to say.
class ProgressStrip : public QWidget {
    Q_OBJECT
public:
    explicit ProgressStrip(client::Runtime* runtime, QWidget* parent = nullptr);
    void setRange(int first, int last); ///< frames of the scene

    QString text() const; ///< what it says

signals:
    void nodeClicked(const QString& node);

private:
    void refresh();
    QString timeLeft() const;

    client::Runtime* runtime_;
    QLabel* label_;
    QProgressBar* bar_;
    QPushButton* button_;
    int first_ = 1, last_ = 48, startFrame_ = 1;
    client::Progress now_;
    QString failure_, node_;
    QElapsedTimer since_;
    QTimer hide_;
};

} // namespace floe::views
