#include "canvas/scene_piece.hpp"
#include "themes/category_icon.hpp"

#include <algorithm>
#include <map>

namespace floe::editor {

namespace {
constexpr double kWords = 0.6;                // below: names only
constexpr double kIcon = 17, kTitleLeft = 31; // [scene units]
} // namespace

void CardPainter::plainCards(std::size_t first, std::size_t last,
                             const std::function<bool(int)>& wanted)
{
    std::map<QRgb, QVector<QRect>> batches;
    QVector<QRect> rims;
    for (std::size_t i = first; i < last; ++i) {
        const Card& card = scene_.cards[i];
        if (!visible_.intersects(card.rect) || !wanted(int(i)))
            continue;
        const QRect rect = view_.mapRect(card.rect).toRect();
        const QColor fill =
            card.status.state == NodeState::Error
                ? themeColours().error
                : mixed(card.category, themeColours().card, card.bypass ? 0.8 : 0.35);
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
    p_.setPen(themeColours().accent);
    p_.setBrush(Qt::NoBrush);
    p_.drawRects(rims);
    p_.setRenderHint(QPainter::Antialiasing, true);
}

void CardPainter::card(int index)
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
    keptFrames(card);
    badge(card);
    message(card);
    p_.restore();
}
QColor CardPainter::stateColour(const Card& card) const
{
    switch (card.status.state) {
    case NodeState::Error:
        return themeColours().error;
    case NodeState::Warning:
        return themeColours().warning;
    case NodeState::Cooking:
        return themeColours().accent;
    default:
        return themeColours().cardEdge;
    }
}

// A card too small for more than its name.
void CardPainter::named(const Card& card, bool chosen, bool hot)
{
    const QRect rect = view_.mapRect(card.rect).toRect();
    const auto faded = [&](const QColor& colour) {
        return card.bypass ? mixed(colour, themeColours().ground, 0.5) : colour;
    };
    p_.setRenderHint(QPainter::Antialiasing, false);
    p_.fillRect(rect, faded(mixed(themeColours().card, card.category, card.known ? 0.45 : 0.2)));
    for (const bool output : {false, true})
        for (const SocketItem& socket : output ? card.outputs : card.inputs) {
            const QPoint at = view_.map(card.rect.topLeft() + socket.offset).toPoint();
            p_.fillRect(QRect(at.x() - 1, at.y() - 1, 3, 3), socket.look.colour);
        }
    QColor edge = stateColour(card);
    if (hot)
        edge = themeColours().cardHover;
    if (chosen)
        edge = themeColours().accent;
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
    p_.setPen(faded(themeColours().strong));
    const bool clipped = needed.width() > rect.width() - 8;
    if (clipped) {
        p_.save();
        p_.setClipRect(rect.adjusted(0, 0, -3, 0), Qt::IntersectClip);
    }
    p_.drawStaticText(at, own.smallText);
    if (clipped)
        p_.restore();
}

void CardPainter::body(const Card& card, bool chosen, bool hot)
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
        edge = QPen(themeColours().cardHover, 1.2);
    if (card.status.state == NodeState::Error || card.status.state == NodeState::Warning)
        edge = QPen(stateColour(card), 1.6);
    if (chosen)
        edge = QPen(themeColours().accent, 2.2);
    if (!card.known)
        edge.setStyle(Qt::DashLine);
    p_.setPen(Qt::NoPen);
    p_.setBrush(themeColours().card);
    p_.drawRoundedRect(rect, r, r);

    // From afar, where only the name is left, it stands on one colour.
    const QRectF head(rect.left(), rect.top(), rect.width(),
                      scale_ < kWords ? rect.height() : kHeaderHeight);
    QPainterPath shape;
    shape.setFillRule(Qt::WindingFill);
    shape.addRoundedRect(head, r, r);
    shape.addRect(head.adjusted(0, r, 0, 0));
    p_.setBrush(headColour(card.category, card.known));
    p_.drawPath(shape);
    if (scale_ < kWords) {
        p_.setBrush(card.category);
        p_.drawRoundedRect(QRectF(rect.left() + 7, rect.top() + 8, 3.5, kHeaderHeight - 16), 1.7,
                           1.7);
    } else {
        paintCategory(p_, card.icon,
                      {rect.left() + 8, rect.top() + (kHeaderHeight - kIcon) / 2, kIcon, kIcon},
                      themeColours().strong);
    }
    p_.setBrush(Qt::NoBrush);
    p_.setPen(edge);
    p_.drawRoundedRect(rect, r, r);
    if (card.ghost && scale_ >= kWords)
        eye({rect.right() - 13, rect.bottom() - 11});
    if (card.bypass) {
        p_.setPen(QPen(themeColours().warning, 2.5));
        p_.drawLine(rect.topLeft() + QPointF(6, kHeaderHeight + 4),
                    rect.bottomRight() - QPointF(6, 6));
    }
    if (card.status.state == NodeState::Cooking) {
        const double done = std::clamp(card.status.progress, 0.03, 1.0);
        p_.setPen(Qt::NoPen);
        p_.setBrush(QColor(0, 0, 0, 90));
        p_.drawRect(QRectF(rect.left() + 6, rect.bottom() - 4.5, rect.width() - 12, 2.5));
        p_.setBrush(themeColours().accent);
        p_.drawRect(QRectF(rect.left() + 6, rect.bottom() - 4.5, (rect.width() - 12) * done, 2.5));
    }
}

