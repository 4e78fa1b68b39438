#include "handles_fixture.hpp"

#include <QDir>
#include <QSignalSpy>
#include <QUndoStack>

#include <cmath>

namespace {

using namespace floe;
using namespace floe::views;

/// Handles of lengths and points of all kinds, and where transforms take them.
struct PlacedHandles : Handles {
    /// Where a place is seen, from the front.
    QPoint at(double x, double y) const { return aside(x / pixel, y / pixel); }
    void take(const QString& name) { viewport.setSelection({}, name.toStdString(), name); }
    std::string add(const char* type) { return document.addNode({}, type, {}); }
    void link(const std::string& from, const char* output, const std::string& to, const char* input)
    {
        ASSERT_TRUE(document.link({}, {{from, output}, {to, input}}));
    }
    /// For people to look at.
    void keepPicture(const char* name)
    {
        const QString folder = QStringLiteral(FLOE_BINARY_DIR "/pictures/editor");
        QDir().mkpath(folder);
        EXPECT_TRUE(viewport.grab().save(folder + QStringLiteral("/handles_%1.png").arg(name)));
    }
};

TEST_F(PlacedHandles, ATubeIsMadeThickerAroundItsRing)
{
    const std::string torus = select("floe.shape.torus");
    document.setParameter({}, torus, "tubeRadius", 0.25);
    QTest::keyClick(area, Qt::Key_R);
    keepPicture("torus");
    drag(at(0.5, 0.25), at(0.5, 0.25) + QPoint(0, -20), Qt::LeftButton);
    EXPECT_NEAR(number(torus, "tubeRadius"), 0.25 + 20 * pixel, 2 * pixel);
    EXPECT_EQ(number(torus, "radius"), 0.5);
    drag(at(0.5, 0), at(0.5, 0) + QPoint(20, 0), Qt::LeftButton);
    EXPECT_NEAR(number(torus, "radius"), 0.5 + 20 * pixel, 2 * pixel);
}

TEST_F(PlacedHandles, AHeightFieldHasALengthToEachSideAndRisesOrFalls)
{
    const std::string hills = select("floe.shape.heightfield");
    document.setParameter({}, hills, "sizeX", 2);
    document.setParameter({}, hills, "sizeZ", 1);
    QTest::keyClick(area, Qt::Key_R);
    keepPicture("height_field");
    drag(at(1, 0), at(1, 0) + QPoint(20, 0), Qt::LeftButton);
    EXPECT_NEAR(number(hills, "sizeX"), 2 + 2 * 20 * pixel, 2 * pixel)
        << "the edge under the mouse";
    EXPECT_EQ(number(hills, "sizeZ"), 1);
    drag(at(0, 0.4), at(0, 0.4) + QPoint(0, 80), Qt::LeftButton);
    EXPECT_NEAR(number(hills, "height"), 0.4 - 80 * pixel, 2 * pixel) << "below the place";
    area->setCamera(lookingAt({5, 0, 0}, {0, 0, 0}, 40)); // z to the left
    drag(at(-0.5, 0), at(-0.5, 0) + QPoint(-30, 0), Qt::LeftButton);
    EXPECT_NEAR(number(hills, "sizeZ"), 1 + 2 * 30 * pixel, 2 * pixel);
}

// The ends of a rope are numbers before it is turned and moved; they are dragged where they hang.
TEST_F(PlacedHandles, TheEndsOfARopeAreDraggedWhereTheyAre)
{
    const std::string rope = select("floe.pbd.rope");
    document.setParameter({}, rope, "position", {0.5, 0, 0});
    document.setParameter({}, rope, "rotation", {0, 0, 90}); // x leads up
    document.setParameter({}, rope, "to", {0.6, 1, 0});
    keepPicture("rope");
    drag(at(-0.5, 0.6), at(-0.5, 0.6) + QPoint(30, 0), Qt::LeftButton);
    const Vec3 to = vector(rope, "to");
    EXPECT_NEAR(to[0], 0.6, pixel);
    EXPECT_NEAR(to[1], 1 - 30 * pixel, 2 * pixel);
    EXPECT_EQ(vector(rope, "from"), Vec3({-1, 1, 0}));
    EXPECT_EQ(vector(rope, "position"), Vec3({0.5, 0, 0}));
}

TEST_F(PlacedHandles, ABoxOfPinsIsMovedAndMadeLarger)
{
    const std::string cloth = select("floe.pbd.cloth");
    EXPECT_EQ(area->handles().node().extents.size(), 0u) << "pins of no box";
    document.setParameter({}, cloth, "pinned", "box");
    document.setParameter({}, cloth, "pinCenter", {0.5, 0.5, 0});
    drag(at(0.5, 0.5), at(0.5, 0.5) + QPoint(0, -30), Qt::LeftButton);
    EXPECT_NEAR(vector(cloth, "pinCenter")[1], 0.5 + 30 * pixel, 2 * pixel);
    document.setParameter({}, cloth, "pinCenter", {0.5, 0.5, 0});
    QTest::keyClick(area, Qt::Key_R);
    keepPicture("pins");
    drag(at(1, 0.5), at(1, 0.5) + QPoint(20, 0), Qt::LeftButton);
    EXPECT_NEAR(vector(cloth, "pinSize")[0], 1 + 2 * 20 * pixel, 2 * pixel);
    EXPECT_EQ(vector(cloth, "pinSize")[1], 1);
}

// A ball, poured by an emitter that a transform moves, turns by a quarter and makes twice as large.
TEST_F(PlacedHandles, AShapeHasItsHandleWhereATransformTakesIt)
{
    const std::string ball = select("floe.shape.sphere"), emitter = add("floe.emitter"),
                      motion = add("floe.transform");
    link(ball, "shape", emitter, "shape");
    document.setParameter({}, motion, "position", {0.7, 0, 0});
    document.setParameter({}, motion, "rotation", {0, 0, 90});
    document.setParameter({}, motion, "scale", 2);
    drag(at(0.7, 0) + QPoint(0, -40), at(0.7, 0) + QPoint(0, -80), Qt::LeftButton);
    EXPECT_EQ(vector(ball, "center"), Vec3{}) << "nothing is there before the link";
    area->setCamera(lookingAt({0, 0, 5}, {0, 0, 0}, 40));
    link(motion, "transform", emitter, "transform");
    keepPicture("transformed");

    const int before = document.undo().count();
    drag(at(0.7, 0) + QPoint(0, -40), at(0.7, 0) + QPoint(0, -80), Qt::LeftButton);
    Vec3 center = vector(ball, "center");
    EXPECT_NEAR(center[0], 40 * pixel / 2, pixel) << "its x leads up there, and is twice as long";
    EXPECT_EQ(center[1], 0);
    EXPECT_EQ(document.undo().count(), before + 1);
    document.setParameter({}, ball, "center", {0, 0, 0});
    QTest::keyClick(area, Qt::Key_R);
    drag(at(0.7, 1), at(0.7, 1) + QPoint(0, -20), Qt::LeftButton);
    EXPECT_NEAR(number(ball, "radius"), 0.5 + 10 * pixel, 2 * pixel);

    document.setParameter({}, motion, "position", {{"expr", "[frame, 0, 0]"}});
    EXPECT_FALSE(area->hasHandle()) << "an expression says where it is";
    document.undo().undo();
    EXPECT_TRUE(area->hasHandle());
}

// Two colliders of one box: its handles stand at one of them, and go to the other.
TEST_F(PlacedHandles, WhatIsAtTwoPlacesIsTakenHoldOfAtEither)
{
    const std::string box = select("floe.shape.box"), left = add("floe.collider"),
                      right = add("floe.collider");
    for (const std::string& wall : {left, right}) {
        link(box, "shape", wall, "shape");
        link(box, "mesh", wall, "mesh");
    }
    document.setParameter({}, left, "position", {-0.8, 0, 0});
    document.setParameter({}, right, "position", {0.8, 0, 0});
    document.setParameter({}, right, "rotation", {0, 0, 90}); // x leads up
    keepPicture("two_places");
    drag(at(-0.8, 0) + QPoint(40, 0), at(-0.8, 0) + QPoint(70, 0), Qt::LeftButton);
    EXPECT_NEAR(vector(box, "center")[0], 30 * pixel, pixel);
    document.undo().undo();

    const int before = document.undo().count();
    QTest::mouseClick(area, Qt::LeftButton, {}, at(0.8, 0));
    keepPicture("other_place");
    drag(at(0.8, 0) + QPoint(0, -40), at(0.8, 0) + QPoint(0, -70), Qt::LeftButton);
    EXPECT_NEAR(vector(box, "center")[0], 30 * pixel, pixel) << "its x leads up there";
    EXPECT_NEAR(vector(box, "center")[1], 0, pixel);
    EXPECT_EQ(document.undo().count(), before);
    document.setParameter({}, box, "center", {0, 0, 0});

    QTest::keyClick(area, Qt::Key_R);
    drag(at(-0.8, 0), at(-0.8, 0), Qt::LeftButton);
    drag(at(-0.8, 0.5), at(-0.8, 0.5) + QPoint(0, -20), Qt::LeftButton);
    EXPECT_NEAR(vector(box, "size")[1], 1 + 2 * 20 * pixel, 2 * pixel) << "with another tool, too";

    document.setParameter({}, left, "position", {{"expr", "[frame, 0, 0]"}});
    ASSERT_TRUE(area->hasHandle()) << "the other one follows no expression";
    EXPECT_EQ(area->handles().node().spaces.size(), 1u);
}

// A click on one of its places selects it, and its handles are there.
TEST_F(PlacedHandles, HandlesComeToTheClick)
{
    const std::string box = select("floe.shape.box"), left = add("floe.collider"),
                      right = add("floe.collider");
    for (const std::string& wall : {left, right})
        link(box, "shape", wall, "shape");
    document.setParameter({}, left, "position", {-0.8, 0, 0});
    document.setParameter({}, right, "position", {0.8, 0, 0});
    server.replies["view.pick"] = [&](const Json&) {
        return Json{{"node", box}, {"position", {0.7, 0.2, 0.1}}};
    };
    QSignalSpy picked(&viewport, &Viewport::nodePicked);
    QTest::mouseClick(area, Qt::LeftButton, {}, at(0.7, 0.2));
    ASSERT_TRUE(waitUntil([&] { return picked.size() == 1; }));
    drag(at(0.8, 0) + QPoint(40, 0), at(0.8, 0) + QPoint(60, 0), Qt::LeftButton);
    EXPECT_NEAR(vector(box, "center")[0], 20 * pixel, pixel);
}

// The collider turns the box by a quarter; what is turned about z then is so about its own z.
TEST_F(PlacedHandles, RingsTurnWhatAColliderHasTurned)
{
    const std::string box = select("floe.shape.box"), wall = add("floe.collider");
    link(box, "shape", wall, "shape");
    document.setParameter({}, wall, "position", {0.5, 0, 0});
    document.setParameter({}, wall, "rotation", {0, 90, 0}); // own x is the world's -z
    QTest::keyClick(area, Qt::Key_E);
    // The ring that is seen as a circle is the one about the box's own x.
    drag(at(0.5, 0) + QPoint(52, 52), at(0.5, 0) + QPoint(52, -52), Qt::LeftButton);
    const Vec3 turned = vector(box, "rotation");
    EXPECT_NEAR(std::abs(turned[0]), 90, 2);
    EXPECT_NEAR(turned[1], 0, 0.2);
    EXPECT_NEAR(turned[2], 0, 0.2);
    EXPECT_EQ(vector(wall, "rotation"), Vec3({0, 90, 0}));
    take(QString::fromStdString(wall));
    QTest::keyClick(area, Qt::Key_W);
    drag(at(0.5, 0) + QPoint(0, -40), at(0.5, 0) + QPoint(0, -70), Qt::LeftButton);
    EXPECT_NEAR(vector(wall, "position")[1], 30 * pixel, pixel) << "its own place is the world's";
}

// Through a stretched shape the mouse still leads what it holds.
TEST_F(PlacedHandles, AStretchedSpaceIsFollowedByTheMouse)
{
    const std::string ball = select("floe.shape.sphere"), longer = add("floe.shape.transform");
    link(ball, "shape", longer, "shape");
    document.setParameter({}, longer, "scale", {1, 3, 1});
    document.setParameter({}, ball, "center", {0.2, 0.2, 0});
    drag(at(0.2, 0.6), at(0.2, 0.6) + QPoint(30, -60), Qt::LeftButton);
    const Vec3 center = vector(ball, "center");
    EXPECT_NEAR(center[0], 0.2 + 30 * pixel, 2 * pixel);
    EXPECT_NEAR(center[1], 0.2 + 60 * pixel / 3, 2 * pixel);
}

// A plugin's manifest asks for the same: a point, a length around it, an input that is moved.
TEST_F(PlacedHandles, AManifestAsksForPointsLengthsAboutThemAndSpaces)
{
    auto types = std::make_shared<graph::TypeLibrary>();
    const auto faults = types->addManifest(
        Json::parse(R"({"format": 1, "id": "studio.tools", "version": "1.0", "library": "tools",
        "abi": {"major": 1, "minor": 0}, "nodes": [
        {"type": "studio.tools.nozzle", "outputs": [{"name": "nozzle", "kind": "studio.nozzle"}],
         "parameters": [
            {"name": "place", "type": "vector", "default": [0, 0, 0], "handle": "position"},
            {"name": "mouth", "type": "vector", "default": [0.5, 0.4, 0], "handle": "point"},
            {"name": "width", "type": "float", "default": 0.6, "handle": "width",
             "about": "mouth"}]},
        {"type": "studio.tools.arm",
         "inputs": [{"name": "nozzle", "kind": "studio.nozzle", "moved": true}],
         "parameters": [
            {"name": "at", "type": "vector", "default": [0, 0.5, 0], "handle": "position"}]}]})"),
        "studio.tools/plugin.json");
    ASSERT_TRUE(faults.empty());
    document.setTypes(types);
    const std::string nozzle = select("studio.tools.nozzle"), arm = add("studio.tools.arm");
    link(nozzle, "nozzle", arm, "nozzle");
    drag(at(0.5, 0.9), at(0.5, 0.9) + QPoint(0, -30), Qt::LeftButton);
    EXPECT_NEAR(vector(nozzle, "mouth")[1], 0.4 + 30 * pixel, 2 * pixel);
    EXPECT_EQ(vector(nozzle, "place"), Vec3{});
    document.setParameter({}, nozzle, "mouth", {0.5, 0.4, 0});
    QTest::keyClick(area, Qt::Key_R);
    drag(at(0.8, 0.9), at(0.8, 0.9) + QPoint(20, 0), Qt::LeftButton);
    EXPECT_NEAR(number(nozzle, "width"), 0.6 + 2 * 20 * pixel, 2 * pixel);
}

} // namespace
