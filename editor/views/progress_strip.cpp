#include "views/progress_strip.hpp"

#include "views/statistics.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include <algorithm>

namespace floe::views {

using client::RunState;
using client::Runtime;

ProgressStrip::ProgressStrip(Runtime* runtime, QWidget* parent)
    : QWidget(parent), runtime_(runtime), label_(new QLabel(this)), bar_(new QProgressBar(this)),
      button_(new QPushButton(this))
{
    label_->setTextFormat(Qt::RichText);
    label_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    label_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    bar_->setTextVisible(false);
    bar_->setFixedSize(180, 8);
    bar_->setRange(0, 1000);
    button_->setFocusPolicy(Qt::TabFocus);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(10, 2, 8, 2);
    row->setSpacing(10);
    row->addWidget(bar_);
    row->addWidget(label_, 1);
    row->addWidget(button_);

    connect(label_, &QLabel::linkActivated, this, &ProgressStrip::nodeClicked);
    connect(button_, &QPushButton::clicked, this, [this] {
        if (runtime_->state() == Runtime::State::Lost)
            runtime_->restart();
        else if (runtime_->runState() == RunState::Running)
            runtime_->cancel();
        else {
            failure_.clear();
            refresh();
        }
    });
    connect(runtime_, &Runtime::stateChanged, this, &ProgressStrip::refresh);
    connect(runtime_, &Runtime::lost, this,
            [this](const QString&, const QString& node, const QStringList& lines) {
                node_ = node;
                label_->setToolTip(lines.join(QLatin1Char('\n')));
                refresh();
            });
    connect(runtime_, &Runtime::runStateChanged, this,
            [this](RunState state, const QString& message, const QString& node) {
                if (state == RunState::Running && !since_.isValid()) {
                    since_.start();
                    startFrame_ = -1;
                    now_ = {};
                }
                if (state != RunState::Running && state != RunState::Stopping)
                    since_.invalidate();
                failure_.clear();
                if (state == RunState::Failed)
                    failure_ = message.isEmpty() ? tr("The simulation failed.") : message;
                else if (state == RunState::Cancelled)
                    failure_ = tr("Cancelled.");
                node_ = node;
                label_->setToolTip({});
                if (state == RunState::Cancelled)
                    hide_.start(3000);
                refresh();
            });
    connect(runtime_, &Runtime::progressed, this, [this](const client::Progress& progress) {
        now_ = progress;
        if (startFrame_ < 0)
            startFrame_ = progress.frame;
        refresh();
    });
    hide_.setSingleShot(true);
    connect(&hide_, &QTimer::timeout, this, [this] {
        if (runtime_->runState() == RunState::Cancelled) {
            failure_.clear();
            refresh();
        }
    });
    refresh();
}

void ProgressStrip::setRange(int first, int last)
{
    first_ = first;
    last_ = std::max(first, last);
    refresh();
}

QString ProgressStrip::text() const
{
    return label_->text();
}

QString ProgressStrip::timeLeft() const
{
    const double done = now_.frame + now_.fraction - startFrame_;
    if (done < 1 || !since_.isValid()) // shapes are made in the first frame: it says little
        return {};
    const double seconds = static_cast<double>(since_.elapsed()) / 1000;
    return tr("%1 left").arg(
        secondsText(std::max(1.0, seconds / done * (last_ + 1 - now_.frame - now_.fraction))));
}

void ProgressStrip::refresh()
{
    const Runtime::State state = runtime_->state();
    const RunState run = runtime_->runState();
    const auto link = [](const QString& node) {
        return node.isEmpty()
                   ? QString()
                   : QStringLiteral(" · <a href=\"%1\">%1</a>").arg(node.toHtmlEscaped());
    };
    bool visible = true;
    bar_->setVisible(false);
    button_->setVisible(true);
    if (state == Runtime::State::Lost) {
        label_->setText(tr("The runtime is not running") + link(node_)); // why: in the viewport
        button_->setText(runtime_->isElsewhere() ? tr("Connect again") : tr("Restart the runtime"));
    } else if (state == Runtime::State::Starting) {
        label_->setText(tr("Starting the runtime …"));
        bar_->setVisible(true);
        bar_->setRange(0, 0);
        button_->setVisible(false);
    } else if (run == RunState::Running || run == RunState::Stopping) {
        QStringList parts{now_.frame > 0 ? tr("Frame %1 of %2").arg(now_.frame).arg(last_)
                                         : tr("Preparing …")};
        if (const QString left = timeLeft(); !left.isEmpty())
            parts.append(left);
        label_->setText(run == RunState::Stopping
                            ? tr("Stopping …")
                            : parts.join(QStringLiteral(" · ")) + link(now_.node));
        bar_->setVisible(true);
        bar_->setRange(0, 1000);
        const double share = (now_.frame + now_.fraction - first_) / (last_ + 1.0 - first_);
        bar_->setValue(static_cast<int>(1000 * std::clamp(share, 0.0, 1.0)));
        button_->setText(tr("Cancel"));
        button_->setToolTip(tr("Stop simulating; the frames made so far stay  [Esc]"));
        button_->setEnabled(run == RunState::Running);
    } else if (!failure_.isEmpty()) {
        label_->setText(failure_.toHtmlEscaped() + link(node_));
        button_->setText(tr("Dismiss"));
    } else {
        visible = false;
    }
    if (run != RunState::Stopping)
        button_->setEnabled(true);
    setVisible(visible);
}

} // namespace floe::views
