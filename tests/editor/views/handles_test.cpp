#include "handles_fixture.hpp"

#include "floe/base/rotation.hpp"

#include <QAction>
#include <QDir>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace {

using namespace floe;
using namespace floe::views;

constexpr double kDegrees = 180 / std::numbers::pi;

TEST_F(Handles, RingsTurnANodeInOneStep)
{
    const std::string box = select("floe.shape.box");
    ASSERT_TRUE(viewport.turnTool->isEnabled());
    QTest::keyClick(area, Qt::Key_E);
    ASSERT_EQ(area->handles().tool(), HandleTools::Tool::Turn);
    const int before = document.undo().count();
    // The ring about z is seen as a circle of 74 pixels: a quarter of the way around is 90 degrees.
    drag(centre + QPoint(52, 52), centre + QPoint(52, -52), Qt::LeftButton);
    const Vec3 turned = vector(box, "rotation");
    EXPECT_NEAR(turned[2], 90, 2) << "counter-clockwise, as it is seen";
    EXPECT_EQ(turned[0], 0);
    EXPECT_EQ(document.undo().count(), before + 1);
    document.undo().undo();
    EXPECT_EQ(vector(box, "rotation"), Vec3{});
}

// About the world's axes, whatever the node is turned by before: the angles are those of both.
TEST_F(Handles, RingsTurnAboutTheAxesOfTheWorld)
{
    const std::string box = select("floe.shape.box");
    document.setParameter({}, box, "rotation", {90, 0, 0});
    QTest::keyClick(area, Qt::Key_E);
    pull(centre + QPoint(52, 52), centre + QPoint(52, -52), Qt::ControlModifier);
    letGo();
    const UnitQuaternion made = orientationOf(vector(box, "rotation"));
    // First what stood up comes to lie along z, then a quarter turn about z, which leaves it there.
    const Vec3 y = rotated(made, {0, 1, 0}), x = rotated(made, {1, 0, 0});
    EXPECT_NEAR(y[2], 1, 1e-6);
    EXPECT_NEAR(std::abs(std::atan2(x[1], x[0]) * kDegrees), 90, 1e-6) << "Ctrl: whole 15 degrees";
}

TEST_F(Handles, BoxesOnTheFacesMakeABoxLarger)
{
    const std::string box = select("floe.shape.box");
    QTest::keyClick(area, Qt::Key_R);
    const QPoint face(int(std::lround(0.5 / pixel)), 0); // its right one
    drag(centre + face, centre + face + QPoint(50, 7), Qt::LeftButton);
    const Vec3 size = vector(box, "size");
    EXPECT_NEAR(size[0], 1 + 2 * 50 * pixel, 2 * pixel) << "the face stays under the mouse";
    EXPECT_EQ(size[1], 1);
    EXPECT_EQ(size[2], 1);
    EXPECT_EQ(vector(box, "center"), Vec3{}) << "the middle stays";
    drag(centre, centre + QPoint(74, 0), Qt::LeftButton);
    EXPECT_NEAR(vector(box, "size")[1], 2, 0.05) << "the one in the middle changes all alike";
}

TEST_F(Handles, RadiusAndHeightAreDraggedToo)
{
    const std::string cylinder = select("floe.shape.cylinder");
    document.setParameter({}, cylinder, "height", 1.5);
    QTest::keyClick(area, Qt::Key_R);
    const QPoint rim(int(std::lround(0.5 / pixel)), 0), top(0, -int(std::lround(0.75 / pixel)));
    drag(centre + rim, centre + rim + QPoint(30, 0), Qt::LeftButton);
    EXPECT_NEAR(number(cylinder, "radius"), 0.5 + 30 * pixel, 2 * pixel);
    drag(centre + top, centre + top + QPoint(0, -20), Qt::LeftButton);
    EXPECT_NEAR(number(cylinder, "height"), 1.5 + 2 * 20 * pixel, 2 * pixel);
    const QPoint now(0, -int(std::lround(0.5 * number(cylinder, "height") / pixel)));
    pull(centre + now, centre + now + QPoint(0, 300)); // beyond the middle
    letGo();
    EXPECT_LT(number(cylinder, "height"), 0.1);
    EXPECT_GE(number(cylinder, "height"), 1e-5) << "not below what the manifest allows";
}

