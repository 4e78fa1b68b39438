#include "canvas/scene_piece.hpp"

#include <cmath>

namespace floe::editor {

void DecorationPainter::paint()
{
    p_.setTransform(view_ * base_);
    for (const Backdrop& each : scene_.backdrops)
        if (visible_.intersects(each.rect))
            backdrop(each);
    for (const NoteItem& each : scene_.notes)
        if (visible_.intersects(each.rect))
            note(each);
    p_.setTransform(base_);
}

void DecorationPainter::backdrop(const Backdrop& backdrop)
{
    QColor fill = backdrop.colour, head = backdrop.colour;
    fill.setAlpha(38);
    head.setAlpha(90);
    const bool chosen = a_.selectedDecoration == "frame:" + backdrop.name;
    p_.setPen(
        QPen(chosen ? themeColours().accent : mixed(backdrop.colour, themeColours().ground, 0.3),
             chosen ? 2 : 1));
    p_.setBrush(fill);
    p_.drawRoundedRect(backdrop.rect, 6, 6);
    p_.setPen(Qt::NoPen);
    p_.setBrush(head);
    QRectF title = backdrop.rect;
    title.setHeight(28);
    p_.drawRoundedRect(title, 6, 6);
    p_.setPen(themeColours().strong);
    p_.setFont(fontOf(14, QFont::DemiBold));
    p_.drawText(
        title.adjusted(12, 0, -12, 0), Qt::AlignVCenter | Qt::AlignLeft,
        p_.fontMetrics().elidedText(backdrop.title, Qt::ElideRight, int(title.width()) - 24));
    // the corner that resizes
    p_.setPen(QPen(themeColours().muted, 1.2));
    const QPointF corner = backdrop.rect.bottomRight();
    for (const double d : {5.0, 9.0, 13.0})
        p_.drawLine(corner - QPointF(d, 3), corner - QPointF(3, d));
}

void DecorationPainter::note(const NoteItem& note)
{
    const bool chosen = a_.selectedDecoration == "note:" + note.name;
    p_.setPen(QPen(chosen ? themeColours().accent : themeColours().noteEdge, chosen ? 2 : 1));
    p_.setBrush(themeColours().note);
    p_.drawRoundedRect(note.rect, 4, 4);
    if (scale_ < 0.3)
        return;
    p_.setPen(themeColours().noteText);
    p_.setFont(fontOf(13));
    p_.drawText(note.rect.adjusted(12, 8, -8, -4), Qt::TextWordWrap, note.text);
}

void paintGround(QPainter& painter, const QRect& area, const QTransform& view)
{
    painter.fillRect(area, themeColours().ground);
    double step = 20 * view.m11();
    while (step < 16)
        step *= 5;
    painter.setRenderHint(QPainter::Antialiasing, false);
    const double x0 = std::fmod(view.dx(), step), y0 = std::fmod(view.dy(), step);
    QVector<QPointF> dots;
    for (double y = y0 - step; y < area.bottom() + step; y += step)
        for (double x = x0 - step; x < area.right() + step; x += step)
            dots.append({std::round(x), std::round(y)});
    painter.setPen(QPen(themeColours().dots, step > 40 ? 2 : 1));
    painter.drawPoints(dots.constData(), int(dots.size()));
    painter.setRenderHint(QPainter::Antialiasing, true);
}

} // namespace floe::editor
