#include "fake_server.hpp"

#include "document/document.hpp"
#include "views/frame_bar.hpp"
#include "views/log_view.hpp"
#include "views/manual_view.hpp"
#include "views/plots.hpp"
#include "views/progress_strip.hpp"
#include "views/spreadsheet.hpp"
#include "views/statistics.hpp"
#include "views/table_model.hpp"
#include "views/timeline.hpp"

#include <QAction>
#include <QDir>
#include <QFile>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace floe;
using namespace floe::views;
using client::FrameState;
using client::Runtime;

struct Views : ::testing::Test {
    FakeServer server;
    Runtime runtime;

    Views()
    {
        runtime.connectLocal(server.path());
        EXPECT_TRUE(waitUntil([&] { return runtime.state() == Runtime::State::Ready; }));
    }
    void cache(const Json& frames)
    {
        server.notify("cache.changed", {{"frames", frames}});
        EXPECT_TRUE(waitUntil(
            [&] { return runtime.frames().size() == static_cast<qsizetype>(frames.size()); }));
    }
    void run(const char* state)
    {
        server.notify("run.state", {{"state", state}});
        const auto wanted = client::runState({{"state", state}});
        EXPECT_TRUE(waitUntil([&] { return runtime.runState() == wanted; }));
    }
};

struct TimelineTest : Views {
    Timeline timeline{&runtime};
    QSignalSpy frames{&timeline, &Timeline::frameChanged};

    TimelineTest()
    {
        timeline.resize(900, 44);
        timeline.setRange(1, 20, 100);
        timeline.show();
        EXPECT_TRUE(QTest::qWaitForWindowExposed(&timeline));
    }
    QPoint on(int frame)
    {
        return {static_cast<int>(timeline.bar()->xOf(frame + 0.5)), timeline.bar()->height() - 10};
    }
};

TEST_F(TimelineTest, ScrubbingShowsEveryFrameUnderTheMouse)
{
    FrameBar* bar = timeline.bar();
    QTest::mousePress(bar, Qt::LeftButton, {}, on(3));
    EXPECT_EQ(timeline.frame(), 3);
    for (int frame = 4; frame <= 15; ++frame) {
        QMouseEvent move(QEvent::MouseMove, on(frame), bar->mapToGlobal(on(frame)), Qt::LeftButton,
                         Qt::LeftButton, {});
        QApplication::sendEvent(bar, &move);
        EXPECT_EQ(timeline.frame(), frame);
        EXPECT_TRUE(frames.last()[1].toBool()); // moving: a quick picture will do
    }
    QTest::mouseRelease(bar, Qt::LeftButton, {}, on(15));
    EXPECT_FALSE(frames.last()[1].toBool()); // still: now a beautiful one
    EXPECT_EQ(frames.size(), 14);
}

TEST_F(TimelineTest, TheMouseCannotLeaveTheRange)
{
    QTest::mouseClick(timeline.bar(), Qt::LeftButton, {}, QPoint(timeline.bar()->width() - 1, 20));
    EXPECT_EQ(timeline.frame(), 20);
    QTest::mouseClick(timeline.bar(), Qt::LeftButton, {}, QPoint(0, 20));
    EXPECT_EQ(timeline.frame(), 1);
    timeline.setFrame(500);
    EXPECT_EQ(timeline.frame(), 20);
}

TEST_F(TimelineTest, StatesComeFromTheRuntime)
{
    cache({{{"first", 1}, {"last", 5}, {"state", "cached"}},
           {{"first", 6}, {"last", 9}, {"state", "stale"}},
           {{"first", 10}, {"last", 10}, {"state", "running"}}});
    EXPECT_EQ(timeline.bar()->stateAt(5), FrameState::Cached);
    EXPECT_EQ(timeline.bar()->stateAt(6), FrameState::Stale);
    EXPECT_EQ(timeline.bar()->stateAt(10), FrameState::Running);
    EXPECT_EQ(timeline.bar()->stateAt(11), FrameState::Empty);
    // Each state has its own look, even without colour: the bar's lightness patterns differ.
    const QImage image =
        timeline.bar()->grab().toImage().convertToFormat(QImage::Format_Grayscale8);
    const auto look = [&](int frame) {
        QByteArray pixels;
        for (int y = image.height() - 13; y < image.height() - 7; ++y)
            for (int x = -4; x < 4; ++x)
                pixels.append(char(qGray(image.pixel(on(frame).x() + x, y))));
        return pixels;
    };
    EXPECT_NE(look(3), look(7));
    EXPECT_NE(look(3), look(10));
    EXPECT_NE(look(7), look(10));
    EXPECT_NE(look(3), look(15));
}

