#include "fake_server.hpp"

#include "document/document.hpp"
#include "panels/curve_view.hpp"
#include "panels/parameter_panel.hpp"
#include "views/log_view.hpp"
#include "views/manual_view.hpp"
#include "views/picture_area.hpp"
#include "views/plots.hpp"
#include "views/progress_strip.hpp"
#include "views/spreadsheet.hpp"
#include "views/statistics_strip.hpp"
#include "views/timeline.hpp"
#include "views/viewport.hpp"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QFontDatabase>
#include <QPalette>
#include <QSet>
#include <QStyleFactory>
#include <QTest>

#include <gtest/gtest.h>

#include <cmath>

// Pictures of every view and panel, for people to look at: build/pictures/editor/*.png.

namespace {

using namespace floe;
using namespace floe::views;

editor::Types builtIn()
{
    auto types = std::make_shared<graph::TypeLibrary>();
    for (const QString& folder : QDir(QStringLiteral(FLOE_SOURCE_DIR "/plugins"))
                                     .entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        const QString file = QStringLiteral(FLOE_SOURCE_DIR "/plugins/%1/plugin.json").arg(folder);
        if (QFile::exists(file))
            types->addManifestFile(file.toStdString());
    }
    return types;
}

struct Gallery : ::testing::Test {
    FakeServer server;
    client::Runtime runtime;
    editor::Types types = builtIn();
    editor::Document document{types};

