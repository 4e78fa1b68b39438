#include "themes/category_icon.hpp"

#include <QFile>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

static void loadResources() // of a static library; Q_INIT_RESOURCE wants no namespace
{
    Q_INIT_RESOURCE(looks);
}

namespace floe::editor {

namespace {
constexpr int kStep = 4, kLargest = 128; // sizes that are drawn [device pixels]

QPixmap drawn(const QString& file, int size, const QColor& colour)
{
    QPixmap pixmap(size, size);
    pixmap.fill(Qt::transparent);
    QPainter p(&pixmap);
    QSvgRenderer(file).render(&p, QRectF(0, 0, size, size));
    p.setCompositionMode(QPainter::CompositionMode_SourceIn);
    p.fillRect(0, 0, size, size, colour);
    return pixmap;
}
} // namespace

QString categoryDrawing(const std::string& category)
{
    loadResources();
    const QString name = QString::fromStdString(category).toLower().replace(' ', '_');
    const QString file = QStringLiteral(":/icons/category_%1.svg").arg(name);
    return QFile::exists(file) ? file : QStringLiteral(":/icons/category.svg");
}

void paintCategory(QPainter& painter, const std::string& category, const QRectF& box,
                   const QColor& colour)
{
    // Never destroyed: pixmaps must not outlive the application.
    static auto& pixmaps = *new std::map<std::tuple<std::string, int, QRgb>, QPixmap>;
    const double pixels =
        box.width() * painter.worldTransform().m11() * painter.device()->devicePixelRatioF();
    const int size = std::clamp(int(std::ceil(pixels / kStep)) * kStep, kStep, kLargest);
    QPixmap& pixmap = pixmaps[{category, size, colour.rgb()}];
    if (pixmap.isNull())
        pixmap = drawn(categoryDrawing(category), size, colour);
    const bool smooth = painter.testRenderHint(QPainter::SmoothPixmapTransform);
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.drawPixmap(box, pixmap, QRectF(pixmap.rect()));
    painter.setRenderHint(QPainter::SmoothPixmapTransform, smooth);
}

} // namespace floe::editor
