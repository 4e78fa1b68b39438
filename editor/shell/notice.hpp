#pragma once

#include <QFrame>

#include <functional>
#include <optional>

class QLabel;
class QPushButton;

namespace floe::editor {

/// A line across the window that says what went wrong, or asks, without stopping the work.
///
/// One message replaces another; a question that a message covers comes back when the message goes,
/// until it is answered.
class Notice : public QFrame {
    Q_OBJECT
public:
    enum class Severity { Info, Warning, Error };
    explicit Notice(QWidget* parent = nullptr);

    /// @param button  text of a button that runs `action`; none when empty
    void say(Severity severity, const QString& text, const QString& button = {},
             std::function<void()> action = {});
    /// @param yes, no  texts of the buttons that answer; they run `agreed` and `refused`
    void ask(Severity severity, const QString& text, const QString& yes,
             std::function<void()> agreed, const QString& no, std::function<void()> refused);
    /// The message is no longer of interest; a question stays.
    void clear();

    QString text() const; ///< empty while nothing is said
    QPushButton* button() const { return button_; }

private:
    struct Line {
        Severity severity = Severity::Info;
        QString text, button, close;
        std::function<void()> action, closed;
    };
    void show(const Line& line);
    void answered(bool byAction);

    QLabel* picture_;
    QLabel* label_;
    QPushButton* button_;
    QPushButton* close_;
    std::optional<Line> message_, question_; ///< the message is in front
};

} // namespace floe::editor
