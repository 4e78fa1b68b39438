/// What is painted over the picture, and written on it.
#include "themes/colours.hpp"
#include "views/colours.hpp"
#include "views/picture_area.hpp"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <array>
#include <cmath>

namespace floe::views {

namespace {

const QColor kNoteText(0xd8, 0xdb, 0xdf), kLegendText(0xc4, 0xc8, 0xcd);
constexpr int kAxesRoom = 72; // at the upper right
constexpr int kSwatch = 18;   // before the label of a colour
constexpr int kShortBar = 60; // of a map in one line
constexpr int kGap = 10;      // between what is in one line

QString legendNumber(double value)
{
    return QString::number(value, 'g', 4);
}

} // namespace

void PictureArea::paintAxes(QPainter& p) const
{
    static const QColor kColours[] = {QColor(0xe8, 0x5d, 0x5d), QColor(0x7c, 0xc4, 0x4f),
                                      QColor(0x4f, 0x94, 0xe8)};
    static const char* const kNames[] = {"x", "y", "z"};
    const QPointF centre(width() - 40.0, 40);
    std::array<int, 3> order{0, 1, 2};
    const Vec3 forward = camera_.forward();
    std::sort(order.begin(), order.end(), [&](int a, int b) { // far ones first
        return forward[static_cast<std::size_t>(a)] > forward[static_cast<std::size_t>(b)];
    });
    for (const int axis : order) {
        const auto i = static_cast<std::size_t>(axis);
        const QPointF end = centre + QPointF(camera_.right()[i], -camera_.up()[i]) * 24;
        QColor colour = kColours[axis];
        if (forward[i] > 0.2)
            colour = colour.darker(160);
        p.setPen(QPen(colour, 2, Qt::SolidLine, Qt::RoundCap));
        p.drawLine(centre, end);
        p.setPen(Qt::NoPen);
        p.setBrush(colour);
        p.drawEllipse(end, 6.5, 6.5);
        QFont small = font();
        small.setPixelSize(10);
        small.setBold(true);
        p.setFont(small);
        p.setPen(QColor(20, 22, 25));
        p.drawText(QRectF(end.x() - 7, end.y() - 7.5, 14, 14), Qt::AlignCenter,
                   QLatin1String(kNames[axis]));
    }
    p.setFont(font());
}

void PictureArea::paintMessage(QPainter& p) const
{
    if (title_.isEmpty() || !active_ || (wipe_.shown && wipe_.hidesMine))
        return;
    QFont big = font();
    big.setPointSizeF(QFontInfo(big).pointSizeF() * 1.35);
    big.setWeight(QFont::DemiBold);
    const QFontMetrics bigMetrics(big);
    const int wide = std::min(width() - 48, 560);
    if (wide < 40)
        return;
    const QRect title =
        bigMetrics.boundingRect(0, 0, wide, 10'000, Qt::TextWordWrap | Qt::AlignHCenter, title_);
    const QRect body =
        fontMetrics().boundingRect(0, 0, wide, 10'000, Qt::TextWordWrap | Qt::AlignHCenter, text_);
    const int high = title.height() + (text_.isEmpty() ? 0 : 10 + body.height());
    const int top = (height() - high) / 2;
    if (!picture_.isNull()) {
        p.setPen(Qt::NoPen);
        p.setBrush(QColor(16, 18, 21, 215));
        const int w = std::max(title.width(), body.width()) + 48;
        p.drawRoundedRect(QRectF((width() - w) / 2.0, top - 20, w, high + 40), 8, 8);
    }
    const QRect box((width() - wide) / 2, top, wide, title.height());
    p.setFont(big);
    p.setPen(kNoteText);
    p.drawText(box, Qt::TextWordWrap | Qt::AlignHCenter, title_);
    p.setFont(font());
    p.setPen(QColor(0x9a, 0xa0, 0xa8));
    p.drawText(QRect(box.left(), box.bottom() + 11, wide, body.height()),
               Qt::TextWordWrap | Qt::AlignHCenter, text_);
}

/// How the colours are explained in the room that there is; nothing where there is none.
PictureArea::LegendLook PictureArea::legendLook() const
{
    if (legend_.title.isEmpty() || !active_ || (legend_.entries.isEmpty() && legend_.map.isEmpty()))
        return {};
    const QFontMetrics metrics = fontMetrics();
    const int line = metrics.height() + 3;
    const auto isPut = [&](LegendLook& look, int lines, int wide) {
        look.box =
            QRectF(width() - wide - 32, height() - lines * line - 24, wide + 24, lines * line + 14);
        if (look.small && look.box.top() < kAxesRoom)
            look.box.moveRight(width() - kAxesRoom);
        return look.box.top() >= (look.small ? 8 : kAxesRoom) && look.box.left() >= 8;
    };
    const bool mapped = legend_.entries.isEmpty();
    const int title = metrics.horizontalAdvance(legend_.title);
    const int ends = metrics.horizontalAdvance(legendNumber(legend_.low)) +
                     metrics.horizontalAdvance(legendNumber(legend_.high));
    int longest = 0, all = -kGap;
    for (const client::Legend::Entry& entry : legend_.entries) {
        const int wide = kSwatch + metrics.horizontalAdvance(entry.label);
        longest = std::max(longest, wide);
        all += wide + kGap;
    }
    LegendLook look;
    if (mapped ? isPut(look, 3, std::max({title, 150, ends + 20}))
               : isPut(look, int(legend_.entries.size()) + 1, std::max(title, longest)))
        return look;
    look.small = look.titled = true; // all in one line
    if (mapped ? isPut(look, 1, title + ends + kShortBar + 3 * kGap) : isPut(look, 1, all))
        return look;
    look.titled = false;
    return mapped && isPut(look, 1, ends + kShortBar + 2 * kGap) ? look : LegendLook();
}

void PictureArea::paintLegend(QPainter& p) const
{
    const LegendLook look = legendLook();
    if (look.box.isEmpty())
        return;
    p.setPen(Qt::NoPen);
    p.setBrush(QColor(16, 18, 21, 165));
    p.drawRoundedRect(look.box, 5, 5);
    const QRectF in = look.box.adjusted(12, 7, -12, -7);
    if (look.small)
        paintSmallLegend(p, in, look.titled);
    else if (legend_.entries.isEmpty())
        paintMappedLegend(p, in);
    else
        paintLegendEntries(p, in);
}

void PictureArea::paintMappedLegend(QPainter& p, const QRectF& in) const
{
    const int line = fontMetrics().height() + 3;
    p.setPen(kNoteText);
    p.drawText(QRectF(in.left(), in.top(), in.width(), line), Qt::AlignLeft, legend_.title);
    const QRectF bar(in.left(), in.top() + line + 3, in.width(), line - 8);
    p.setPen(Qt::NoPen);
    p.setBrush(colourMap(legend_.map, bar));
    p.drawRoundedRect(bar, 2, 2);
    p.setPen(kLegendText);
    const QRectF ends(in.left(), bar.bottom() + 4, in.width(), line);
    p.drawText(ends, Qt::AlignLeft, legendNumber(legend_.low));
    p.drawText(ends, Qt::AlignRight, legendNumber(legend_.high));
}

void PictureArea::paintLegendEntries(QPainter& p, const QRectF& in) const
{
    const int line = fontMetrics().height() + 3;
    p.setPen(kNoteText);
    p.drawText(QRectF(in.left(), in.top(), in.width(), line), Qt::AlignLeft, legend_.title);
    double y = in.top() + line;
    for (const client::Legend::Entry& entry : legend_.entries) {
        paintLegendEntry(p, entry, {in.left(), y, in.width(), double(line)});
        y += line;
    }
}

void PictureArea::paintLegendEntry(QPainter& p, const client::Legend::Entry& entry,
                                   const QRectF& at) const
{
    p.setPen(QPen(QColor(255, 255, 255, 50), 1));
    p.setBrush(entry.colour);
    p.drawRoundedRect(QRectF(at.left(), at.center().y() - 6, 11, 11), 2, 2);
    p.setPen(kLegendText);
    p.drawText(at.adjusted(kSwatch, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, entry.label);
}

/// In one line: of a map its title, where there is room, and its ends beside a short bar.
void PictureArea::paintSmallLegend(QPainter& p, const QRectF& in, bool titled) const
{
    const QFontMetrics metrics = fontMetrics();
    double x = in.left();
    const auto write = [&](const QString& text, const QColor& colour) {
        const double wide = metrics.horizontalAdvance(text);
        p.setPen(colour);
        p.drawText(QRectF(x, in.top(), wide + 1, in.height()), Qt::AlignLeft | Qt::AlignVCenter,
                   text);
        x += wide + kGap;
    };
    for (const client::Legend::Entry& entry : legend_.entries) {
        const double wide = kSwatch + metrics.horizontalAdvance(entry.label);
        paintLegendEntry(p, entry, {x, in.top(), wide + 1, in.height()});
        x += wide + kGap;
    }
    if (!legend_.entries.isEmpty())
        return;
    if (titled)
        write(legend_.title, kNoteText);
    write(legendNumber(legend_.low), kLegendText);
    const QRectF bar(x, in.center().y() - 5, kShortBar, 10);
    p.setPen(Qt::NoPen);
    p.setBrush(colourMap(legend_.map, bar));
    p.drawRoundedRect(bar, 2, 2);
    x += kShortBar + kGap;
    write(legendNumber(legend_.high), kLegendText);
}

/// What is written at the edges.
void PictureArea::paintNotes(QPainter& p) const
{
    const QFontMetrics metrics = fontMetrics();
    if (!corner_.isEmpty() && active_) {
        const QRectF legend = legendLook().box;
        const double room = (legend.isEmpty() ? width() : legend.left()) - 16;
        const QString text = metrics.elidedText(corner_, Qt::ElideRight, int(room) - 14);
        if (text.size() > 2)
            paintLabel(p,
                       {8.0, height() - metrics.height() - 14.0,
                        metrics.horizontalAdvance(text) + 14.0, metrics.height() + 6.0},
                       text);
    }
    QString name;
    if (several_ && !cameraName_.isEmpty())
        name = cameraName_;
    else if (camera_.orthographic)
        name = viewName().isEmpty() ? tr("Orthographic") : tr("%1, orthographic").arg(viewName());
    else if (several_)
        name = tr("Perspective");
    if (!name.isEmpty())
        paintLabel(p, {8, 8, metrics.horizontalAdvance(name) + 14.0, metrics.height() + 6.0}, name);
    if (!hint_.isEmpty() && title_.isEmpty() && active_) {
        const QRect room(0, 0, width() - 160, height()); // the axes are at the right
        const QSizeF text = metrics.boundingRect(room, Qt::TextWordWrap, hint_).size();
        paintLabel(p,
                   {(width() - text.width() - 28) / 2, 12, text.width() + 28, text.height() + 14},
                   hint_);
    }
}

/// What is rendered is as large as fits: the picture sees all of it (client::View::gate).
void PictureArea::paintGate(QPainter& p) const
{
    if (gate_ <= 0 || isBeside() || picture_.isNull())
        return;
    const QSizeF size = QSizeF(gate_, 1).scaled(this->size(), Qt::KeepAspectRatio);
    QRectF gate({}, size);
    gate.moveCenter(QRectF(rect()).center());
    if (gate.left() < 1 && gate.top() < 1)
        return;
    QPainterPath beyond;
    beyond.addRect(rect());
    beyond.addRect(gate);
    p.fillPath(beyond, QColor(16, 18, 21, 110));
    p.setBrush(Qt::NoBrush);
    p.setPen(QColor(0xd8, 0xdb, 0xdf, 150));
    p.drawRect(gate);
}

/// What a handle does, beside the mouse.
void PictureArea::paintReading(QPainter& p) const
{
    const QString text = drag_ == Drag::Handle && moved_ ? handles_.reading() : QString();
    if (text.isEmpty())
        return;
    const QFontMetrics metrics = fontMetrics();
    QRectF box(last_.x() + 18, last_.y() + 14, metrics.horizontalAdvance(text) + 16,
               metrics.height() + 8);
    box.moveRight(std::min<double>(box.right(), width() - 6));
    box.moveBottom(std::min<double>(box.bottom(), height() - 6));
    paintLabel(p, box, text);
}

void PictureArea::paintLabel(QPainter& p, const QRectF& box, const QString& text) const
{
    p.setPen(Qt::NoPen);
    p.setBrush(QColor(16, 18, 21, 130));
    p.drawRoundedRect(box, 4, 4);
    p.setPen(kNoteText);
    p.drawText(box, Qt::AlignCenter | Qt::TextWordWrap, text);
}

} // namespace floe::views