TEST_F(TimelineTest, PlaySimulatesWhatIsMissingAndWaitsForIt)
{
    timeline.play->trigger();
    EXPECT_TRUE(timeline.isPlaying());
    ASSERT_TRUE(waitUntil([&] { return server.count("run.start") == 1; }));
    run("running");
    QTest::qWait(60);
    EXPECT_EQ(timeline.frame(), 1); // nothing to show yet
    cache({{{"first", 1}, {"last", 4}, {"state", "cached"}}});
    ASSERT_TRUE(waitUntil([&] { return timeline.frame() == 4; }));
    QTest::qWait(60);
    EXPECT_EQ(timeline.frame(), 4); // it waits at the last simulated frame
    EXPECT_TRUE(timeline.isPlaying());
    timeline.play->trigger();
    EXPECT_FALSE(timeline.isPlaying());
}

// On the device that was chosen; what is refused is told to the whole window.
TEST_F(TimelineTest, PlayAsksAsTheRuntimeIsSetUp)
{
    runtime.setDevice(QStringLiteral("cuda"));
    server.replies.erase("run.start"); // an error is answered
    QSignalSpy refused(&runtime, &Runtime::refused);
    timeline.play->trigger();
    ASSERT_TRUE(waitUntil([&] { return refused.size() == 1; }));
    EXPECT_EQ((*server.last("run.start"))["device"], "cuda");
    EXPECT_FALSE(timeline.isPlaying());
    EXPECT_TRUE(timeline.simulate->isEnabled());
}

TEST_F(TimelineTest, PlayOfCachedFramesLoops)
{
    cache({{{"first", 1}, {"last", 20}, {"state", "cached"}}});
    timeline.setFrame(19);
    timeline.play->trigger();
    ASSERT_TRUE(waitUntil([&] { return timeline.frame() < 10; }));
    EXPECT_EQ(server.count("run.start"), 0);
    timeline.loop->setChecked(false);
    ASSERT_TRUE(waitUntil([&] { return !timeline.isPlaying(); }));
    EXPECT_EQ(timeline.frame(), 20);
}

TEST_F(TimelineTest, ResumeAndStopAskTheRuntime)
{
    EXPECT_FALSE(timeline.resume->isEnabled());
    cache({{{"first", 1}, {"last", 8}, {"state", "stale"}}});
    timeline.setFrame(7);
    ASSERT_TRUE(timeline.resume->isEnabled());
    timeline.resume->trigger();
    ASSERT_TRUE(waitUntil([&] { return server.count("run.start") == 1; }));
    EXPECT_EQ((*server.last("run.start"))["resumeFrom"], 7);
    run("running");
    ASSERT_TRUE(timeline.stop->isEnabled());
    QTest::keyClick(&timeline, Qt::Key_Escape);
    timeline.stop->trigger();
    EXPECT_TRUE(waitUntil([&] { return server.count("run.stop") >= 1; }));
}

TEST_F(TimelineTest, ARangeThatIsTypedIsAsked)
{
    QSignalSpy ranges(&timeline, &Timeline::rangeEdited);
    auto* end = timeline.findChildren<QSpinBox*>().last();
    end->setFocus();
    end->selectAll();
    QTest::keyClicks(end, QStringLiteral("96"));
    QTest::keyClick(end, Qt::Key_Return);
    ASSERT_EQ(ranges.size(), 1);
    EXPECT_EQ(ranges[0][1].toInt(), 96);
}

Json statistics(double particles, double seconds)
{
    return {{"frame", 1},
            {"seconds", seconds},
            {"sinkWaitSeconds", 0},
            {"residentBytes", 2e9},
            {"nodes", {{"solver", seconds}}},
            {"values",
             {{"solver",
               {{"particles", particles},
                {"activeParticles", particles / 4},
                {"substeps", 12},
                {"transferSeconds", 0.1},
                {"gridSeconds", 0.2}}}}}};
}