TEST_F(Handles, ANumberTypedMeanwhileIsTheNumber)
{
    const std::string ball = select("floe.shape.sphere");
    pull(centre + QPoint(40, 0), centre + QPoint(60, 0));
    QTest::keyClicks(area, "-1,25");
    EXPECT_EQ(vector(ball, "center")[0], -1.25);
    QTest::keyClick(area, Qt::Key_Backspace);
    EXPECT_EQ(vector(ball, "center")[0], -1.2);
    QTest::keyClick(area, Qt::Key_Return);
    letGo();
    EXPECT_EQ(vector(ball, "center")[0], -1.2) << "the mouse no longer moves it";
    QTest::keyClick(area, Qt::Key_R);
    document.setParameter({}, ball, "center", {0, 0, 0});
    const QPoint rim(int(std::lround(0.5 / pixel)), 0);
    pull(centre + rim, centre + rim + QPoint(20, 0));
    QTest::keyClicks(area, "0.75");
    letGo();
    EXPECT_EQ(number(ball, "radius"), 0.75);
}

TEST_F(Handles, EscapePutsItBack)
{
    const std::string ball = select("floe.shape.sphere");
    const int before = document.undo().index();
    pull(centre + QPoint(40, 0), centre + QPoint(90, 0));
    ASSERT_NE(vector(ball, "center")[0], 0);
    QTest::keyClick(area, Qt::Key_Escape);
    letGo();
    EXPECT_EQ(vector(ball, "center"), Vec3{});
    EXPECT_EQ(document.undo().index(), before);
}

TEST_F(Handles, SnappingGoesInReadableSteps)
{
    const std::string ball = select("floe.shape.sphere");
    const auto isStep = [&](double value) { // of 12 pixels or a little more, 1, 2 or 5 to the ten
        const double step = snapStep(12 * pixel);
        return std::abs(value / step - std::round(value / step)) < 1e-9;
    };
    drag(centre + QPoint(40, 0), centre + QPoint(87, 0), Qt::LeftButton);
    EXPECT_FALSE(isStep(vector(ball, "center")[0])) << "else this shows nothing";
    document.setParameter({}, ball, "center", {0, 0, 0});
    pull(centre + QPoint(40, 0), centre + QPoint(87, 0), Qt::ControlModifier);
    letGo();
    EXPECT_TRUE(isStep(vector(ball, "center")[0])) << vector(ball, "center")[0];
    document.setParameter({}, ball, "center", {0, 0, 0});
    viewport.snapping->trigger();
    drag(centre + QPoint(40, 0), centre + QPoint(87, 0), Qt::LeftButton);
    EXPECT_TRUE(isStep(vector(ball, "center")[0]));
    EXPECT_GT(vector(ball, "center")[0], 0);
}

// The rings are where the node is turned about; its position is what the arrows write.
TEST_F(Handles, APivotMovesTheHandles)
{
    const std::string moved = select("floe.shape.transform");
    document.setParameter({}, moved, "pivot", {1, 0, 0});
    const QPoint there(int(std::lround(1 / pixel)), 0);
    drag(centre + there + QPoint(0, -40), centre + there + QPoint(0, -80), Qt::LeftButton);
    EXPECT_NEAR(vector(moved, "translation")[1], 40 * pixel, pixel);
    EXPECT_EQ(vector(moved, "translation")[0], 0);
    EXPECT_EQ(vector(moved, "pivot"), Vec3({1, 0, 0}));
    document.setParameter({}, moved, "translation", {0, 0, 0});
    drag(centre + there + QPoint(0, -40), centre + there + QPoint(0, -80), Qt::LeftButton,
         Qt::ShiftModifier);
    EXPECT_NEAR(vector(moved, "pivot")[1], 40 * pixel, pixel);
    EXPECT_EQ(vector(moved, "translation"), Vec3{});
}

// A camera has a place for its eye and one for what it looks at: a click on the other one takes it.
TEST_F(Handles, OtherPointsOfANodeAreTakenByAClick)
{
    const std::string camera = document.addNode({}, "floe.camera", {});
    document.setParameter({}, camera, "eye", {-0.8, 0, 0});
    document.setParameter({}, camera, "target", {0.8, 0, 0});
    drag({400, 200}, {420, 200}, Qt::LeftButton); // away from what the camera sees
    area->setCamera(lookingAt({0, 0, 5}, {0, 0, 0}, 40));
    pixel = area->camera().metresPerPixel({0, 0, 0}, area->height());
    viewport.setSelection({}, camera, QString::fromStdString(camera));
    showPicture();
    const QPoint target(int(std::lround(0.8 / pixel)), 0);
    drag(centre + target, centre + target + QPoint(0, -50), Qt::LeftButton);
    EXPECT_NEAR(vector(camera, "target")[1], 50 * pixel, pixel);
    EXPECT_EQ(vector(camera, "eye"), Vec3({-0.8, 0, 0}));
}

