#pragma once

#include "client/messages.hpp"

#include <QColor>
#include <QLinearGradient>
#include <QPalette>

namespace floe::views {

// Colours that carry a meaning. Each is told apart by lightness or a pattern too, so that none
// needs colour vision (Okabe and Ito 2008: orange, sky blue and vermilion stay distinct in all
// common forms of colour blindness).

QColor frameColour(client::FrameState state);
QColor severityColour(client::LogLine::Severity severity);

/// Series of a plot or a stacked bar, in order; repeats after six.
QColor seriesColour(int index);

/// A colour map as the runtime draws it ("viridis", ...), from the left to the right of a bar.
QLinearGradient colourMap(const QString& name, const QRectF& bar);

/// `share` of `over` on `under`, opaque.
QColor blend(const QColor& under, const QColor& over, double share);

/// Text that is less important than palette.windowText().
QColor quietText(const QPalette& palette);
/// Lines between things.
QColor hairline(const QPalette& palette);

} // namespace floe::views