TEST_F(Views, StatisticsAreSummedOverSolversAndKeptByFrame)
{
    History history(&runtime);
    Json two = statistics(1000, 0.5);
    two["values"]["other"] = two["values"]["solver"];
    server.notify("run.frame", {{"frame", 3}, {"statistics", two}});
    ASSERT_TRUE(waitUntil([&] { return history.at(3) != nullptr; }));
    EXPECT_EQ(history.at(3)->particles, 2000);
    EXPECT_EQ(history.at(3)->activeShare, 0.25);
    EXPECT_EQ(history.at(3)->substeps, 24);
    EXPECT_NEAR(history.at(3)->stages[1], 0.4, 1e-12);
    EXPECT_EQ(history.at(2), nullptr);
    EXPECT_TRUE(std::isnan(frameNumbers(Json(5)).particles)); // unknown, not nought
}

TEST_F(Views, AClickInThePlotsGoesToTheFrame)
{
    History history(nullptr);
    for (int frame = 1; frame <= 10; ++frame)
        history.add(frame, frameNumbers(statistics(frame * 100, 0.1)));
    Plots plots(&history);
    plots.resize(600, 400);
    plots.setRange(1, 10);
    QSignalSpy clicked(&plots, &Plots::frameClicked);
    QTest::mouseClick(&plots, Qt::LeftButton, {}, QPoint(599, 100));
    ASSERT_EQ(clicked.size(), 1);
    EXPECT_EQ(clicked[0][0].toInt(), 10);
}

TEST_F(Views, TheLogFiltersBySeverityNodeAndWords)
{
    LogView log(&runtime);
    log.resize(700, 300);
    log.show();
    server.notify("log", {{"severity", "info"}, {"message", "Reading meshes"}});
    server.notify("log", {{"severity", "warning"}, {"node", "bunny"}, {"message", "Five holes"}});
    server.notify("log", {{"severity", "error"}, {"node", "solver"}, {"message", "It diverged"}});
    ASSERT_TRUE(waitUntil([&] { return log.model()->rowCount() == 3; }));
    auto* words = log.findChild<QLineEdit*>();
    QTest::keyClicks(words, QStringLiteral("bun hole"));
    EXPECT_EQ(log.shownRows(), 1);
    words->clear();
    const auto buttons = log.findChildren<QToolButton*>();
    for (QToolButton* button : buttons)
        if (button->isCheckable() && button->text() == QStringLiteral("Errors"))
            QTest::mouseClick(button, Qt::LeftButton);
    EXPECT_EQ(log.shownRows(), 2);
    QSignalSpy node(&log, &LogView::nodeClicked);
    auto* table = log.findChild<QTableView*>();
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                      table->visualRect(table->model()->index(1, 2)).center());
    ASSERT_EQ(node.size(), 1);
    EXPECT_EQ(node[0][0].toString(), QStringLiteral("bunny"));
}

TEST_F(Views, TheLogIsBounded)
{
    LogModel model;
    for (int i = 0; i < LogModel::kMaxLines + 500; ++i)
        model.add({client::LogLine::Severity::Info, {}, QString::number(i), {}});
    EXPECT_EQ(model.rowCount(), LogModel::kMaxLines);
    EXPECT_EQ(model.data(model.index(0, LogModel::Message), Qt::DisplayRole),
              QStringLiteral("500"));
}

TEST_F(Views, ProgressNamesFrameAndNodeAndCancels)
{
    QWidget window;
    ProgressStrip strip(&runtime, &window);
    strip.setRange(1, 48);
    window.show();
    EXPECT_FALSE(strip.isVisible());
    run("running");
    server.notify("run.progress", {{"frame", 12}, {"node", "solver"}, {"fraction", 0.5}});
    ASSERT_TRUE(waitUntil([&] { return strip.text().contains(QStringLiteral("12")); }));
    EXPECT_TRUE(strip.text().contains(QStringLiteral("solver")));
    EXPECT_TRUE(strip.isVisible());
    QTest::mouseClick(strip.findChild<QPushButton*>(), Qt::LeftButton);
    EXPECT_TRUE(waitUntil([&] { return server.count("run.stop") == 1; }));
    server.notify("run.state",
                  {{"state", "failed"}, {"node", "solver"}, {"message", "It <b>burst"}});
    ASSERT_TRUE(waitUntil([&] { return strip.text().contains(QStringLiteral("burst")); }));
    EXPECT_TRUE(strip.text().contains(QStringLiteral("&lt;b&gt;"))); // text, not markup
}

