#include "shell/notice.hpp"

#include "shell/theme.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>

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
    connect(button_, &QPushButton::clicked, this, [this] {
        hide();
        if (const auto action = std::exchange(action_, nullptr))
            action();
    });
    connect(close_, &QPushButton::clicked, this, [this] {
        hide();
        if (const auto dismissed = std::exchange(dismissed_, nullptr))
            dismissed();
    });
    hide();
}

void Notice::say(Severity severity, const QString& text, const QString& button,
                 std::function<void()> action, const QString& dismiss,
                 std::function<void()> dismissed)
{
    const char* word = severity == Severity::Error     ? "error"
                       : severity == Severity::Warning ? "warning"
                                                       : "info";
    setProperty("severity", word);
    style()->unpolish(this);
    style()->polish(this);
    picture_->setPixmap(icon(word).pixmap(18, 18));
    label_->setText(text);
    button_->setText(button);
    button_->setVisible(!button.isEmpty());
    close_->setText(dismiss.isEmpty() ? tr("Dismiss") : dismiss);
    action_ = std::move(action);
    dismissed_ = std::move(dismissed);
    show();
}

QString Notice::text() const
{
    return isHidden() ? QString() : label_->text();
}

} // namespace floe::editor
