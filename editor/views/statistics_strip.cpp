#include "views/statistics_strip.hpp"

#include "views/colours.hpp"

#include <QHelpEvent>
#include <QLocale>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <cmath>
#include <iterator>

namespace floe::views {

StatisticsStrip::StatisticsStrip(History* history, QWidget* parent)
    : QWidget(parent), history_(history)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Statistics of the frame"));
    connect(history_, &History::changed, this, [this] { update(); });
}

void StatisticsStrip::setFrame(int frame)
{
    frame_ = frame;
    update();
}

QSize StatisticsStrip::sizeHint() const
{
    return {760, fontMetrics().height() + 10};
}

QSize StatisticsStrip::minimumSizeHint() const
{
    return {120, sizeHint().height()};
}

const FrameNumbers* StatisticsStrip::shown() const
{
    const auto& frames = history_->frames();
    auto next = frames.upper_bound(frame_);
    if (next == frames.begin())
        return nullptr;
    return &std::prev(next)->second;
}

void StatisticsStrip::paintEvent(QPaintEvent*)
{
    QPainter p(this);
    p.setRenderHint(QPainter::Antialiasing);
    const FrameNumbers* numbers = shown();
    const QColor quiet = quietText(palette());
    const QFontMetrics metrics = fontMetrics();
    const int baseline = (height() + metrics.ascent() - metrics.descent()) / 2;
    double x = 10;
    if (!numbers) {
        p.setPen(quiet);
        p.drawText(QPointF(x, baseline), tr("Nothing simulated yet"));
        return;
    }
    const auto item = [&](const QString& label, const QString& value, const QString& widest) {
        const double labelWidth = metrics.horizontalAdvance(label + QLatin1Char(' '));
        const double valueWidth =
            std::max(metrics.horizontalAdvance(widest), metrics.horizontalAdvance(value));
        if (x + labelWidth + valueWidth > width())
            return;
        p.setPen(quiet);
        p.drawText(QPointF(x, baseline), label);
        x += labelWidth;
        p.setPen(palette().color(QPalette::WindowText));
        p.drawText(QPointF(x, baseline), value);
        x += valueWidth + 18;
    };
    item(tr("Particles"), countText(numbers->particles), QStringLiteral("000,000"));
    if (!std::isnan(numbers->activeShare))
        item(tr("Active"), QStringLiteral("%1 %").arg(std::lround(numbers->activeShare * 100)),
             QStringLiteral("100 %"));
    item(tr("Substeps"), countText(numbers->substeps), QStringLiteral("0,000"));
    item(tr("Memory"), bytesText(numbers->bytes), QStringLiteral("000 MB"));
    item(tr("Frame"), secondsText(numbers->seconds), QStringLiteral("00.0 s"));

    double total = 0;
    for (const double stage : numbers->stages)
        total += std::isnan(stage) ? 0 : stage;
    if (total <= 0 || x + 80 > width())
        return;
    const QRectF bar(x, height() / 2.0 - 4, std::min(150.0, width() - x - 10), 8);
    QPainterPath clip;
    clip.addRoundedRect(bar, 2, 2);
    p.save();
    p.setClipPath(clip);
    double left = bar.left();
    for (int i = 0; i < kStages; ++i) {
        const double stage = numbers->stages[static_cast<std::size_t>(i)];
        if (std::isnan(stage))
            continue;
        const double w = bar.width() * stage / total;
        p.fillRect(QRectF(left, bar.top(), w + 0.5, bar.height()),
                   i == kStages - 1 ? blend(palette().color(QPalette::Window), quiet, 0.55)
                                    : seriesColour(i));
        left += w;
    }
    p.restore();
    x = bar.right() + 12;
    for (int i = 0; i < kStages; ++i) {
        const double stage = numbers->stages[static_cast<std::size_t>(i)];
        if (std::isnan(stage) || stage < 0.005 * total)
            continue;
        const QString label = stageName(i), value = secondsText(stage);
        const double w = 12 + metrics.horizontalAdvance(label + QLatin1Char(' ') + value) + 12;
        if (x + w > width())
            break;
        p.setPen(Qt::NoPen);
        p.setBrush(i == kStages - 1 ? blend(palette().color(QPalette::Window), quiet, 0.55)
                                    : seriesColour(i));
        p.drawRoundedRect(QRectF(x, height() / 2.0 - 3.5, 7, 7), 1.5, 1.5);
        p.setPen(quiet);
        p.drawText(QPointF(x + 12, baseline), label);
        p.setPen(palette().color(QPalette::WindowText));
        p.drawText(QPointF(x + 12 + metrics.horizontalAdvance(label + QLatin1Char(' ')), baseline),
                   value);
        x += w;
    }
}

bool StatisticsStrip::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    QString text = tr("Nothing simulated yet");
    if (const FrameNumbers* numbers = shown()) {
        text =
            tr("Particles: %1\nSubsteps: %2\nTop speed: %3 m/s\nMemory: %4\nFrame: %5")
                .arg(countText(numbers->particles), countText(numbers->substeps),
                     std::isnan(numbers->topSpeed) ? QStringLiteral("–")
                                                   : QLocale().toString(numbers->topSpeed, 'f', 2),
                     bytesText(numbers->bytes), secondsText(numbers->seconds));
        for (int i = 0; i < kStages; ++i)
            text +=
                QStringLiteral("\n   %1: %2")
                    .arg(stageName(i), secondsText(numbers->stages[static_cast<std::size_t>(i)]));
    }
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), text, this);
    return true;
}

} // namespace floe::views
