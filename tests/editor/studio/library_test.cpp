// The library: pictures of presets and assets, dragged into network and viewport; and the preview
// that the panel shows of a node.
#include "studio_fixture.hpp"

#include "app/node_preview.hpp"
#include "document/presets.hpp"
#include "panels/parameter_panel.hpp"
#include "shell/library_panel.hpp"
#include "views/node_handles.hpp"
#include "views/picture_area.hpp"
#include "views/viewport.hpp"

#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMimeData>
#include <QToolButton>

#include <memory>

namespace floe::test {
namespace {

class Library : public WithTheRuntime {
protected:
    static Json scene()
    {
        return Json::parse(R"json({
            "floe": 1, "range": {"start": 1, "end": 3, "fps": 24},
            "nodes": {
                "ball": {"type": "floe.shape.sphere", "parameters": {"radius": 0.3, "center": [0, 0.5, 0]},
                         "layout": {"x": 0, "y": 0}},
                "jello": {"type": "floe.material", "parameters": {"law": "neoHookean"}, "layout": {"x": 0, "y": 110}},
                "body": {"type": "floe.emitter", "layout": {"x": 260, "y": 20}},
                "solver": {"type": "floe.mpm.solver", "parameters": {"cellSize": 0.05},
                           "layout": {"x": 520, "y": 0}}
            },
            "links": [
                {"from": "ball.shape", "to": "body.shape"},
                {"from": "jello.material", "to": "body.material"},
                {"from": "body.emitter", "to": "solver.emitters"}
            ]})json");
    }

