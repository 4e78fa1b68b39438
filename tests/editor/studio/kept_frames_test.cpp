// Files of frames in the network, and what a run takes beside the cell size.
#include "studio_fixture.hpp"

#include "panels/number_field.hpp"
#include "panels/parameter_panel.hpp"
#include "panels/parameter_row.hpp"
#include "themes/colours.hpp"

#include <QMouseEvent>

#include <set>

namespace floe::test {
namespace {

using client::FrameSpan;
using client::FrameState;

class KeptFrames : public WithTheRuntime {
protected:
    static Json scene()
    {
        return Json::parse(R"json({
            "floe": 1, "range": {"start": 1, "end": 6, "fps": 24},
            "nodes": {
                "ball": {"type": "floe.shape.sphere", "parameters": {"radius": 0.2, "center": [0, 1, 0]},
                         "layout": {"x": 0, "y": 0}},
                "jello": {"type": "floe.material", "layout": {"x": 0, "y": 110}},
                "body": {"type": "floe.emitter", "layout": {"x": 210, "y": 20}},
                "solver": {"type": "floe.mpm.solver", "parameters": {"cellSize": 0.05},
                           "layout": {"x": 420, "y": 0}},
                "cache": {"type": "floe.value.cache", "layout": {"x": 640, "y": 40}}
            },
            "links": [
                {"from": "ball.shape", "to": "body.shape"},
                {"from": "jello.material", "to": "body.material"},
                {"from": "body.emitter", "to": "solver.emitters"},
                {"from": "solver.particles", "to": "cache.value"}
            ]})json");
    }

