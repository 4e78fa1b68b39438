#pragma once

#include <QFrame>
#include <QTimer>

#include <functional>
#include <optional>
#include <vector>

class QLabel;
class QPushButton;

namespace floe::editor {

/// A card over the work that says what went wrong, or asks, without stopping the work or moving it.
///
/// One message replaces another; a question that a message covers comes back when the message goes,
/// until it is answered. Information and warnings go by themselves when nobody reads them; errors
/// and what has several choices stay.
class Notice : public QFrame {
    Q_OBJECT
public:
    enum class Severity { Info, Warning, Error };
    /// @param window  holds the card, over everything else in it
    explicit Notice(QWidget* window);
    /// The card lies in the lower left corner of the first of these that is visible.
    void lieOn(std::vector<QWidget*> places);

    /// @param button  text of a button that runs `action`; none when empty
    void say(Severity severity, const QString& text, const QString& button = {},
             std::function<void()> action = {});
    /// Several things that may be done about it, the most likely first.
    struct Choice {
        QString text; ///< of its button
        std::function<void()> action;
    };
    void offer(Severity severity, const QString& text, std::vector<Choice> choices);
    /// @param yes, no  texts of the buttons that answer; they run `agreed` and `refused`
    void ask(Severity severity, const QString& text, const QString& yes,
             std::function<void()> agreed, const QString& no, std::function<void()> refused);
    /// The message is no longer of interest; a question stays.
    void clear();

    QString text() const; ///< empty while nothing is said
    QPushButton* button() const { return button_; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Line {
        Severity severity = Severity::Info;
        QString text, button, close;
        std::function<void()> action, closed;
        std::vector<Choice> more; ///< beside the action
    };
    void tell(const Line& line);
    void place();
    void answered(bool byAction);
    void close(const std::function<void(const Line&)>& then);

    std::vector<QWidget*> places_;
    QLabel* picture_;
    QLabel* label_;
    QPushButton* button_;
    QPushButton* close_;
    std::vector<QPushButton*> more_;         ///< as many as the message in front needs
    std::optional<Line> message_, question_; ///< the message is in front
    QTimer fade_;
};

} // namespace floe::editor
