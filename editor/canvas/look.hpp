#pragma once

#include "themes/colours.hpp"

#include <QColor>
#include <QPointF>
#include <QString>

#include <cstdint>
#include <string>
#include <vector>

class QPainter;

namespace floe::editor {

/// How nodes and sockets look. Kinds of values differ in colour and in shape, so that they can be
/// told apart without colour vision; the colours are those of Okabe and Ito (2008), lightened for
/// the dark theme and darkened again where the light one needs it.

enum class SocketShape {
    Circle,
    Square,
    Diamond,
    Triangle,
    Hexagon,
    Pentagon,
    Star,
    Plus,
    Ring,
    Frame,
    Chevron,
    Bar
};

struct KindLook {
    QColor colour;
    SocketShape shape;
};

/// The same for the same kind in one theme, always; kinds of third parties get one of their own by
/// their name.
KindLook kindLook(const std::string& kind);

QColor categoryColour(const std::string& category);

/// @param filled  linked; else only the outline
void drawSocket(QPainter& painter, QPointF centre, double radius, const KindLook& look,
                bool filled);

/// Kinds as bits, so that "does it fit" is one operation. The first 63 kinds get a bit each; what
/// comes after them shares the last.
std::uint64_t kindBits(const std::vector<std::string>& kinds);

} // namespace floe::editor