    editor::LibraryPanel& library()
    {
        editor::LibraryPanel& panel = *window->library();
        auto* dock = window->findChild<QDockWidget*>("dock.library");
        dock->show();
        dock->raise();
        EXPECT_TRUE(until([&] { return panel.isVisible(); }));
        return panel;
    }
    /// The only entry of that name.
    QListWidgetItem* entry(const QString& words, const QString& label)
    {
        editor::LibraryPanel& panel = library();
        panel.groups()->setCurrentIndex(0);
        panel.field()->setText(words);
        const auto found = panel.list()->findItems(label, Qt::MatchExactly);
        EXPECT_FALSE(found.isEmpty()) << label.toStdString();
        return found.isEmpty() ? nullptr : found.front();
    }
    /// Drops what is dragged out of the list.
    void drop(QListWidgetItem* item, QWidget* onto, QPoint at)
    {
        const QListWidget* list = library().list();
        const std::unique_ptr<QMimeData> data(
            list->model()->mimeData({list->model()->index(list->row(item), 0)}));
        QDragEnterEvent enter(at, Qt::CopyAction, data.get(), Qt::LeftButton, {});
        QApplication::sendEvent(onto, &enter);
        EXPECT_TRUE(enter.isAccepted());
        QDropEvent drop(at, Qt::CopyAction, data.get(), Qt::LeftButton, {});
        QApplication::sendEvent(onto, &drop);
        EXPECT_TRUE(drop.isAccepted());
    }
    static QString savePicture(QWidget& widget, const QString& name)
    {
        const QString pictures = QStringLiteral(FLOE_BINARY_DIR "/pictures/editor");
        QDir().mkpath(pictures);
        const QString file = pictures + '/' + name;
        return widget.grab().save(file) ? file : QString();
    }
    static int colours(const QImage& image)
    {
        QSet<QRgb> seen;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                seen.insert(image.pixel(x, y));
        return int(seen.size());
    }
    editor::Canvas* canvas() { return window->canvas(); }
    QString lawOf(const std::string& node)
    {
        return QString::fromStdString(document().value({}, node, "law").get<std::string>());
    }
};

TEST_F(Library, EveryPresetThatNamesAPictureHasIt)
{
    int pictures = 0, previews = 0;
    for (const graph::NodeType* type : document().types().all()) {
        if (!type->preview.empty()) {
            ++previews;
            const auto scene = graph::Document::load(type->preview);
            const auto& nodes = scene.graph.nodes;
            EXPECT_TRUE(std::any_of(nodes.begin(), nodes.end(), [&](const graph::Node& node) {
                return node.name == "shown" && node.type == type->type;
            })) << type->preview;
        }
        for (const graph::Preset& preset : type->presets) {
            EXPECT_EQ(preset.picture.empty(), type->preview.empty())
                << type->type << " " << preset.name;
            if (preset.picture.empty())
                continue;
            ++pictures;
            const QImage image(QString::fromStdString(preset.picture));
            EXPECT_EQ(image.size(), QSize(240, 160)) << preset.picture;
        }
    }
    EXPECT_GE(previews, 6);
    EXPECT_GE(pictures, 31);
}

TEST_F(Library, ShowsPicturesAndFindsByName)
{
    open(scene());
    editor::LibraryPanel& panel = library();
    EXPECT_GT(panel.list()->count(), 60);
    EXPECT_EQ(panel.list()->item(0)->data(Qt::UserRole).toString(),
              canvas()->libraryEntries().front().id);
    EXPECT_FALSE(canvas()->libraryEntries().front().picture.isEmpty());
    const auto icon = [](const QListWidgetItem* item) {
        return item->icon().pixmap(96, 64).toImage();
    };
    const QImage snow = icon(entry("snow", "Snow")), water = icon(entry("water", "Water"));
    EXPECT_GT(colours(snow), 500) << "a picture, not a drawing";
    EXPECT_NE(snow, water);
    EXPECT_LT(colours(icon(entry("gravity", "Gravity"))), 100) << "its category's drawing";

    panel.field()->clear();
    const int group = panel.groups()->findText("Materials");
    ASSERT_GT(group, 0);
    panel.groups()->setCurrentIndex(group);
    emit panel.groups()->activated(group);
    EXPECT_EQ(panel.list()->findItems("Gravity", Qt::MatchExactly).size(), 0);
    EXPECT_GE(panel.list()->count(), 20);
    EXPECT_FALSE(savePicture(*window, "library.png").isEmpty());
}

TEST_F(Library, APresetGoesToTheNodeItIsDroppedOn)
{
    open(scene());
    canvas()->frameAll();
    const QString before = lawOf("jello");
    drop(entry("snow", "Snow"), canvas(), canvas()->nodePoint("jello"));
    EXPECT_EQ(lawOf("jello"), "snow");
    document().undo().undo();
    EXPECT_EQ(lawOf("jello"), before) << "one step";

    // On an emitter it goes to the material that feeds it alone ...
    const std::size_t count = document().content().graph.nodes.size();
    drop(entry("sand", "Sand"), canvas(), canvas()->nodePoint("body"));
    EXPECT_EQ(lawOf("jello"), "druckerPrager");
    EXPECT_EQ(document().content().graph.nodes.size(), count);
    // ... and of one that others use too, a new one takes the place.
    const std::string other = document().addNode({}, "floe.emitter", {260, 200});
    ASSERT_TRUE(document().link({}, {{"jello", "material"}, {other, "material"}}));
    drop(entry("snow", "Snow"), canvas(), canvas()->nodePoint("body"));
    EXPECT_EQ(lawOf("jello"), "druckerPrager");
    ASSERT_TRUE(document().node({}, "snow"));
    const auto& links = document().content().graph.links;
    EXPECT_TRUE(std::any_of(links.begin(), links.end(), [](const graph::Link& link) {
        return link.from.node == "snow" && link.to.node == "body";
    }));
    document().undo().undo();
    EXPECT_FALSE(document().node({}, "snow"));
    EXPECT_TRUE(std::any_of(links.begin(), links.end(), [](const graph::Link& link) {
        return link.from.node == "jello" && link.to.node == "body";
    }));

    // Beside all nodes it is put down.
    canvas()->frameAll();
    const QPoint free(canvas()->width() / 2, canvas()->height() - 20);
    drop(entry("water", "Water"), canvas(), free);
    ASSERT_TRUE(document().node({}, "water"));
    EXPECT_EQ(lawOf("jello"), "druckerPrager");
}

// A solver has two streams: which of them becomes sand is asked in a menu.
TEST_F(Library, WhereSeveralTakeAMatterAMenuAsks)
{
    open(scene());
    const std::string second = document().addNode({}, "floe.emitter", {260, 200}),
                      matter = document().addNode({}, "floe.material", {0, 300});
    ASSERT_TRUE(document().link({}, {{matter, "material"}, {second, "material"}}));
    ASSERT_TRUE(document().link({}, {{second, "emitter"}, {"solver", "emitters"}}));
    const QString before = lawOf("jello");
    canvas()->frameAll();
    drop(entry("sand", "Sand"), canvas(), canvas()->nodePoint("solver"));
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    ASSERT_NE(menu, nullptr);
    QStringList names;
    for (QAction* action : menu->actions())
        if (!action->isSeparator())
            names += action->text();
    EXPECT_EQ(names, QStringList({"body", QString::fromStdString(second)}));
    EXPECT_NE(document().value({}, matter, "law"), "druckerPrager") << "nothing is done before";
    QAction* chosen = menu->actions().back();
    QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(chosen).center());
    EXPECT_EQ(document().value({}, matter, "law"), "druckerPrager");
    EXPECT_EQ(lawOf("jello"), before);
    document().undo().undo();
    EXPECT_NE(document().value({}, matter, "law"), "druckerPrager") << "one step";
}

