#include "views/transport_icon.hpp"

#include "views/colours.hpp"

#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>
#include <QPalette>
#include <QTransform>

namespace floe::views {

namespace {

void triangle(QPainterPath& path, double tip, double base)
{
    path.addPolygon(QPolygonF({{base, 3.5}, {tip, 8}, {base, 12.5}, {base, 3.5}}));
}

void draw(QPainter& p, Transport shape, const QColor& colour)
{
    QPainterPath path;
    p.setPen(Qt::NoPen);
    p.setBrush(colour);
    switch (shape) {
    case Transport::First:
        path.addRect(3, 3.5, 1.6, 9);
        triangle(path, 5.2, 12.5);
        break;
    case Transport::Last:
        path.addRect(11.4, 3.5, 1.6, 9);
        triangle(path, 10.8, 3.5);
        break;
    case Transport::Back:
        path.addRect(10.6, 3.5, 1.6, 9);
        triangle(path, 3.2, 9.6);
        break;
    case Transport::Forward:
        path.addRect(3.8, 3.5, 1.6, 9);
        triangle(path, 12.8, 6.4);
        break;
    case Transport::Play:
        path.addPolygon(QPolygonF({{4.2, 2.6}, {13.2, 8}, {4.2, 13.4}, {4.2, 2.6}}));
        break;
    case Transport::Pause:
        path.addRect(4, 3, 2.8, 10);
        path.addRect(9.2, 3, 2.8, 10);
        break;
    case Transport::Stop:
        path.addRoundedRect(3.5, 3.5, 9, 9, 1, 1);
        break;
    case Transport::Simulate: // grains that fall on a heap
        path.addEllipse(QPointF(8, 3.2), 1.5, 1.5);
        path.addEllipse(QPointF(5.2, 7.6), 1.5, 1.5);
        path.addEllipse(QPointF(10.8, 7.6), 1.5, 1.5);
        path.addEllipse(QPointF(2.6, 12), 1.5, 1.5);
        path.addEllipse(QPointF(8, 12), 1.5, 1.5);
        path.addEllipse(QPointF(13.4, 12), 1.5, 1.5);
        break;
    case Transport::Resume:
        path.addRect(2.4, 3, 1.6, 10);
        path.addPolygon(QPolygonF({{6, 3.2}, {13.6, 8}, {6, 12.8}, {6, 3.2}}));
        break;
    case Transport::Live: // a source and its waves
        path.addEllipse(QPointF(8, 8), 2.4, 2.4);
        p.setBrush(Qt::NoBrush);
        p.setPen(QPen(colour, 1.4, Qt::SolidLine, Qt::RoundCap));
        for (const int side : {0, 180}) {
            p.drawArc(QRectF(3.4, 3.4, 9.2, 9.2), (side - 50) * 16, 100 * 16);
            p.drawArc(QRectF(0.9, 0.9, 14.2, 14.2), (side - 40) * 16, 80 * 16);
        }
        p.setPen(Qt::NoPen);
        p.setBrush(colour);
        break;
    case Transport::Loop: {
        p.setBrush(Qt::NoBrush);
        p.setPen(QPen(colour, 1.5, Qt::SolidLine, Qt::RoundCap));
        p.drawArc(QRectF(2.8, 3.8, 10.4, 8.4), 30 * 16, 300 * 16);
        p.setPen(Qt::NoPen);
        p.setBrush(colour);
        path.addPolygon(QPolygonF({{10.6, 6.6}, {15, 6.2}, {12.6, 2.8}, {10.6, 6.6}}));
        break;
    }
    case Transport::FrameAll:
        p.setBrush(Qt::NoBrush);
        p.setPen(QPen(colour, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::MiterJoin));
        for (const auto& [x, y] : {std::pair{1., 1.}, {-1., 1.}, {1., -1.}, {-1., -1.}}) {
            const QPointF corner(8 - x * 5.2, 8 - y * 5.2);
            p.drawPolyline(
                QPolygonF({corner + QPointF(x * 3, 0), corner, corner + QPointF(0, y * 3)}));
        }
        p.setPen(Qt::NoPen);
        p.setBrush(colour);
        path.addEllipse(QPointF(8, 8), 1.8, 1.8);
        break;
    case Transport::Move: // four arrows
        p.setPen(QPen(colour, 1.4));
        p.drawLine(QPointF(8, 3), QPointF(8, 13));
        p.drawLine(QPointF(3, 8), QPointF(13, 8));
        p.setPen(Qt::NoPen);
        for (int quarter = 0; quarter < 4; ++quarter) {
            path.addPolygon(QTransform()
                                .translate(8, 8)
                                .rotate(90 * quarter)
                                .map(QPolygonF({{0, -7.4}, {2.6, -4}, {-2.6, -4}, {0, -7.4}})));
        }
        break;
    case Transport::Turn:
        p.setBrush(Qt::NoBrush);
        p.setPen(QPen(colour, 1.4, Qt::SolidLine, Qt::RoundCap));
        p.drawEllipse(QPointF(8, 8), 6, 6);
        p.drawEllipse(QPointF(8, 8), 6, 2.4);
        p.setPen(Qt::NoPen);
        p.setBrush(colour);
        path.addEllipse(QPointF(8, 10.4), 1.9, 1.9);
        break;
    case Transport::Size: // a small box, and how large it may be
        p.setBrush(Qt::NoBrush);
        p.setPen(QPen(colour, 1.2, Qt::DashLine));
        p.drawRect(QRectF(2.6, 2.6, 10.8, 10.8));
        p.setPen(Qt::NoPen);
        p.setBrush(colour);
        path.addRect(2.2, 8, 5.8, 5.8);
        break;
    case Transport::Cells: // large ones beside small ones
        p.setBrush(Qt::NoBrush);
        p.setPen(QPen(colour, 1.1));
        p.drawRect(QRectF(1.8, 4.6, 6.8, 6.8));
        for (const QPointF at : {QPointF(10.2, 4.6), QPointF(10.2, 8.2)})
            p.drawRect(QRectF(at, QSizeF(3.2, 3.2)));
        p.setPen(Qt::NoPen);
        p.setBrush(colour);
        break;
    case Transport::Snap: // a grid, and a point on it
        p.setBrush(Qt::NoBrush);
        p.setPen(QPen(colour, 1));
        for (const double at : {4.5, 11.5}) {
            p.drawLine(QPointF(at, 1.5), QPointF(at, 14.5));
            p.drawLine(QPointF(1.5, at), QPointF(14.5, at));
        }
        p.setPen(Qt::NoPen);
        p.setBrush(colour);
        path.addEllipse(QPointF(11.5, 4.5), 2.6, 2.6);
        break;
    }
    p.drawPath(path);
}

class Engine final : public QIconEngine {
public:
    explicit Engine(Transport shape) : shape_(shape) {}
    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override
    {
        const QPalette palette = QGuiApplication::palette();
        QColor colour = palette.color(QPalette::WindowText);
        if (mode == QIcon::Disabled)
            colour = blend(palette.color(QPalette::Window), colour, 0.35);
        else if (state == QIcon::On)
            colour = palette.color(QPalette::Link);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->translate(rect.topLeft());
        painter->scale(rect.width() / 16.0, rect.height() / 16.0);
        draw(*painter, shape_, colour);
        painter->restore();
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect({}, size), mode, state);
        return pixmap;
    }
    QIconEngine* clone() const override { return new Engine(*this); }

private:
    Transport shape_;
};

} // namespace

QIcon transportIcon(Transport shape)
{
    return QIcon(new Engine(shape));
}

} // namespace floe::views