// A plugin's manifest says by which handle a parameter with a name of its own is taken.
TEST_F(Handles, AManifestGivesHandlesToParametersOfAnyName)
{
    auto types = std::make_shared<graph::TypeLibrary>();
    const auto faults = types->addManifest(
        Json::parse(R"({"format": 1, "id": "studio.tools", "version": "1.0", "library": "tools",
        "abi": {"major": 1, "minor": 0}, "nodes": [{"type": "studio.tools.fan", "parameters": [
        {"name": "hub", "type": "vector", "default": [0, 0, 0], "handle": "position"},
        {"name": "tilt", "type": "vector", "default": [0, 0, 0], "handle": "rotation"},
        {"name": "radius", "type": "float", "default": 1, "handle": "none"},
        {"name": "blade", "type": "float", "default": 0.5, "min": 0, "max": 2,
         "handle": "radius"}]}]})"),
        "studio.tools/plugin.json");
    ASSERT_TRUE(faults.empty());
    document.setTypes(types);
    const std::string fan = select("studio.tools.fan");
    EXPECT_EQ(area->handles().node().extents.size(), 1u);
    QTest::keyClick(area, Qt::Key_R);
    const QPoint rim(int(std::lround(0.5 / pixel)), 0);
    drag(centre + rim, centre + rim + QPoint(300, 0), Qt::LeftButton);
    EXPECT_EQ(number(fan, "blade"), 2) << "as far as it goes";
    QTest::keyClick(area, Qt::Key_E);
    drag(centre + QPoint(52, 52), centre + QPoint(52, -52), Qt::LeftButton);
    EXPECT_NEAR(vector(fan, "tilt")[2], 90, 2);
}

// The wind blows along x at 5 m/s, in the middle of the view; the tip is led a quarter around.
TEST_F(Handles, ATipTurnsADirectionInOneStep)
{
    const std::string wind = select("floe.force.wind");
    ASSERT_TRUE(area->hasHandle());
    const int before = document.undo().count();
    drag(aside(arrow(), 0), aside(0, arrow()), Qt::LeftButton);
    const Vec3 blown = vector(wind, "velocity");
    EXPECT_NEAR(blown[0], 0, 0.2);
    EXPECT_NEAR(blown[1], 5, 0.05);
    EXPECT_NEAR(length(blown), 5, 0.01) << "as fast as before";
    EXPECT_EQ(document.undo().count(), before + 1);
    drag(centre, centre + QPoint(40, 40), Qt::LeftButton);
    EXPECT_EQ(vector(wind, "velocity"), blown) << "it has nothing to be moved by";
    area->setCamera(lookingAt({0, 0, 5}, {0, 0, 0}, 40));
    document.undo().undo();
    EXPECT_EQ(vector(wind, "velocity"), Vec3({5, 0, 0}));
}

// Beyond the edge of the sphere the tip goes on around it, away from the viewer.
TEST_F(Handles, ATipGoesAroundTheEdgeOfItsSphere)
{
    const std::string wind = select("floe.force.wind");
    document.setParameter({}, wind, "velocity", {0, 0, 5}); // towards the viewer
    pull(aside(0, 0), aside(0.5 * arrow(), 0));
    letGo();
    const Vec3 half = vector(wind, "velocity");
    EXPECT_GT(half[2], 4);
    const auto tip = area->camera().project(half * (arrow() * pixel / length(half)), area->size());
    pull(tip.value().toPoint(), tip.value().toPoint() + QPoint(int(arrow()), 0));
    letGo();
    const Vec3 behind = vector(wind, "velocity");
    EXPECT_NEAR(behind[0], 2.5, 0.2);
    EXPECT_LT(behind[2], -4);
}

TEST_F(Handles, ATipSnapsTypesAndIsPutBack)
{
    const std::string wind = select("floe.force.wind");
    pull(aside(arrow(), 0), aside(arrow() * std::cos(0.6), arrow() * std::sin(0.6)),
         Qt::ControlModifier);
    letGo();
    Vec3 blown = vector(wind, "velocity");
    EXPECT_NEAR(std::atan2(blown[1], blown[0]) * kDegrees, 30, 0.05) << "34 degrees are pulled";
    document.setParameter({}, wind, "velocity", {5, 0, 0});
    pull(aside(arrow(), 0), aside(arrow() * std::cos(0.6), arrow() * std::sin(0.6)));
    QTest::keyClicks(area, "90");
    blown = vector(wind, "velocity");
    EXPECT_NEAR(blown[1], 5, 0.15) << "so many degrees, to where the mouse is";
    QTest::keyClick(area, Qt::Key_Escape);
    letGo();
    EXPECT_EQ(vector(wind, "velocity"), Vec3({5, 0, 0}));
}

