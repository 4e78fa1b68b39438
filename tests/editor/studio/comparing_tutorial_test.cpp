#include "falling_ball.hpp"
#include "tutorial_fixture.hpp"

#include "app/other_run.hpp"
#include "app/variants_panel.hpp"
#include "floe/base/file.hpp"
#include "shell/compare_panel.hpp"
#include "views/picture_area.hpp"
#include "views/timeline.hpp"
#include "views/wipe.hpp"

#include <QContextMenuEvent>
#include <QDialog>
#include <QProcess>
#include <QRadioButton>
#include <QSpinBox>
#include <QTreeWidget>

namespace floe::test {
namespace {

/// The page about comparing, done on a scene that lies in a folder of one's own.
class ComparingTutorial : public Tutorial {
protected:
    ComparingTutorial()
    {
        window->resize(1500, 950);
        page = pageOf("comparing.md");
        file = folder.file("ball.floe.json", fallingBall().dump());
        EXPECT_TRUE(window->open(path("ball.floe.json")));
        settle();
        canvas().frameAll();
    }

    QString path(const std::string& name) const
    {
        return QString::fromStdString((folder / name).string());
    }
    /// What the command line says. @param expected  its exit status
    std::string floe(const QStringList& command, int expected = 0)
    {
        QProcess run;
        run.setWorkingDirectory(path("."));
        run.start(FLOE_BINARY_DIR "/bin/floe", command);
        EXPECT_TRUE(run.waitForFinished(300'000));
        EXPECT_EQ(run.exitCode(), expected) << run.readAllStandardError().toStdString();
        return run.readAllStandardOutput().toStdString();
    }

    editor::ComparePanel& panel() { return *window->comparison(); }
    QTreeWidget& tree() { return *panel().findChild<QTreeWidget*>("compareTree"); }
    QTreeWidgetItem* line(const QString& text)
    {
        const auto found = tree().findItems(text, Qt::MatchContains | Qt::MatchRecursive, 0);
        return found.isEmpty() ? nullptr : found.front();
    }
    void clickOn(QTreeWidgetItem* item)
    {
        ASSERT_TRUE(item);
        QTreeWidget* list = item->treeWidget();
        list->scrollToItem(item);
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                          list->visualItemRect(item).center());
    }
    const editor::GraphMarks& marks(const std::string& scope = {})
    {
        return canvas().marks().at(scope);
    }
    template <class Button>
    void click(QWidget& inside, const QString& text)
    {
        for (auto* button : inside.findChildren<Button*>())
            if (button->isVisible() && button->text() == text) {
                QTest::mouseClick(button, Qt::LeftButton, {}, {8, button->height() / 2});
                return;
            }
        ADD_FAILURE() << "no button is called " << text.toStdString();
    }
    /// Another program writes the file, as a script or another person's editor does.
    void writeFile(const std::function<void(Json&)>& edit)
    {
        Json scene = Json::parse(readFile(file));
        edit(scene);
        writeFileAtomically(file, scene.dump());
        ASSERT_TRUE(until([&] { return window->notice()->text().contains("changed on disk"); }));
    }

    const views::Wipe& wipe() { return window->findChild<views::PictureArea*>()->wipe(); }
    bool untilShown()
    {
        return until([&] { return !wipe().other.isNull() && wipe().note.isEmpty(); });
    }

    std::filesystem::path file;
};

TEST_F(ComparingTutorial, VersionsOfAScene)
{
    canvas().select({"ball"});
    typeNumbers("Radius", 0, {"0.3"});
    clickEmptyPlace();
    addNode("wind");
    const std::string added = canvas().selection().front();
    canvas().select({"down"});
    canvas().setFocus();
    press(Qt::Key_Delete);

    read("**File > Compare with last saved** shows what you have edited since");
    chooseFromMenu("File > Compare with last saved");
    ASSERT_TRUE(panel().isVisible());
    read("**Compare with a file…**");
    read("what was added (green, **+**), changed (amber, **~**) and removed (red dashes, **−**");
    using Mark = editor::GraphMarks::Mark;
    EXPECT_EQ(marks().nodes.at("ball"), Mark::Changed);
    EXPECT_EQ(marks().nodes.at(added), Mark::Added);
    EXPECT_TRUE(marks().ghosts.contains("down"));
    ASSERT_TRUE(line("+  " + QString::fromStdString(added)) && line("−  down"));
    read("lists every difference with both values");
    QTreeWidgetItem* radius = line("Radius");
    ASSERT_TRUE(radius);
    EXPECT_EQ(radius->text(1) + " " + radius->text(2), "0.2 0.3");
    canvas().frameAll();
    keep("tutorial_compare_versions");
    read("a click goes there, into subgraphs too");
    clickOn(radius);
    EXPECT_EQ(canvas().selection(), std::vector<std::string>{"ball"});
    canvas().select({"jello", "body"});
    canvas().setFocus();
    QTest::keyClick(&canvas(), Qt::Key_G, Qt::ControlModifier);
    QTest::keyClick(&canvas(), Qt::Key_S, Qt::ControlModifier);
    EXPECT_EQ(tree().topLevelItemCount(), 0) << "what was just saved is the last saved state";
    press(Qt::Key_I);
    ASSERT_FALSE(canvas().scope().empty());
    const std::string inside = canvas().scope();
    canvas().select({"jello"});
    typeNumbers("Density", 0, {"900"});
    canvas().setFocus();
    press(Qt::Key_U);
    read("Both follow while you go on editing.");
    ASSERT_TRUE(QTest::qWaitFor([&] { return line("Density") != nullptr; }));
    clickOn(line("Density"));
    EXPECT_EQ(canvas().scope(), inside);
    press(Qt::Key_U);

    read("Places of nodes are no difference.");
    canvas().select({});
    canvas().setFocus();
    const std::string before = document().text();
    QTest::keyClick(&canvas(), Qt::Key_L, Qt::ShiftModifier);
    ASSERT_NE(document().text(), before);
    QTest::qWait(500);
    EXPECT_EQ(tree().topLevelItemCount(), 1) << "the density";

    // The other version, in a file.
    Json other = fallingBall();
    other["nodes"]["ball"]["parameters"]["radius"] = 0.25;
    folder.file("b.floe.json", other.dump());
    answer(path("b.floe.json"), [&] { chooseFromMenu("File > Compare with a file…"); });
    ASSERT_TRUE(until([&] { return line("Radius") != nullptr; }));
    EXPECT_EQ(line("Radius")->text(1), "0.25");

    read("`floe diff a.floe.json b.floe.json`");
    folder.file("a.floe.json", fallingBall().dump());
    const std::string text = floe({"diff", "a.floe.json", "b.floe.json"}, 1);
    EXPECT_NE(text.find("radius"), std::string::npos) << text;
    EXPECT_NE(text.find("0.25"), std::string::npos) << text;
}

TEST_F(ComparingTutorial, AFileThatSomebodyElseHasSaved)
{
    read("a notice offers");
    writeFile([](Json& scene) { scene["nodes"]["ball"]["parameters"]["radius"] = 0.21; });
    read("**Reload**: what is on disk replaces what is here,");
    click<QPushButton>(*window->notice(), "Reload");
    ASSERT_TRUE(until([&] { return document().value("", "ball", "radius") == 0.21; }));

    canvas().select({"ball"});
    typeNumbers("Radius", 0, {"0.3"});
    clickEmptyPlace();
    addNode("wind");
    canvas().setFocus();
    press(Qt::Key_F2);
    QTest::keyClicks(QApplication::focusWidget(), "breeze");
    press(Qt::Key_Return);
    ASSERT_TRUE(document().node("", "breeze"));
    canvas().select({"jello"});
    typeNumbers("Density", 0, {"900"});
    const std::string mine = document().text();
    writeFile([](Json& scene) {
        scene["nodes"]["ball"]["parameters"]["radius"] = 0.4;
        scene["nodes"]["jello"]["parameters"]["density"] = 800;
        scene["nodes"]["body"]["parameters"] = {{"seed", 3}};
        scene["nodes"]["breeze"] = {{"type", "floe.shape.sphere"}};
    });
    read("**Compare**: how the two differ,");
    click<QPushButton>(*window->notice(), "Compare");
    ASSERT_TRUE(panel().isComparing());
    EXPECT_TRUE(line("Radius"));
    read("**Merge…**, where you have edited too: what each side has changed is joined.");
    click<QPushButton>(panel(), "Merge…");
    ASSERT_TRUE(panel().isMerging());

    read("What both have changed is listed first: choose **mine** or **theirs** for each");
    ASSERT_EQ(panel().conflicts().size(), 2u);
    EXPECT_TRUE(line("ball  ·  Radius"));
    read("The network shows what would come, change and go. Nothing is done before **Merge**");
    EXPECT_EQ(document().text(), mine);
    EXPECT_EQ(marks().nodes.at("ball"), editor::GraphMarks::Mark::Conflict);
    canvas().frameAll();
    keep("tutorial_compare_merge");
    click<QRadioButton>(tree(), "0.4");
    QTest::qWait(300); // the list follows
    EXPECT_FALSE(panel().findChild<QPushButton*>("compareMerge")->isEnabled());
    click<QRadioButton>(tree(), "900.0");
    QTest::qWait(300);
    click<QPushButton>(panel(), "Merge");
    EXPECT_EQ(document().value("", "ball", "radius"), 0.4);
    EXPECT_EQ(document().value("", "jello", "density"), 900);
    EXPECT_EQ(document().value("", "body", "seed"), 3);
    read("one undo brings back what was here");
    const std::string merged = document().text();
    canvas().setFocus();
    QTest::keyClick(&canvas(), Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(document().text(), mine);
    QTest::keyClick(&canvas(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(document().text(), merged);
    read("what both have added under one name is kept twice");
    int breezes = 0;
    for (const graph::Node& node : document().content().graph.nodes)
        breezes += node.name.starts_with("breeze");
    EXPECT_EQ(breezes, 2);

    // A node that went here, and changed there.
    ASSERT_TRUE(window->save());
    canvas().select({"down"});
    canvas().setFocus();
    press(Qt::Key_Delete);
    writeFile([](Json& scene) {
        scene["nodes"]["down"]["parameters"] = {{"acceleration", {0, -5, 0}}};
    });
    click<QPushButton>(*window->notice(), "Merge…");
    EXPECT_EQ(panel().conflicts().size(), 1u) << "removed here, changed there";
    click<QPushButton>(panel(), "All theirs");
    click<QPushButton>(panel(), "Merge");
    EXPECT_TRUE(document().node("", "down"));

    read("`floe merge base mine theirs` does the same without a window");
    Json base = fallingBall(), here = base, there = base;
    here["nodes"]["ball"]["parameters"]["radius"] = 0.3;
    there["range"]["end"] = 12;
    folder.file("base", base.dump());
    folder.file("mine", here.dump());
    folder.file("theirs", there.dump());
    const Json joined = Json::parse(floe({"merge", "base", "mine", "theirs"}));
    EXPECT_EQ(joined["nodes"]["ball"]["parameters"]["radius"], 0.3);
    EXPECT_EQ(joined["range"]["end"], 12);
}

TEST_F(ComparingTutorial, TwoRuns)
{
    ASSERT_TRUE(playToTheEnd());
    read("**Run > Compare with another run…** takes the `run.json` of a run with `--cache`: of "
         "`floe run --cache`, or of a variant of a sweep, `variants/HASH/out/run.json`.");
    floe({"run", "ball.floe.json", "--cache", "--set", "ball.radius=0.3", "--device", "cpu",
          "--progress", "quiet", "-o", "larger"});
    answer(path("larger/run.json"), [&] { chooseFromMenu("Run > Compare with another run…"); });
    ASSERT_TRUE(until([&] { return wipe().shown; }));
    studio->timeline().setFrame(5);
    ASSERT_TRUE(untilShown()) << wipe().note.toStdString();
    read("right of a line over the picture, which can be dragged");
    auto& area = *window->findChild<views::PictureArea*>();
    const QPoint grip(area.width() / 2, area.height() / 3);
    QTest::mousePress(&area, Qt::LeftButton, {}, grip);
    QTest::mouseMove(&area, grip + QPoint(area.width() / 10, 0));
    QMouseEvent move(QEvent::MouseMove, grip + QPoint(area.width() / 10, 0),
                     area.mapToGlobal(grip + QPoint(area.width() / 10, 0)), Qt::NoButton,
                     Qt::LeftButton, {});
    QApplication::sendEvent(&area, &move);
    QTest::mouseRelease(&area, Qt::LeftButton, {}, grip + QPoint(area.width() / 10, 0));
    EXPECT_NEAR(wipe().at, 0.6, 0.02);
    read("Over both stand the numbers of their frames: particles");
    EXPECT_TRUE(wipe().mine.numbers.contains("particles"));
    EXPECT_TRUE(wipe().theirs.numbers.contains("particles"));
    QTest::qWait(2000);
    keep("tutorial_compare_runs");
    read("**Side by side** shows both whole");
    chooseFromMenu("Run > Side by side");
    EXPECT_EQ(wipe().layout, views::Wipe::Layout::Beside);
    chooseFromMenu("Run > Side by side");

    read("**Run > Compare variants of a sweep…** takes the output folder of `floe sweep --cache`.");
    floe({"sweep", "ball.floe.json", "--vary", "ball.radius=0.1,0.25", "--frames", "4", "--cache",
          "-o", "study"});
    answer(path("study"), [&] { chooseFromMenu("Run > Compare variants of a sweep…"); });
    editor::VariantsPanel& variants = studio->variants();
    ASSERT_TRUE(until([&] { return variants.variants().size() == 2; }));
    read("Choose one for the right side, and for the left one another or this scene.");
    const auto choose = [&](const char* name) {
        auto* button = variants.findChild<QRadioButton*>(name);
        ASSERT_TRUE(button) << name;
        QTest::mouseClick(button, Qt::LeftButton, {}, {8, button->height() / 2});
    };
    choose("right.1");
    choose("left.0");
    studio->timeline().setFrame(3);
    ASSERT_TRUE(until([&] { return !wipe().instead.isNull() && !wipe().other.isNull(); }));
    EXPECT_TRUE(wipe().hidesMine);
    choose("left.-1");
    EXPECT_FALSE(wipe().hidesMine);

    read("**Compare values…**, in the right-click menu of a number");
    canvas().select({"ball"});
    ParameterRow* radius = row("Radius");
    ASSERT_TRUE(radius);
    QContextMenuEvent menu(QContextMenuEvent::Mouse, {4, 4}, radius->mapToGlobal(QPoint(4, 4)));
    QApplication::sendEvent(radius, &menu);
    auto* popup = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    ASSERT_TRUE(popup);
    clickAction(popup, "Compare values…");
    read("give the values, separated by commas, and how many frames");
    auto* dialog = window->findChild<QDialog*>("sweepDialog");
    ASSERT_TRUE(dialog);
    dialog->findChild<QSpinBox*>("frames")->setValue(3);
    auto* values = dialog->findChild<QLineEdit*>("values");
    values->selectAll();
    QTest::keyClicks(values, "0.15, 0.35");
    QTest::keyClick(values, Qt::Key_Return);
    activate();
    EXPECT_TRUE(variants.isSweeping());
    ASSERT_TRUE(until([&] { return !variants.isSweeping(); }));
    read("The output lies beside the scene, in `out`");
    EXPECT_TRUE(std::filesystem::exists(folder / "out/ball-sweep/sweep.json"));

    read("**Hold this scene for comparison** needs no file");
    chooseFromMenu("Run > Hold this scene for comparison");
    read("Change a parameter, simulate, and wipe between before and after.");
    typeNumbers("Radius", 0, {"0.35"});
    settle();
    ASSERT_TRUE(playToTheEnd());
    studio->timeline().setFrame(8);
    ASSERT_TRUE(untilShown()) << wipe().note.toStdString();
    ASSERT_TRUE(until([&] { return wipe().mine.numbers.contains("particles"); }));
    EXPECT_NE(wipe().mine.numbers, wipe().theirs.numbers);
    QTest::qWait(2000);
    keep("tutorial_compare_held");
}

} // namespace
} // namespace floe::test