TEST_F(Library, InTheViewportThingsStandWhereTheyAreDropped)
{
    open(scene());
    auto* viewport = window->findChild<views::Viewport*>();
    views::PictureArea* area = viewport->area();
    ASSERT_TRUE(until([&] { return !area->picture().isNull(); }));
    const QPoint at(area->width() / 4, area->height() * 3 / 4);
    const auto ground = area->camera().onLevel(0, at, area->size());
    ASSERT_TRUE(ground);
    drop(entry("sphere", "Sphere"), area, at);
    ASSERT_TRUE(until([&] { return document().node({}, "sphere") != nullptr; }));
    const auto handles = views::handlesOf(document(), {}, "sphere", 1);
    ASSERT_FALSE(handles.points.empty());
    EXPECT_NEAR(handles.points.front().place[0], (*ground)[0], 2e-3);
    EXPECT_NEAR(handles.points.front().place[1], handles.halfHeight(), 2e-3);
    EXPECT_GT(handles.halfHeight(), 0);
    EXPECT_NEAR(handles.points.front().place[2], (*ground)[2], 2e-3);
    document().undo().undo();
    EXPECT_FALSE(document().node({}, "sphere")) << "one step";

    // A ready scene comes whole.
    drop(entry("flag", "Flag"), area, at);
    ASSERT_TRUE(until([&] { return document().node({}, "cloth") || document().node({}, "flag"); }));
    document().undo().undo();
    EXPECT_EQ(document().content().graph.nodes.size(), 4u) << "one step";

    // Matter goes to the body that is hit.
    ASSERT_TRUE(playToTheEnd());
    viewport->setFrame(1, false);
    const auto body = area->camera().project({0, 0.5, 0}, area->size());
    ASSERT_TRUE(body);
    drop(entry("water", "Water"), area, body->toPoint());
    ASSERT_TRUE(until([&] { return document().undo().index() > 0; }));
    EXPECT_EQ(lawOf("jello"), "liquid");
    EXPECT_FALSE(document().node({}, "water"));
}

TEST_F(Library, AnAssetKeepsAPictureOfWhatWasSeen)
{
    open(scene());
    auto* viewport = window->findChild<views::Viewport*>();
    ASSERT_TRUE(until([&] { return !viewport->area()->picture().isNull(); }));
    canvas()->select({"ball", "body", "jello"});
    ASSERT_TRUE(canvas()->saveAsset("Seen ball"));
    const QString file = editor::Canvas::assetFolder() + "/Seen ball.jpg";
    EXPECT_EQ(QImage(file).size(), QSize(240, 160));
    QListWidgetItem* item = entry("seen ball", "Seen ball");
    ASSERT_TRUE(item);
    EXPECT_GT(colours(item->icon().pixmap(96, 64).toImage()), 40);
    const QString id = item->data(Qt::UserRole).toString();
    const std::size_t count = document().content().graph.nodes.size();
    emit library().chosen(id); // as a double click does
    EXPECT_EQ(document().content().graph.nodes.size(), count + 1);
}

TEST_F(Library, ThePanelShowsWhatTheValuesMakeOfANode)
{
    open(scene());
    editor::NodePreview& preview = studio->preview();
    window->findChild<QDockWidget*>("dock.parameters")->raise();
    EXPECT_FALSE(preview.isVisible());
    canvas()->select({"jello"});
    ASSERT_TRUE(until([&] { return preview.isVisible(); }));
    ASSERT_TRUE(until([&] { return preview.isComplete(); })) << preview.note().toStdString();
    const QImage jello = preview.picture();
    EXPECT_GT(colours(jello), 200);

    for (const graph::Preset& preset : document().typeOf({}, "jello")->presets)
        if (preset.name == "sand")
            editor::applyPreset(document(), {}, {"jello"},
                                {document().typeOf({}, "jello"), &preset});
    EXPECT_FALSE(preview.isComplete());
    ASSERT_TRUE(until([&] { return preview.isComplete(); })) << preview.note().toStdString();
    EXPECT_NE(preview.picture(), jello);
    EXPECT_FALSE(savePicture(*window, "preview.png").isEmpty());

    // What makes no sense is said, not drawn.
    document().setParameter({}, "jello", "density", Json{{"expr", "ball.nothing"}});
    ASSERT_TRUE(until([&] { return preview.isComplete(); })) << "taken as it is by default";

    // Frames that are there already are shown again.
    document().undo().undo();
    ASSERT_TRUE(until([&] { return preview.isComplete(); })) << preview.note().toStdString();

    canvas()->select({"ball"}); // has none
    EXPECT_TRUE(until([&] { return !preview.isVisible(); }));

    // The menu of presets has the pictures, too.
    canvas()->select({"jello"});
    const auto* panel = window->findChild<panels::ParameterPanel*>();
    ASSERT_TRUE(panel->presetButton()->menu());
    for (const QAction* action : panel->presetButton()->menu()->actions())
        EXPECT_FALSE(action->icon().isNull()) << action->text().toStdString();
}

} // namespace
} // namespace floe::test