// Light with numbers of at most 1, at the place that a node has, and none where there is no length.
TEST_F(Handles, ADirectionStaysWithinItsRangeAndIsAtItsNodesPlace)
{
    auto types = std::make_shared<graph::TypeLibrary>();
    const auto faults = types->addManifest(
        Json::parse(R"({"format": 1, "id": "studio.tools", "version": "1.0", "library": "tools",
        "abi": {"major": 1, "minor": 0}, "nodes": [{"type": "studio.tools.lamp", "parameters": [
        {"name": "position", "type": "vector", "default": [1, 0, 0]},
        {"name": "direction", "type": "vector", "default": [0.8, 0.8, 0], "min": -1, "max": 1},
        {"name": "push", "type": "vector", "default": [0, 0, 0], "handle": "direction"}]}]})"),
        "studio.tools/plugin.json");
    ASSERT_TRUE(faults.empty());
    document.setTypes(types);
    const std::string lamp = select("studio.tools.lamp");
    ASSERT_EQ(area->handles().node().directions.size(), 1u) << "none without a length";
    const double right = 1 / pixel, half = arrow() * std::sqrt(0.5);
    pull(aside(right + half, half), aside(right, arrow()));
    letGo();
    const Vec3 shines = vector(lamp, "direction");
    EXPECT_NEAR(shines[1], 1, 1e-3) << "1.13 long would be too long";
    EXPECT_NEAR(shines[0], 0, 0.05);
    document.setParameter({}, lamp, "push", {0, 2, 0});
    EXPECT_EQ(area->handles().node().directions.size(), 2u);
}

// What is under the mouse is lit. The pictures are for people to look at: build/pictures/editor.
TEST_F(Handles, WhatIsUnderTheMouseIsLit)
{
    document.setParameter({}, select("floe.shape.cylinder"), "rotation", {0, 0, 30});
    area->setCamera(lookingAt({2, 2, 4}, {0, 0, 0}, 40));
    const auto seen = [&](const Vec3& point) {
        return area->camera().project(point, area->size()).value().toPoint();
    };
    const std::tuple<int, const char*, QPoint> tools[] = {
        {Qt::Key_W, "move", seen({0.2, 0, 0})},
        {Qt::Key_E, "rotate", centre + QPoint(87, 0)}, // on the ring around the others
        {Qt::Key_R, "scale", seen({0.433, 0.25, 0})}}; // on the rim, turned by 30 degrees
    for (const auto& [key, name, at] : tools) {
        QTest::keyClick(area, Qt::Key(key));
        const auto lit = [&] {
            const QImage image = area->grab().toImage().convertToFormat(QImage::Format_RGB32);
            std::ptrdiff_t count = 0;
            for (int y = 0; y < image.height(); ++y) {
                const auto* line = reinterpret_cast<const QRgb*>(image.constScanLine(y));
                count += std::count(line, line + image.width(), kHandleLit.rgb());
            }
            return count;
        };
        EXPECT_EQ(lit(), 0) << name << ": the tool before had lit its own";
        QMouseEvent move(QEvent::MouseMove, at, area->mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                         {});
        QApplication::sendEvent(area, &move);
        EXPECT_GT(lit(), 20) << name;
        const QString folder = QStringLiteral(FLOE_BINARY_DIR "/pictures/editor");
        QDir().mkpath(folder);
        EXPECT_TRUE(viewport.grab().save(folder + QStringLiteral("/handles_%1.png").arg(name)));
    }
}

// A node without a rotation keeps its arrows; the ring comes back with a node that has one.
TEST_F(Handles, WithoutWhatAHandleTurnsTheArrowsStay)
{
    select("floe.shape.box");
    QTest::keyClick(area, Qt::Key_E);
    select("floe.shape.sphere");
    EXPECT_FALSE(viewport.turnTool->isEnabled());
    EXPECT_EQ(area->handles().tool(), HandleTools::Tool::Move);
    select("floe.shape.box");
    EXPECT_EQ(area->handles().tool(), HandleTools::Tool::Turn);
}

} // namespace
