#include "studio_fixture.hpp"

#include "panels/curve_view.hpp"
#include "panels/dope_sheet.hpp"
#include "panels/key_times.hpp"
#include "panels/parameter_panel.hpp"
#include "views/timeline.hpp"

#include <QClipboard>
#include <QDir>
#include <QDockWidget>
#include <QLabel>
#include <QToolButton>

namespace floe::test {
namespace {

using panels::DopeSheet;
using panels::keyFrames;
using Frames = std::vector<double>;

/// The window with First snow, of which three parameters have keys, and all keys in sight.
class WithKeys : public WithTheRuntime {
protected:
    WithKeys()
    {
        EXPECT_TRUE(window->open(FLOE_SOURCE_DIR "/graphs/first_snow.floe.json"));
        document().setParameter("", "ball", "radius",
                                {{"keys", {{1, 0.3, "bezier"}, {12, 0.2, "bezier"}, {30, 0.3}}}});
        document().setParameter("", "ball", "center",
                                {{"keys", {{1, {0, 1, 0}}, {20, {0, 1.2, 0}}}}});
        document().setParameter("", "gravity", "acceleration",
                                Json::array({0, {{"keys", {{5, -9.81}, {12, 0}}}}, 0}));
        window->resize(1500, 950);
        sheet = window->findChild<DopeSheet*>();
        auto* dock = window->findChild<QDockWidget*>("dock.keys");
        dock->show();
        dock->raise();
        settle();
        sheet->frameAll();
        EXPECT_EQ(sheet->rows().size(), 3u);
    }

    Frames frames(const char* node, const char* parameter)
    {
        return keyFrames(document().value("", node, parameter));
    }
    int row(const char* node, const char* parameter) const
    {
        for (int i = 0; i < int(sheet->rows().size()); ++i)
            if (sheet->rows()[std::size_t(i)].node == node &&
                sheet->rows()[std::size_t(i)].parameter == parameter)
                return i;
        ADD_FAILURE() << node << "." << parameter;
        return 0;
    }
    QPointF key(const char* node, const char* parameter, double frame) const
    {
        return sheet->place(row(node, parameter), frame);
    }
    void click(QPointF at, Qt::KeyboardModifiers held = {})
    {
        QTest::mouseClick(sheet->area(), Qt::LeftButton, held, at.toPoint());
    }
    void drag(QPointF from, QPointF to, bool letGo = true)
    {
        QTest::mousePress(sheet->area(), Qt::LeftButton, {}, from.toPoint());
        for (int i = 1; i <= 6; ++i) {
            const QPointF at = from + (to - from) * (i / 6.0);
            QMouseEvent move(QEvent::MouseMove, at, sheet->area()->mapToGlobal(at), Qt::NoButton,
                             Qt::LeftButton, {});
            QApplication::sendEvent(sheet->area(), &move);
        }
        if (letGo)
            QTest::mouseRelease(sheet->area(), Qt::LeftButton, {}, to.toPoint());
    }
    std::size_t selectedKeys() const
    {
        std::size_t count = 0;
        for (const auto& [row, frames] : sheet->selection())
            count += frames.size();
        return count;
    }
    void keep(const char* name)
    {
        QDir().mkpath(FLOE_BINARY_DIR "/pictures/editor");
        window->grab().save(QString(FLOE_BINARY_DIR "/pictures/editor/%1.png").arg(name));
    }