    /// Whether the runtime says that these frames are on disk, and no others.
    bool onDisk(const QVector<FrameSpan>& spans)
    {
        return until([&] { return runtime().keptFrames().value("cache") == spans; });
    }
    /// Pixels of the card's strip that have a colour.
    int stripPixels(const QColor& colour)
    {
        const QImage image = window->canvas()->grab().toImage();
        int count = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                count += image.pixelColor(x, y) == colour;
        return count;
    }
};

TEST_F(KeptFrames, TheCardShowsWhichAreThereAndWhichAreStale)
{
    open(scene());
    EXPECT_TRUE(onDisk({}));
    std::set<QString> cooked;
    QObject::connect(&runtime(), &client::Runtime::nodeChanged, window.get(),
                     [&](const client::NodeStatus& status) {
                         if (status.mark == client::NodeMark::Cooking)
                             cooked.insert(status.node);
                     });
    window->canvas()->frameAll();
    const int without = stripPixels(editor::themeColours().good);
    ASSERT_TRUE(playToTheEnd());
    EXPECT_TRUE(cooked.contains("solver"));
    EXPECT_TRUE(onDisk({{1, 6, FrameState::Cached}}));
    EXPECT_GT(stripPixels(editor::themeColours().good), without + 200);

    document().setParameter({}, "ball", "radius", 0.15);
    settle();
    EXPECT_TRUE(onDisk({{1, 6, FrameState::Stale}}));
    EXPECT_GT(stripPixels(editor::themeColours().warning), 100);
    document().undo().undo();
    settle();
    EXPECT_TRUE(onDisk({{1, 6, FrameState::Cached}}));

    // Forgotten frames of the session come from the files: the solver rests.
    runtime().clearCache();
    ASSERT_TRUE(until([&] { return runtime().frames().isEmpty(); }));
    cooked.clear();
    ASSERT_TRUE(playToTheEnd());
    EXPECT_FALSE(cooked.contains("solver"));
    EXPECT_TRUE(until([&] {
        return runtime().frames() == QVector<FrameSpan>{{1, 6, FrameState::Cached}};
    }));
}

TEST_F(KeptFrames, WithTheSwitchOnEditsAreSimulatedByThemselves)
{
    Json json = scene();
    json["nodes"].erase("cache");
    json["links"].erase(3);
    open(json);
    const QVector<FrameSpan> all = {{1, 6, FrameState::Cached}};
    document().setParameter({}, "ball", "radius", 0.22);
    settle();
    EXPECT_FALSE(runs()); // the switch is off at first
    auto* follow = window->findChild<QAction*>("run.follow");
    ASSERT_NE(follow, nullptr);
    follow->trigger();
    document().setParameter({}, "ball", "radius", 0.15);
    EXPECT_TRUE(until([&] { return !runs() && runtime().frames() == all; }));
    document().setParameter({}, "ball", "radius", 0.2);
    EXPECT_TRUE(until([&] { return studio->isSettled() && runtime().frames() != all; }));
    EXPECT_TRUE(until([&] { return !runs() && runtime().frames() == all; }));
    // A scene with a fault waits until it is mended.
    document().setParameter({}, "ball", "radius", Json{{"expr", "1 / 0"}});
    EXPECT_TRUE(until([&] { return studio->isSettled() && !runtime().faults().empty(); }));
    EXPECT_FALSE(runs());
}

// An edit that the running simulation does not take is said, with a way out of it.
TEST_F(KeptFrames, AnEditedSceneIsSimulatedAnewOnDemand)
{
    Json json = scene();
    json["range"]["end"] = 400;
    json["nodes"].erase("cache");
    json["links"].erase(3);
    open(json);
    int restarts = 0, made = 0;
    QObject::connect(&runtime(), &client::Runtime::frameFinished, window.get(), [&](int frame) {
        restarts += frame < made;
        made = frame;
    });
    runtime().play();
    ASSERT_TRUE(until([&] { return made >= 2; }));
    EXPECT_TRUE(window->notice()->text().isEmpty());
    document().setParameter({}, "ball", "radius", 0.15);
    ASSERT_TRUE(until([&] { return window->notice()->text().contains("goes on as it began"); }));
    EXPECT_TRUE(runs());
    EXPECT_EQ(restarts, 0);
    QTest::mouseClick(window->notice()->button(), Qt::LeftButton);
    EXPECT_TRUE(until([&] { return restarts == 1; }));
    runtime().cancel();
    EXPECT_TRUE(until([&] { return !runs(); }));
}

TEST_F(KeptFrames, WhatARunTakesStandsBesideTheCellSizeWhileItIsDragged)
{
    open(scene());
    window->canvas()->select({"solver"});
    auto* panel = window->findChild<panels::ParameterPanel*>();
    ASSERT_NE(panel, nullptr);
    panels::ParameterRow* row = panel->row("cellSize");
    ASSERT_NE(row, nullptr);
    EXPECT_FALSE(row->note().contains("particles"));
    panels::NumberField* field = row->numbers().front();
    const auto move = [&](int pixels) {
        const QPoint at = field->rect().center() + QPoint(pixels, 0);
        QMouseEvent event(QEvent::MouseMove, at, field->mapToGlobal(at), Qt::LeftButton,
                          Qt::LeftButton, {});
        QApplication::sendEvent(field, &event);
    };
    QTest::mousePress(field, Qt::LeftButton, {}, field->rect().center());
    for (int pixels = 2; pixels <= 20; pixels += 2)
        move(pixels);
    // Where the drag rests, the scene as it is now is tried, though it is not saved.
    ASSERT_TRUE(until([&] { return row->note().contains("particles"); }));
    const QString measured = row->note();
    EXPECT_FALSE(measured.startsWith("About")) << measured.toStdString();
    for (const char* part : {"MiB", "steps a frame", "6 frames in"})
        EXPECT_TRUE(measured.contains(part)) << measured.toStdString();
    // On: scaled at once.
    for (int pixels = 18; pixels >= -10; pixels -= 2)
        move(pixels);
    EXPECT_TRUE(row->note().startsWith("About")) << row->note().toStdString();
    QTest::mouseRelease(field, Qt::LeftButton, {}, field->rect().center() + QPoint(-10, 0));
    ASSERT_TRUE(until([&] { return !row->note().startsWith("About"); }));
    EXPECT_NE(row->note(), measured);
    EXPECT_TRUE(row->note().contains("particles"));
    // What is tried leaves nothing behind.
    EXPECT_EQ(
        QDir(QFileInfo(document().path()).absolutePath()).entryList(QDir::Files | QDir::Hidden),
        QStringList{"scene.floe.json"});
    EXPECT_FALSE(QFileInfo::exists(QFileInfo(document().path()).absolutePath() + "/cache"));
}

} // namespace
} // namespace floe::test
