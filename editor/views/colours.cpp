#include "views/colours.hpp"

#include "themes/colours.hpp"

#include <QHash>
#include <QList>

#include <array>

namespace floe::views {

QColor frameColour(client::FrameState state)
{
    switch (state) {
    case client::FrameState::Empty:
        return editor::themeInUse() == editor::Theme::Dark ? QColor(0x3a, 0x3d, 0x42)
                                                           : QColor(0xcd, 0xd2, 0xd8);
    case client::FrameState::Running:
        return QColor(0xf0, 0xe4, 0x6a);
    case client::FrameState::Cached:
        return QColor(0x3f, 0x8f, 0xd0);
    case client::FrameState::Stale:
        return QColor(0xb9, 0x86, 0x3a);
    case client::FrameState::Broken:
        return QColor(0xe0, 0x5a, 0x3c);
    }
    return {};
}

QColor severityColour(client::LogLine::Severity severity)
{
    switch (severity) {
    case client::LogLine::Severity::Info:
        return editor::onTheme(QColor(0x6f, 0xa8, 0xd8));
    case client::LogLine::Severity::Warning:
        return editor::onTheme(QColor(0xe8, 0xb0, 0x4a));
    case client::LogLine::Severity::Error:
        return editor::themeColours().fault;
    }
    return {};
}

QColor seriesColour(int index)
{
    static const std::array<QColor, 6> kSeries = {
        QColor(0x56, 0xb4, 0xe9), QColor(0xe6, 0x9f, 0x00), QColor(0x2f, 0xb3, 0x8a),
        QColor(0xcc, 0x79, 0xa7), QColor(0xf0, 0xe4, 0x6a), QColor(0xd5, 0x6e, 0x3c)};
    return editor::onTheme(kSeries[static_cast<std::size_t>(index) % kSeries.size()]);
}

QLinearGradient colourMap(const QString& name, const QRectF& bar)
{
    static const QHash<QString, QList<QRgb>> kMaps = {
        {"viridis", {0x440154, 0x3b528b, 0x21918c, 0x5ec962, 0xfde725}},
        {"plasma", {0x0d0887, 0x7e03a8, 0xcc4778, 0xf89540, 0xf0f921}},
        {"inferno", {0x000004, 0x57106e, 0xbc3754, 0xf98e09, 0xfcffa4}},
        {"turbo", {0x30123b, 0x4777ef, 0x1bd0d5, 0x62fc6b, 0xd2e935, 0xfe9b2d, 0xdb3a07, 0x7a0403}},
        {"coolwarm", {0x3b4cc0, 0x8db0fe, 0xdddddd, 0xf4987a, 0xb40426}},
        {"ice", {0x080c24, 0x22346e, 0x2e62a8, 0x5496cc, 0x98cce2, 0xeefafd}}};
    const QList<QRgb> stops = kMaps.value(name, {0x000000, 0xffffff});
    QLinearGradient gradient(bar.topLeft(), bar.topRight());
    for (qsizetype i = 0; i < stops.size(); ++i)
        gradient.setColorAt(double(i) / double(stops.size() - 1), QColor::fromRgb(stops[i]));
    return gradient;
}

QColor blend(const QColor& under, const QColor& over, double share)
{
    const auto mix = [share](int a, int b) {
        return static_cast<int>(a + (b - a) * share + 0.5);
    };
    return QColor(mix(under.red(), over.red()), mix(under.green(), over.green()),
                  mix(under.blue(), over.blue()));
}

QColor quietText(const QPalette& palette)
{
    return blend(palette.color(QPalette::Window), palette.color(QPalette::WindowText), 0.62);
}

QColor hairline(const QPalette& palette)
{
    return blend(palette.color(QPalette::Window), palette.color(QPalette::WindowText), 0.14);
}

} // namespace floe::views
