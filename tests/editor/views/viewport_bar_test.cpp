// The bar above the picture, in windows of any width.
#include "viewport_fixture.hpp"

#include <QComboBox>
#include <QLineEdit>
#include <QToolButton>

#include <algorithm>

namespace {

using namespace floe::views;

struct ViewportBar : ViewportTest {
    /// What stands in the bar now.
    QList<QWidget*> parts()
    {
        QList<QWidget*> found;
        for (auto* widget : viewport.findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
            if (widget->isVisible() && widget->geometry().bottom() <= areaOnViewport().top())
                found << widget;
        return found;
    }
    QRect areaOnViewport() const { return {area->mapTo(&viewport, QPoint()), area->size()}; }
    void makeWide(int width)
    {
        viewport.resize(width, 500);
        EXPECT_TRUE(QTest::qWaitFor([&] { return viewport.width() == width; }));
        QCoreApplication::processEvents();
    }
};

// Everything in it can be reached in a window half as wide as it would like: what has no room goes
// into another row, above the picture and over nothing.
TEST_F(ViewportBar, HasAsManyRowsAsItsWidthTakes)
{
    auto* colouring = viewport.findChildren<QComboBox*>().at(1);
    colouring->setCurrentIndex(colouring->findData("speed"));
    emit colouring->activated(colouring->currentIndex()); // its map and ends are there, too
    makeWide(1400);
    const QList<QWidget*> wide = parts();
    ASSERT_GE(wide.size(), 13);
    int right = 0;
    for (const QWidget* part : wide) {
        EXPECT_NEAR(part->geometry().center().y(), wide.first()->geometry().center().y(), 1);
        right = std::max(right, part->geometry().right());
    }
    EXPECT_GE(right, 1400 - 10) << "tools stand at the right end";
    const int oneRow = areaOnViewport().top();

    ASSERT_LT(viewport.minimumSizeHint().width(), 400);
    makeWide(420);
    const QList<QWidget*> narrow = parts();
    EXPECT_EQ(narrow, wide) << "nothing is left out";
    EXPECT_GT(areaOnViewport().top(), oneRow);
    for (const QWidget* part : narrow) {
        EXPECT_TRUE(viewport.rect().contains(part->geometry()));
        for (const QWidget* other : narrow)
            EXPECT_TRUE(other == part || !other->geometry().intersects(part->geometry()));
    }
    EXPECT_EQ(areaOnViewport().bottom(), viewport.rect().bottom());
}

} // namespace
