#include "live_fixture.hpp"

#include "panels/parameter_panel.hpp"
#include "shell/notice.hpp"
#include "views/picture_area.hpp"
#include "views/timeline.hpp"

#include <QCheckBox>
#include <QComboBox>

#include <algorithm>
#include <vector>

namespace floe::test {
namespace {

using client::FrameState;
using client::RunState;

// The handle in the viewport moves a collider that the running simulation feels.
TEST_F(LiveControl, TheHandleMovesAColliderThatRuns)
{
    open(scene());
    window->canvas()->select({"floor"});
    auto* area = window->findChild<views::PictureArea*>();
    ASSERT_NE(area, nullptr);
    playToFrame(2);
    ASSERT_TRUE(until([&] { return area->hasHandle(); }));
    emit area->handleChanged({.parameter = "position", .value = {0.5, 0, 0}}, 1, true);
    const Json moved = document().value("", "floor", "position");
    EXPECT_NEAR(moved[0].get<double>(), 0.5, 0.05) << "rounded to what a pixel can show";
    waitUntilFollowed();
    EXPECT_EQ(stop(), FrameState::Cached) << "what was played live is up to date";
    document().undo().undo();
    settle();
    for (const client::FrameSpan& span : runtime().frames())
        EXPECT_TRUE(span.first == 1 || span.state == FrameState::Stale) << span.last;
}

// What the colours mean stands in the picture, drawn by the window from the runtime's numbers.
TEST_F(LiveControl, ColoursBySpeedHaveALegend)
{
    open(scene());
    auto* area = window->findChild<views::PictureArea*>();
    ASSERT_NE(area, nullptr);
    playToFrame(3);
    stop();
    EXPECT_TRUE(area->legend().title.isEmpty()) << "one material needs no explanation";
    QComboBox* colouring = nullptr;
    for (QComboBox* box : window->findChildren<QComboBox*>())
        if (box->findText("Speed") >= 0)
            colouring = box;
    ASSERT_NE(colouring, nullptr);
    colouring->setFocus();
    QTest::keyClick(colouring, Qt::Key_Down); // as a hand does
    EXPECT_EQ(colouring->currentText(), "Speed");
    EXPECT_TRUE(until([&] { return area->legend().title.startsWith("Speed"); }));
    EXPECT_EQ(area->legend().map, "viridis");
    EXPECT_LT(area->legend().low, area->legend().high);
    EXPECT_LE(area->legend().high, 1)
        << "[m/s]: it begins at rest and falls for 3 frames of 1/240 s";
}

// A new scene begins without the frames of the one before, also while that one is simulated.
TEST_F(LiveControl, ANewSceneHasNoFrames)
{
    open(scene());
    playToFrame(3);
    EXPECT_FALSE(runtime().frames().isEmpty());
    window->findChild<QAction*>("file.new")->trigger();
    EXPECT_TRUE(until([&] { return !runs() && runtime().frames().isEmpty(); }));
}

// A switch in the panel by its key: off, and on again.
TEST_F(LiveControl, EmissionIsSwitchedByTheKeyboard)
{
    open(scene());
    window->canvas()->select({"body"});
    QCheckBox* emit_ = nullptr;
    ASSERT_TRUE(until([&] {
        for (QCheckBox* box : window->findChildren<QCheckBox*>())
            if (box->accessibleName() == "Emit" && box->isVisible())
                emit_ = box;
        return emit_ != nullptr;
    }));
    playToFrame(2);
    emit_->setFocus();
    QTest::keyClick(emit_, Qt::Key_Space);
    EXPECT_EQ(document().value("", "body", "emit"), false);
    waitUntilFollowed();
    QTest::keyClick(emit_, Qt::Key_Space);
    EXPECT_EQ(document().value("", "body", "emit"), true);
    // The frames before are the document's own again, and what was played since led back to it.
    EXPECT_TRUE(until([&] {
        return std::none_of(
            runtime().frames().begin(), runtime().frames().end(),
            [](const client::FrameSpan& span) { return span.state == FrameState::Stale; });
    }));
    EXPECT_EQ(stop(), FrameState::Cached);
}

// A live run is shown frame by frame. Where frames take too long, time runs slower, and larger
// cells are offered.
TEST_F(LiveControl, ALiveRunIsShownAsItComesAndOffersLargerCells)
{
    Json stiff = scene();
    stiff["range"] = {{"start", 1}, {"end", 10}, {"fps", 24}};
    stiff["nodes"]["jello"]["parameters"] = {{"law", "fixedCorotated"}, {"youngModulus", 1e11}};
    open(stiff);
    auto* timeline = window->findChild<views::Timeline*>();
    ASSERT_NE(timeline, nullptr);
    std::vector<int> shown;
    std::vector<double> speeds;
    QObject::connect(timeline, &views::Timeline::frameChanged, window.get(),
                     [&](int frame) { shown.push_back(frame); });
    QObject::connect(&runtime(), &client::Runtime::paced, window.get(),
                     [&](double speed) { speeds.push_back(speed); });
    bool over = false;
    QObject::connect(&runtime(), &client::Runtime::livedThrough, window.get(),
                     [&] { over = true; });
    timeline->live->trigger();
    ASSERT_TRUE(timeline->live->isChecked());
    timeline->simulate->trigger();
    ASSERT_TRUE(until([&] { return over; }));
    ASSERT_EQ(speeds.size(), 10u);
    EXPECT_EQ(speeds.front(), 1);
    EXPECT_LT(speeds.back(), 0.9);
    ASSERT_GE(shown.size(), 10u);
    EXPECT_EQ(timeline->frame(), 10);
    EXPECT_TRUE(std::is_sorted(shown.begin(), shown.end()));

    editor::Notice* notice = window->notice();
    EXPECT_TRUE(notice->text().contains("Time ran at")) << notice->text().toStdString();
    ASSERT_TRUE(notice->button()->isVisible());
    const QString offer = notice->button()->text();
    EXPECT_TRUE(offer.startsWith("Use cells of 0.1")) << offer.toStdString();
    QTest::mouseClick(notice->button(), Qt::LeftButton);
    const double larger = document().value("", "solver", "cellSize").get<double>();
    EXPECT_GT(larger, 0.1);
    EXPECT_LT(larger, 0.3);
    document().undo().undo();
    EXPECT_EQ(document().value("", "solver", "cellSize"), 0.1);
    // Without the switch, it runs as it did before: the next frame has the scene's own time.
    timeline->live->trigger();
    speeds.clear();
    runtime().play({}, 10, 9);
    EXPECT_TRUE(until([&] { return runs(); }));
    EXPECT_TRUE(until([&] { return !runs(); }));
    EXPECT_TRUE(speeds.empty());
}

} // namespace
} // namespace floe::test
