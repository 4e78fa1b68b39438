#include "shell/notice.hpp"

#include "shell/theme.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>

#include <utility>

namespace floe::editor {

Notice::Notice(QWidget* parent)
    : QFrame(parent), picture_(new QLabel(this)), label_(new QLabel(this)),
      button_(new QPushButton(this)), close_(new QPushButton(this))
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
    hide();
}

void Notice::say(Severity severity, const QString& text, const QString& button,
                 std::function<void()> action)
{
    message_ = Line{severity, text, button, tr("Dismiss"), std::move(action), {}};
    show(*message_);
}

void Notice::ask(Severity severity, const QString& text, const QString& yes,
                 std::function<void()> agreed, const QString& no, std::function<void()> refused)
{
    question_ = Line{severity, text, yes, no, std::move(agreed), std::move(refused)};
    if (!message_)
        show(*question_);
}

void Notice::clear()
{
    message_.reset();
    if (question_)
        show(*question_);
    else
        hide();
}

void Notice::answered(bool byAction)
{
    std::optional<Line>& front = message_ ? message_ : question_;
    if (!front)
        return;
    const Line line = *std::exchange(front, std::nullopt);
    clear();
    if (const auto& then = byAction ? line.action : line.closed)
        then();
}

void Notice::show(const Line& line)
{
    const char* word = line.severity == Severity::Error     ? "error"
                       : line.severity == Severity::Warning ? "warning"
                                                            : "info";
    setProperty("severity", word);
    style()->unpolish(this);
    style()->polish(this);
    picture_->setPixmap(icon(word).pixmap(18, 18));
    label_->setText(line.text);
    button_->setText(line.button);
    button_->setVisible(!line.button.isEmpty());
    close_->setText(line.close);
    QFrame::show();
}

QString Notice::text() const
{
    return isHidden() ? QString() : label_->text();
}

} // namespace floe::editor
