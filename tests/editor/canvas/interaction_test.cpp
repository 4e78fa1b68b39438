#include "canvas/scene.hpp"
#include "floe/base/file.hpp"
#include "floe/base/json.hpp"
#include "on_the_canvas.hpp"
#include "temporary_folder.hpp"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QListWidget>
#include <QMenu>
#include <QScreen>

namespace floe::editor {
namespace {

// A graph that was written by hand has no places: its nodes do not lie on one heap, and laying them
// out is no change of the file.
TEST_F(OnTheCanvas, AGraphWithoutPlacesIsLaidOut)
{
    Json json = Json::parse(readFile(kSnow.toStdString()));
    for (auto& [name, node] : json["nodes"].items())
        node.erase("layout");
    const test::TemporaryFolder folder;
    document.load(QString::fromStdString(folder.file("hand.floe.json", json.dump()).string()));
    QTest::qWait(50);
    const auto& cards = canvas.scene().cards;
    ASSERT_GT(cards.size(), 5u);
    for (std::size_t a = 0; a < cards.size(); ++a)
        for (std::size_t b = a + 1; b < cards.size(); ++b)
            EXPECT_FALSE(cards[a].rect.intersects(cards[b].rect)) << cards[a].name << cards[b].name;
    EXPECT_FALSE(document.isModified());
    EXPECT_FALSE(document.undo().canUndo());
    document.load(kSnow); // one that has places keeps them
    const QPointF before = document.position("", "ball");
    QTest::qWait(50);
    EXPECT_EQ(document.position("", "ball"), before);
}

// While part is out of sight there is a map; a click on it goes there.
TEST_F(OnTheCanvas, TheMapLeadsAround)
{
    std::string far;
    for (int i = 0; i < 10; ++i)
        far = document.addNode("", "floe.collider", {i * 400.0, i * 300.0});
    canvas.setView(1, {60, 60});
    ASSERT_EQ(canvas.scene().cards.size(), 10u);
    const QRectF map = canvas.minimap();
    ASSERT_FALSE(map.isEmpty());
    EXPECT_FALSE(canvas.rect().contains(canvas.nodePoint(far)));
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, (map.bottomRight() - QPointF(20, 8)).toPoint());
    EXPECT_TRUE(canvas.rect().contains(canvas.nodePoint(far)));
    EXPECT_EQ(document.undo().count(), 10) << "nothing was moved";
    QTest::keyClick(&canvas, Qt::Key_M);
    EXPECT_TRUE(canvas.minimap().isEmpty());
    QTest::keyClick(&canvas, Qt::Key_M);
    canvas.frameAll();
    EXPECT_FALSE(canvas.minimap().isEmpty()) << "it was asked for, though everything is seen";
}

// By the keyboard alone: what is added belongs to what is selected, and covers nothing.
TEST_F(OnTheCanvas, WhatIsAddedIsLinkedToWhatIsSelected)
{
    const auto tab = [this](const char* words) {
        QTest::keyClick(&canvas, Qt::Key_Tab);
        QApplication::processEvents();
        QTest::keyClicks(canvas.searchPopup()->field(), words);
        QTest::keyClick(canvas.searchPopup()->field(), Qt::Key_Return);
        EXPECT_EQ(canvas.selection().size(), 1u) << words;
        return canvas.selection().empty() ? std::string() : canvas.selection().front();
    };
    const std::string ball = tab("sphere");
    const std::string emitter = tab("emitter");
    EXPECT_EQ(links(), 1u);
    EXPECT_GT(document.position("", emitter).x(), document.position("", ball).x());
    const std::string material = tab("material");
    EXPECT_EQ(links(), 2u) << "into the emitter's free input";
    EXPECT_LT(document.position("", material).x(), document.position("", emitter).x());
    EXPECT_EQ(document.undo().count(), 3) << "one step each";
    canvas.select({emitter});
    tab("mpm solver");
    EXPECT_EQ(links(), 3u);
    canvas.select({});
    tab("sphere");
    EXPECT_EQ(links(), 3u);
    const auto& cards = canvas.scene().cards;
    for (std::size_t i = 0; i < cards.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            EXPECT_FALSE(cards[i].rect.intersects(cards[k].rect))
                << cards[i].name << " covers " << cards[k].name;
    EXPECT_TRUE(canvas.rect().contains(canvas.nodePoint(canvas.selection().front())));
}

// What nobody uses yet is taken by what needs it: a scene without pulling a wire.
TEST_F(OnTheCanvas, NodesThatAreAddedTakeWhatIsFree)
{
    const auto tab = [this](const char* words) {
        canvas.select({});
        QTest::keyClick(&canvas, Qt::Key_Tab);
        QApplication::processEvents();
        QTest::keyClicks(canvas.searchPopup()->field(), words);
        QTest::keyClick(canvas.searchPopup()->field(), Qt::Key_Return);
        EXPECT_EQ(canvas.selection().size(), 1u) << words;
        return canvas.selection().empty() ? std::string() : canvas.selection().front();
    };
    const auto linked = [this](const std::string& from, const std::string& to) {
        const auto& all = document.content().graph.links;
        return std::any_of(all.begin(), all.end(), [&](const graph::Link& link) {
            return link.from.node == from && link.to.node == to;
        });
    };
    const std::string ball = tab("sphere"), snow = tab("material snow");
    EXPECT_EQ(snow, "snow") << "named after the preset";
    const std::string emitter = tab("emitter");
    EXPECT_TRUE(linked(ball, emitter) && linked(snow, emitter));
    const std::string plane = tab("plane"), ground = tab("collider");
    EXPECT_TRUE(linked(plane, ground));
    EXPECT_FALSE(linked(ball, ground)) << "it is in use";
    const std::string solver = tab("mpm solver");
    EXPECT_TRUE(linked(emitter, solver) && linked(ground, solver));
    EXPECT_EQ(links(), 6u) << "with the plane's mesh";
    const std::string gravity = tab("gravity");
    EXPECT_TRUE(linked(gravity, solver)) << "the only solver there is";
    EXPECT_EQ(document.undo().count(), 7) << "one step each";
    document.checkNow();
    EXPECT_FALSE(graph::anyError(document.faults()));

    // A second shape beside the selected emitter is not its velocity field.
    canvas.select({emitter});
    QTest::keyClick(&canvas, Qt::Key_Tab);
    QApplication::processEvents();
    QTest::keyClicks(canvas.searchPopup()->field(), "torus");
    QTest::keyClick(canvas.searchPopup()->field(), Qt::Key_Return);
    EXPECT_EQ(links(), 7u) << "with gravity's";

    // What is not clear is not guessed: two shapes are free, the emitter wants one.
    document.clear();
    tab("sphere");
    tab("box");
    tab("emitter");
    EXPECT_EQ(links(), 0u);
}

// A preset is found by its name, and the node has its values.
TEST_F(OnTheCanvas, PresetsAreFoundAsNodes)
{
    const std::string sand = add("sand", {0, 0});
    ASSERT_EQ(nodes(), 1u);
    EXPECT_EQ(document.node("", sand)->type, "floe.material");
    const graph::NodeType* type = document.typeOf("", sand);
    const auto preset = std::find_if(type->presets.begin(), type->presets.end(),
                                     [](const graph::Preset& one) { return one.name == "sand"; });
    ASSERT_NE(preset, type->presets.end());
    for (const auto& [parameter, value] : preset->values)
        EXPECT_EQ(document.value("", sand, parameter), Json::parse(graph::text(value)))
            << parameter;
    const std::string again = add("sand", {0, 300});
    EXPECT_EQ(again, "sand2");
    EXPECT_EQ(add("damp sand", {0, 600}), "damp_sand");
    EXPECT_EQ(nodes(), 3u);
    document.undo().undo();
    document.undo().undo();
    document.undo().undo();
    EXPECT_EQ(nodes(), 0u) << "one step each";
}

// All that is selected goes into the new node.
// By what the manifests say of their paths.
TEST_F(OnTheCanvas, AFileBecomesTheNodeThatReadsIt)
{
    const auto read = [this](const char* file) -> Json {
        if (!canvas.addReaderOf(file, {300, 200}))
            return nullptr;
        const graph::Node* node = document.node({}, canvas.selection().front());
        return Json{{"type", node->type}, {"parameters", node->parameters}};
    };
    const Json mesh = read("/models/Bunny.OBJ");
    EXPECT_EQ(mesh["type"], "floe.shape.mesh");
    EXPECT_EQ(mesh["parameters"]["path"], "/models/Bunny.OBJ");
    const Json hills = read("/maps/hills.png"); // heights come from noise otherwise
    EXPECT_EQ(hills["type"], "floe.shape.heightfield");
    EXPECT_EQ(hills["parameters"]["image"], "/maps/hills.png");
    EXPECT_EQ(hills["parameters"]["source"], "image");
    const Json sky = read("/maps/sky.exr"); // a light is a sun otherwise
    EXPECT_EQ(sky["type"], "floe.light");
    EXPECT_EQ(sky["parameters"]["image"], "/maps/sky.exr");
    EXPECT_EQ(sky["parameters"]["type"], "environment");
    EXPECT_EQ(read("/models/ball.vdb")["type"], "floe.shape.file");
    EXPECT_EQ(read("/scans/room.ply")["type"], "floe.shape.mesh"); // Gaussians come as .ply too
    EXPECT_EQ(read("/scans/room.spz")["type"], "floe.gaussians.file");
    EXPECT_TRUE(read("/music/song.mp3").is_null());
    document.undo().undo();
    EXPECT_EQ(document.content().graph.nodes.size(), 5u) << "one step each";
}

TEST_F(OnTheCanvas, WhatIsAddedTakesAllThatAreSelected)
{
    const std::string a = document.addNode("", "floe.shape.sphere", {0, 0});
    const std::string b = document.addNode("", "floe.shape.box", {0, 120});
    document.addNode("", "floe.shape.torus", {0, 240});
    canvas.select({a, b});
    QTest::keyClick(&canvas, Qt::Key_Tab);
    QApplication::processEvents();
    QTest::keyClicks(canvas.searchPopup()->field(), "union");
    QTest::keyClick(canvas.searchPopup()->field(), Qt::Key_Return);
    EXPECT_EQ(links(), 2u) << "and not the third";
}

// Shape, emitter, material, solver: built, saved, opened again, equal; and undone to nothing.
TEST_F(OnTheCanvas, ASceneIsBuiltFromNothing)
{
    const std::string ball = add("sphere", {0, 0});
    const std::string material = add("material", {0, 140});
    const std::string emitter = add("emitter", {260, 0});
    const std::string solver = add("mpm solver", {520, 0});
    const std::string gravity = add("gravity", {260, 180});
    ASSERT_EQ(nodes(), 5u);
    wire(ball, "shape", emitter, "shape");
    wire(material, "material", emitter, "material");
    wire(emitter, "emitter", solver, "emitters");
    wire(gravity, "force", solver, "forces");
    ASSERT_EQ(links(), 4u);
    document.checkNow();
    EXPECT_FALSE(graph::anyError(document.faults()))
        << (document.faults().empty() ? "" : document.faults()[0].text());

    const test::TemporaryFolder folder;
    const QString file = QString::fromStdString((folder / "a.floe.json").string());
    document.save(file);
    Document again(test::builtTypes());
    again.load(file);
    EXPECT_EQ(again.text(), document.text());
    while (document.undo().canUndo())
        document.undo().undo();
    EXPECT_EQ(nodes(), 0u);
    EXPECT_EQ(links(), 0u);
}

TEST_F(OnTheCanvas, AWireThatDoesNotFitIsRefusedWithTheReason)
{
    const std::string gravity = add("gravity", {0, 0});
    const std::string emitter = add("emitter", {300, 0});
    QString said;
    QObject::connect(&canvas, &Canvas::said, [&](const QString& text) { said = text; });
    wire(gravity, "force", emitter, "shape");
    EXPECT_EQ(links(), 0u);
    EXPECT_TRUE(said.contains("takes volume")) << said.toStdString();
}

// A collider without its shape's mesh works, but is not seen.
TEST_F(OnTheCanvas, AShapesMeshGoesWithIt)
{
    const std::string box = add("box", {0, 0});
    const std::string collider = add("collider", {300, 0});
    EXPECT_EQ(links(), 2u) << "found by itself";
    const std::vector<graph::Link> found = document.content().graph.links;
    document.unlink("", found);
    wire(box, "shape", collider, "shape");
    EXPECT_EQ(links(), 2u);
    document.undo().undo();
    EXPECT_EQ(links(), 0u) << "one step";
    canvas.select({collider});
    QTest::keyClick(&canvas, Qt::Key_Tab);
    QApplication::processEvents();
    QTest::keyClicks(canvas.searchPopup()->field(), "sphere");
    QTest::keyClick(canvas.searchPopup()->field(), Qt::Key_Return);
    EXPECT_EQ(links(), 2u) << "put before the collider";
}

TEST_F(OnTheCanvas, ASolverShowsThatItsFrameIsKept)
{
    document.load(kSnow);
    const auto state = [this](const char* node) {
        return canvas.scene().cards[std::size_t(canvas.scene().find(node))].status.state;
    };
    canvas.setFrameKept(true);
    EXPECT_EQ(state("solver"), NodeState::Cached);
    EXPECT_EQ(state("ball"), NodeState::Fine);
    canvas.setNodeStatus("solver", {NodeState::Cooking, {}, {}, 0.5});
    EXPECT_EQ(state("solver"), NodeState::Cooking);
    canvas.setNodeStatus("solver", {});
    canvas.setFrameKept(false);
    EXPECT_EQ(state("solver"), NodeState::Fine);
}

TEST_F(OnTheCanvas, ANodeTakesAColourFromAFewAndGivesItBack)
{
    const std::string box = add("box", {0, 0});
    canvas.select({box});
    const auto choose = [this](int index) {
        canvas.command("canvas.colour")->trigger();
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        ASSERT_NE(menu, nullptr);
        menu->actions()[index]->trigger();
        menu->close();
        QApplication::processEvents();
    };
    choose(2);
    EXPECT_TRUE(document.node("", box)->layout.contains("color"));
    choose(0);
    EXPECT_FALSE(document.node("", box)->layout.contains("color"));
}

TEST_F(OnTheCanvas, AWireIntoTheVoidOffersWhatFits)
{
    const std::string emitter = add("emitter", {0, 0});
    drag(canvas.socketPoint(emitter, true, "emitter"), canvas.toWidget({420, 60}).toPoint());
    ASSERT_TRUE(canvas.searchPopup()->isVisible());
    EXPECT_GT(canvas.searchPopup()->count(), 0);
    EXPECT_LT(canvas.searchPopup()->count(), int(document.types().all().size()) / 2);
    QTest::keyClicks(canvas.searchPopup()->field(), "solver");
    QTest::keyClick(canvas.searchPopup()->field(), Qt::Key_Return);
    EXPECT_EQ(nodes(), 2u);
    EXPECT_EQ(links(), 1u);
    document.undo().undo();
    EXPECT_EQ(nodes(), 1u) << "node and wire are one step";
}

TEST_F(OnTheCanvas, AWireTakenOffItsInputIsGone)
{
    document.load(kSnow);
    canvas.setView(1, {60, 200});
    const std::size_t before = links();
    drag(canvas.socketPoint("snowball", false, "shape"), canvas.toWidget({130, -60}).toPoint());
    EXPECT_EQ(links(), before - 1);
    EXPECT_FALSE(canvas.searchPopup()->isVisible());
}

TEST_F(OnTheCanvas, AGhostIsKeptWithTheScene)
{
    const std::string ball = add("sphere", {100, 100});
    ASSERT_FALSE(ball.empty());
    canvas.select({ball});
    canvas.setFocus();
    const QImage before = canvas.grab().toImage();
    QTest::keyClick(&canvas, Qt::Key_G, Qt::ShiftModifier);
    EXPECT_TRUE(document.isGhost({}, ball));
    EXPECT_EQ(document.ghosts(10), std::vector<std::string>{ball});
    EXPECT_NE(canvas.grab().toImage(), before) << "an eye on the card";
    EXPECT_NE(document.text().find("\"ghost\": true"), std::string::npos);
    const std::string instance = document.group({}, {ball}, "part");
    ASSERT_FALSE(instance.empty());
    EXPECT_EQ(document.ghosts(10), std::vector<std::string>{instance + "/" + ball});
    EXPECT_TRUE(document.ghosts(0).empty());
    document.undo().undo();
    document.undo().undo();
    EXPECT_TRUE(document.ghosts(10).empty());
}

TEST_F(OnTheCanvas, KeysWork)
{
    document.load(kSnow);
    canvas.setView(1, {60, 200});
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, canvas.nodePoint("gravity"));
    ASSERT_EQ(canvas.selection(), std::vector<std::string>{"gravity"});
    QTest::keyClick(&canvas, Qt::Key_D);
    EXPECT_TRUE(document.node("", "gravity")->bypass);
    QTest::keyClick(&canvas, Qt::Key_D);
    EXPECT_FALSE(document.node("", "gravity")->bypass);

    QTest::keyClick(&canvas, Qt::Key_F2);
    auto* field = canvas.findChild<QLineEdit*>("renameField");
    ASSERT_NE(field, nullptr);
    QTest::keyClicks(field, "pull");
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_NE(document.node("", "pull"), nullptr);
    EXPECT_EQ(canvas.selection(), std::vector<std::string>{"pull"});

    QTest::keyClick(&canvas, Qt::Key_D, Qt::ControlModifier);
    EXPECT_NE(document.node("", "pull2"), nullptr) << "duplicated";
    QTest::keyClick(&canvas, Qt::Key_Delete);
    EXPECT_EQ(document.node("", "pull2"), nullptr);

    QTest::mouseClick(&canvas, Qt::LeftButton, {}, canvas.nodePoint("ball"));
    QTest::keyClick(&canvas, Qt::Key_Right);
    EXPECT_EQ(canvas.selection(), std::vector<std::string>{"snowball"}) << "along the wire";

    QTest::keyClick(&canvas, Qt::Key_A, Qt::ControlModifier);
    EXPECT_EQ(canvas.selection().size(), nodes());
    QTest::keyClick(&canvas, Qt::Key_L, Qt::ShiftModifier); // tidy
    QTest::keyClick(&canvas, Qt::Key_C, Qt::ControlModifier);
    EXPECT_TRUE(QApplication::clipboard()->text().contains("floe.mpm.solver"));
    const std::size_t before = nodes();
    QTest::keyClick(&canvas, Qt::Key_V, Qt::ControlModifier);
    EXPECT_EQ(nodes(), 2 * before);

    QTest::keyClick(&canvas, Qt::Key_Tab);
    EXPECT_TRUE(canvas.searchPopup()->isVisible());
    QTest::keyClick(canvas.searchPopup()->field(), Qt::Key_Escape);
    EXPECT_FALSE(canvas.searchPopup()->isVisible());
}

TEST_F(OnTheCanvas, TheSearchIsWithinTheScreenAndItsRowsAreWhole)
{
    const QRect room = canvas.screen()->availableGeometry();
    const QPoint corner = canvas.mapFromGlobal(room.bottomRight());
    for (const QPointF at : {QPointF(100, 100), QPointF(corner)}) {
        canvas.openSearch(at);
        QApplication::processEvents();
        const SearchPopup& popup = *canvas.searchPopup();
        EXPECT_TRUE(room.contains(popup.frameGeometry()));
        const auto& list = *popup.findChild<QListWidget*>();
        ASSERT_GT(list.count(), 20);
        const int row = list.visualItemRect(list.item(0)).height();
        EXPECT_EQ(list.viewport()->height() % row, 0) << list.viewport()->height() << " " << row;
        EXPECT_GE(list.viewport()->height() / row, 8);
        QTest::keyClick(popup.field(), Qt::Key_Escape);
    }
}

TEST_F(OnTheCanvas, NodesAreDraggedAndBoxed)
{
    document.load(kSnow);
    document.moveNodes("", {{"ball", {-600, 0}}, {"snow", {-600, 110}}}); // left of all others
    canvas.setView(1, {700, 200});
    const QPointF before = document.position("", "ball");
    drag(canvas.nodePoint("ball"), canvas.nodePoint("ball") + QPoint(-40, -60));
    EXPECT_EQ(document.position("", "ball"), before + QPointF(-40, -60));
    EXPECT_EQ(document.undo().count(), 2);
    drag(canvas.toWidget({-650, -60 - 20}).toPoint(), canvas.toWidget({-410, 180}).toPoint());
    EXPECT_EQ(canvas.selection(), (std::vector<std::string>{"ball", "snow"}));
}

TEST_F(OnTheCanvas, AStrokeCutsWires)
{
    document.load(kSnow);
    canvas.setView(1, {60, 200});
    const std::size_t before = links();
    // between column one and two, across ball-snowball and snow-snowball
    const QPoint top = canvas.toWidget({196, -20}).toPoint(),
                 bottom = canvas.toWidget({196, 200}).toPoint();
    drag(top, bottom, Qt::RightButton, Qt::ControlModifier);
    EXPECT_EQ(links(), before - 2);
    document.undo().undo();
    EXPECT_EQ(links(), before);
    QTest::keyPress(&canvas, Qt::Key_Y);
    drag(top, bottom);
    QTest::keyRelease(&canvas, Qt::Key_Y);
    EXPECT_EQ(links(), before - 2);
}

TEST_F(OnTheCanvas, ANodeDroppedOnAWireIsInserted)
{
    const std::string ball = add("sphere", {0, 0});
    const std::string emitter = add("emitter", {560, 0});
    wire(ball, "shape", emitter, "shape");
    ASSERT_EQ(links(), 1u);
    std::string type;
    for (const graph::NodeType* one : document.types().all())
        if (!one->inputs.empty() && !one->outputs.empty() &&
            one->inputs[0].kinds == std::vector<std::string>{"volume"} &&
            one->outputs[0].kinds == std::vector<std::string>{"volume"})
            type = one->type;
    ASSERT_FALSE(type.empty());
    const std::string between = document.addNode("", type, {280, 300});
    drag(canvas.nodePoint(between), canvas.nodePoint(between) + QPoint(0, -270));
    EXPECT_EQ(links(), 2u);
    document.undo().undo();
    EXPECT_EQ(links(), 1u);
    EXPECT_EQ(document.position("", between), QPointF(280, 300));
}

TEST_F(OnTheCanvas, SubgraphsAreMadeEnteredAndLeft)
{
    document.load(kSnow);
    canvas.setView(1, {60, 200});
    canvas.select({"ball", "snow", "snowball"});
    QTest::keyClick(&canvas, Qt::Key_G, Qt::ControlModifier);
    ASSERT_EQ(canvas.selection().size(), 1u);
    const std::string group = canvas.selection().front();
    QTest::keyClick(&canvas, Qt::Key_I);
    EXPECT_EQ(canvas.trail(), QStringList{QString::fromStdString(group)});
    EXPECT_EQ(canvas.scene().cards.size(), 3u);
    QTest::keyClick(&canvas, Qt::Key_U);
    EXPECT_TRUE(canvas.trail().isEmpty());
    canvas.reveal(QString::fromStdString(group) + "/ball");
    EXPECT_EQ(canvas.selection(), std::vector<std::string>{"ball"});
    document.undo().undo(); // the subgraph is gone while it is shown
    EXPECT_TRUE(canvas.trail().isEmpty());
    EXPECT_EQ(canvas.scene().cards.size(), nodes());
}

TEST_F(OnTheCanvas, AGroupCoversNoOtherCard)
{
    const std::string left = add("sphere", {0, 0}), right = add("emitter", {600, 0});
    const std::string between = add("gravity", {300, 0});
    canvas.select({left, right});
    canvas.command("canvas.group")->trigger();
    const auto rect = [this](const std::string& name) {
        return canvas.scene().cards[std::size_t(canvas.scene().find(name))].rect;
    };
    ASSERT_EQ(canvas.selection().size(), 1u);
    EXPECT_FALSE(rect(canvas.selection().front()).intersects(rect(between)));
    document.undo().undo();
    EXPECT_EQ(nodes(), 3u) << "one step";
}

TEST_F(OnTheCanvas, ABendIsAddedMovedAndRemoved)
{
    document.load(kSnow);
    canvas.setView(1, {60, 200});
    const graph::Link link{{"gravity", "force"}, {"solver", "forces"}};
    const Wire& made = canvas.scene().wires[std::size_t(canvas.scene().findWire(link))];
    const QPoint middle = canvas.toWidget(made.path.pointAtPercent(0.5)).toPoint();
    QTest::mouseDClick(&canvas, Qt::LeftButton, {}, middle);
    ASSERT_EQ(document.bends("", link).size(), 1u);
    const QPoint at = canvas.toWidget(document.bends("", link)[0]).toPoint();
    drag(at, at + QPoint(0, 60));
    EXPECT_EQ(document.bends("", link)[0].y(), canvas.toScene(at).y() + 60);
    QTest::mouseDClick(&canvas, Qt::LeftButton, {},
                       canvas.toWidget(document.bends("", link)[0]).toPoint());
    EXPECT_TRUE(document.bends("", link).empty());
}

// The fault names "shape", which is an input of the node and an output.
TEST_F(OnTheCanvas, AnUnlinkedInputLeavesTheOutputOfItsNameAsItIs)
{
    const std::string moved = document.addNode({}, "floe.shape.transform", {100, 100});
    document.checkNow();
    canvas.select({});
    const auto redBeside = [&](bool output) { // in the socket's label
        const QPoint at = canvas.socketPoint(moved, output, "shape");
        const QImage seen =
            canvas.grab(QRect(output ? at.x() - 60 : at.x() + 9, at.y() - 8, 52, 16)).toImage();
        int red = 0;
        for (int y = 0; y < seen.height(); ++y)
            for (int x = 0; x < seen.width(); ++x) {
                const QColor colour = seen.pixelColor(x, y);
                red += colour.red() - (colour.green() + colour.blue()) / 2 > 60;
            }
        return red;
    };
    EXPECT_TRUE(QTest::qWaitFor([&] { return redBeside(false) > 20; })) << redBeside(false);
    EXPECT_EQ(redBeside(true), 0);
}

} // namespace
} // namespace floe::editor
