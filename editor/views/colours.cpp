#include "views/colours.hpp"

#include <array>

namespace floe::views {

QColor frameColour(client::FrameState state)
{
    switch (state) {
    case client::FrameState::Empty:
        return QColor(0x3a, 0x3d, 0x42);
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
        return QColor(0x6f, 0xa8, 0xd8);
    case client::LogLine::Severity::Warning:
        return QColor(0xe8, 0xb0, 0x4a);
    case client::LogLine::Severity::Error:
        return QColor(0xf0, 0x70, 0x58);
    }
    return {};
}

QColor seriesColour(int index)
{
    static const std::array<QColor, 6> kSeries = {
        QColor(0x56, 0xb4, 0xe9), QColor(0xe6, 0x9f, 0x00), QColor(0x2f, 0xb3, 0x8a),
        QColor(0xcc, 0x79, 0xa7), QColor(0xf0, 0xe4, 0x6a), QColor(0xd5, 0x6e, 0x3c)};
    return kSeries[static_cast<std::size_t>(index) % kSeries.size()];
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