    Gallery()
    {
        QFile sheet(QStringLiteral(FLOE_SOURCE_DIR "/editor/themes/dark.qss"));
        QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
        QPalette dark;
        const auto set = [&](QPalette::ColorRole role, const char* colour) {
            dark.setColor(role, QColor(QLatin1String(colour)));
        };
        set(QPalette::Window, "#202328");
        set(QPalette::WindowText, "#d6dade");
        set(QPalette::Base, "#181a1e");
        set(QPalette::AlternateBase, "#202328");
        set(QPalette::Text, "#d6dade");
        set(QPalette::Button, "#363b43");
        set(QPalette::ButtonText, "#d6dade");
        set(QPalette::Mid, "#3a3f46");
        set(QPalette::Highlight, "#35618d");
        set(QPalette::HighlightedText, "#ffffff");
        set(QPalette::Link, "#6cb6ff");
        QApplication::setPalette(dark);
        if (sheet.open(QIODevice::ReadOnly))
            qApp->setStyleSheet(QString::fromUtf8(sheet.readAll()));
        QFont font(QStringLiteral("Inter"));
        font.setPixelSize(13);
        QApplication::setFont(font);
        document.load(QStringLiteral(FLOE_SOURCE_DIR "/graphs/first_snow.floe.json"));
        runtime.connectLocal(server.path());
        waitUntil([&] { return runtime.state() == client::Runtime::State::Ready; });
    }
    /// A picture with something in it; an empty or one-coloured one is a fault.
    void keep(QWidget& widget, const char* name, QSize size)
    {
        widget.resize(size);
        widget.show();
        EXPECT_TRUE(QTest::qWaitForWindowExposed(&widget));
        QTest::qWait(80);
        const QImage image = widget.grab().toImage();
        QSet<QRgb> colours;
        for (int y = 0; y < image.height(); y += 3)
            for (int x = 0; x < image.width(); x += 3)
                colours.insert(image.pixel(x, y));
        EXPECT_GT(colours.size(), 8) << name;
        QDir().mkpath(QStringLiteral(FLOE_BINARY_DIR "/pictures/editor"));
        EXPECT_TRUE(image.save(
            QStringLiteral(FLOE_BINARY_DIR "/pictures/editor/%1.png").arg(QLatin1String(name))));
    }
    void cache()
    {
        server.notify("cache.changed", {{"frames",
                                         {{{"first", 1}, {"last", 20}, {"state", "cached"}},
                                          {{"first", 21}, {"last", 31}, {"state", "stale"}},
                                          {{"first", 32}, {"last", 32}, {"state", "running"}},
                                          {{"first", 40}, {"last", 42}, {"state", "broken"}}}}});
        waitUntil([&] { return runtime.frames().size() == 4; });
    }
};

Json statistics(int frame)
{
    const double t = frame / 48.0;
    return {{"seconds", 0.8 + t},
            {"residentBytes", 4e8 + 3e8 * t},
            {"values",
             {{"solver",
               {{"particles", 458'900 * std::min(1.0, 2 * t)},
                {"activeParticles", 458'900 * std::min(1.0, 2 * t) * (1 - 0.7 * t * t)},
                {"substeps", 60 + 40 * std::sin(9 * t)},
                {"transferSeconds", 0.53 + 0.6 * t},
                {"gridSeconds", 0.1 + 0.1 * t},
                {"rebinSeconds", 0.05}}}}}};
}

TEST_F(Gallery, Parameters)
{
    panels::ParameterPanel panel(&document);
    panel.setNode({}, "snow");
    keep(panel, "panel_material", {380, 860});
    document.setParameter({}, "snow", "snowHardening", 14); // stays in sight
    document.setParameter({}, "snow", "law", "druckerPrager");
    keep(panel, "panel_idle", {380, 860});
    panel.setNodes({}, {"snow", "solver"});
    keep(panel, "panel_nothing_shared", {380, 300});
    panel.setNodes({}, {"wedge", "ground"});
    keep(panel, "panel_several", {380, 620});
    panel.setNode({}, "ball");
    document.setParameter(
        {}, "ball", "radius",
        {{"keys", {{1, 0.2, "bezier"}, {20, 0.45, "bezier"}, {40, 0.3, "linear"}}}});
    document.setParameter({}, "ball", "center", {0.03, {{"expr", "1 + 0.2 * sin(frame / 6)"}}, 0});
    document.setParameter({}, "ball", "voxelSize", -1);
    document.checkNow();
    panel.setFrame(20);
    panel.openCurves("radius");
    keep(panel, "panel_shape", {380, 620});
    panel.setNode({}, "solver");
    keep(panel, "panel_solver", {380, 860});
    panel.setNode({}, {});
    keep(panel, "panel_empty", {380, 300});
}

TEST_F(Gallery, Curves)
{
    panels::CurveView curves;
    curves.setRange(1, 48);
    curves.setFrame(18);
    curves.setTitle(QStringLiteral("stirrer.position"));
    curves.resize(700, 300);
    curves.setCurves(
        *panels::readChannels(
            {{{"keys",
               {{1, 0, "bezier"},
                {16, 1.2, "bezier", {-5, -0.4}, {5, 0.4}},
                {40, -0.5, "bezier"}}}},
             {{"keys", {{1, 0.4, "linear"}, {20, 0.9, "linear"}, {48, 0.2, "linear"}}}},
             {{"keys", {{6, -0.3, "step"}, {24, 0.2, "step"}, {36, -0.1, "step"}}}}},
            3),
        {QStringLiteral("x"), QStringLiteral("y"), QStringLiteral("z")});
    curves.show();
    curves.frameAll();
    QTest::mouseClick(curves.area(), Qt::LeftButton, {}, curves.place(16, 1.2).toPoint());
    keep(curves, "curves", {700, 300});
}

TEST_F(Gallery, Time)
{
    Timeline timeline(&runtime);
    timeline.setRange(1, 48, 24);
    cache();
    timeline.setFrame(17);
    timeline.setKeys({1, 20, 40});
    keep(timeline, "timeline", {1200, 48});
    History history(nullptr);
    for (int frame = 1; frame <= 32; ++frame)
        history.add(frame, frameNumbers(statistics(frame)));
    StatisticsStrip strip(&history);
    strip.setFrame(17);
    keep(strip, "statistics", {1200, 28});
    Plots plots(&history);
    plots.setRange(1, 48);
    plots.setFrame(17);
    keep(plots, "plots", {620, 560});
    ProgressStrip progress(&runtime);
    progress.setRange(1, 48);
    server.notify("run.state", {{"state", "running"}});
    server.notify("run.progress", {{"frame", 12}, {"node", "solver"}, {"fraction", 0.5}});
    waitUntil([&] { return progress.text().contains(QStringLiteral("12")); });
    QTest::qWait(700);
    server.notify("run.progress", {{"frame", 13}, {"node", "solver"}, {"fraction", 0.5}});
    waitUntil([&] { return progress.text().contains(QStringLiteral("13")); });
    keep(progress, "progress", {900, 36});
}

TEST_F(Gallery, Log)
{
    LogView log(&runtime);
    keep(log, "log_empty", {900, 220});
    server.notify("log", {{"severity", "info"}, {"message", "CPU, 2 threads; AVX-512"}});
    server.notify("log", {{"severity", "warning"},
                          {"node", "bunny"},
                          {"message", "The mesh has 5 holes, closed with flat patches"}});
    server.notify("log", {{"severity", "error"},
                          {"node", "solver"},
                          {"message", "Frame 12: a particle left the range of numbers; use a "
                                      "smaller time step or softer material"}});
    waitUntil([&] { return log.model()->rowCount() == 3; });
    keep(log, "log", {900, 220});
}

TEST_F(Gallery, Numbers)
{
    server.replies["value.table"] = [](const Json& params) {
        Json rows = Json::array();
        const int offset = params["offset"];
        for (int i = offset; i < offset + 200; ++i)
            rows.push_back({i, std::sin(i) * 0.3, 0.9 + std::cos(i * 1.7) * 0.3, 0.012 * i, 0.0,
                            -4.00012, 1.0 - 1e-5 * i, 3.2e-7});
        return Json{{"columns", {"id", "x.x", "x.y", "x.z", "v.x", "v.y", "J", "volume"}},
                    {"rows", rows},
                    {"total", 458'900}};
    };
    Spreadsheet sheet(&runtime, &document);
    sheet.setFrame(3);
    keep(sheet, "spreadsheet", {980, 360});
}

TEST_F(Gallery, View)
{
    document.clear();
    Viewport viewport(&runtime, &document);
    keep(viewport, "viewport_empty", {960, 540});
    document.load(QStringLiteral(FLOE_SOURCE_DIR "/graphs/first_snow.floe.json"));
    viewport.setSelection({}, "ball", "ball");
    QImage scene(QStringLiteral(FLOE_SOURCE_DIR "/graphs/pictures/scenes.jpg"));
    ASSERT_FALSE(scene.isNull());
    viewport.area()->setPicture(scene.copy(0, 0, scene.width() / 2, scene.height() / 2)
                                    .convertToFormat(QImage::Format_RGBA8888));
    client::Legend legend;
    legend.title = QStringLiteral("Speed  m/s");
    legend.map = QStringLiteral("viridis");
    legend.low = 0;
    legend.high = 6.25;
    viewport.area()->setLegend(legend);
    viewport.area()->setCorner(QStringLiteral("Frame 17  ·  960 × 505  ·  42 ms"));
    viewport.area()->setMessage({}, {});
    keep(viewport, "viewport", {960, 540});
    server.hangUp();
    waitUntil([&] { return runtime.state() == client::Runtime::State::Lost; });
    keep(viewport, "viewport_lost", {960, 540});
}

TEST_F(Gallery, Manual)
{
    ManualView manual;
    manual.setTypes(types);
    manual.showNode(QStringLiteral("floe.collider"));
    keep(manual, "manual_node", {1000, 700});
    manual.showPage(QStringLiteral("snow_on_a_collider"));
    keep(manual, "manual_tutorial", {1000, 700});
}

} // namespace
