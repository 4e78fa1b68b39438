#pragma once

#include <QColor>
#include <QPointF>
#include <QString>

#include <cstdint>
#include <string>
#include <vector>

class QPainter;

namespace floe::editor {

/// How nodes and sockets look. Kinds of values differ in colour and in shape, so that they can be
/// told apart without colour vision; the colours are those of Okabe and Ito (2008), lightened for a
/// dark ground.

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

/// The same for the same kind, always; kinds of third parties get one of their own by their name.
KindLook kindLook(const std::string& kind);

QColor categoryColour(const std::string& category);

/// @param filled  linked; else only the outline
void drawSocket(QPainter& painter, QPointF centre, double radius, const KindLook& look,
                bool filled);

/// Kinds as bits, so that "does it fit" is one operation. The first 63 kinds get a bit each; what
/// comes after them shares the last.
std::uint64_t kindBits(const std::vector<std::string>& kinds);

namespace look {
inline const QColor kGround(0x1a, 0x1c, 0x20);
inline const QColor kCard(0x2c, 0x30, 0x36);
inline const QColor kCardEdge(0x10, 0x11, 0x13);
inline const QColor kText(0xe6, 0xe8, 0xea);
inline const QColor kMuted(0x9a, 0xa1, 0xa9);
inline const QColor kAccent(0x6c, 0xb6, 0xff);
inline const QColor kError(0xff, 0x6b, 0x5e);
inline const QColor kWarning(0xf2, 0xb1, 0x34);
inline const QColor kGood(0x59, 0xc2, 0x8b);
} // namespace look

} // namespace floe::editor
