#include "canvas/painting.hpp"

#include <QCoreApplication>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <map>

namespace floe::editor {

namespace {

QFont fontOf(int pixels, QFont::Weight weight = QFont::Normal)
{
    QFont font;
    font.setPixelSize(pixels);
    font.setWeight(weight);
    font.setHintingPreference(QFont::PreferNoHinting); // zoomed text keeps its widths
    return font;
}

/// The same, made once a size.
const QFont& nameFont(int pixels)
{
    static std::map<int, QFont> fonts; // of the GUI thread
    const auto it = fonts.find(pixels);
    return it != fonts.end() ? it->second
                             : fonts.emplace(pixels, fontOf(pixels, QFont::DemiBold)).first->second;
}

constexpr double kNames = 0.22;    // below: no names
constexpr double kWords = 0.6;     // below: names only
constexpr double kStraight = 0.15; // below: straight wires
constexpr std::size_t kBatch = 256;

/// Below this zoom: thin lines, rectangles with a name. A small network can afford more.
double fineFrom(const Scene& scene)
{
    return scene.cards.size() <= 200 && scene.wires.size() <= 400 ? 0.24 : 0.4;
}

QColor mixed(const QColor& a, const QColor& b, double t)
{
    return QColor::fromRgbF(float(a.redF() + (b.redF() - a.redF()) * t),
                            float(a.greenF() + (b.greenF() - a.greenF()) * t),
                            float(a.blueF() + (b.blueF() - a.blueF()) * t));
}

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

class ScenePainter {
public:
    ScenePainter(QPainter& painter, const Scene& scene, const QTransform& view,
                 const QRectF& visible, const Attention& attention)
        : p_(painter), scene_(scene), view_(view), visible_(visible), a_(attention),
          scale_(view.m11()), base_(painter.worldTransform())
    {}

    void decorations()
    {
        p_.setTransform(view_ * base_);
        for (const Backdrop& backdrop : scene_.backdrops) {
            if (!visible_.intersects(backdrop.rect))
                continue;
            QColor fill = backdrop.colour, head = backdrop.colour;
            fill.setAlpha(38);
            head.setAlpha(90);
            const bool chosen = a_.selectedDecoration == "frame:" + backdrop.name;
            p_.setPen(QPen(chosen ? look::kAccent : mixed(backdrop.colour, look::kGround, 0.3),
                           chosen ? 2 : 1));
            p_.setBrush(fill);
            p_.drawRoundedRect(backdrop.rect, 6, 6);
            p_.setPen(Qt::NoPen);
            p_.setBrush(head);
            QRectF title = backdrop.rect;
            title.setHeight(28);
            p_.drawRoundedRect(title, 6, 6);
            p_.setPen(look::kText);
            p_.setFont(fontOf(14, QFont::DemiBold));
            p_.drawText(title.adjusted(12, 0, -12, 0), Qt::AlignVCenter | Qt::AlignLeft,
                        p_.fontMetrics().elidedText(backdrop.title, Qt::ElideRight,
                                                    int(title.width()) - 24));
            // the corner that resizes
            p_.setPen(QPen(look::kMuted, 1.2));
            const QPointF corner = backdrop.rect.bottomRight();
            for (const double d : {5.0, 9.0, 13.0})
                p_.drawLine(corner - QPointF(d, 3), corner - QPointF(3, d));
        }
        for (const NoteItem& note : scene_.notes) {
            if (!visible_.intersects(note.rect))
                continue;
            const bool chosen = a_.selectedDecoration == "note:" + note.name;
            p_.setPen(QPen(chosen ? look::kAccent : QColor(0x5c, 0x55, 0x38), chosen ? 2 : 1));
            p_.setBrush(QColor(0x38, 0x35, 0x28));
            p_.drawRoundedRect(note.rect, 4, 4);
            if (scale_ < 0.3)
                continue;
            p_.setPen(QColor(0xe8, 0xdf, 0xbf));
            p_.setFont(fontOf(13));
            p_.drawText(note.rect.adjusted(12, 8, -8, -4), Qt::TextWordWrap, note.text);
        }
        p_.setTransform(base_);
    }

    QColor wireColour(const Wire& wire, bool chosen, bool hot) const
    {
        return hot      ? QColor(Qt::white)
               : chosen ? wire.colour.lighter(112)
                        : mixed(wire.colour, look::kGround, a_.pulling ? 0.65 : 0.22);
    }