/// The mark of what is seen in the viewport as a ghost.
void CardPainter::eye(QPointF at)
{
    QPainterPath lids(at - QPointF(7, 0));
    lids.quadTo(at - QPointF(0, 9), at + QPointF(7, 0));
    lids.quadTo(at + QPointF(0, 9), at - QPointF(7, 0));
    p_.setPen(QPen(themeColours().accent, 1.4));
    p_.setBrush(Qt::NoBrush);
    p_.drawPath(lids);
    p_.setBrush(themeColours().accent);
    p_.drawEllipse(at, 1.8, 1.8);
}

void CardPainter::titles(const Card& card)
{
    const bool badgeThere = card.status.state != NodeState::Fine || card.bypass || !card.known;
    const double room = kCardWidth - kTitleLeft - (badgeThere ? 31 : 10);
    if (scale_ < kWords) { // only the name, as large as it can be
        const int size = int(std::clamp(11 / scale_, 13.0, 30.0));
        p_.setFont(nameFont(size));
        p_.setPen(themeColours().strong);
        p_.drawText(card.rect.adjusted(16, 4, -6, -4), Qt::AlignVCenter | Qt::AlignLeft,
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
    const QPointF corner = card.rect.topLeft() + QPointF(kTitleLeft, 4);
    p_.setFont(titleFont);
    p_.setPen(themeColours().strong);
    p_.drawStaticText(corner, card.titleText);
    p_.setFont(typeFont);
    p_.setPen(themeColours().subtitle);
    p_.drawStaticText(corner + QPointF(0, 17), card.subtitleText);
}

void CardPainter::sockets(const Card& card, int index, bool output)
{
    static const QFont font = fontOf(11);
    const auto& list = output ? card.outputs : card.inputs;
    const auto& others = output ? card.inputs : card.outputs;
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
        const auto isAtFault = [&](const SocketItem& item) {
            return card.status.state == NodeState::Error && card.status.field == item.name;
        };
        // A fault names a socket; an output may be called like an input.
        const bool fault =
            isAtFault(socket) && (!output || std::none_of(others.begin(), others.end(), isAtFault));
        if (fault || (a_.pulling && fits) || hot) {
            QColor halo = fault ? themeColours().error : socket.look.colour;
            halo.setAlpha(hot ? 150 : 80);
            p_.setPen(Qt::NoPen);
            p_.setBrush(halo);
            p_.drawEllipse(at, kSocketRadius + 5, kSocketRadius + 5);
        }
        drawSocket(p_, at, kSocketRadius, socket.look, socket.links > 0);
        if (scale_ >= kWords) {
            p_.setFont(font);
            p_.setPen(fault              ? themeColours().error
                      : socket.links > 0 ? themeColours().linked
                      : socket.required  ? themeColours().strong
                                         : themeColours().muted);
            auto& own = const_cast<SocketItem&>(socket);
            if (own.labelText.text().isEmpty()) {
                const QFontMetrics metrics(font);
                double room = kCardWidth - 24; // and what the label across leaves, half at least
                if (i < others.size())
                    room =
                        std::max(room / 2, room - 10 - metrics.horizontalAdvance(others[i].label));
                own.labelText.setTextFormat(Qt::PlainText);
                own.labelText.setText(metrics.elidedText(socket.label, Qt::ElideRight, int(room)));
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

// A strip along the lower edge: which of the scene's frames are on disk, and which of those stale.
void CardPainter::keptFrames(const Card& card)
{
    if (!card.status.kept)
        return;
    const KeptFrames& kept = *card.status.kept;
    const QRectF strip(card.rect.left() + 8, card.rect.bottom() - 7, card.rect.width() - 16, 4);
    p_.setPen(Qt::NoPen);
    p_.setBrush(QColor(0, 0, 0, 110));
    p_.drawRect(strip);
    const double frame = strip.width() / std::max(1.0, double(kept.last) - kept.first + 1);
    for (const KeptSpan& span : kept.spans) {
        const int first = std::max(span.first, kept.first), last = std::min(span.last, kept.last);
        if (last < first)
            continue;
        const QRectF part(strip.left() + (double(first) - kept.first) * frame, strip.top(),
                          (double(last) - first + 1) * frame, strip.height());
        p_.fillRect(part, span.fresh ? themeColours().good : themeColours().warning);
        if (!span.fresh) // told apart without colours too
            p_.fillRect(part, QBrush(themeColours().ground, Qt::BDiagPattern));
    }
}

void CardPainter::badge(const Card& card)
{
    const QPointF at = card.rect.topRight() + QPointF(-17, kHeaderHeight / 2);
    p_.setPen(Qt::NoPen);
    static const QFont glyphFont = fontOf(12, QFont::Bold);
    p_.setFont(glyphFont);
    const QRectF box(at.x() - 8, at.y() - 8, 16, 16);
    const auto glyph = [&](const QString& text, const QColor& colour) {
        p_.setPen(colour);
        p_.drawText(box, Qt::AlignCenter, text);
    };
    if (!card.known || card.status.state == NodeState::Missing) {
        p_.setBrush(themeColours().muted);
        p_.drawEllipse(at, 8, 8);
        glyph(QStringLiteral("?"), themeColours().ground);
    } else if (card.status.state == NodeState::Error) {
        p_.setBrush(themeColours().error);
        p_.drawEllipse(at, 8, 8);
        glyph(QStringLiteral("!"), themeColours().ground);
    } else if (card.status.state == NodeState::Warning) {
        p_.setBrush(themeColours().warning);
        p_.drawPolygon(QPolygonF({at + QPointF(0, -8.5), at + QPointF(9, 7), at + QPointF(-9, 7)}));
        p_.translate(0, 1.5);
        glyph(QStringLiteral("!"), themeColours().ground);
        p_.translate(0, -1.5);
    } else if (card.status.state == NodeState::Cooking) {
        p_.setBrush(Qt::NoBrush);
        QColor faint = themeColours().bright;
        faint.setAlpha(50);
        p_.setPen(QPen(faint, 2.5));
        p_.drawEllipse(at, 6.5, 6.5);
        p_.setPen(QPen(themeColours().accent, 2.5, Qt::SolidLine, Qt::RoundCap));
        const double done = card.status.progress >= 0 ? card.status.progress : 0.25;
        p_.drawArc(QRectF(at.x() - 6.5, at.y() - 6.5, 13, 13), 90 * 16, -int(done * 360 * 16));
    } else if (card.bypass) {
        p_.setPen(QPen(themeColours().warning, 2));
        p_.setBrush(Qt::NoBrush);
        p_.drawEllipse(at, 6.5, 6.5);
        p_.drawLine(at + QPointF(-4.5, 4.5), at + QPointF(4.5, -4.5));
    } else if (card.status.state == NodeState::Cached) {
        p_.setPen(QPen(themeColours().good, 2.2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        p_.setBrush(Qt::NoBrush);
        p_.drawPolyline(
            QPolygonF({at + QPointF(-5, 0), at + QPointF(-1.5, 4), at + QPointF(5.5, -4)}));
    }
}

// Below the card: what is wrong should not need a hover.
void CardPainter::message(const Card& card)
{
    if (scale_ < kWords || card.status.message.isEmpty() ||
        (card.status.state != NodeState::Error && card.status.state != NodeState::Warning))
        return;
    static const QFont messageFont = fontOf(11);
    p_.setFont(messageFont);
    const QFontMetrics metrics = p_.fontMetrics();
    const QString text = metrics.elidedText(card.status.message, Qt::ElideRight, 230);
    const QRectF pill(card.rect.left(), card.rect.bottom() + 4,
                      metrics.horizontalAdvance(text) + 16, 19);
    p_.setPen(Qt::NoPen);
    const bool error = card.status.state == NodeState::Error;
    p_.setBrush(error ? themeColours().errorGround : themeColours().warningGround);
    p_.drawRoundedRect(pill, 4, 4);
    p_.setPen(error ? themeColours().errorText : themeColours().warningText);
    p_.drawText(pill, Qt::AlignCenter, text);
}

} // namespace floe::editor
