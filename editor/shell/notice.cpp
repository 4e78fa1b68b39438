#include "shell/notice.hpp"

#include "themes/theme.hpp"

#include <QApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QStyle>

#include <algorithm>
#include <utility>

namespace floe::editor {

namespace {
constexpr int kWidth = 620, kMargin = 14, kLines = 6;
constexpr int kInfoTime = 12'000; // ms that information without a button stays
constexpr int kLongTime = 30'000; // ms that warnings and what has a button stay

/// Space and Return press the button that has the focus, whatever else they are shortcuts for.
class NoticeButton final : public QPushButton {
public:
    using QPushButton::QPushButton;

protected:
    static bool presses(const QEvent* event)
    {
        const int key = static_cast<const QKeyEvent*>(event)->key();
        return key == Qt::Key_Space || key == Qt::Key_Return || key == Qt::Key_Enter;
    }
    bool event(QEvent* event) override
    {
        if (event->type() == QEvent::ShortcutOverride && presses(event)) {
            event->accept();
            return true;
        }
        return QPushButton::event(event);
    }
    void keyPressEvent(QKeyEvent* event) override
    {
        if (presses(event))
            click();
        else
            QPushButton::keyPressEvent(event);
    }
};
} // namespace

Notice::Notice(QWidget* window)
    : QFrame(window), picture_(new QLabel(this)), label_(new QLabel(this)),
      button_(new NoticeButton(this)), close_(new NoticeButton(this))
{
    setObjectName("notice");
    label_->setWordWrap(true);
    label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    button_->setObjectName("noticeAction");
    close_->setObjectName("noticeClose");
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 7, 8, 7);
    row->setSpacing(10);
    row->addWidget(picture_);
    row->addWidget(label_, 1);
    row->addWidget(button_);
    row->addWidget(close_);
    connect(button_, &QPushButton::clicked, this, [this] { answered(true); });
    connect(close_, &QPushButton::clicked, this, [this] { answered(false); });
    fade_.setParent(this);
    fade_.setObjectName("fade");
    fade_.setSingleShot(true);
    connect(&fade_, &QTimer::timeout, this, [this] {
        if (underMouse() || isAncestorOf(QApplication::focusWidget()))
            fade_.start(kInfoTime); // somebody reads it
        else
            clear();
    });
    hide();
}

void Notice::say(Severity severity, const QString& text, const QString& button,
                 std::function<void()> action)
{
    message_ = Line{severity, text, button, tr("Dismiss"), std::move(action), {}, {}};
    tell(*message_);
    if (severity != Severity::Error)
        fade_.start(severity == Severity::Info && button.isEmpty() ? kInfoTime : kLongTime);
}

void Notice::offer(Severity severity, const QString& text, std::vector<Choice> choices)
{
    message_ = Line{severity, text, {}, tr("Dismiss"), {}, {}, std::move(choices)};
    if (!message_->more.empty()) {
        message_->button = message_->more.front().text;
        message_->action = message_->more.front().action;
        message_->more.erase(message_->more.begin());
    }
    tell(*message_);
}

void Notice::ask(Severity severity, const QString& text, const QString& yes,
                 std::function<void()> agreed, const QString& no, std::function<void()> refused)
{
    question_ = Line{severity, text, yes, no, std::move(agreed), std::move(refused), {}};
    if (!message_)
        tell(*question_);
}

void Notice::clear()
{
    message_.reset();
    fade_.stop();
    if (question_)
        tell(*question_);
    else
        hide();
}

void Notice::answered(bool byAction)
{
    close([byAction](const Line& line) {
        if (const auto& then = byAction ? line.action : line.closed)
            then();
    });
}

/// Takes the message in front away, and does something about it.
void Notice::close(const std::function<void(const Line&)>& then)
{
    std::optional<Line>& front = message_ ? message_ : question_;
    if (!front)
        return;
    const Line line = *std::exchange(front, std::nullopt);
    clear();
    then(line);
}

void Notice::tell(const Line& line)
{
    fade_.stop();
    const char* word = line.severity == Severity::Error     ? "error"
                       : line.severity == Severity::Warning ? "warning"
                                                            : "info";
    setProperty("severity", word);
    style()->unpolish(this);
    style()->polish(this);
    picture_->setPixmap(icon(word).pixmap(18, 18));
    const QString shown = line.text.section(QLatin1Char('\n'), 0, kLines - 1);
    label_->setText(shown.size() < line.text.size() ? shown + QStringLiteral("\n…") : line.text);
    label_->setToolTip(shown.size() < line.text.size() ? line.text : QString());
    button_->setText(line.button);
    button_->setVisible(!line.button.isEmpty());
    while (more_.size() < line.more.size()) {
        auto* button = new NoticeButton(this);
        const std::size_t index = more_.size();
        connect(button, &QPushButton::clicked, this, [this, index] {
            close([index](const Line& closed) {
                if (index < closed.more.size() && closed.more[index].action)
                    closed.more[index].action();
            });
        });
        auto* row = static_cast<QHBoxLayout*>(layout());
        row->insertWidget(row->indexOf(close_), button);
        more_.push_back(button);
    }
    for (std::size_t i = 0; i < more_.size(); ++i) {
        more_[i]->setVisible(i < line.more.size());
        if (i < line.more.size())
            more_[i]->setText(line.more[i].text);
    }
    close_->setText(line.close);
    place();
    show();
    raise();
}

void Notice::lieOn(std::vector<QWidget*> places)
{
    places_ = std::move(places);
    for (QWidget* place : places_)
        place->installEventFilter(this);
}

bool Notice::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize || event->type() == QEvent::Move ||
        event->type() == QEvent::Show)
        place();
    return QFrame::eventFilter(watched, event);
}

void Notice::place()
{
    const auto on = std::find_if(places_.begin(), places_.end(),
                                 [](const QWidget* place) { return place->isVisible(); });
    if (on == places_.end())
        return;
    QRect card({}, QSize(std::min(kWidth, (*on)->width() - 2 * kMargin), 0));
    card.setHeight(heightForWidth(card.width()));
    const QPoint corner = (*on)->mapTo(parentWidget(), (*on)->rect().bottomLeft());
    card.moveBottomLeft(corner + QPoint(kMargin, -kMargin)); // the map of the network is opposite
    setGeometry(card);
}

QString Notice::text() const
{
    return isHidden() ? QString() : label_->text();
}

} // namespace floe::editor