    bool chosen(const Wire& wire, std::size_t index) const
    {
        return a_.selectedWires.contains(int(index)) ||
               (a_.selection && !a_.selection->empty() &&
                (a_.selection->contains(wire.link.from.node) ||
                 a_.selection->contains(wire.link.to.node)));
    }

    /// Thin lines from `first` to `last`, those of a colour at once.
    void thinWires(std::size_t first, std::size_t last, const std::function<bool(int)>& wanted)
    {
        std::map<QRgb, QVector<QLineF>> batches;
        const qsizetype step = scale_ < kStraight ? 1000 : scale_ < 0.25 ? 3 : 2;
        for (std::size_t i = first; i < last; ++i) {
            const Wire& wire = scene_.wires[i];
            if (!visible_.intersects(wire.bounds) || !wanted(int(i)))
                continue;
            QVector<QLineF>& lines =
                batches[wireColour(wire, chosen(wire, i), int(i) == a_.hoverWire).rgb()];
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

    void wire(std::size_t index)
    {
        const Wire& wire = scene_.wires[index];
        if (!visible_.intersects(wire.bounds))
            return;
        const bool hot = int(index) == a_.hoverWire;
        const bool bold = hot || chosen(wire, index);
        const QColor colour = wireColour(wire, bold, hot);
        const bool broken = wire.fromSocket < 0 || wire.toSocket < 0;
        QPainterPath path;
        for (int i = 0; i + 3 < wire.path.elementCount(); i += 3)
            addSeen(path, visible_, wire.path.elementAt(i), wire.path.elementAt(i + 1),
                    wire.path.elementAt(i + 2), wire.path.elementAt(i + 3));
        p_.setTransform(view_ * base_);
        p_.setBrush(Qt::NoBrush);
        if (scale_ > 0.7 && (hot || scene_.wires.size() <= 400)) { // a rim where wires cross
            p_.setPen(QPen(look::kGround, hot ? 6 : 4.5));
            p_.drawPath(path);
        }
        p_.setPen(
            QPen(colour, bold ? 2.8 : 2.0, broken ? Qt::DashLine : Qt::SolidLine, Qt::RoundCap));
        p_.drawPath(path);
        for (const QPointF& bend : wire.bends) {
            p_.setPen(QPen(look::kCardEdge, 1.5));
            p_.setBrush(colour);
            p_.drawEllipse(bend, 5, 5);
            p_.setBrush(Qt::NoBrush);
        }
        p_.setTransform(base_);
    }

    /// Cards as rectangles, those of a colour at once.
    void plainCards(std::size_t first, std::size_t last, const std::function<bool(int)>& wanted)
    {
        std::map<QRgb, QVector<QRect>> batches;
        QVector<QRect> rims;
        for (std::size_t i = first; i < last; ++i) {
            const Card& card = scene_.cards[i];
            if (!visible_.intersects(card.rect) || !wanted(int(i)))
                continue;
            const QRect rect = view_.mapRect(card.rect).toRect();
            const QColor fill = card.status.state == NodeState::Error
                                    ? look::kError
                                    : mixed(card.category, look::kCard, card.bypass ? 0.8 : 0.35);
            batches[fill.rgb()].append(rect);
            if ((a_.selection && a_.selection->contains(card.name)) || int(i) == a_.hoverCard)
                rims.append(rect.adjusted(-1, -1, 0, 0));
        }
        p_.setRenderHint(QPainter::Antialiasing, false);
        p_.setPen(Qt::NoPen);
        for (const auto& [colour, rects] : batches) {
            p_.setBrush(QColor::fromRgb(colour));
            p_.drawRects(rects);
        }
        p_.setPen(look::kAccent);
        p_.setBrush(Qt::NoBrush);
        p_.drawRects(rims);
        p_.setRenderHint(QPainter::Antialiasing, true);
    }

    void card(int index)
    {
        const Card& card = scene_.cards[std::size_t(index)];
        if (!visible_.intersects(card.rect.adjusted(-10, -10, 80, 40)))
            return;
        const bool chosen = a_.selection && a_.selection->contains(card.name);
        if (scale_ < fineFrom(scene_))
            return named(card, chosen, index == a_.hoverCard);
        p_.save();
        p_.setTransform(view_ * base_);
        p_.setOpacity(card.bypass ? 0.5 : 1.0);
        body(card, chosen, index == a_.hoverCard);
        titles(card);
        for (const bool output : {false, true})
            sockets(card, index, output);
        badge(card);
        p_.restore();
    }

private:
    QColor stateColour(const Card& card) const
    {
        switch (card.status.state) {
        case NodeState::Error:
            return look::kError;
        case NodeState::Warning:
            return look::kWarning;
        case NodeState::Cooking:
            return look::kAccent;
        default:
            return look::kCardEdge;
        }
    }

    /// A card too small for more than its name.
    void named(const Card& card, bool chosen, bool hot)
    {
        const QRect rect = view_.mapRect(card.rect).toRect();
        const auto faded = [&](const QColor& colour) {
            return card.bypass ? mixed(colour, look::kGround, 0.5) : colour;
        };
        p_.setRenderHint(QPainter::Antialiasing, false);
        p_.fillRect(rect, faded(mixed(look::kCard, card.category, card.known ? 0.5 : 0.2)));
        for (const bool output : {false, true})
            for (const SocketItem& socket : output ? card.outputs : card.inputs) {
                const QPoint at = view_.map(card.rect.topLeft() + socket.offset).toPoint();
                p_.fillRect(QRect(at.x() - 1, at.y() - 1, 3, 3), socket.look.colour);
            }
        QColor edge = stateColour(card);
        if (hot)
            edge = QColor(0x70, 0x78, 0x82);
        if (chosen)
            edge = look::kAccent;
        p_.setPen(edge);
        p_.setBrush(Qt::NoBrush);
        p_.drawRect(rect.adjusted(0, 0, -1, -1));
        if (chosen || card.status.state == NodeState::Error)
            p_.drawRect(rect.adjusted(-1, -1, 0, 0));
        p_.setRenderHint(QPainter::Antialiasing, true);

        // The name in whole pixels: its glyphs then are the same at every zoom.
        const int size = std::max(7, int(std::min(11.0, 30 * scale_)));
        auto& own = const_cast<Card&>(card); // texts are laid out when first seen
        if (own.smallSize != size) {
            own.smallSize = size;
            own.smallText = QStaticText(card.title.left(60));
            own.smallText.setTextFormat(Qt::PlainText);
            own.smallText.prepare({}, nameFont(size));
        }
        const QSizeF needed = own.smallText.size();
        const QPointF at(rect.left() + 5, rect.top() + (rect.height() - needed.height()) / 2);
        p_.setFont(nameFont(size));
        p_.setPen(faded(look::kText));
        const bool clipped = needed.width() > rect.width() - 8;
        if (clipped) {
            p_.save();
            p_.setClipRect(rect.adjusted(0, 0, -3, 0), Qt::IntersectClip);
        }
        p_.drawStaticText(at, own.smallText);
        if (clipped)
            p_.restore();
    }

    void body(const Card& card, bool chosen, bool hot)
    {
        const QRectF& rect = card.rect;
        const double r = 6;
        if (scale_ > 0.5) { // shadow
            p_.setPen(Qt::NoPen);
            p_.setBrush(QColor(0, 0, 0, 50));
            p_.drawRoundedRect(rect.adjusted(-1, 2, 1, 4), r + 1, r + 1);
        }
        QPen edge(stateColour(card), 1.2);
        if (hot)
            edge = QPen(QColor(0x70, 0x78, 0x82), 1.2);
        if (card.status.state == NodeState::Error || card.status.state == NodeState::Warning)
            edge = QPen(stateColour(card), 1.6);
        if (chosen)
            edge = QPen(look::kAccent, 2.2);
        if (!card.known)
            edge.setStyle(Qt::DashLine);
        p_.setPen(Qt::NoPen);
        p_.setBrush(look::kCard);
        p_.drawRoundedRect(rect, r, r);

        // From afar, where only the name is left, it stands on one colour.
        const QRectF head(rect.left(), rect.top(), rect.width(),
                          scale_ < kWords ? rect.height() : kHeaderHeight);
        QPainterPath shape;
        shape.setFillRule(Qt::WindingFill);
        shape.addRoundedRect(head, r, r);
        shape.addRect(head.adjusted(0, r, 0, 0));
        p_.setBrush(mixed(look::kCard, card.category, card.known ? 0.42 : 0.25));
        p_.drawPath(shape);
        p_.setBrush(card.category);
        p_.drawRoundedRect(QRectF(rect.left() + 7, rect.top() + 8, 3.5, kHeaderHeight - 16), 1.7,
                           1.7);
        p_.setBrush(Qt::NoBrush);
        p_.setPen(edge);
        p_.drawRoundedRect(rect, r, r);
        if (card.bypass) {
            p_.setPen(QPen(look::kWarning, 2.5));
            p_.drawLine(rect.topLeft() + QPointF(6, kHeaderHeight + 4),
                        rect.bottomRight() - QPointF(6, 6));
        }
        if (card.status.state == NodeState::Cooking) {
            const double done = std::clamp(card.status.progress, 0.03, 1.0);
            p_.setPen(Qt::NoPen);
            p_.setBrush(QColor(0, 0, 0, 90));
            p_.drawRect(QRectF(rect.left() + 6, rect.bottom() - 4.5, rect.width() - 12, 2.5));
            p_.setBrush(look::kAccent);
            p_.drawRect(
                QRectF(rect.left() + 6, rect.bottom() - 4.5, (rect.width() - 12) * done, 2.5));
        }
    }

    void titles(const Card& card)
    {
        const bool badgeThere = card.status.state != NodeState::Fine || card.bypass || !card.known;
        const double room = kCardWidth - 18 - (badgeThere ? 30 : 12);
        if (scale_ < kWords) { // only the name, as large as it can be
            const int size = int(std::clamp(11 / scale_, 13.0, 30.0));
            p_.setFont(nameFont(size));
            p_.setPen(look::kText);
            p_.drawText(
                card.rect.adjusted(16, 4, -6, -4), Qt::AlignVCenter | Qt::AlignLeft,
                p_.fontMetrics().elidedText(card.title, Qt::ElideRight, int(kCardWidth - 24)));
            return;
        }
        const QFont& titleFont = nameFont(13);
        static const QFont typeFont = fontOf(10);
        auto& own = const_cast<Card&>(card); // texts are laid out when first seen
        if (own.titleText.text().isEmpty()) {
            own.titleText.setText(
                QFontMetrics(titleFont).elidedText(card.title, Qt::ElideRight, int(room)));
            own.titleText.prepare({}, titleFont);
            own.subtitleText.setText(
                QFontMetrics(typeFont).elidedText(card.subtitle, Qt::ElideRight, int(room)));
            own.subtitleText.prepare({}, typeFont);
        }
        const QPointF corner = card.rect.topLeft() + QPointF(17, 4);
        p_.setFont(titleFont);
        p_.setPen(look::kText);
        p_.drawStaticText(corner, card.titleText);
        p_.setFont(typeFont);
        p_.setPen(QColor(0xb9, 0xbf, 0xc6));
        p_.drawStaticText(corner + QPointF(0, 17), card.subtitleText);
    }

    void sockets(const Card& card, int index, bool output)
    {
        static const QFont font = fontOf(11);
        const auto& list = output ? card.outputs : card.inputs;
        const bool both = !card.inputs.empty() && !card.outputs.empty();
        const double room = both ? kCardWidth / 2 - 12 : kCardWidth - 24;
        for (std::size_t i = 0; i < list.size(); ++i) {
            const SocketItem& socket = list[i];
            const QPointF at = card.socket(output, int(i));
            bool fits = true;
            if (a_.pulling)
                fits = output != a_.pullingFromOutput && (socket.bits & a_.pullBits) != 0 &&
                       !(a_.unreachable && (*a_.unreachable)[std::size_t(index)]);
            const double opacity = p_.opacity();
            if (!fits)
                p_.setOpacity(opacity * 0.25);
            const bool hot = a_.hoverSocket == Scene::SocketHit{index, output, int(i)};
            const bool fault =
                card.status.state == NodeState::Error && card.status.field == socket.name;
            if (fault || (a_.pulling && fits) || hot) {
                QColor halo = fault ? look::kError : socket.look.colour;
                halo.setAlpha(hot ? 150 : 80);
                p_.setPen(Qt::NoPen);
                p_.setBrush(halo);
                p_.drawEllipse(at, kSocketRadius + 5, kSocketRadius + 5);
            }
            drawSocket(p_, at, kSocketRadius, socket.look, socket.links > 0);
            if (scale_ >= kWords) {
                p_.setFont(font);
                p_.setPen(fault              ? look::kError
                          : socket.links > 0 ? QColor(0xd3, 0xd7, 0xdb)
                          : socket.required  ? look::kText
                                             : look::kMuted);
                auto& own = const_cast<SocketItem&>(socket);
                if (own.labelText.text().isEmpty()) {
                    own.labelText.setTextFormat(Qt::PlainText);
                    own.labelText.setText(
                        QFontMetrics(font).elidedText(socket.label, Qt::ElideRight, int(room)));
                    own.labelText.prepare({}, font);
                }
                const QSizeF size = own.labelText.size();
                p_.drawStaticText(QPointF(output ? at.x() - 11 - size.width() : at.x() + 11,
                                          at.y() - size.height() / 2),
                                  own.labelText);
            }
            p_.setOpacity(opacity);
        }
    }

    void badge(const Card& card)
    {
        const QPointF at = card.rect.topRight() + QPointF(-17, kHeaderHeight / 2);
        p_.setPen(Qt::NoPen);
        static const QFont glyphFont = fontOf(12, QFont::Bold), messageFont = fontOf(11);
        p_.setFont(glyphFont);
        const QRectF box(at.x() - 8, at.y() - 8, 16, 16);
        const auto glyph = [&](const QString& text, const QColor& colour) {
            p_.setPen(colour);
            p_.drawText(box, Qt::AlignCenter, text);
        };
        if (!card.known || card.status.state == NodeState::Missing) {
            p_.setBrush(look::kMuted);
            p_.drawEllipse(at, 8, 8);
            glyph(QStringLiteral("?"), look::kGround);
        } else if (card.status.state == NodeState::Error) {
            p_.setBrush(look::kError);
            p_.drawEllipse(at, 8, 8);
            glyph(QStringLiteral("!"), look::kGround);
        } else if (card.status.state == NodeState::Warning) {
            p_.setBrush(look::kWarning);
            p_.drawPolygon(
                QPolygonF({at + QPointF(0, -8.5), at + QPointF(9, 7), at + QPointF(-9, 7)}));
            p_.translate(0, 1.5);
            glyph(QStringLiteral("!"), look::kGround);
            p_.translate(0, -1.5);
        } else if (card.status.state == NodeState::Cooking) {
            p_.setBrush(Qt::NoBrush);
            p_.setPen(QPen(QColor(255, 255, 255, 50), 2.5));
            p_.drawEllipse(at, 6.5, 6.5);
            p_.setPen(QPen(look::kAccent, 2.5, Qt::SolidLine, Qt::RoundCap));
            const double done = card.status.progress >= 0 ? card.status.progress : 0.25;
            p_.drawArc(QRectF(at.x() - 6.5, at.y() - 6.5, 13, 13), 90 * 16, -int(done * 360 * 16));
        } else if (card.bypass) {
            p_.setPen(QPen(look::kWarning, 2));
            p_.setBrush(Qt::NoBrush);
            p_.drawEllipse(at, 6.5, 6.5);
            p_.drawLine(at + QPointF(-4.5, 4.5), at + QPointF(4.5, -4.5));
        } else if (card.status.state == NodeState::Cached) {
            p_.setPen(QPen(look::kGood, 2.2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
            p_.setBrush(Qt::NoBrush);
            p_.drawPolyline(
                QPolygonF({at + QPointF(-5, 0), at + QPointF(-1.5, 4), at + QPointF(5.5, -4)}));
        }
        if (scale_ < kWords || card.status.message.isEmpty() ||
            (card.status.state != NodeState::Error && card.status.state != NodeState::Warning))
            return;
        // The message itself, below the card: what is wrong should not need a hover.
        p_.setFont(messageFont);
        const QFontMetrics metrics = p_.fontMetrics();
        const QString text = metrics.elidedText(card.status.message, Qt::ElideRight, 230);
        const QRectF pill(card.rect.left(), card.rect.bottom() + 4,
                          metrics.horizontalAdvance(text) + 16, 19);
        p_.setPen(Qt::NoPen);
        QColor ground = card.status.state == NodeState::Error ? QColor(0x4a, 0x22, 0x20)
                                                              : QColor(0x46, 0x38, 0x18);
        p_.setBrush(ground);
        p_.drawRoundedRect(pill, 4, 4);
        p_.setPen(card.status.state == NodeState::Error ? QColor(0xff, 0xb4, 0xac)
                                                        : QColor(0xff, 0xd9, 0x8c));
        p_.drawText(pill, Qt::AlignCenter, text);
    }

    QPainter& p_;
    const Scene& scene_;
    QTransform view_;
    QRectF visible_;
    const Attention& a_;
    double scale_;
    QTransform base_;
};

} // namespace

void paintGround(QPainter& painter, const QRect& area, const QTransform& view)
{
    painter.fillRect(area, look::kGround);
    double step = 20 * view.m11();
    while (step < 16)
        step *= 5;
    painter.setRenderHint(QPainter::Antialiasing, false);
    const double x0 = std::fmod(view.dx(), step), y0 = std::fmod(view.dy(), step);
    QVector<QPointF> dots;
    for (double y = y0 - step; y < area.bottom() + step; y += step)
        for (double x = x0 - step; x < area.right() + step; x += step)
            dots.append({std::round(x), std::round(y)});
    painter.setPen(QPen(QColor(0x2d, 0x31, 0x37), step > 40 ? 2 : 1));
    painter.drawPoints(dots.constData(), int(dots.size()));
    painter.setRenderHint(QPainter::Antialiasing, true);
}

Painting::Painting(const QTransform& view, const QRectF& visible, std::set<int> leftOut)
    : view_(view), visible_(visible), leftOut_(std::move(leftOut))
{}

bool Painting::advance(QPainter& painter, const Scene& scene, const Attention& attention,
                       const QDeadlineTimer& end)
{
    Attention calm = attention;
    calm.hoverCard = calm.hoverWire = -1;
    calm.hoverSocket = {};
    painter.setRenderHint(QPainter::Antialiasing, true);
    ScenePainter paint(painter, scene, view_, visible_, calm);
    const double scale = view_.m11();
    const auto cardWanted = [this](int card) {
        return !leftOut_.contains(card);
    };
    const auto wireWanted = [this, &scene](int wire) {
        const Wire& w = scene.wires[std::size_t(wire)];
        return leftOut_.empty() || (!leftOut_.contains(w.from) && !leftOut_.contains(w.to));
    };
    do {
        switch (stage_) {
        case Stage::Decorations:
            paint.decorations();
            stage_ = Stage::Wires;
            break;
        case Stage::Wires: {
            const std::size_t last = std::min(next_ + kBatch, scene.wires.size());
            if (scale < fineFrom(scene)) {
                paint.thinWires(next_, last, wireWanted);
                next_ = last;
            } else {
                for (; next_ < last && !end.hasExpired(); ++next_)
                    if (wireWanted(int(next_)))
                        paint.wire(next_);
            }
            if (next_ < scene.wires.size())
                break;
            stage_ = Stage::Cards;
            next_ = 0;
            break;
        }
        case Stage::Cards: {
            const std::size_t last = std::min(next_ + kBatch, scene.cards.size());
            if (scale < kNames) {
                paint.plainCards(next_, last, cardWanted);
                next_ = last;
            } else {
                for (; next_ < last && !end.hasExpired(); ++next_)
                    if (cardWanted(int(next_)))
                        paint.card(int(next_));
            }
            if (next_ >= scene.cards.size())
                stage_ = Stage::Done;
            break;
        }
        case Stage::Done:
            break;
        }
    } while (stage_ != Stage::Done && !end.hasExpired());
    return stage_ == Stage::Done;
}

void paintCards(QPainter& painter, const Scene& scene, const QTransform& view,
                const QRectF& visible, const Attention& attention, const std::set<int>& cards)
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    ScenePainter paint(painter, scene, view, visible, attention);
    const auto wanted = [&](int wire) {
        const Wire& w = scene.wires[std::size_t(wire)];
        return cards.contains(w.from) || cards.contains(w.to);
    };
    if (view.m11() < fineFrom(scene))
        paint.thinWires(0, scene.wires.size(), wanted);
    else
        for (std::size_t i = 0; i < scene.wires.size(); ++i)
            if (wanted(int(i)))
                paint.wire(i);
    for (const int card : cards)
        if (view.m11() < kNames)
            paint.plainCards(std::size_t(card), std::size_t(card) + 1, [](int) { return true; });
        else
            paint.card(card);
}

void paintHover(QPainter& painter, const Scene& scene, const QTransform& view,
                const QRectF& visible, const Attention& attention, const std::set<int>& leftOut)
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    ScenePainter paint(painter, scene, view, visible, attention);
    const auto card = [&](int index) {
        if (index < 0 || leftOut.contains(index))
            return;
        if (view.m11() < kNames)
            paint.plainCards(std::size_t(index), std::size_t(index) + 1, [](int) { return true; });
        else
            paint.card(index);
    };
    if (attention.hoverWire >= 0) {
        const auto index = std::size_t(attention.hoverWire);
        if (view.m11() < fineFrom(scene))
            paint.thinWires(index, index + 1, [](int) { return true; });
        else
            paint.wire(index);
        card(scene.wires[index].from);
        card(scene.wires[index].to);
    }
    card(attention.hoverCard);
    card(attention.hoverSocket.card);
}

} // namespace floe::editor
