#include "falling_ball.hpp"
#include "studio_fixture.hpp"

#include "app/other_run.hpp"
#include "app/variants_panel.hpp"
#include "panels/parameter_panel.hpp"
#include "panels/parameter_row.hpp"
#include "views/picture_area.hpp"
#include "views/timeline.hpp"
#include "views/viewport.hpp"

#include <QContextMenuEvent>
#include <QDialog>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProcess>
#include <QPushButton>
#include <QRadioButton>
#include <QSpinBox>
#include <QTreeWidget>

namespace floe::editor {
namespace {

using client::RunState;

/// Two runs of a ball that falls on the ground, coarse and short.
class ComparingRuns : public test::WithTheRuntime {
protected:
    ComparingRuns() { window->resize(1400, 900); }

    static Json scene() { return test::fallingBall(); }

    /// Simulates a variant by itself. @return its run.json
    QString variant(const char* setting)
    {
        const auto file = folder.file("variant.floe.json", scene().dump());
        const QString out = QString::fromStdString((folder / "larger").string());
        QProcess run;
        run.start(FLOE_BINARY_DIR "/bin/floe",
                  {"run", QString::fromStdString(file.string()), "--cache", "--set", setting,
                   "--device", "cpu", "--progress", "quiet", "-o", out});
        EXPECT_TRUE(run.waitForFinished(300'000));
        EXPECT_EQ(run.exitCode(), 0) << run.readAllStandardError().toStdString();
        return out + "/run.json";
    }

    views::PictureArea& area() { return *window->findChild<views::PictureArea*>(); }
    const views::Wipe& wipe() { return area().wipe(); }
    OtherRun& other() { return studio->otherRun(); }
    /// The other picture is there, of this frame, and nothing is left to say about it.
    bool untilShown()
    {
        return until([&] { return !wipe().other.isNull() && wipe().note.isEmpty(); });
    }
    void keep(const char* name)
    {
        QDir().mkpath(FLOE_BINARY_DIR "/pictures/editor");
        window->grab().save(QString(FLOE_BINARY_DIR "/pictures/editor/%1.png").arg(name));
    }
};

// A run that was kept on disk is looked at beside this one: the same frame from the same place,
// with the numbers of both, and a line that wipes between them.
TEST_F(ComparingRuns, AKeptRunIsWipedOverThisOne)
{
    open(scene());
    ASSERT_TRUE(playToTheEnd());
    const QString report = variant("ball.radius=0.3");
    ASSERT_TRUE(other().open(report));
    EXPECT_TRUE(wipe().shown);
    studio->timeline().setFrame(4);
    ASSERT_TRUE(untilShown()) << wipe().note.toStdString();
    EXPECT_EQ(wipe().theirs.name, "larger");
    ASSERT_TRUE(wipe().mine.numbers.contains("particles")) << wipe().mine.numbers.toStdString();
    ASSERT_TRUE(wipe().theirs.numbers.contains("particles"));
    EXPECT_NE(wipe().mine.numbers, wipe().theirs.numbers) << "the other ball is larger";
    EXPECT_EQ(other().runtime()->view().frame, 4);
    EXPECT_EQ(other().runtime()->view().camera, runtime().view().camera);

    // The camera that is turned turns both.
    QTest::mousePress(&area(), Qt::LeftButton, {}, QPoint(60, 300));
    for (int x = 60; x <= 160; x += 20) {
        QMouseEvent move(QEvent::MouseMove, QPointF(x, 300), area().mapToGlobal(QPointF(x, 300)),
                         Qt::NoButton, Qt::LeftButton, {});
        QApplication::sendEvent(&area(), &move);
    }
    QTest::mouseRelease(&area(), Qt::LeftButton, {}, QPoint(160, 300));
    EXPECT_EQ(other().runtime()->view().camera, runtime().view().camera);

    QTest::qWait(1500); // for whom looks at the picture: the still one
    keep("compare_runs");

    // The line is dragged; the camera stays.
    const auto camera = runtime().view().camera;
    const QPoint grip(area().width() / 2, area().height() / 3);
    QTest::mousePress(&area(), Qt::LeftButton, {}, grip);
    for (int i = 1; i <= 4; ++i) {
        const QPointF at = grip + QPointF(i * area().width() / 20.0, 0);
        QMouseEvent move(QEvent::MouseMove, at, area().mapToGlobal(at), Qt::NoButton,
                         Qt::LeftButton, {});
        QApplication::sendEvent(&area(), &move);
    }
    QTest::mouseRelease(&area(), Qt::LeftButton, {}, grip);
    EXPECT_NEAR(wipe().at, 0.7, 0.01);
    EXPECT_EQ(runtime().view().camera, camera);
    QTest::qWait(1500); // for whom looks at the picture: the still one
    keep("compare_wipe");

    other().besideAction->trigger();
    EXPECT_EQ(wipe().layout, views::Wipe::Layout::Beside);
    EXPECT_NEAR(runtime().view().size.width(), area().width() / 2, 1);
    ASSERT_TRUE(until([&] { return std::abs(wipe().other.width() - area().width() / 2) <= 1; }));
    QTest::qWait(1500);
    keep("compare_beside");

    other().closeAction->trigger();
    EXPECT_FALSE(wipe().shown);
    EXPECT_FALSE(other().closeAction->isEnabled());
    EXPECT_EQ(runtime().view().size.width(), area().width());
    EXPECT_TRUE(QFileInfo::exists(
        QFileInfo(report).absoluteDir().filePath("cache/solver.particles.0004.floe")))
        << "it is only looked at";
}

// What was held is simulated beside what it becomes.
TEST_F(ComparingRuns, AHeldSceneStaysWhileThisOneIsEdited)
{
    open(scene());
    ASSERT_TRUE(playToTheEnd());
    other().holdAction->trigger();
    studio->timeline().setFrame(8);
    ASSERT_TRUE(untilShown()) << wipe().note.toStdString();
    const QString numbers = wipe().theirs.numbers;
    document().setParameter("", "ball", "radius", 0.3);
    settle();
    ASSERT_TRUE(playToTheEnd());
    ASSERT_TRUE(until([&] { return wipe().mine.numbers != numbers; }));
    EXPECT_EQ(wipe().theirs.numbers, numbers);
    // Another scene ends it.
    ASSERT_TRUE(window->save());
    open(scene());
    EXPECT_FALSE(other().isOpen());
}

// A sweep of three variants as `floe sweep --cache` leaves it, of which one has kept no frames: two
// of them are looked at beside each other, then one beside the scene.
TEST_F(ComparingRuns, VariantsOfASweepAreChosenFromAList)
{
    open(scene());
    ASSERT_TRUE(playToTheEnd());
    const auto sweep = folder / "study";
    Json list = Json::array();
    for (const auto& [name, radius] : {std::pair{"aaaa", 0.1}, {"bbbb", 0.25}, {"cccc", 0.3}}) {
        const std::string place = "study/variants/" + std::string(name);
        Json graph = scene();
        graph["nodes"]["ball"]["parameters"]["radius"] = radius;
        std::filesystem::create_directories(folder / place);
        const auto file = folder.file(place + "/graph.floe.json", graph.dump());
        QStringList command{
            "run",        QString::fromStdString(file.string()),
            "--device",   "cpu",
            "--progress", "quiet",
            "-o",         QString::fromStdString((folder / (place + "/out")).string())};
        if (name != std::string("cccc"))
            command << "--cache";
        QProcess run;
        run.start(FLOE_BINARY_DIR "/bin/floe", command);
        ASSERT_TRUE(run.waitForFinished(300'000));
        ASSERT_EQ(run.exitCode(), 0) << run.readAllStandardError().toStdString();
        folder.file(place + "/state.json", Json{{"state", "done"}, {"seconds", 1.5}}.dump());
        list.push_back({{"name", name}, {"values", {{"ball.radius", radius}}}});
    }
    folder.file("study/sweep.json", Json{{"variants", list}}.dump());

    VariantsPanel& panel = studio->variants();
    EXPECT_FALSE(panel.open("/nowhere"));
    EXPECT_TRUE(window->notice()->text().contains("sweep cannot be read"));
    window->notice()->clear();
    ASSERT_TRUE(panel.open(QString::fromStdString(sweep.string())));
    ASSERT_TRUE(panel.isVisible());
    ASSERT_EQ(panel.variants().size(), 3u);
    auto* tree = panel.findChild<QTreeWidget*>("variantsTree");
    ASSERT_EQ(tree->topLevelItemCount(), 4) << "and the scene";
    EXPECT_EQ(tree->topLevelItem(1)->text(2), "0.1");
    EXPECT_FALSE(tree->topLevelItem(1)->text(3).isEmpty()) << "particles of the last frame";
    const auto button = [&](const char* name) {
        return panel.findChild<QRadioButton*>(name);
    };
    EXPECT_FALSE(button("right.2")->isEnabled()) << "it has kept no frames";
    EXPECT_TRUE(button("left.-1")->isChecked());
    const auto press = [&](const char* name) {
        ASSERT_NE(button(name), nullptr) << name;
        QTest::mouseClick(button(name), Qt::LeftButton, {}, {8, button(name)->height() / 2});
    };

    // This scene and a variant.
    press("right.1");
    studio->timeline().setFrame(4);
    ASSERT_TRUE(untilShown()) << wipe().note.toStdString();
    EXPECT_EQ(wipe().mine.name, "This scene");
    EXPECT_EQ(wipe().theirs.name, "ball.radius = 0.25");
    EXPECT_FALSE(wipe().hidesMine);

    // Two variants: the left one hides the scene.
    press("left.0");
    ASSERT_TRUE(until([&] { return !wipe().instead.isNull() && wipe().mineNote.isEmpty(); }));
    EXPECT_TRUE(wipe().hidesMine);
    EXPECT_EQ(wipe().mine.name, "ball.radius = 0.1");
    ASSERT_TRUE(wipe().mine.numbers.contains("particles"));
    EXPECT_NE(wipe().mine.numbers, wipe().theirs.numbers);
    QTest::qWait(1500); // for whom looks at the picture: the still one
    keep("compare_variants");
    const QImage small = wipe().instead;
    EXPECT_NE(small, wipe().other) << "balls of other sizes";

    // A click on a row shows it on the right, and so do the arrow keys.
    const auto row = [&](int index) {
        return tree->visualItemRect(tree->topLevelItem(index)).center();
    };
    QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, row(1));
    EXPECT_EQ(panel.chosen(OtherRun::Side::Right), 0);
    QTest::keyClick(tree, Qt::Key_Down);
    EXPECT_EQ(panel.chosen(OtherRun::Side::Right), 1);
    EXPECT_TRUE(button("right.1")->isChecked());
    QTest::keyClick(tree, Qt::Key_Down);
    EXPECT_EQ(panel.chosen(OtherRun::Side::Right), 1) << "the next has no frames";

    // The scene gets what is good.
    auto* use = panel.findChild<QPushButton*>("useVariant");
    ASSERT_TRUE(use && use->isEnabled());
    QTest::mouseClick(use, Qt::LeftButton);
    EXPECT_EQ(document().value("", "ball", "radius"), 0.25);
    document().undo().undo();
    EXPECT_EQ(document().value("", "ball", "radius"), 0.2);

    // And the scene again; ending it unchecks all.
    press("left.-1");
    EXPECT_FALSE(wipe().hidesMine);
    EXPECT_EQ(wipe().mine.name, "This scene");
    other().closeAction->trigger();
    EXPECT_FALSE(wipe().shown);
    EXPECT_FALSE(button("right.1")->isChecked());
}

// From the menu of a parameter: values are typed, simulated and listed, and two of them compared.
TEST_F(ComparingRuns, ValuesOfAParameterAreComparedFromThePanel)
{
    open(scene());
    window->canvas()->select({"ball"});
    panels::ParameterRow* row = nullptr;
    ASSERT_TRUE(until([&] {
        row = window->findChild<panels::ParameterPanel*>()->row("radius");
        return row && row->isVisible();
    }));
    QContextMenuEvent menu(QContextMenuEvent::Mouse, {4, 4}, row->mapToGlobal(QPoint(4, 4)));
    QApplication::sendEvent(row, &menu);
    auto* popup = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    ASSERT_NE(popup, nullptr);
    for (QAction* action : popup->actions())
        if (action->text() == "Compare values…")
            popup->setActiveAction(action);
    ASSERT_NE(popup->activeAction(), nullptr);
    QTest::keyClick(popup, Qt::Key_Return);
    auto* dialog = window->findChild<QDialog*>("sweepDialog");
    ASSERT_NE(dialog, nullptr);
    auto* values = dialog->findChild<QLineEdit*>("values");
    EXPECT_EQ(values->text(), "0.1, 0.2, 0.4") << "half, the value, and twice it";
    const auto type = [&](const char* text) {
        values->selectAll();
        QTest::keyClicks(values, text);
        QTest::keyClick(values, Qt::Key_Return);
    };
    auto* refusal = dialog->findChild<QLabel*>("refusal");
    type("0.1");
    EXPECT_TRUE(refusal->text().startsWith("Give 2 to"));
    type("0.1, wide");
    EXPECT_EQ(refusal->text(), "'wide' is no value that it may have.");
    dialog->findChild<QSpinBox*>("frames")->setValue(3);
    type("0.1, 0.25");

    VariantsPanel& panel = studio->variants();
    EXPECT_TRUE(panel.isSweeping());
    EXPECT_TRUE(panel.findChild<QPushButton*>("stopSweep")->isVisible());
    ASSERT_TRUE(until([&] { return !panel.isSweeping(); }));
    EXPECT_TRUE(window->notice()->text().isEmpty()) << window->notice()->text().toStdString();
    ASSERT_EQ(panel.variants().size(), 2u);
    auto* tree = panel.findChild<QTreeWidget*>("variantsTree");
    EXPECT_EQ(tree->topLevelItem(1)->text(2), "0.1");
    EXPECT_EQ(tree->topLevelItem(2)->text(2), "0.25");
    for (const SweepVariant& variant : panel.variants()) {
        EXPECT_EQ(variant.state, "done");
        EXPECT_TRUE(variant.kept);
    }
    EXPECT_LT(panel.variants()[0].last.particles, panel.variants()[1].last.particles);
    EXPECT_EQ(document().value("", "ball", "radius"), 0.2) << "the scene is as it was";
    EXPECT_EQ(panel.chosen(OtherRun::Side::Left), 0) << "the first and the last are shown";
    EXPECT_EQ(panel.chosen(OtherRun::Side::Right), 1);
    studio->timeline().setFrame(2);
    ASSERT_TRUE(until([&] { return !wipe().instead.isNull() && !wipe().other.isNull(); }));
    EXPECT_EQ(wipe().mine.name, "ball.radius = 0.1");
    EXPECT_EQ(wipe().theirs.name, "ball.radius = 0.25");
    QTest::qWait(1500); // for whom looks at the picture: the still one
    keep("compare_values");
}

TEST_F(ComparingRuns, WhatIsNoRunIsSaid)
{
    open(scene());
    EXPECT_FALSE(other().open("/nowhere/run.json"));
    EXPECT_TRUE(window->notice()->text().contains("cannot be shown"));
    const auto empty = folder.file("run.json", "{}");
    EXPECT_FALSE(other().open(QString::fromStdString(empty.string())));
    EXPECT_FALSE(wipe().shown);
}

} // namespace
} // namespace floe::editor
