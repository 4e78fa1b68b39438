#include "views/statistics.hpp"

#include <QCoreApplication>
#include <QLocale>

#include <cmath>
#include <limits>

namespace floe::views {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

void addTo(double& sum, const Json& object, const char* key)
{
    const double value = client::numberOf(object, key, kNone);
    if (!std::isnan(value))
        sum = std::isnan(sum) ? value : sum + value;
}

QString text(const char* source)
{
    return QCoreApplication::translate("Statistics", source);
}

} // namespace

QString stageName(int stage)
{
    static const char* const kNames[] = {
        QT_TRANSLATE_NOOP("Statistics", "Transfer"), QT_TRANSLATE_NOOP("Statistics", "Grid"),
        QT_TRANSLATE_NOOP("Statistics", "Rebin"), QT_TRANSLATE_NOOP("Statistics", "Other")};
    return text(kNames[stage]);
}

FrameNumbers frameNumbers(const Json& statistics)
{
    FrameNumbers all{kNone, kNone, kNone, kNone, kNone, kNone, {kNone, kNone, kNone, kNone}};
    all.seconds = client::numberOf(statistics, "seconds", kNone);
    all.bytes = client::numberOf(statistics, "residentBytes", kNone);
    double active = kNone;
    // The protocol keeps what nodes report in `values`; run.json keeps it in `nodes`.
    for (const char* place : {"values", "nodes"}) {
        const Json* nodes = client::member(statistics, place);
        if (!nodes || !nodes->is_object() || !std::isnan(all.particles))
            continue;
        for (const auto& [name, node] : nodes->items()) {
            addTo(all.particles, node, "particles");
            addTo(active, node, "activeParticles");
            addTo(all.substeps, node, "substeps");
            addTo(all.stages[0], node, "transferSeconds");
            addTo(all.stages[1], node, "gridSeconds");
            addTo(all.stages[2], node, "rebinSeconds");
            const double speed = client::numberOf(node, "topSpeed", kNone);
            if (!std::isnan(speed))
                all.topSpeed = std::isnan(all.topSpeed) ? speed : std::max(all.topSpeed, speed);
        }
    }
    all.activeShare = all.particles > 0 ? active / all.particles : kNone;
    double known = 0;
    for (int i = 0; i < kStages - 1; ++i)
        known += std::isnan(all.stages[static_cast<std::size_t>(i)])
                     ? 0
                     : all.stages[static_cast<std::size_t>(i)];
    all.stages[kStages - 1] = std::max(0.0, all.seconds - known);
    return all;
}

History::History(client::Runtime* runtime, QObject* parent) : QObject(parent)
{
    if (runtime)
        connect(
            runtime, &client::Runtime::frameFinished, this,
            [this](int frame, const Json& statistics) { add(frame, frameNumbers(statistics)); });
}

const FrameNumbers* History::at(int frame) const
{
    const auto found = frames_.find(frame);
    return found == frames_.end() ? nullptr : &found->second;
}

void History::add(int frame, const FrameNumbers& numbers)
{
    if (frames_.size() >= kMaxFrames && !frames_.contains(frame))
        return;
    frames_[frame] = numbers;
    emit changed(frame);
}

void History::clear()
{
    frames_.clear();
    emit changed(0);
}

QString countText(double count)
{
    if (std::isnan(count))
        return QStringLiteral("–");
    const QLocale locale;
    if (count >= 1e9)
        return locale.toString(count / 1e9, 'f', 2) + QStringLiteral(" G");
    if (count >= 1e6)
        return locale.toString(count / 1e6, 'f', 2) + QStringLiteral(" M");
    return locale.toString(std::llround(count));
}

QString bytesText(double bytes)
{
    if (std::isnan(bytes))
        return QStringLiteral("–");
    return QLocale().formattedDataSize(std::llround(bytes), bytes >= 1e9 ? 2 : 0,
                                       QLocale::DataSizeSIFormat);
}

QString secondsText(double seconds)
{
    if (std::isnan(seconds))
        return QStringLiteral("–");
    const QLocale locale;
    if (seconds < 0.9995)
        return locale.toString(seconds * 1000, 'f', seconds < 0.01 ? 1 : 0) + QStringLiteral(" ms");
    if (seconds < 60)
        return locale.toString(seconds, 'f', seconds < 10 ? 2 : 1) + QStringLiteral(" s");
    const auto whole = static_cast<qint64>(seconds + 0.5);
    if (whole < 3600)
        return QStringLiteral("%1:%2").arg(whole / 60).arg(whole % 60, 2, 10, QLatin1Char('0'));
    return QStringLiteral("%1:%2:%3")
        .arg(whole / 3600)
        .arg(whole / 60 % 60, 2, 10, QLatin1Char('0'))
        .arg(whole % 60, 2, 10, QLatin1Char('0'));
}

} // namespace floe::views
