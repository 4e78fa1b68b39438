#pragma once

#include <QFrame>

#include <functional>

class QLabel;
class QPushButton;

namespace floe::editor {

/// A line across the window that says what went wrong, or asks, without stopping the work.
class Notice : public QFrame {
    Q_OBJECT
public:
    enum class Severity { Info, Warning, Error };
    explicit Notice(QWidget* parent = nullptr);

    /// Replaces what was said before. @param button  text of a button that runs `action`
    void say(Severity severity, const QString& text, const QString& button = {},
             std::function<void()> action = {}, const QString& dismiss = {},
             std::function<void()> dismissed = {});
    QString text() const;
    QPushButton* button() const { return button_; }

private:
    QLabel* picture_;
    QLabel* label_;
    QPushButton* button_;
    QPushButton* close_;
    std::function<void()> action_, dismissed_;
};

} // namespace floe::editor