    DopeSheet* sheet = nullptr;
};

TEST_F(WithKeys, AKeyIsDraggedByWholeFrames)
{
    const int before = document().undo().count();
    const QPointF from = key("ball", "radius", 12);
    const double frame = key("ball", "radius", 13).x() - from.x();
    drag(from, from + QPointF(5.3 * frame, 0));
    EXPECT_EQ(frames("ball", "radius"), Frames({1, 17, 30}));
    EXPECT_EQ(document().undo().count(), before + 1);
    EXPECT_EQ(sheet->selection(), (std::map<int, std::set<double>>{{row("ball", "radius"), {17}}}))
        << "it stays selected";
    EXPECT_EQ(document().value("", "ball", "radius")["keys"][1][1], 0.2);
    QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(frames("ball", "radius"), Frames({1, 12, 30}));

    // Esc while it is dragged: nothing has happened.
    drag(key("ball", "radius", 12), key("ball", "radius", 20), false);
    QTest::keyClick(sheet->area(), Qt::Key_Escape);
    QTest::mouseRelease(sheet->area(), Qt::LeftButton, {}, key("ball", "radius", 20).toPoint());
    EXPECT_EQ(frames("ball", "radius"), Frames({1, 12, 30}));
    EXPECT_EQ(document().undo().index(), before);
}

// Keys of several parameters at one time, of components of a vector too, in one step of undo.
TEST_F(WithKeys, ABoxSelectsKeysOfSeveralRowsWhichMoveTogether)
{
    const double half = (key("ball", "radius", 13).x() - key("ball", "radius", 12).x()) / 2;
    const double top = sheet->rulerHeight() + 2, bottom = sheet->area()->height() - 3;
    drag({key("ball", "radius", 10).x() + half, top},
         {key("ball", "radius", 21).x() - half, bottom});
    EXPECT_EQ(selectedKeys(), 3u);
    keep("dope_sheet");
    const int before = document().undo().count();
    const QPointF from = key("gravity", "acceleration", 12);
    drag(from, from + QPointF(8 * half, 0));
    EXPECT_EQ(frames("ball", "radius"), Frames({1, 16, 30}));
    EXPECT_EQ(frames("ball", "center"), Frames({1, 24}));
    EXPECT_EQ(frames("gravity", "acceleration"), Frames({5, 16}));
    EXPECT_EQ(document().value("", "gravity", "acceleration")[0], 0) << "x has no keys";
    EXPECT_EQ(document().undo().count(), before + 1);

    QTest::keyClick(sheet->area(), Qt::Key_Delete);
    EXPECT_EQ(frames("ball", "center"), Frames({1}));
    EXPECT_EQ(frames("gravity", "acceleration"), Frames({5}));
    EXPECT_EQ(selectedKeys(), 0u);
    document().undo().undo();
    document().undo().undo();
    EXPECT_EQ(frames("gravity", "acceleration"), Frames({5, 12}));
    EXPECT_TRUE(QTest::qWaitFor([&] { // the rows follow
        return sheet->rows()[std::size_t(row("ball", "center"))].frames.size() == 2;
    }));

    // A click beside all keys selects none; Shift adds to what is selected.
    click(key("ball", "radius", 1));
    click(key("ball", "center", 20), Qt::ShiftModifier);
    EXPECT_EQ(selectedKeys(), 2u);
    click({key("ball", "radius", 26).x(), key("ball", "radius", 26).y()});
    EXPECT_EQ(selectedKeys(), 0u);
}

TEST_F(WithKeys, KeysAreCopiedToTheCurrentFrameAndToAnotherParameter)
{
    click(key("ball", "radius", 1));
    click(key("ball", "radius", 12), Qt::ControlModifier);
    QTest::keyClick(sheet->area(), Qt::Key_C, Qt::ControlModifier);
    studio->timeline().setFrame(40);
    const int before = document().undo().count();
    QTest::keyClick(sheet->area(), Qt::Key_V, Qt::ControlModifier);
    EXPECT_EQ(frames("ball", "radius"), Frames({1, 12, 30, 40, 51}));
    EXPECT_EQ(document().undo().count(), before + 1);
    EXPECT_EQ(selectedKeys(), 2u) << "what was pasted";

    // All keys of one row cut: it is gone, and comes back where they are pasted.
    const int center = row("ball", "center");
    click(sheet->place(center, 1));
    click(sheet->place(center, 20), Qt::ShiftModifier);
    QTest::keyClick(sheet->area(), Qt::Key_X, Qt::ControlModifier);
    EXPECT_TRUE(frames("ball", "center").empty());
    EXPECT_EQ(sheet->rows().size(), 2u);
    studio->timeline().setFrame(3);
    QTest::keyClick(sheet->area(), Qt::Key_V, Qt::ControlModifier);
    EXPECT_EQ(frames("ball", "center"), Frames({3, 22}));

    QApplication::clipboard()->setText("something else");
    const std::string text = document().text();
    QTest::keyClick(sheet->area(), Qt::Key_V, Qt::ControlModifier);
    EXPECT_EQ(document().text(), text);
}

TEST_F(WithKeys, ANameSelectsItsNodeAndTheRulerItsFrame)
{
    click(sheet->namePlace(row("gravity", "acceleration")));
    EXPECT_EQ(window->canvas()->selection(), std::vector<std::string>{"gravity"});
    const QPointF ruler(key("ball", "radius", 9).x(), sheet->rulerHeight() / 2);
    click(ruler);
    EXPECT_EQ(studio->timeline().frame(), 9);
    // Only what is selected.
    auto* only = sheet->findChild<QToolButton*>("dopeOnly");
    QTest::mouseClick(only, Qt::LeftButton);
    ASSERT_EQ(sheet->rows().size(), 1u);
    EXPECT_EQ(sheet->rows()[0].node, "gravity");
    window->canvas()->select({"ball"});
    EXPECT_EQ(sheet->rows().size(), 2u);
    QTest::mouseClick(only, Qt::LeftButton);
    EXPECT_EQ(sheet->rows().size(), 3u);
}

// In a subgraph, too: a click on its name goes there.
TEST_F(WithKeys, RowsOfSubgraphsLeadThere)
{
    document().group("", {"ball", "gravity"}, "things");
    ASSERT_TRUE(QTest::qWaitFor(
        [&] { return sheet->rows().size() == 3 && sheet->rows()[0].scope == "things"; }));
    click(sheet->namePlace(row("gravity", "acceleration")));
    EXPECT_EQ(window->canvas()->scope(), "things");
    EXPECT_EQ(window->canvas()->selection(), std::vector<std::string>{"gravity"});
}

// Curves lie below everything, as wide as the window, and follow the selection.
TEST_F(WithKeys, CurvesHaveAWideDockOfTheirOwn)
{
    auto* panel = window->findChild<panels::ParameterPanel*>();
    auto* dock = window->findChild<QDockWidget*>("dock.curves");
    panels::CurveView* curves = panel->curves();
    window->canvas()->select({"gravity"});
    const auto title = [&] {
        return curves->findChild<QLabel*>()->text();
    };
    panel->openCurves("acceleration");
    ASSERT_TRUE(until([&] { return curves->isVisible(); }));
    EXPECT_TRUE(dock->isAncestorOf(curves));
    EXPECT_GT(curves->width(), window->width() / 2);
    EXPECT_EQ(title(), "gravity.acceleration");

    // Another node: its first parameter that has any.
    window->canvas()->select({"ball"});
    ASSERT_TRUE(until([&] { return panel->node() == "ball"; }));
    const QPointF from = curves->place(12, 0.2), to = curves->place(12, 0.25);
    QTest::mousePress(curves->area(), Qt::LeftButton, {}, from.toPoint());
    for (int i = 1; i <= 5; ++i) {
        const QPointF at = from + (to - from) * (i / 5.0);
        QMouseEvent move(QEvent::MouseMove, at, curves->area()->mapToGlobal(at), Qt::LeftButton,
                         Qt::LeftButton, {});
        QApplication::sendEvent(curves->area(), &move);
    }
    QTest::mouseRelease(curves->area(), Qt::LeftButton, {}, to.toPoint());
    EXPECT_NEAR(document().value("", "ball", "radius")["keys"][1][1].get<double>(), 0.25, 0.01);
    QTest::qWait(300);
    const QString pictures = QStringLiteral(FLOE_BINARY_DIR "/pictures/editor");
    QDir().mkpath(pictures);
    EXPECT_TRUE(window->grab().save(pictures + "/curves_dock.png"));

    // Without keys there is nothing to drag; a parameter that gets some shows its curve.
    window->canvas()->select({"ground"});
    ASSERT_TRUE(until([&] { return panel->node() == "ground"; }));
    EXPECT_FALSE(title().startsWith("ball"));
    document().setParameter("", "ground", "friction", {{"keys", {{1, 0.1}, {9, 0.5}}}});
    EXPECT_EQ(title(), "ground.friction");
}

} // namespace
} // namespace floe::test
