#include "canvas/scene_piece.hpp"

#include <algorithm>
#include <map>

namespace floe::editor {

namespace {
constexpr double kStraight = 0.15; // below: straight wires
constexpr double kNotes = 0.5;     // below: no notes on wires
constexpr int kNoteWidth = 180;    // [scene units]

/// Appends the parts of a cubic curve that may be seen: stroking what lies outside takes as long as
/// what does not.
void addSeen(QPainterPath& path, const QRectF& visible, QPointF a, QPointF b, QPointF c, QPointF d,
             int depth = 6)
{
    const auto [left, right] = std::minmax({a.x(), b.x(), c.x(), d.x()});
    const auto [top, bottom] = std::minmax({a.y(), b.y(), c.y(), d.y()});
    constexpr double rim = 4; // of the pen
    if (left - rim > visible.right() || right + rim < visible.left() ||
        top - rim > visible.bottom() || bottom + rim < visible.top())
        return;
    const bool inside = left >= visible.left() && right <= visible.right() &&
                        top >= visible.top() && bottom <= visible.bottom();
    if (inside || depth == 0) {
        if (path.elementCount() == 0 || path.currentPosition() != a)
            path.moveTo(a);
        path.cubicTo(b, c, d);
        return;
    }
    const QPointF ab = (a + b) / 2, bc = (b + c) / 2, cd = (c + d) / 2;
    const QPointF abc = (ab + bc) / 2, bcd = (bc + cd) / 2, middle = (abc + bcd) / 2;
    addSeen(path, visible, a, ab, abc, middle, depth - 1);
    addSeen(path, visible, middle, bcd, cd, d, depth - 1);
}
} // namespace

QColor WirePainter::colourOf(const Wire& wire, bool chosen, bool hot) const
{
    return hot      ? themeColours().wireHot
           : chosen ? wire.colour.lighter(112)
                    : mixed(wire.colour, themeColours().ground, a_.pulling ? 0.65 : 0.22);
}

bool WirePainter::chosen(const Wire& wire, std::size_t index) const
{
    return a_.selectedWires.contains(int(index)) || (a_.selection && !a_.selection->empty() &&
                                                     (a_.selection->contains(wire.link.from.node) ||
                                                      a_.selection->contains(wire.link.to.node)));
}

void WirePainter::thinWires(std::size_t first, std::size_t last,
                            const std::function<bool(int)>& wanted)
{
    std::map<QRgb, QVector<QLineF>> batches;
    const qsizetype step = scale_ < kStraight ? 1000 : scale_ < 0.25 ? 3 : 2;
    for (std::size_t i = first; i < last; ++i) {
        const Wire& wire = scene_.wires[i];
        if (!visible_.intersects(wire.bounds) || !wanted(int(i)))
            continue;
        QVector<QLineF>& lines =
            batches[colourOf(wire, chosen(wire, i), int(i) == a_.hoverWire).rgb()];
        QPointF from = view_.map(wire.line.first());
        for (qsizetype k = 0; k + 1 < wire.line.size();) {
            k = std::min(k + step, wire.line.size() - 1);
            const QPointF to = view_.map(wire.line[k]);
            lines.append({from, to});
            from = to;
        }
    }
    p_.setRenderHint(QPainter::Antialiasing, false);
    for (const auto& [colour, lines] : batches) {
        p_.setPen(QPen(QColor::fromRgb(colour), 1));
        p_.drawLines(lines);
    }
    p_.setRenderHint(QPainter::Antialiasing, true);
}

void WirePainter::wire(std::size_t index)
{
    const Wire& wire = scene_.wires[index];
    if (!visible_.intersects(wire.bounds))
        return;
    const bool hot = int(index) == a_.hoverWire;
    const bool bold = hot || chosen(wire, index);
    const QColor colour = colourOf(wire, bold, hot);
    const bool broken = wire.fromSocket < 0 || wire.toSocket < 0;
    QPainterPath path;
    for (int i = 0; i + 3 < wire.path.elementCount(); i += 3)
        addSeen(path, visible_, wire.path.elementAt(i), wire.path.elementAt(i + 1),
                wire.path.elementAt(i + 2), wire.path.elementAt(i + 3));
    p_.setTransform(view_ * base_);
    p_.setBrush(Qt::NoBrush);
    if (scale_ > 0.7 && (hot || scene_.wires.size() <= 400)) { // a rim where wires cross
        p_.setPen(QPen(themeColours().ground, hot ? 6 : 4.5));
        p_.drawPath(path);
    }
    p_.setPen(QPen(colour, bold ? 2.8 : 2.0, broken ? Qt::DashLine : Qt::SolidLine, Qt::RoundCap));
    p_.drawPath(path);
    for (const QPointF& bend : wire.bends) {
        p_.setPen(QPen(themeColours().cardEdge, 1.5));
        p_.setBrush(colour);
        p_.drawEllipse(bend, 5, 5);
        p_.setBrush(Qt::NoBrush);
    }
    p_.setTransform(base_);
}

void WirePainter::note(std::size_t index)
{
    const Wire& wire = scene_.wires[index];
    if (wire.note.isEmpty() || scale_ < kNotes || !visible_.intersects(wire.bounds))
        return;
    p_.setTransform(view_ * base_);
    p_.setFont(fontOf(11));
    const QFontMetrics metrics = p_.fontMetrics();
    const QString text = metrics.elidedText(wire.note, Qt::ElideRight, kNoteWidth);
    QRectF pill(0, 0, metrics.horizontalAdvance(text) + 14, metrics.height() + 5);
    pill.moveCenter(wire.path.pointAtPercent(0.5));
    p_.setPen(QPen(themeColours().noteEdge, 1));
    p_.setBrush(themeColours().note);
    p_.drawRoundedRect(pill, 4, 4);
    p_.setPen(themeColours().noteText);
    p_.drawText(pill, Qt::AlignCenter, text);
    p_.setBrush(Qt::NoBrush);
    p_.setTransform(base_);
}

} // namespace floe::editor
