#include "canvas/canvas.hpp"
#include "floe/base/file.hpp"
#include "in_the_window.hpp"
#include "shell/compare_panel.hpp"
#include "shell/notice.hpp"
#include "temporary_folder.hpp"

#include <QApplication>
#include <QDir>
#include <QDockWidget>
#include <QLabel>
#include <QPushButton>
#include <QRadioButton>
#include <QSettings>
#include <QTest>
#include <QTreeWidget>
#include <gtest/gtest.h>

#include <functional>

namespace floe::editor {
namespace {

/// A window with a copy of First snow, which another program may write.
class ComparingVersions : public InTheWindow {
protected:
    ComparingVersions()
    {
        window->resize(1400, 900);
        file =
            folder.file("mine.floe.json", readFile(FLOE_SOURCE_DIR "/graphs/first_snow.floe.json"));
        EXPECT_TRUE(window->open(QString::fromStdString(file.string())));
    }
    ~ComparingVersions() override { window->recovery().discard(); }

    Document& document() { return window->document(); }
    ComparePanel& panel() { return *window->comparison(); }
    QTreeWidget& tree() { return *panel().findChild<QTreeWidget*>("compareTree"); }

    void changeOnDisk(const std::function<void(Json&)>& edit)
    {
        Json scene = Json::parse(readFile(file));
        edit(scene);
        writeFileAtomically(file, scene.dump());
    }
    /// Waits until the window says that somebody has written the file.
    void waitUntilTold()
    {
        EXPECT_TRUE(QTest::qWaitFor(
            [&] { return window->notice()->text().contains("changed on disk"); }, 60'000));
    }
    /// A button of what the window says, by its text.
    QPushButton* choice(const QString& text)
    {
        for (QPushButton* button : window->notice()->findChildren<QPushButton*>())
            if (button->isVisible() && button->text() == text)
                return button;
        return nullptr;
    }
    void press(const char* name)
    {
        auto* button = panel().findChild<QPushButton*>(name);
        ASSERT_TRUE(button && button->isVisible()) << name;
        QTest::mouseClick(button, Qt::LeftButton);
    }
    QTreeWidgetItem* row(const QString& text, int column = 0)
    {
        const auto found = tree().findItems(text, Qt::MatchContains | Qt::MatchRecursive, column);
        return found.isEmpty() ? nullptr : found.front();
    }
    void clickOn(QTreeWidgetItem* item)
    {
        tree().scrollToItem(item);
        QTest::mouseClick(tree().viewport(), Qt::LeftButton, {},
                          tree().visualItemRect(item).center());
    }
    /// Kept for people to look at.
    void keep(const char* name)
    {
        QDir().mkpath(FLOE_BINARY_DIR "/pictures/editor");
        window->grab().save(QString(FLOE_BINARY_DIR "/pictures/editor/%1.png").arg(name));
    }

    const test::TemporaryFolder folder;
    std::filesystem::path file;
};

// What was edited since the last save: listed with both values, marked on the network, and a click
// goes there, to what is gone too.
TEST_F(ComparingVersions, WhatWasEditedIsSeenAndListed)
{
    document().setParameter("", "ball", "radius", 0.2);
    const std::string added = document().addNode("", "floe.shape.sphere", {10, 700});
    document().removeNodes("", {"gravity"});
    window->compareWithSaved();
    EXPECT_TRUE(tree().isVisible());
    EXPECT_EQ(panel().findChild<QLabel*>("compareTitle")->text(),
              "4 differences from the last saved state");
    QTreeWidgetItem* radius = row("Radius");
    ASSERT_NE(radius, nullptr);
    EXPECT_EQ(tree().headerItem()->text(1), "Before");
    EXPECT_EQ(radius->text(1), "0.32");
    EXPECT_EQ(tree().headerItem()->text(2), "Now");
    EXPECT_EQ(radius->text(2), "0.2");
    ASSERT_NE(row("+  " + QString::fromStdString(added)), nullptr);

    const GraphMarks& marks = window->canvas()->marks().at("");
    EXPECT_EQ(marks.nodes.at("ball"), GraphMarks::Mark::Changed);
    EXPECT_EQ(marks.nodes.at(added), GraphMarks::Mark::Added);
    EXPECT_EQ(marks.ghosts.count("gravity"), 1u);
    EXPECT_EQ(marks.removed.size(), 1u);
    EXPECT_TRUE(marks.added.empty());
    window->canvas()->frameAll();
    keep("compare_saved");

    clickOn(radius);
    EXPECT_EQ(window->canvas()->selection(), std::vector<std::string>{"ball"});
    window->canvas()->setView(1, {-4000, -4000});
    clickOn(row("−  gravity"));
    EXPECT_TRUE(window->canvas()->rect().contains(
        window->canvas()->toWidget(marks.ghosts.at("gravity").rect.center()).toPoint()));

    // It follows: saving makes the two the same again, and closing takes the marks away.
    document().undo().undo();
    EXPECT_TRUE(QTest::qWaitFor([&] { return !row("gravity"); }));
    press("compareClose");
    EXPECT_TRUE(window->canvas()->marks().empty());
    EXPECT_FALSE(panel().isVisible());
}

// What another program has written is later than what is here, not before it.
TEST_F(ComparingVersions, ValuesOnDiskAndHereAreCalledSo)
{
    changeOnDisk([](Json& scene) { scene["nodes"]["ball"]["parameters"]["radius"] = 0.4; });
    waitUntilTold();
    QTest::mouseClick(choice("Compare"), Qt::LeftButton);
    QTreeWidgetItem* radius = row("Radius");
    ASSERT_NE(radius, nullptr);
    EXPECT_EQ(tree().headerItem()->text(1), "On disk");
    EXPECT_EQ(radius->text(1), "0.4");
    EXPECT_EQ(tree().headerItem()->text(2), "Here");
    EXPECT_EQ(radius->text(2), "0.32");
}

TEST_F(ComparingVersions, AnotherFileMayBeTheOther)
{
    EXPECT_FALSE(window->compareWith("/nowhere.floe.json"));
    EXPECT_TRUE(window->notice()->text().contains("not compared"));
    ASSERT_TRUE(window->compareWith(FLOE_SOURCE_DIR "/graphs/sand_column.floe.json"));
    EXPECT_GT(tree().topLevelItemCount(), 5);
    EXPECT_EQ(tree().headerItem()->text(1), "There");
    EXPECT_TRUE(panel().isComparing());
    // Another scene has nothing to do with it.
    ASSERT_TRUE(window->open(FLOE_SOURCE_DIR "/graphs/first_snow.floe.json"));
    EXPECT_FALSE(panel().isComparing());
}

// Inside a subgraph: the instance is marked, and a click enters it.
TEST_F(ComparingVersions, LooksIntoSubgraphs)
{
    const std::string group = document().group("", {"wedge", "wedge_shape"}, "obstacle");
    ASSERT_TRUE(window->save());
    document().setParameter("obstacle", "wedge", "friction", 0.123);
    window->compareWithSaved();
    EXPECT_EQ(window->canvas()->marks().at("").nodes.count(group), 1u);
    clickOn(row("0.123", 2));
    EXPECT_EQ(window->canvas()->scope(), "obstacle");
    EXPECT_EQ(window->canvas()->selection(), std::vector<std::string>{"wedge"});
}

// Two people have edited: each value that both have changed is asked about, everything else is
// joined, and undo brings back what was here.
TEST_F(ComparingVersions, AFileChangedOutsideIsMerged)
{
    document().setParameter("", "ball", "radius", 0.2);
    document().setParameter("", "solver", "cellSize", 0.05);
    const std::string mine = document().text();
    changeOnDisk([](Json& scene) {
        scene["nodes"]["ball"]["parameters"]["radius"] = 0.4;
        scene["nodes"]["pebble"] = {{"type", "floe.shape.sphere"},
                                    {"layout", {{"x", 0}, {"y", 800}}}};
        scene["range"]["end"] = 72;
    });
    waitUntilTold();
    ASSERT_NE(choice("Compare"), nullptr);
    ASSERT_NE(choice("Reload"), nullptr);
    QTest::mouseClick(choice("Merge…"), Qt::LeftButton);
    ASSERT_TRUE(panel().isMerging());
    ASSERT_EQ(panel().conflicts().size(), 1u);
    EXPECT_FALSE(panel().merged());
    EXPECT_FALSE(panel().findChild<QPushButton*>("compareMerge")->isEnabled())
        << "nobody has chosen yet";
    EXPECT_EQ(document().text(), mine) << "nor was anything done";
    EXPECT_NE(row("pebble"), nullptr);
    EXPECT_EQ(window->canvas()->marks().at("").ghosts.count("pebble"), 1u);
    EXPECT_EQ(window->canvas()->marks().at("").nodes.at("ball"), GraphMarks::Mark::Conflict);
    window->canvas()->frameAll();
    keep("compare_merge");

    auto* theirs = tree().findChild<QRadioButton*>("conflictTheirs");
    ASSERT_NE(theirs, nullptr);
    EXPECT_EQ(theirs->text(), "0.4");
    EXPECT_EQ(tree().findChild<QRadioButton*>("conflictMine")->text(), "0.2");
    QTest::mouseClick(theirs, Qt::LeftButton, {}, {8, theirs->height() / 2});
    ASSERT_TRUE(panel().merged());
    EXPECT_EQ(panel().merged()->graph.find("ball")->parameters["radius"], 0.4);
    EXPECT_EQ(window->canvas()->marks().at("").nodes.at("ball"), GraphMarks::Mark::Changed);
    QTest::qWait(300); // the list follows
    EXPECT_TRUE(tree().findChild<QRadioButton*>("conflictTheirs")->isChecked());
    keep("compare_merge_decided");
    press("compareMerge");
    EXPECT_FALSE(panel().isMerging());
    EXPECT_EQ(document().value("", "ball", "radius"), 0.4);
    EXPECT_EQ(document().value("", "solver", "cellSize"), 0.05);
    EXPECT_NE(document().node("", "pebble"), nullptr);
    EXPECT_EQ(document().content().range.end, 72);
    EXPECT_TRUE(document().isModified());

    document().undo().undo();
    EXPECT_EQ(document().text(), mine);
    document().undo().redo();
    ASSERT_TRUE(window->save()) << "without a question: the file is known";
    const Json saved = Json::parse(readFile(file));
    EXPECT_EQ(saved["nodes"]["solver"]["parameters"]["cellSize"], 0.05);
    EXPECT_EQ(saved["range"]["end"], 72);
}

// However narrow the panel is.
TEST_F(ComparingVersions, ButtonsOfAMergeHaveRoomForTheirTexts)
{
    const graph::Document base = document().content();
    document().setParameter("", "ball", "radius", 0.2);
    graph::Document theirs = base;
    theirs.graph.find("ball")->parameters["radius"] = 0.4;
    ComparePanel& panel = this->panel();
    panel.prepareMerge(base, theirs, "theirs");
    auto* dock = qobject_cast<QDockWidget*>(panel.parentWidget());
    ASSERT_NE(dock, nullptr);
    panel.setParent(nullptr);
    panel.resize(10, 500);
    panel.show();
    QTest::qWait(50);
    panel.grab().save(QStringLiteral(FLOE_BINARY_DIR "/pictures/editor/compare_narrow.png"));
    int seen = 0;
    for (const QPushButton* button : panel.findChildren<QPushButton*>()) {
        seen += button->isVisible();
        EXPECT_TRUE(!button->isVisible() || button->width() >= button->sizeHint().width())
            << button->text().toStdString();
    }
    EXPECT_EQ(seen, 4);
    dock->setWidget(&panel);
}

// While one chooses, both go on: what is edited here and what is written there belongs to it.
TEST_F(ComparingVersions, AMergeFollowsBothSides)
{
    document().setParameter("", "ball", "radius", 0.2);
    changeOnDisk([](Json& scene) { scene["range"]["end"] = 72; });
    waitUntilTold();
    QTest::mouseClick(choice("Merge…"), Qt::LeftButton);
    EXPECT_TRUE(panel().conflicts().empty());
    EXPECT_TRUE(panel().merged());
    changeOnDisk([](Json& scene) { scene["nodes"]["ball"]["parameters"]["radius"] = 0.4; });
    ASSERT_TRUE(QTest::qWaitFor([&] { return panel().conflicts().size() == 1; }, 60'000));
    EXPECT_FALSE(panel().merged());
    press("compareAllMine");
    EXPECT_TRUE(panel().merged());
    document().setRange({1, 33, 24});
    ASSERT_TRUE(QTest::qWaitFor([&] { return panel().conflicts().size() == 2; }));
    EXPECT_FALSE(panel().merged()) << "a new question, not answered yet";
    press("compareAllTheirs");
    press("compareMerge");
    EXPECT_EQ(document().value("", "ball", "radius"), 0.4);
    EXPECT_EQ(document().content().range.end, 72);
    EXPECT_FALSE(document().isModified()) << "all theirs, and it is on disk";
}

// Written at the very moment when the merge is done: nothing of it passes unseen.
TEST_F(ComparingVersions, AFileThatChangesWhileOneMergesIsReadAgain)
{
    document().setParameter("", "ball", "radius", 0.2);
    changeOnDisk([](Json& scene) { scene["range"]["end"] = 72; });
    waitUntilTold();
    QTest::mouseClick(choice("Merge…"), Qt::LeftButton);
    changeOnDisk([](Json& scene) { scene["range"]["end"] = 96; });
    press("compareMerge");
    EXPECT_TRUE(panel().isMerging());
    EXPECT_NE(document().content().range.end, 72);
    press("compareMerge");
    EXPECT_EQ(document().content().range.end, 96);
    EXPECT_EQ(document().value("", "ball", "radius"), 0.2);
}

TEST_F(ComparingVersions, AFileThatCannotBeReadIsSaid)
{
    document().setParameter("", "ball", "radius", 0.2);
    writeFileAtomically(file, "<<<<<<< HEAD");
    waitUntilTold();
    QTest::mouseClick(choice("Merge…"), Qt::LeftButton);
    EXPECT_FALSE(panel().isMerging());
    EXPECT_TRUE(window->notice()->text().contains("cannot be read"));
    EXPECT_EQ(document().value("", "ball", "radius"), 0.2);
}

} // namespace
} // namespace floe::editor
