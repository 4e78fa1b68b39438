#include "on_the_canvas.hpp"
#include "themes/category_icon.hpp"
#include "themes/theme.hpp"

#include <QDir>
#include <QFile>
#include <QPainter>
#include <QPixmap>

namespace floe::editor {
namespace {

QImage drawn(const std::string& category)
{
    QPixmap pixmap(32, 32);
    pixmap.fill(Qt::white);
    QPainter painter(&pixmap);
    paintCategory(painter, category, QRectF(0, 0, 32, 32), Qt::black);
    return pixmap.toImage();
}

// Every category of the plugins that are built has a drawing of its own; that of somebody else's
// plugin is the neutral one, and none of them is empty or like another.
TEST(CategoryIcons, EachCategoryHasItsOwn)
{
    std::set<std::string> categories{"Subgraph", "Scene"};
    for (const graph::NodeType* type : test::builtTypes()->all())
        categories.insert(type->category);
    EXPECT_GT(categories.size(), 15u);
    std::vector<QImage> seen{drawn("Somebody's own")};
    EXPECT_EQ(categoryDrawing("Somebody's own"), ":/icons/category.svg");
    for (const std::string& category : categories) {
        EXPECT_NE(categoryDrawing(category), ":/icons/category.svg") << category;
        const QImage image = drawn(category);
        for (const QImage& other : seen)
            EXPECT_NE(image, other) << category;
        seen.push_back(image);
    }
    for (const QImage& image : seen) {
        int ink = 0;
        for (int y = 0; y < 32; ++y)
            for (int x = 0; x < 32; ++x)
                ink += image.pixelColor(x, y).lightness() < 128;
        EXPECT_GT(ink, 32) << "lines that are seen";
        EXPECT_LT(ink, 32 * 16) << "and no blot";
    }
}

TEST_F(OnTheCanvas, CardsAndTheSearchShowTheIconOfTheCategory)
{
    applyTheme(*qApp);
    document.load(kSnow);
    canvas.setView(1, {60, 60});
    QTest::qWait(100);
    const QImage picture = canvas.grab().toImage();
    for (const Card& card : canvas.scene().cards) {
        const QPoint corner = canvas.toWidget(card.rect.topLeft()).toPoint();
        if (!canvas.rect().contains(QRect(corner, QSize(180, 40))))
            continue;
        int light = 0; // in the place of the icon, left of the name
        for (int y = 11; y < 28; ++y)
            for (int x = 8; x < 25; ++x)
                light += picture.pixelColor(corner + QPoint(x, y)).lightness() > 170;
        EXPECT_GT(light, 15) << card.name;
    }
    QDir().mkpath(FLOE_BINARY_DIR "/pictures/editor");
    canvas.grab().save(FLOE_BINARY_DIR "/pictures/editor/category_icons.png");
    QTest::mouseDClick(&canvas, Qt::LeftButton, {}, {1200, 800});
    ASSERT_TRUE(canvas.searchPopup()->isVisible());
    QTest::keyClicks(canvas.searchPopup()->field(), "s");
    QTest::qWait(50);
    canvas.searchPopup()->grab().save(FLOE_BINARY_DIR "/pictures/editor/category_search.png");
    canvas.searchPopup()->hide();

    // All of them, larger, for whom looks at them.
    QPixmap sheet(8 * 60, 4 * 76);
    sheet.fill(themeColours().card);
    QPainter painter(&sheet);
    std::set<std::string> categories{"Subgraph", "Scene", "?"};
    for (const graph::NodeType* type : test::builtTypes()->all())
        categories.insert(type->category);
    int index = 0;
    for (const std::string& category : categories) {
        const QPointF at(index % 8 * 60.0, double(index / 8) * 76);
        paintCategory(painter, category, QRectF(at + QPointF(14, 12), QSizeF(32, 32)),
                      themeColours().strong);
        painter.setPen(themeColours().muted);
        painter.setFont(QFont("DejaVu Sans", 6));
        painter.drawText(QRectF(at + QPointF(0, 50), QSizeF(60, 20)), Qt::AlignCenter,
                         QString::fromStdString(category));
        ++index;
    }
    painter.end();
    sheet.save(FLOE_BINARY_DIR "/pictures/editor/category_sheet.png");
}

} // namespace
} // namespace floe::editor