TEST_F(Views, ALostRuntimeIsRestartedByOneClick)
{
    QWidget window;
    ProgressStrip strip(&runtime, &window);
    window.show();
    server.hangUp();
    ASSERT_TRUE(waitUntil([&] { return runtime.state() == Runtime::State::Lost; }));
    EXPECT_TRUE(strip.isVisible());
    QTest::mouseClick(strip.findChild<QPushButton*>(), Qt::LeftButton);
    EXPECT_TRUE(waitUntil([&] { return runtime.state() == Runtime::State::Ready; }));
    EXPECT_FALSE(strip.isVisible());
}

struct Table : Views {
    QTableView view;
    TableModel model{&runtime};

    Table()
    {
        server.replies["value.table"] = [](const Json& params) {
            Json rows = Json::array();
            const int offset = params["offset"], count = params["count"];
            for (int i = offset; i < std::min(offset + count, 100'000); ++i)
                rows.push_back(
                    {params.value("descending", false) ? 99'999 - i : i, i * 0.5, "snow"});
            return Json{{"columns", {"id", "x", "material"}}, {"rows", rows}, {"total", 100'000}};
        };
        view.setModel(&model);
        view.resize(500, 300);
        view.show();
        model.setSource(QStringLiteral("solver"), QStringLiteral("particles"), 3);
        EXPECT_TRUE(waitUntil([&] { return model.rowCount() == 100'000; }));
    }
    QString text(int row, int column)
    {
        return model.data(model.index(row, column), Qt::DisplayRole).toString();
    }
};

TEST_F(Table, OnlyPagesThatAreSeenAreFetched)
{
    EXPECT_EQ(text(3, 1), QStringLiteral("1.5"));
    EXPECT_EQ(text(3, 2), QStringLiteral("snow"));
    const int before = server.count("value.table");
    EXPECT_LE(before, 2);
    view.scrollToBottom();
    ASSERT_TRUE(waitUntil([&] { return text(99'999, 0) == QStringLiteral("99999"); }));
    EXPECT_LE(server.count("value.table"), before + 3);
}

TEST_F(Table, TheRuntimeSorts)
{
    model.sort(0, Qt::DescendingOrder);
    ASSERT_TRUE(waitUntil([&] { return text(0, 0) == QStringLiteral("99999"); }));
    EXPECT_EQ((*server.last("value.table"))["sort"], "id");
}

TEST_F(Table, AHostileTotalIsNoMemory)
{
    server.replies["value.table"] = [](const Json&) {
        return Json{
            {"columns", {"a"}}, {"rows", {{1}, 5, Json::object(), {{"x"}}}}, {"total", 1e18}};
    };
    model.setSource(QStringLiteral("solver"), QStringLiteral("particles"), 4);
    ASSERT_TRUE(waitUntil([&] { return model.columnCount() == 1; }));
    EXPECT_EQ(model.rowCount(), TableModel::kMaxRows);
    EXPECT_EQ(text(0, 0), QStringLiteral("1"));
}

TEST_F(Views, TheSpreadsheetSaysThatAFrameIsNotSimulatedYet)
{
    auto types = std::make_shared<graph::TypeLibrary>();
    types->addManifestFile(FLOE_SOURCE_DIR "/plugins/shapes/plugin.json");
    types->addManifestFile(FLOE_SOURCE_DIR "/plugins/mpm/plugin.json");
    editor::Document document(types);
    document.addNode({}, "floe.mpm.solver", {});
    Spreadsheet sheet(&runtime, &document);
    sheet.setFrame(7);
    sheet.show();
    EXPECT_TRUE(waitUntil([&] { return sheet.summary() == "Frame 7 is not simulated yet."; }))
        << sheet.summary().toStdString();
}

// A document with errors has no values of its own: those shown are of the one before, and it says
// so.
TEST_F(Views, TheSpreadsheetSaysWhenItsSceneIsTheOneBefore)
{
    auto types = std::make_shared<graph::TypeLibrary>();
    types->addManifestFile(FLOE_SOURCE_DIR "/plugins/shapes/plugin.json");
    editor::Document document(types);
    document.addNode({}, "floe.shape.sphere", {});
    server.replies["value.table"] = [](const Json&) {
        return Json{{"columns", {"x"}}, {"rows", {{1}}}, {"total", 1}};
    };
    Spreadsheet sheet(&runtime, &document);
    sheet.show();
    ASSERT_TRUE(waitUntil([&] { return sheet.summary().contains("1"); }));
    EXPECT_FALSE(sheet.summary().contains("errors")) << sheet.summary().toStdString();
    const auto answer = [&](Json faults) {
        server.replies["document.set"] = [faults](const Json&) {
            return Json{{"revision", 1}, {"faults", faults}};
        };
        runtime.setDocument(Json::object(), {});
    };
    answer(
        {{{"severity", "error"}, {"node", "ball"}, {"cause", "is broken"}, {"cure", "mend it"}}});
    EXPECT_TRUE(waitUntil([&] { return sheet.summary().contains("errors"); }))
        << sheet.summary().toStdString();
    answer(Json::array());
    EXPECT_TRUE(waitUntil([&] { return !sheet.summary().contains("errors"); }));
    server.hangUp();
    EXPECT_TRUE(waitUntil([&] { return sheet.summary().contains("not running"); }))
        << sheet.summary().toStdString();
}

TEST(Manual, ShowsEveryNodeTypeThereIs)
{
    auto types = std::make_shared<graph::TypeLibrary>();
    const std::string file = std::string(FLOE_SOURCE_DIR) + "/plugins/colliders/plugin.json";
    ASSERT_TRUE(types->addManifestFile(file).empty());
    ManualView manual;
    manual.setTypes(types);
    ASSERT_TRUE(manual.showNode(QStringLiteral("floe.collider")));
    EXPECT_TRUE(manual.text().contains(QStringLiteral("friction")));
    EXPECT_FALSE(manual.showNode(QStringLiteral("no.such.type")));
    EXPECT_EQ(manual.current(), QStringLiteral("floe.collider"));
}

/// What a translation of a page has in common with it, in order: the levels of its headings, where
/// its links and pictures lead, how many rows its tables have, and its blocks of code.
QStringList skeletonOf(const QString& page)
{
    QFile file(ManualView::folder() + QLatin1Char('/') + page);
    EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << page.toStdString();
    static const QRegularExpression heading(QStringLiteral("^#+ ")),
        link(QStringLiteral("!?\\[[^]]*\\]\\([^)]+\\)")), label(QStringLiteral("\\[[^]]*\\]"));
    QStringList skeleton;
    bool code = false;
    const QStringList lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'));
    for (const QString& line : lines) {
        if (line.startsWith(QLatin1String("```"))) {
            code = !code;
            skeleton << line;
        } else if (code) {
            skeleton << line;
        } else if (const auto found = heading.match(line); found.hasMatch()) {
            skeleton << found.captured();
        } else if (line.startsWith(QLatin1Char('|'))) {
            skeleton << QStringLiteral("|");
        }
        for (auto links = link.globalMatch(line); !code && links.hasNext();)
            skeleton << links.next().captured().remove(label);
    }
    return skeleton;
}

TEST(Manual, EveryPageHasItsFrenchOne)
{
    const QStringList pages = QDir(ManualView::folder()).entryList({QStringLiteral("*.md")});
    int translated = 0;
    for (const QString& page : pages) {
        if (page.endsWith(QLatin1String(".fr.md")))
            continue;
        const QString french = page.chopped(3) + QStringLiteral(".fr.md");
        ASSERT_TRUE(pages.contains(french)) << french.toStdString();
        EXPECT_EQ(skeletonOf(french), skeletonOf(page)) << page.toStdString();
        ++translated;
    }
    EXPECT_EQ(2 * translated, pages.size()) << "a French page without an English one";
}

TEST(Manual, PagesAndTheirPicturesAreThere)
{
    ManualView manual;
    ASSERT_FALSE(ManualView::folder().isEmpty());
    for (const char* page : {"index", "snow_on_a_collider", "mixing_materials", "your_own_capture",
                             "writing_a_plugin", "parameters", "time_and_pictures", "keys"}) {
        manual.showPage(QLatin1String(page));
        EXPECT_GT(manual.text().size(), 300) << page;
        EXPECT_FALSE(manual.text().contains(QStringLiteral("not installed"))) << page;
        QFile file(ManualView::folder() + QStringLiteral("/%1.md").arg(QLatin1String(page)));
        ASSERT_TRUE(file.open(QIODevice::ReadOnly));
        static const QRegularExpression link(QStringLiteral("\\]\\(([^):]+)\\)"));
        auto links = link.globalMatch(QString::fromUtf8(file.readAll()));
        while (links.hasNext()) {
            const QString target = links.next().captured(1);
            EXPECT_TRUE(QFile::exists(ManualView::folder() + QLatin1Char('/') + target))
                << page << ": " << target.toStdString();
        }
    }
    manual.showPage(QStringLiteral("../../etc/passwd"));
    EXPECT_TRUE(manual.text().contains(QStringLiteral("not installed")));
}

} // namespace
