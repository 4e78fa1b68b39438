#include "canvas/look.hpp"

#include <QPainter>
#include <QPainterPath>

#include <array>
#include <cmath>
#include <map>
#include <numbers>

namespace floe::editor {

namespace {
std::uint64_t hash(const std::string& text)
{
    std::uint64_t h = 1469598103934665603ull; // FNV-1a: the same in every run
    for (const unsigned char c : text)
        h = (h ^ c) * 1099511628211ull;
    return h;
}

QPolygonF regular(int corners, double turn, double inner = 1)
{
    QPolygonF polygon;
    const int count = inner < 1 ? 2 * corners : corners;
    for (int i = 0; i < count; ++i) {
        const double angle = turn + 2 * std::numbers::pi * i / count;
        const double r = inner < 1 && i % 2 ? inner : 1;
        polygon << QPointF(r * std::cos(angle), r * std::sin(angle));
    }
    return polygon;
}

QPainterPath outline(SocketShape shape)
{
    constexpr double up = -std::numbers::pi / 2;
    QPainterPath path;
    switch (shape) {
    case SocketShape::Circle:
        path.addEllipse(QPointF(), 1, 1);
        break;
    case SocketShape::Square:
        path.addRect(-0.85, -0.85, 1.7, 1.7);
        break;
    case SocketShape::Diamond:
        path.addPolygon(QPolygonF({{0, -1.2}, {1.2, 0}, {0, 1.2}, {-1.2, 0}}));
        break;
    case SocketShape::Triangle:
        path.addPolygon(QPolygonF({{-0.85, -1.1}, {1.2, 0}, {-0.85, 1.1}}));
        break;
    case SocketShape::Hexagon:
        path.addPolygon(regular(6, 0) * QTransform::fromScale(1.1, 1.1));
        break;
    case SocketShape::Pentagon:
        path.addPolygon(regular(5, up) * QTransform::fromScale(1.15, 1.15));
        break;
    case SocketShape::Star:
        path.addPolygon(regular(5, up, 0.5) * QTransform::fromScale(1.35, 1.35));
        break;
    case SocketShape::Plus:
        path.addPolygon(QPolygonF({{-0.4, -1.15},
                                   {0.4, -1.15},
                                   {0.4, -0.4},
                                   {1.15, -0.4},
                                   {1.15, 0.4},
                                   {0.4, 0.4},
                                   {0.4, 1.15},
                                   {-0.4, 1.15},
                                   {-0.4, 0.4},
                                   {-1.15, 0.4},
                                   {-1.15, -0.4},
                                   {-0.4, -0.4}}));
        break;
    case SocketShape::Ring:
        path.addEllipse(QPointF(), 1.1, 1.1);
        path.addEllipse(QPointF(), 0.45, 0.45);
        break;
    case SocketShape::Frame:
        path.addRect(-1, -1, 2, 2);
        path.addRect(-0.4, -0.4, 0.8, 0.8);
        break;
    case SocketShape::Chevron:
        path.addPolygon(
            QPolygonF({{-0.9, -1.1}, {0.1, -1.1}, {1.1, 0}, {0.1, 1.1}, {-0.9, 1.1}, {0.0, 0}}));
        break;
    case SocketShape::Bar:
        path.addRoundedRect(-0.55, -1.25, 1.1, 2.5, 0.4, 0.4);
        break;
    }
    path.closeSubpath();
    return path;
}
} // namespace

KindLook kindLook(const std::string& kind)
{
    static const std::map<std::string, KindLook> known{
        {"volume", {QColor(0x6f, 0xb7, 0xee), SocketShape::Circle}},
        {"mesh", {QColor(0xf0, 0xa7, 0x3a), SocketShape::Triangle}},
        {"particles", {QColor(0xee, 0xf0, 0xf2), SocketShape::Hexagon}},
        {"material", {QColor(0xdd, 0x8f, 0xbb), SocketShape::Square}},
        {"emitter", {QColor(0x3d, 0xc9, 0x9a), SocketShape::Diamond}},
        {"collider", {QColor(0xe8, 0x74, 0x44), SocketShape::Pentagon}},
        {"force", {QColor(0xf0, 0xe0, 0x5a), SocketShape::Chevron}},
        {"transform", {QColor(0xb3, 0x9d, 0xf0), SocketShape::Plus}},
        {"camera", {QColor(0x9f, 0xb4, 0xc8), SocketShape::Bar}},
        {"light", {QColor(0xff, 0xf3, 0xb8), SocketShape::Star}},
        {"domain", {QColor(0x8f, 0xc9, 0xd0), SocketShape::Frame}},
        {"activation", {QColor(0x9f, 0xd3, 0x56), SocketShape::Ring}},
    };
    if (const auto it = known.find(kind); it != known.end())
        return {onTheme(it->second.colour), it->second.shape};
    const std::uint64_t h = hash(kind);
    return {onTheme(QColor::fromHsv(int(h % 24) * 15, 120, 225)), SocketShape((h >> 8) % 12)};
}

QColor categoryColour(const std::string& category)
{
    static const std::map<std::string, QColor> known{
        {"Shapes", QColor(0x4f, 0x8f, 0xc4)},    {"Emitters", QColor(0x2f, 0xa3, 0x7e)},
        {"Materials", QColor(0xb8, 0x69, 0x96)}, {"Colliders", QColor(0xbf, 0x5f, 0x38)},
        {"Forces", QColor(0xb3, 0xa0, 0x38)},    {"Solvers", QColor(0x6f, 0x5f, 0xd0)},
        {"Output", QColor(0x8a, 0x92, 0x9c)},    {"Render", QColor(0x5e, 0x7d, 0x9a)},
        {"Surfaces", QColor(0x3f, 0x9a, 0xa8)},  {"Activation", QColor(0x76, 0xa0, 0x3e)},
        {"Domain", QColor(0x4d, 0x96, 0x9c)},    {"Values", QColor(0x8d, 0x78, 0xc0)},
        {"Subgraph", QColor(0xa8, 0x8a, 0x5a)},
    };
    if (const auto it = known.find(category); it != known.end())
        return it->second;
    return QColor::fromHsv(int(hash(category) % 24) * 15, 110, 170);
}

void drawSocket(QPainter& painter, QPointF centre, double radius, const KindLook& kind, bool filled)
{
    static std::array<QPainterPath, 12> outlines;
    QPainterPath& path = outlines[std::size_t(kind.shape)];
    if (path.isEmpty())
        path = outline(kind.shape);
    painter.save();
    painter.translate(centre);
    painter.scale(radius, radius);
    painter.setPen(QPen(filled ? themeColours().cardEdge : kind.colour, filled ? 0.25 : 0.38));
    painter.setBrush(filled ? kind.colour : themeColours().ground);
    painter.drawPath(path);
    painter.restore();
}

std::uint64_t kindBits(const std::vector<std::string>& kinds)
{
    static std::map<std::string, int> bits; // of the GUI thread
    std::uint64_t result = 0;
    for (const std::string& kind : kinds) {
        const int bit = std::min(bits.try_emplace(kind, int(bits.size())).first->second, 63);
        result |= std::uint64_t(1) << bit;
    }
    return result;
}

} // namespace floe::editor
