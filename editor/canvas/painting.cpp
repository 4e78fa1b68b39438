#include "canvas/painting.hpp"

#include <QCoreApplication>
#include <QPainter>

#include <cmath>

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

QColor mixed(const QColor& a, const QColor& b, double t)
{
    return QColor::fromRgbF(float(a.redF() + (b.redF() - a.redF()) * t),
                            float(a.greenF() + (b.greenF() - a.greenF()) * t),
                            float(a.blueF() + (b.blueF() - a.blueF()) * t));
}

class ScenePainter {
public:
    ScenePainter(QPainter& painter, const Scene& scene, const QTransform& view,
                 const QRectF& visible, const Attention& attention)
        : p_(painter), scene_(scene), view_(view), visible_(visible), a_(attention),
          scale_(view.m11())
    {}

    void backdrops()
    {
        p_.setTransform(view_, true);
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
        p_.setTransform(view_.inverted(), true);
    }

    void wires(const std::function<bool(const Wire&)>& wanted)
    {
        const bool fine = scale_ >= 0.4;
        p_.setRenderHint(QPainter::Antialiasing, fine);
        p_.setTransform(view_, true);
        p_.setBrush(Qt::NoBrush);
        for (std::size_t i = 0; i < scene_.wires.size(); ++i) {
            const Wire& wire = scene_.wires[i];
            if (!visible_.intersects(wire.bounds) || !wanted(wire))
                continue;
            const bool hot = int(i) == a_.hoverWire;
            const bool chosen = a_.selectedWires.contains(int(i)) ||
                                (a_.selection && (a_.selection->contains(wire.link.from.node) ||
                                                  a_.selection->contains(wire.link.to.node)));
            QColor colour = mixed(wire.colour, look::kGround, a_.pulling ? 0.65 : 0.22);
            if (chosen)
                colour = wire.colour.lighter(112);
            if (hot)
                colour = Qt::white;
            const bool broken = wire.fromSocket < 0 || wire.toSocket < 0;
            if (fine) {
                if (scale_ > 0.7 && (hot || !many_)) {
                    p_.setPen(QPen(look::kGround, hot ? 6 : 4.5));
                    p_.drawPath(wire.path);
                }
                QPen pen(colour, hot || chosen ? 2.8 : 2.0, broken ? Qt::DashLine : Qt::SolidLine,
                         Qt::RoundCap);
                p_.setPen(pen);
                p_.drawPath(wire.path);
                for (const QPointF& bend : wire.bends) {
                    p_.setPen(QPen(look::kCardEdge, 1.5));
                    p_.setBrush(colour);
                    p_.drawEllipse(bend, 5, 5);
                    p_.setBrush(Qt::NoBrush);
                }
            } else {
                p_.setPen(QPen(colour, 0)); // one pixel
                if (scale_ < 0.15)
                    p_.drawLine(wire.line.first(), wire.line.last());
                else
                    p_.drawPolyline(wire.line);
            }
        }
        p_.setTransform(view_.inverted(), true);
        p_.setRenderHint(QPainter::Antialiasing, true);
    }

    void card(int index)
    {
        const Card& card = scene_.cards[std::size_t(index)];
        if (!visible_.intersects(card.rect.adjusted(-10, -10, 10, 40)))
            return;
        const bool chosen = a_.selection && a_.selection->contains(card.name);
        if (scale_ < 0.22)
            return plain(card, chosen);
        p_.save();
        p_.setTransform(view_, true);
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

    void plain(const Card& card, bool chosen)
    {
        const QRectF rect = view_.mapRect(card.rect);
        p_.setRenderHint(QPainter::Antialiasing, false);
        QColor fill = mixed(card.category, look::kCard, card.bypass ? 0.8 : 0.35);
        if (card.status.state == NodeState::Error)
            fill = look::kError;
        p_.fillRect(rect, fill);
        if (chosen) {
            p_.setPen(look::kAccent);
            p_.setBrush(Qt::NoBrush);
            p_.drawRect(rect.adjusted(-1, -1, 1, 1));
        }
        p_.setRenderHint(QPainter::Antialiasing, true);
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

        const QRectF head(rect.left(), rect.top(), rect.width(), kHeaderHeight);
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
        if (scale_ < 0.6) { // only the name, as large as it can be
            const int size = int(std::clamp(11 / scale_, 13.0, 30.0));
            p_.setFont(fontOf(size, QFont::DemiBold));
            p_.setPen(look::kText);
            p_.drawText(
                card.rect.adjusted(16, 4, -6, -4), Qt::AlignVCenter | Qt::AlignLeft,
                p_.fontMetrics().elidedText(card.title, Qt::ElideRight, int(kCardWidth - 24)));
            return;
        }
        static const QFont nameFont = fontOf(13, QFont::DemiBold);
        static const QFont typeFont = fontOf(10);
        auto& own = const_cast<Card&>(card); // texts are laid out when first seen
        if (own.titleText.text().isEmpty()) {
            own.titleText.setText(
                QFontMetrics(nameFont).elidedText(card.title, Qt::ElideRight, int(room)));
            own.titleText.prepare({}, nameFont);
            own.subtitleText.setText(
                QFontMetrics(typeFont).elidedText(card.subtitle, Qt::ElideRight, int(room)));
            own.subtitleText.prepare({}, typeFont);
        }
        const QPointF corner = card.rect.topLeft() + QPointF(17, 4);
        p_.setFont(nameFont);
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
            if (scale_ >= 0.55) {
                p_.setFont(font);
                p_.setPen(fault              ? look::kError
                          : socket.links > 0 ? QColor(0xd3, 0xd7, 0xdb)
                          : socket.required  ? look::kText
                                             : look::kMuted);
                const QRectF box(output ? at.x() - 11 - room : at.x() + 11, at.y() - kRowHeight / 2,
                                 room, kRowHeight);
                p_.drawText(box, (output ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter,
                            socket.label);
            }
            p_.setOpacity(opacity);
        }
    }

    void badge(const Card& card)
    {
        const QPointF at = card.rect.topRight() + QPointF(-17, kHeaderHeight / 2);
        p_.setPen(Qt::NoPen);
        p_.setFont(fontOf(12, QFont::Bold));
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
        if (scale_ < 0.6 || card.status.message.isEmpty() ||
            (card.status.state != NodeState::Error && card.status.state != NodeState::Warning))
            return;
        // The message itself, below the card: what is wrong should not need a hover.
        p_.setFont(fontOf(11));
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

public:
    bool many_ = false; ///< so many wires that their rims are left out
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

void paintScene(QPainter& painter, const Scene& scene, const QTransform& view,
                const QRectF& visible, const Attention& attention, Part part,
                const std::set<int>& moving)
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    ScenePainter paint(painter, scene, view, visible, attention);
    paint.many_ = scene.wires.size() > 400;
    if (part != Part::Moving)
        paint.backdrops();
    const auto moves = [&](const Wire& wire) {
        return moving.contains(wire.from) || moving.contains(wire.to);
    };
    paint.wires([&](const Wire& wire) {
        return part == Part::All || (part == Part::Moving) == moves(wire);
    });
    for (std::size_t i = 0; i < scene.cards.size(); ++i)
        if (part == Part::All || (part == Part::Moving) == moving.contains(int(i)))
            paint.card(int(i));
}

} // namespace floe::editor
