#include "panel_fixture.hpp"

#include "panels/curve_view.hpp"

#include <QSignalSpy>

namespace {

using namespace floe;
using namespace floe::panels;
using floe::test::Panel;

struct Curves : Panel {
    CurveView* view = nullptr;

    Curves()
    {
        document.setParameter(
            {}, name, "radius",
            {{"keys", {{1, 0.5, "bezier"}, {20, 1.5, "bezier"}, {40, 1.0, "bezier"}}}});
        panel.openCurves("radius");
        QTest::qWait(20);
        view = panel.curves();
        view->frameAll();
    }
    std::vector<CurveKey> keys() { return (*panel.row("radius")->channels())[0].keys; }
    void dragArea(QPointF from, QPointF to, Qt::KeyboardModifiers held = {})
    {
        QTest::mousePress(view->area(), Qt::LeftButton, held, from.toPoint());
        for (int i = 1; i <= 5; ++i) {
            const QPointF at = from + (to - from) * (i / 5.0);
            QMouseEvent move(QEvent::MouseMove, at, view->area()->mapToGlobal(at), Qt::LeftButton,
                             Qt::LeftButton, held);
            QApplication::sendEvent(view->area(), &move);
        }
        QTest::mouseRelease(view->area(), Qt::LeftButton, held, to.toPoint());
    }
};

TEST_F(Curves, AKeyIsDraggedBetweenItsNeighbours)
{
    const int before = document.undo().count();
    dragArea(view->place(20, 1.5), view->place(25, 1.2));
    ASSERT_EQ(keys().size(), 3u);
    EXPECT_EQ(keys()[1].frame, 25);
    EXPECT_NEAR(keys()[1].value, 1.2, 0.02); // a pixel is about 0.01
    EXPECT_EQ(document.undo().count(), before + 1);
    dragArea(view->place(25, keys()[1].value), view->place(60, 1.2));
    EXPECT_EQ(keys()[1].frame, 39); // not past the next key
    document.undo().undo();
    document.undo().undo();
    EXPECT_EQ(keys()[1].frame, 20);
}

TEST_F(Curves, AHandleBendsTheCurve)
{
    QTest::mouseClick(view->area(), Qt::LeftButton, {}, view->place(20, 1.5).toPoint());
    const auto handle = handleOf(keys(), 1, true);
    dragArea(view->place(20 + handle[0], 1.5 + handle[1]), view->place(24, 1.8));
    ASSERT_TRUE(keys()[1].out);
    EXPECT_NEAR((*keys()[1].out)[0], 4, 0.3);
    EXPECT_NEAR((*keys()[1].out)[1], 0.3, 0.03);
    ASSERT_TRUE(keys()[1].in); // the other side follows, so that the curve stays smooth
    EXPECT_LT((*keys()[1].in)[1], 0);
}

TEST_F(Curves, KeysAreAddedRemovedAndChangeTheirMode)
{
    QTest::mouseDClick(view->area(), Qt::LeftButton, {}, view->place(30, 1.2).toPoint());
    ASSERT_EQ(keys().size(), 4u);
    EXPECT_EQ(keys()[2].frame, 30);
    view->area()->setFocus();
    QTest::keyClick(view->area(), Qt::Key_Delete);
    EXPECT_EQ(keys().size(), 3u);
    view->setMode(CurveKey::Mode::Step); // no key is selected: all
    for (const CurveKey& key : keys())
        EXPECT_EQ(key.mode, CurveKey::Mode::Step);
}

TEST_F(Curves, AClickBesideTheCurveScrubs)
{
    QSignalSpy frames(&panel, &ParameterPanel::frameWanted);
    QTest::mouseClick(view->area(), Qt::LeftButton, {}, view->place(30, 0.45).toPoint());
    ASSERT_EQ(frames.size(), 1);
    EXPECT_EQ(frames[0][0].toInt(), 30);
}

} // namespace
