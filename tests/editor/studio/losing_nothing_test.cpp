#include "studio_fixture.hpp"

#include "canvas/scene.hpp"
#include "views/picture_area.hpp"

#include <QAction>
#include <QClipboard>
#include <QFileInfo>
#include <QProcess>

#include <csignal>

namespace floe::test {
namespace {

using client::Runtime;

// What it runs is what is seen: nothing is copied while the file is older than the scene.
TEST_F(WithTheRuntime, TheCommandLineIsOfASavedScene)
{
    open({{"floe", 1}, {"nodes", {{"pull", {{"type", "floe.force.gravity"}}}}}});
    QAction* copy = window->findChild<QAction*>("file.commandLine");
    ASSERT_NE(copy, nullptr);
    QApplication::clipboard()->setText("before");
    document().addNode("", "floe.force.gravity", {});
    settle();
    copy->trigger();
    EXPECT_TRUE(window->notice()->text().contains("save"));
    QTest::mouseClick(window->notice()->button(), Qt::LeftButton);
    ASSERT_FALSE(document().isModified());
    EXPECT_EQ(QApplication::clipboard()->text(), "before");
    settle();
    copy->trigger();
    ASSERT_TRUE(until([] { return QApplication::clipboard()->text() != "before"; }));
    const QString command = QApplication::clipboard()->text();
    EXPECT_TRUE(command.startsWith("floe run")) << command.toStdString();
    EXPECT_TRUE(command.contains(QFileInfo(document().path()).fileName())) << command.toStdString();
    EXPECT_TRUE(window->notice()->text().contains("no node that draws or writes"));
    window->notice()->clear();
    document().addNode("", "floe.output.render", {});
    ASSERT_TRUE(window->save());
    settle();
    QApplication::clipboard()->setText("before");
    copy->trigger();
    ASSERT_TRUE(until([] { return QApplication::clipboard()->text() != "before"; }));
    EXPECT_TRUE(window->notice()->text().isEmpty()) << "it draws";
}

// A plugin that crashes takes the runtime with it, never the work.
TEST_F(WithTheRuntime, APluginThatCrashesCostsTheRunOnly)
{
    open({{"floe", 1},
          {"range", {{"start", 1}, {"end", 9}, {"fps", 24}}},
          {"nodes", {{"boom", {{"type", "test.crash"}, {"parameters", {{"frame", 4}}}}}}}});
    document().addNode("", "floe.force.gravity", {});
    settle();
    const std::string before = document().text();
    QString message;
    QObject::connect(&runtime(), &Runtime::lost, window.get(),
                     [&](const QString& text) { message = text; });
    runtime().play();
    ASSERT_TRUE(until([&] { return runtime().state() == Runtime::State::Lost; }));
    EXPECT_TRUE(message.contains("boom")) << message.toStdString();
    const QString said = window->findChild<views::PictureArea*>()->message();
    EXPECT_TRUE(said.contains("boom")) << said.toStdString();
    EXPECT_TRUE(window->notice()->text().isEmpty()) << "said once";
    const editor::Scene& scene = window->canvas()->scene();
    const int card = scene.find("boom");
    ASSERT_GE(card, 0);
    EXPECT_EQ(scene.cards[std::size_t(card)].status.state, editor::NodeState::Error);
    EXPECT_EQ(document().text(), before);
    EXPECT_TRUE(document().isModified());

    // One click, and it goes on with the document as it is.
    QPushButton* restart = restartButton();
    ASSERT_NE(restart, nullptr);
    QTest::mouseClick(restart, Qt::LeftButton);
    ASSERT_TRUE(until([&] { return runtime().state() == Runtime::State::Ready; }));
    const editor::Scene& after = window->canvas()->scene();
    EXPECT_NE(after.cards[std::size_t(after.find("boom"))].status.state, editor::NodeState::Error)
        << "the mark was of the runtime that ended";
    document().setParameter("", "boom", "frame", 100);
    settle();
    ASSERT_TRUE(playToTheEnd());
    EXPECT_FALSE(restart->isVisible());
}

/// Sixty frames of a ball that falls.
Json fallingBall()
{
    return Json::parse(R"json({
        "floe": 1, "range": {"start": 1, "end": 60, "fps": 24},
        "nodes": {
            "ball": {"type": "floe.shape.sphere",
                     "parameters": {"radius": 0.3, "center": [0, 1, 0], "voxelSize": 0.02}},
            "jello": {"type": "floe.material"},
            "body": {"type": "floe.emitter"},
            "solver": {"type": "floe.mpm.solver", "parameters": {"cellSize": 0.03}}
        },
        "links": [
            {"from": "ball.shape", "to": "body.shape"},
            {"from": "jello.material", "to": "body.material"},
            {"from": "body.emitter", "to": "solver.emitters"}
        ]})json");
}

// Before the run: what it takes, from its first frames.
TEST_F(WithTheRuntime, WhatARunTakesIsSaidBeforeIt)
{
    open(fallingBall());
    QAction* cost = window->findChild<QAction*>("file.cost");
    ASSERT_NE(cost, nullptr);
    cost->trigger();
    ASSERT_TRUE(until([&] { return !window->notice()->text().isEmpty(); }));
    const QString text = window->notice()->text();
    for (const char* part : {"particles", "steps a frame", "60 frames"})
        EXPECT_TRUE(text.contains(part)) << text.toStdString();
    EXPECT_FALSE(QFileInfo::exists("out"));
}

// Killed in the middle of a frame: the message names the node, the work is there, the frames go on.
TEST_F(WithTheRuntime, ARuntimeThatIsKilledCostsNoFrames)
{
    open(fallingBall());
    document().addNode("", "floe.force.gravity", {});
    settle();
    const std::string before = document().text();
    int made = 0;
    bool cooking = false;
    QObject::connect(&runtime(), &Runtime::frameFinished, window.get(),
                     [&](int frame) { made = std::max(made, frame); });
    QObject::connect(&runtime(), &Runtime::nodeChanged, window.get(),
                     [&](const client::NodeStatus& status) {
                         if (status.node == "solver")
                             cooking = status.mark == client::NodeMark::Cooking;
                     });
    runtime().play();
    ASSERT_TRUE(until([&] { return made >= 8 && cooking; }));
    auto* process = runtime().findChild<QProcess*>();
    ASSERT_NE(process, nullptr);
    ::kill(pid_t(process->processId()), SIGKILL);
    ASSERT_TRUE(until([&] { return runtime().state() == Runtime::State::Lost; }));
    const QString said = window->findChild<views::PictureArea*>()->message();
    EXPECT_EQ(said.contains("'solver'"), cooking) // it may just have ended
        << said.toStdString();
    EXPECT_EQ(document().text(), before);
    EXPECT_TRUE(document().isModified());

    QPushButton* restart = restartButton();
    ASSERT_NE(restart, nullptr);
    QTest::mouseClick(restart, Qt::LeftButton);
    ASSERT_TRUE(until([&] { return runtime().state() == Runtime::State::Ready; }));
    settle();
    ASSERT_FALSE(runtime().frames().isEmpty());
    EXPECT_EQ(runtime().frames()[0].first, 1);
    EXPECT_EQ(runtime().frames()[0].state, client::FrameState::Cached);
    EXPECT_GE(runtime().frames()[0].last, 2) << "the newest may not have reached the disk";
    int first = 1000;
    QObject::connect(&runtime(), &Runtime::frameFinished, window.get(),
                     [&](int frame) { first = std::min(first, frame); });
    ASSERT_TRUE(playToTheEnd());
    EXPECT_GT(first, 1) << "it went on";
    EXPECT_TRUE(until([&] {
        return runtime().frames().size() == 1 && runtime().frames()[0].last == 60 &&
               runtime().frames()[0].state == client::FrameState::Cached;
    }));
}

// Nor does one that is told to end by somebody else; it can still say that all is on the disk.
TEST_F(WithTheRuntime, ARuntimeThatIsTerminatedCostsNoFrames)
{
    open(fallingBall());
    int made = 0;
    QObject::connect(&runtime(), &Runtime::frameFinished, window.get(),
                     [&](int frame) { made = std::max(made, frame); });
    runtime().play();
    ASSERT_TRUE(until([&] { return made >= 4; }));
    auto* process = runtime().findChild<QProcess*>();
    ASSERT_NE(process, nullptr);
    ::kill(pid_t(process->processId()), SIGTERM);
    ASSERT_TRUE(until([&] { return runtime().state() == Runtime::State::Lost; }));
    const int last = made;
    QTest::mouseClick(restartButton(), Qt::LeftButton);
    ASSERT_TRUE(until([&] { return runtime().state() == Runtime::State::Ready; }));
    settle();
    ASSERT_FALSE(runtime().frames().isEmpty());
    EXPECT_EQ(runtime().frames()[0].first, 1);
    EXPECT_EQ(runtime().frames()[0].state, client::FrameState::Cached);
    EXPECT_GE(runtime().frames()[0].last, last);
}

// Another file begins without frames: those of the one before are not its stale ones.
TEST_F(WithTheRuntime, AnotherFileHasNoFrames)
{
    const auto scene = [](double strength) {
        return Json{{"floe", 1},
                    {"range", {{"start", 1}, {"end", 3}, {"fps", 24}}},
                    {"nodes",
                     {{"boom", {{"type", "test.crash"}, {"parameters", {{"frame", 100}}}}},
                      {"down",
                       {{"type", "floe.force.gravity"},
                        {"parameters", {{"acceleration", {0, strength, 0}}}}}}}}};
    };
    open(scene(-1));
    ASSERT_TRUE(playToTheEnd());
    ASSERT_FALSE(runtime().frames().isEmpty());
    open(scene(-1)); // the same file again
    EXPECT_FALSE(runtime().frames().isEmpty()) << "nothing has changed";
    const auto other = folder.file("other.floe.json", scene(-2).dump());
    ASSERT_TRUE(window->open(QString::fromStdString(other.string())));
    settle();
    EXPECT_TRUE(until([&] { return runtime().frames().isEmpty(); }));
}

} // namespace
} // namespace floe::test
