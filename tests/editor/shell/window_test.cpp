#include "canvas/canvas.hpp"
#include "canvas/search_popup.hpp"
#include "floe/base/file.hpp"
#include "in_the_window.hpp"
#include "shell/notice.hpp"
#include "shell/start_page.hpp"
#include "temporary_folder.hpp"

#include <QAction>
#include <QApplication>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QTest>
#include <QTimer>
#include <QUrl>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

namespace floe::editor {
namespace {

const QString kSnow = FLOE_SOURCE_DIR "/graphs/first_snow.floe.json";

TEST_F(InTheWindow, TheStartPageOpensAnExample)
{
    window->showStart();
    const auto cards = window->findChildren<QPushButton*>("sceneCard");
    ASSERT_GE(cards.size(), 5) << "snow, sand, water, jelly, mixed";
    EXPECT_FALSE(window->isWorking());
    QTest::mouseClick(cards.front(), Qt::LeftButton);
    EXPECT_TRUE(window->isWorking());
    EXPECT_GT(window->document().content().graph.nodes.size(), 5u);
    EXPECT_TRUE(window->notice()->text().isEmpty());
}

// A button of a notice that has the focus is pressed by the keys that press buttons, though the
// window has other uses for them.
TEST_F(InTheWindow, NoticesFadeUnlessTheyAreErrors)
{
    Notice& notice = *window->notice();
    auto* fade = notice.findChild<QTimer*>("fade");
    ASSERT_NE(fade, nullptr);
    notice.say(Notice::Severity::Info, "Saved.");
    const int brief = fade->interval();
    for (const auto severity : {Notice::Severity::Info, Notice::Severity::Warning}) {
        notice.say(severity, "Well?", "Yes", [] {});
        EXPECT_TRUE(fade->isActive());
        EXPECT_GT(fade->interval(), 2 * brief);
        fade->start(1); // its time is over
        EXPECT_TRUE(QTest::qWaitFor([&] { return notice.text().isEmpty(); }));
    }
    notice.say(Notice::Severity::Warning, "Well?", "Yes", [] {});
    notice.button()->setFocus(); // somebody is about to answer
    fade->start(1);
    QTest::qWait(50);
    EXPECT_FALSE(notice.text().isEmpty());
    notice.say(Notice::Severity::Error, "A run failed.");
    EXPECT_FALSE(fade->isActive());
}

TEST_F(InTheWindow, ANoticeIsAnsweredByKeyboard)
{
    for (const auto key : {Qt::Key_Space, Qt::Key_Return}) {
        int answers = 0;
        window->notice()->say(Notice::Severity::Warning, "Well?", "Yes", [&] { ++answers; });
        window->notice()->button()->setFocus();
        QTest::keyClick(window->notice()->button(), key);
        EXPECT_EQ(answers, 1);
        EXPECT_TRUE(window->notice()->text().isEmpty());
    }
}

// Somebody else saves the file in another program, in place or as a new file: the window says so at
// once, and reads it again when asked to.
TEST_F(InTheWindow, AFileChangedByAnotherProgramIsOffered)
{
    const test::TemporaryFolder folder;
    const auto file = folder.file("mine.floe.json", readFile(kSnow.toStdString()));
    const auto told = [&](const char* part) {
        return QTest::qWaitFor([&] { return window->notice()->text().contains(part); }, 60'000);
    };
    ASSERT_TRUE(window->open(QString::fromStdString(file.string())));
    for (const double radius : {0.2, 0.25}) {
        Json scene = Json::parse(readFile(file));
        scene["nodes"]["ball"]["parameters"]["radius"] = radius;
        if (radius == 0.2)
            writeFileAtomically(file, scene.dump());
        else
            folder.file("mine.floe.json", scene.dump());
        ASSERT_TRUE(told("changed on disk"));
        EXPECT_NE(window->document().value("", "ball", "radius"), radius);
        QTest::mouseClick(window->notice()->button(), Qt::LeftButton);
        EXPECT_EQ(window->document().value("", "ball", "radius"), radius);
        EXPECT_TRUE(window->notice()->text().isEmpty());
    }
    window->document().setParameter("", "ball", "radius", 0.4);
    ASSERT_TRUE(window->save());
    QTest::qWait(1500);
    EXPECT_TRUE(window->notice()->text().isEmpty()) << "what it wrote itself";
    std::filesystem::remove(file);
    EXPECT_TRUE(told("not on disk any more"));
}

TEST_F(InTheWindow, EveryExampleHasItsPicture)
{
    for (const Example& example : examples())
        EXPECT_FALSE(QImage(example.picture).isNull()) << example.picture.toStdString();
}

// What is not on the start page is found by the search, with its note.
TEST_F(InTheWindow, AllGraphsThatComeWithItAreReadyScenes)
{
    const std::vector<Example> more = moreScenes();
    const auto flag = std::find_if(more.begin(), more.end(), [](const Example& example) {
        return example.path.endsWith("particles/flag.floe.json");
    });
    ASSERT_NE(flag, more.end());
    EXPECT_EQ(flag->title, "Flag");
    EXPECT_EQ(flag->description, "A flag of cotton on a pole, in a gusty wind.");
    std::set<QString> paths;
    for (const Example& example : examples())
        paths.insert(example.path);
    for (const Example& example : more) {
        EXPECT_TRUE(paths.insert(example.path).second) << example.path.toStdString();
        EXPECT_FALSE(example.description.isEmpty()) << example.path.toStdString();
    }
    EXPECT_GT(paths.size(), 60u);
    const auto entries = window->canvas()->libraryEntries();
    EXPECT_TRUE(std::any_of(entries.begin(), entries.end(),
                            [&](const Entry& entry) { return entry.id == "scene:" + flag->path; }));
}

// However wide the window is: nothing is cut off, and as many pictures stand in a row as fit.
TEST_F(InTheWindow, TheStartPageFitsItsWidth)
{
    auto* page = window->findChild<StartPage*>();
    ASSERT_NE(page, nullptr);
    page->setParent(nullptr); // without the window's own smallest size
    page->show();
    auto* area = page->findChild<QScrollArea*>();
    int last = 100;
    for (const int width : {1900, 1240, 1000, 660, 400}) {
        page->resize(width, 700);
        QTest::qWait(50);
        const auto fits = [&] {
            return area->horizontalScrollBar()->maximum() == 0;
        };
        EXPECT_TRUE(QTest::qWaitFor(fits, 300'000)) << width;
        std::set<int> places;
        for (auto* card : page->findChildren<QPushButton*>("sceneCard")) {
            const QRect seen(card->mapTo(area->widget(), QPoint()), card->size());
            EXPECT_TRUE(area->widget()->rect().contains(seen)) << width;
            places.insert(seen.left());
        }
        EXPECT_LE(int(places.size()), last) << width;
        last = int(places.size());
    }
    EXPECT_EQ(last, 1);
    delete page;
}

TEST_F(InTheWindow, BrokenAndMissingFilesSaySo)
{
    ASSERT_TRUE(window->open(kSnow));
    const test::TemporaryFolder folder;
    const auto file = folder.file("future.floe.json", R"({"floe": 999, "nodes": {}})");
    EXPECT_FALSE(window->open(QString::fromStdString(file.string())));
    EXPECT_TRUE(window->notice()->text().contains("future.floe.json"));
    EXPECT_EQ(window->document().path(), kSnow) << "what was open stays open";
    EXPECT_FALSE(window->open("/nowhere/at/all.floe.json"));
    EXPECT_TRUE(window->notice()->text().contains("all.floe.json"));
}

TEST_F(InTheWindow, FilesThatAreDroppedAreOpenedOrRead)
{
    const test::TemporaryFolder folder;
    const auto drop = [this](const QString& file) {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(file)});
        QDragEnterEvent enter({400, 500}, Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(window.get(), &enter);
        EXPECT_TRUE(enter.isAccepted());
        QDropEvent event(QPointF(400, 500), Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(window.get(), &event);
    };
    drop(kSnow);
    EXPECT_EQ(window->document().path(), kSnow);
    drop(QString::fromStdString(folder.file("song.mp3", "la la").string()));
    EXPECT_TRUE(window->notice()->text().contains("song.mp3"));
    EXPECT_EQ(window->document().path(), kSnow);
    const std::size_t before = window->document().content().graph.nodes.size();
    drop(FLOE_SOURCE_DIR "/graphs/meshes/knot.obj");
    ASSERT_EQ(window->document().content().graph.nodes.size(), before + 1);
    const std::string name = window->canvas()->selection().front();
    EXPECT_EQ(window->document().value({}, name, "path"), "meshes/knot.obj")
        << "moves with the scene";
}

TEST_F(InTheWindow, UnsavedWorkIsAskedFor)
{
    ASSERT_TRUE(window->open(kSnow));
    window->document().setRange({1, 2, 24});
    EXPECT_TRUE(window->isWindowModified());
    answer(QMessageBox::Cancel);
    EXPECT_FALSE(window->close());
    EXPECT_TRUE(window->isVisible());
    answer(QMessageBox::Discard);
    EXPECT_TRUE(window->close());
}

// The start page is a place to come back from, and its "New scene" asks like any other.
TEST_F(InTheWindow, TheStartPageLosesNothing)
{
    auto* back = window->findChild<QPushButton*>("startBack");
    auto* create = window->findChild<QPushButton*>("startNew");
    ASSERT_TRUE(back && create);
    window->showStart();
    EXPECT_FALSE(back->isVisible()) << "nothing waits";
    ASSERT_TRUE(window->open(kSnow));
    window->document().setRange({1, 2, 24});
    window->showStart();
    EXPECT_TRUE(back->text().contains("first_snow")) << back->text().toStdString();
    answer(QMessageBox::Cancel);
    QTest::mouseClick(create, Qt::LeftButton);
    EXPECT_FALSE(window->isWorking());
    EXPECT_EQ(window->document().content().range.end, 2);
    QTest::mouseClick(back, Qt::LeftButton);
    EXPECT_TRUE(window->isWorking());
    EXPECT_TRUE(window->isWindowModified());
    window->showStart();
    answer(QMessageBox::Discard);
    QTest::mouseClick(create, Qt::LeftButton);
    EXPECT_TRUE(window->document().content().graph.nodes.empty());
}

// What writes pictures stands above the end of the file menu, not below it.
TEST_F(InTheWindow, ExportsComeBeforeTheEndOfTheMenu)
{
    auto* picture = new QAction("Save picture", window.get());
    picture->setObjectName("test.picture");
    window->addExports({picture});
    const QList<QAction*> actions = window->menu("file")->actions();
    EXPECT_EQ(actions.back()->objectName(), "file.quit");
    EXPECT_TRUE(actions.contains(picture));
    EXPECT_TRUE(window->commands().contains(picture));
}

// However an example came to be open, Save asks for a place and never writes over it.
TEST_F(InTheWindow, ExamplesAreNeverSavedOver)
{
    const std::string before = readFile(kSnow.toStdString());
    const auto save = [&] {
        bool asked = false;
        QTimer::singleShot(0, window.get(), [&] {
            if (auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget())) {
                asked = true;
                dialog->reject();
            }
        });
        EXPECT_FALSE(window->save());
        return asked;
    };
    ASSERT_TRUE(window->open(kSnow));
    window->document().setParameter("", "ball", "radius", 0.123);
    EXPECT_TRUE(save());

    // The editor ends without saving; its copy is taken up by the next one.
    {
        QFile file(Recovery::defaultFolder() + "/left.json");
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(
            Json{{"path", kSnow.toStdString()}, {"document", window->document().text()}}.dump()));
    }
    window->recovery().discard();
    window = std::make_unique<MainWindow>(test::builtTypes());
    window->finish();
    window->show();
    ASSERT_TRUE(window->notice()->text().contains("first_snow"));
    ASSERT_TRUE(window->open(FLOE_SOURCE_DIR "/graphs/sand_column.floe.json"));
    ASSERT_TRUE(window->notice()->text().contains("first_snow")) << "offered until answered";
    auto* close = window->notice()->findChild<QPushButton*>("noticeClose");
    EXPECT_EQ(close->text(), "Discard");
    answer(QMessageBox::Cancel);
    QTest::mouseClick(close, Qt::LeftButton);
    EXPECT_TRUE(window->notice()->text().contains("first_snow")) << "kept unless that was meant";
    EXPECT_EQ(Recovery::find().size(), 1u);
    window->notice()->say(Notice::Severity::Error, "A run failed.");
    EXPECT_EQ(window->notice()->text(), "A run failed.");
    QTest::mouseClick(close, Qt::LeftButton);
    ASSERT_TRUE(window->notice()->text().contains("first_snow")) << "what covered it is gone";
    window->notice()->say(Notice::Severity::Error, "A run failed.");
    window->notice()->clear(); // as the next run does
    ASSERT_TRUE(window->notice()->text().contains("first_snow"));
    QTest::mouseClick(window->notice()->button(), Qt::LeftButton);
    ASSERT_EQ(window->document().value("", "ball", "radius"), 0.123);
    EXPECT_TRUE(save()) << "the recovered example";
    EXPECT_EQ(readFile(kSnow.toStdString()), before);
    window->recovery().discard();
}

TEST_F(InTheWindow, AnEmptySceneTakesTheFramesOfAReadyOne)
{
    const QString sand = FLOE_SOURCE_DIR "/graphs/sand_column.floe.json";
    const graph::FrameRange before = window->document().content().range;
    emit window->canvas()->sceneChosen(sand);
    const graph::FrameRange taken = window->document().content().range;
    EXPECT_EQ(taken.end, 60);
    EXPECT_NE(window->document().node("", "solver"), nullptr);
    window->document().undo().undo();
    EXPECT_EQ(window->document().content().range, before) << "one step";
    EXPECT_TRUE(window->document().content().graph.nodes.empty());
    window->document().undo().redo();
    emit window->canvas()->sceneChosen(kSnow);
    EXPECT_EQ(window->document().content().range, taken) << "a scene with nodes keeps its own";
}

// Wherever in a ready scene a file is named, it is found from the artist's scene too.
TEST_F(InTheWindow, AReadySceneBringsItsFilesAtEveryDepth)
{
    const test::TemporaryFolder folder;
    const auto scene = folder.file("ready.floe.json", R"({
        "floe": 1,
        "nodes": {
            "frames": {"type": "floe.shape.sequence", "version": 1,
                       "parameters": {"path": "vdb/frame.%04d.vdb"}},
            "here": {"type": "floe.shape.mesh", "version": 1,
                     "parameters": {"path": "/models/bunny.obj"}},
            "none": {"type": "floe.shape.mesh", "version": 1, "parameters": {"path": ""}},
            "rock": {"type": "floe.subgraph", "graph": "rock", "parameters": {"file": "rock.obj"}},
            "other": {"type": "floe.subgraph", "file": "parts/../other.floe.json"}
        },
        "subgraphs": {
            "rock": {
                "nodes": {"outer": {"type": "floe.shape.mesh", "version": 1},
                          "inner": {"type": "floe.subgraph", "graph": "pebble"}},
                "promote": {"parameters": {"file": {"to": "outer.path"}}}
            },
            "pebble": {"nodes": {"mesh": {"type": "floe.shape.mesh", "version": 1,
                                          "parameters": {"path": "meshes/pebble.ply"}}}}
        }})");
    emit window->canvas()->sceneChosen(QString::fromStdString(scene));
    const Document& document = window->document();
    const auto beside = [&](const char* name) {
        return (folder / name).string();
    };
    ASSERT_NE(document.node("", "rock"), nullptr) << window->notice()->text().toStdString();
    EXPECT_EQ(document.value("", "frames", "path").get<std::string>(),
              beside("vdb/frame.%04d.vdb"));
    EXPECT_EQ(document.value("", "here", "path"), "/models/bunny.obj");
    EXPECT_EQ(document.value("", "none", "path"), "");
    EXPECT_EQ(document.value("", "rock", "file").get<std::string>(), beside("rock.obj"));
    EXPECT_EQ(document.value("pebble", "mesh", "path").get<std::string>(),
              beside("meshes/pebble.ply"));
    EXPECT_EQ(document.node("", "other")->file, beside("other.floe.json"));
}

TEST_F(InTheWindow, SavingAnOpenedFileKeepsABackup)
{
    const test::TemporaryFolder folder;
    std::filesystem::copy_file(kSnow.toStdString(), folder / "a.floe.json");
    ASSERT_TRUE(window->open(QString::fromStdString((folder / "a.floe.json").string())));
    window->document().setRange({1, 2, 24});
    QTest::keyClick(window.get(), Qt::Key_S, Qt::ControlModifier);
    EXPECT_FALSE(window->isWindowModified());
    EXPECT_TRUE(std::filesystem::exists(folder / "backup/a.1.floe.json"));
}

// A name without its end stands for a file that may be there.
TEST_F(InTheWindow, SaveAsAsksBeforeItReplacesAFileWhoseEndWasLeftOut)
{
    const test::TemporaryFolder folder;
    const std::string others = R"({"floe": 1, "nodes": {}})";
    const auto file = folder.file("other.floe.json", others);
    ASSERT_TRUE(window->open(kSnow));
    const auto saveAs = [&](QMessageBox::StandardButton replace) {
        QTimer::singleShot(0, window.get(), [&] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            ASSERT_TRUE(dialog);
            dialog->findChild<QLineEdit*>("fileNameEdit")
                ->setText(QString::fromStdString((folder / "other").string()));
            answer(replace);
            static_cast<QDialog*>(dialog)->accept();
        });
        return window->saveAs();
    };
    EXPECT_FALSE(saveAs(QMessageBox::No));
    EXPECT_EQ(readFile(file), others);
    EXPECT_TRUE(saveAs(QMessageBox::Yes));
    EXPECT_NE(readFile(file), others);
}

// Two editors, or an editor and a script, on one file: nobody's work goes unasked.
TEST_F(InTheWindow, AFileChangedBySomebodyElseIsAskedFor)
{
    const test::TemporaryFolder folder;
    const auto file = folder / "a.floe.json";
    std::filesystem::copy_file(kSnow.toStdString(), file);
    ASSERT_TRUE(window->open(QString::fromStdString(file.string())));
    window->document().setRange({1, 2, 24});
    EXPECT_TRUE(window->save()) << "its own save is nobody else's";
    window->document().setRange({1, 3, 24});
    const std::string others = R"({"floe": 1, "nodes": {}})";
    folder.file("a.floe.json", others);
    answer(QMessageBox::Cancel);
    EXPECT_FALSE(window->save());
    EXPECT_EQ(readFile(file), others);
    EXPECT_TRUE(window->isWindowModified());
    answer(QMessageBox::Save);
    EXPECT_TRUE(window->save());
    EXPECT_NE(readFile(file), others);
    EXPECT_EQ(readFile(folder / "backup/a.1.floe.json"), others);
}

TEST_F(InTheWindow, ThePaletteRunsACommandByName)
{
    ASSERT_TRUE(window->open(kSnow));
    window->canvas()->select({"gravity"});
    SearchPopup* palette = nullptr;
    QTest::keyClick(window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    for (SearchPopup* popup : window->findChildren<SearchPopup*>())
        if (popup->isVisible())
            palette = popup;
    ASSERT_NE(palette, nullptr);
    QTest::keyClicks(palette->field(), "bypass");
    EXPECT_EQ(palette->currentId(), "canvas.bypass");
    QTest::keyClick(palette->field(), Qt::Key_Return);
    EXPECT_TRUE(
        QTest::qWaitFor([&] { return window->document().node("", "gravity")->bypass; }, 300'000));
}

// What is not possible now is found too, and says why.
TEST_F(InTheWindow, ThePaletteSaysWhyACommandIsNotPossible)
{
    ASSERT_TRUE(window->open(kSnow));
    QTest::keyClick(window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    QApplication::processEvents();
    SearchPopup* palette = nullptr;
    for (SearchPopup* popup : window->findChildren<SearchPopup*>())
        if (popup->isVisible())
            palette = popup;
    ASSERT_NE(palette, nullptr);
    QTest::keyClicks(palette->field(), "undo");
    ASSERT_EQ(palette->currentId(), "edit.undo");
    const auto* help = palette->findChild<QLabel*>("searchHelp");
    EXPECT_TRUE(help->text().startsWith("There is nothing to undo.")) << help->text().toStdString();
    QTest::keyClick(palette->field(), Qt::Key_Return);
    EXPECT_TRUE(palette->isVisible()) << "it was not run";
    QTest::keyClick(palette->field(), Qt::Key_Escape);
}

TEST_F(InTheWindow, EveryCommandExplainsItself)
{
    for (const QAction* action : window->commands()) {
        EXPECT_FALSE(action->text().isEmpty()) << action->objectName().toStdString();
        EXPECT_FALSE(action->toolTip().isEmpty()) << action->objectName().toStdString();
    }
}

// Two commands of the same place never share a key.
TEST_F(InTheWindow, KeysAreUnique)
{
    const auto commands = window->commands();
    for (int a = 0; a < commands.size(); ++a)
        for (int b = a + 1; b < commands.size(); ++b)
            for (const QKeySequence& key : commands[a]->shortcuts())
                EXPECT_FALSE(commands[a] != commands[b] && commands[b]->shortcuts().contains(key))
                    << key.toString().toStdString() << ": "
                    << commands[a]->objectName().toStdString() << ", "
                    << commands[b]->objectName().toStdString();
}

// An editor that is killed in the middle of work; the next one gives the work back.
TEST(AfterAKill, TheNextWindowOffersTheWork)
{
    for (const Recovered& copy : Recovery::find())
        Recovery::forget(copy);
    const pid_t child = fork();
    if (child == 0) { // the program anew: a forked QApplication is none
        ::execl("/proc/self/exe", "shell_test", "--gtest_filter=DISABLED_Victim.*",
                "--gtest_also_run_disabled_tests", nullptr);
        ::_exit(1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);

    MainWindow window(test::builtTypes());
    window.finish();
    window.show();
    EXPECT_TRUE(window.notice()->text().contains("first_snow"))
        << window.notice()->text().toStdString();
    QTest::mouseClick(window.notice()->button(), Qt::LeftButton);
    EXPECT_EQ(window.document().value("", "ball", "radius"), 0.123);
    EXPECT_TRUE(window.isWindowModified());
    EXPECT_TRUE(window.isWorking());
    window.recovery().discard();
}

TEST(DISABLED_Victim, WorksAndIsKilled)
{
    MainWindow window(test::builtTypes());
    window.finish();
    window.show();
    window.recovery().setDelays(10, 100);
    window.open(kSnow);
    window.document().setParameter("", "ball", "radius", 0.123);
    const auto written = [] {
        return !QDir(Recovery::defaultFolder()).entryList({"*.json"}, QDir::Files).isEmpty();
    };
    EXPECT_TRUE(QTest::qWaitFor(written, 300'000)) << "by itself";
    ::kill(::getpid(), SIGKILL);
}

} // namespace
} // namespace floe::editor
