#include "viewport_fixture.hpp"

#include <QAction>
#include <QComboBox>
#include <QDir>
#include <QLineEdit>
#include <QLineF>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace {

using namespace floe;
using namespace floe::views;
using client::Runtime;

TEST(OrbitCamera, ProjectsAsAPinholeDoes)
{
    const auto camera = lookingAt({0, 0, 4}, {0, 0, 0}, 90);
    const QSizeF size(400, 200);
    EXPECT_EQ(*camera.project({0, 0, 0}, size), QPointF(200, 100));
    // At 90 degrees the upper edge is as high as the distance: 4 m.
    const QPointF top = *camera.project({0, 4, 0}, size);
    EXPECT_NEAR(top.y(), 0, 1e-9);
    const QPointF right = *camera.project({4, 0, 0}, size); // square pixels
    EXPECT_NEAR(right.x(), 300, 1e-9);
    EXPECT_FALSE(camera.project({0, 0, 5}, size)); // behind it
}

TEST(OrbitCamera, LooksFromTheEyeToTheTarget)
{
    const Vec3 eye{1.9, 1.25, 2.6}, target{0, 0.5, 0};
    const auto camera = lookingAt(eye, target, 36);
    EXPECT_NEAR(length(camera.eye() - eye), 0, 1e-9);
    EXPECT_NEAR(dot(camera.right(), camera.up()), 0, 1e-12);
    EXPECT_GT(camera.up()[1], 0);
}

// A camera node may look straight down, and be rolled about its line of sight.
TEST(OrbitCamera, SeesWithTheUpOfACamera)
{
    const auto down = OrbitCamera::lookingAt({{0, 5, 0}, {0, 0, 0}, {1, 0, 0}, 40});
    EXPECT_NEAR(length(down.eye() - Vec3{0, 5, 0}), 0, 1e-9);
    EXPECT_NEAR(length(down.up() - Vec3{1, 0, 0}), 0, 1e-9);
    EXPECT_NEAR(length(down.right() - Vec3{0, 0, 1}), 0, 1e-9);

    auto rolled = OrbitCamera::lookingAt({{0, 0, 4}, {0, 0, 0}, {1, 1, 0}, 40});
    EXPECT_NEAR(length(rolled.up() - Vec3{std::sqrt(0.5), std::sqrt(0.5), 0}), 0, 1e-9);
    rolled.orbit(10, 0);
    EXPECT_GT(rolled.up()[1], 0.99) << "who turns it stands upright";
}

TEST(OrbitCamera, PanningKeepsTheTargetUnderTheMouse)
{
    OrbitCamera camera = lookingAt({1, 2, 3}, {0, 0, 0}, 50);
    const QSizeF size(800, 600);
    camera.pan(37, -21, size.height());
    const QPointF moved = *camera.project({0, 0, 0}, size);
    EXPECT_NEAR(moved.x(), 400 + 37, 0.5); // exact at the target's depth, which hardly changed
    EXPECT_NEAR(moved.y(), 300 - 21, 0.5);
}

TEST(OrbitCamera, FramingSeesTheWholeBox)
{
    for (const double aspect : {0.5, 1.0, 2.4}) {
        OrbitCamera camera;
        const Vec3 low{-3, 0, -1}, high{2, 5, 6};
        camera.frame(low, high, aspect);
        const QSizeF size(600 * aspect, 600);
        for (int corner = 0; corner < 8; ++corner) {
            const Vec3 at{corner & 1 ? high[0] : low[0], corner & 2 ? high[1] : low[1],
                          corner & 4 ? high[2] : low[2]};
            const auto seen = camera.project(at, size);
            ASSERT_TRUE(seen);
            EXPECT_TRUE(QRectF(QPointF(), size).contains(*seen)) << aspect;
        }
    }
}

TEST(TranslateHandle, FollowsTheMouseAlongItsAxis)
{
    const OrbitCamera view = lookingAt({0, 0, 5}, {0, 0, 0}, 40);
    const Placement world;
    const SpaceCamera camera{view, world};
    const QSizeF size(800, 600);
    TranslateHandle handle;
    const QPointF onX = *camera.project({0, 0, 0}, size) + QPointF(40, 1);
    ASSERT_EQ(handle.hit(camera, size, onX), TranslateHandle::Part::X);
    handle.begin(TranslateHandle::Part::X, onX);
    const Vec3 moved = handle.drag(camera, size, {.mouse = onX + QPointF(60, 25)});
    EXPECT_NEAR(moved[0], 60 * camera.metresPerPixel({0, 0, 0}, 600), 1e-6);
    EXPECT_EQ(moved[1], 0);
    EXPECT_EQ(moved[2], 0);
    // The axis that points at the viewer cannot be taken.
    EXPECT_NE(handle.hit(camera, size, QPointF(400, 300)), TranslateHandle::Part::Z);
}

// What the camera sees of a box: from inside it, in part, and not at all.
TEST(OrbitCamera, KnowsWhetherABoxIsInSight)
{
    const auto camera = lookingAt({0, 0, 4}, {0, 0, 0}, 90);
    const QSizeF size(400, 200); // twice as wide as high: at a depth of 4 m, 8 m to either side
    EXPECT_TRUE(camera.seesBox({-1, -1, -1}, {1, 1, 1}, size));
    EXPECT_TRUE(camera.seesBox({-100, -100, -100}, {100, 100, 100}, size)) << "around it";
    EXPECT_TRUE(camera.seesBox({7, 0, 0}, {20, 1, 0}, size)) << "a part";
    EXPECT_FALSE(camera.seesBox({9, 0, 0}, {20, 1, 0}, size)) << "to the right";
    EXPECT_FALSE(camera.seesBox({-1, -40, -1}, {1, -20, 1}, size)) << "fallen";
    EXPECT_FALSE(camera.seesBox({-1, -1, 5}, {1, 1, 9}, size)) << "behind";
}

TEST_F(ViewportTest, OrbitsQuicklyAndThenBeautifully)
{
    bool answered = false; // the view it began with before this, so that the next is sent at once
    runtime.request(&runtime, QStringLiteral("run.step"), Json::object(),
                    [&](const Json&) { answered = true; });
    ASSERT_TRUE(waitUntil([&] { return answered && !moving(); }));
    const auto before = static_cast<std::ptrdiff_t>(server.received.size());
    const QPoint from(400, 200), to(460, 220);
    QTest::mousePress(area, Qt::LeftButton, {}, from);
    QMouseEvent move(QEvent::MouseMove, to, area->mapToGlobal(to), Qt::LeftButton, Qt::LeftButton,
                     {});
    QApplication::sendEvent(area, &move);
    const auto hasMoved = [&] {
        return std::any_of(server.received.begin() + before, server.received.end(),
                           [](const Json& message) {
                               return message.value("method", "") == "view.set" &&
                                      message["params"]["quality"] == "moving";
                           });
    };
    ASSERT_TRUE(waitUntil(hasMoved));
    QTest::mouseRelease(area, Qt::LeftButton, {}, to);
    EXPECT_TRUE(waitUntil([&] { return !moving(); }));
}

TEST_F(ViewportTest, MouseAndKeysAsInHoudiniAndBlender)
{
    const OrbitCamera start = area->camera();
    drag({400, 200}, {450, 200}, Qt::LeftButton, Qt::AltModifier); // Houdini: turn
    EXPECT_NE(area->camera().yaw, start.yaw);
    EXPECT_EQ(area->camera().target, start.target);
    area->setCamera(start);
    drag({400, 200}, {450, 200}, Qt::MiddleButton, Qt::AltModifier); // Houdini: pan
    EXPECT_NE(area->camera().target, start.target);
    EXPECT_EQ(area->camera().yaw, start.yaw);
    area->setCamera(start);
    drag({400, 200}, {450, 200}, Qt::MiddleButton); // Blender: turn
    EXPECT_NE(area->camera().yaw, start.yaw);
    area->setCamera(start);
    drag({400, 200}, {450, 200}, Qt::MiddleButton, Qt::ShiftModifier); // Blender: pan
    EXPECT_NE(area->camera().target, start.target);
    area->setCamera(start);
    drag({400, 200}, {450, 200}, Qt::RightButton, Qt::AltModifier); // Houdini: near
    EXPECT_LT(area->camera().distance, start.distance);
}

TEST_F(ViewportTest, AClickPicks)
{
    server.replies["view.pick"] = [](const Json& params) {
        return Json{
            {"node", "snow"}, {"particle", 7}, {"position", {0.1, 0.2, 0.3}}, {"x", params["x"]}};
    };
    QSignalSpy picked(&viewport, &Viewport::nodePicked), place(&viewport, &Viewport::placePicked);
    QTest::mouseClick(area, Qt::LeftButton, {}, QPoint(300, 120));
    ASSERT_TRUE(waitUntil([&] { return picked.size() == 1; }));
    EXPECT_EQ((*server.last("view.pick"))["x"], std::lround(300 * viewport.devicePixelRatioF()));
    EXPECT_TRUE(place[0][0].toString().contains(QStringLiteral("particle 7")));
}

TEST_F(ViewportTest, FSeesTheBoundsOfTheScene)
{
    server.replies["view.bounds"] = [](const Json&) {
        return Json{{"low", {9, 0, 9}}, {"high", {11, 2, 11}}};
    };
    area->setFocus();
    QTest::keyClick(area, Qt::Key_F);
    viewport.frameAll->trigger();
    ASSERT_TRUE(waitUntil([&] { return area->camera().target == Vec3({10, 1, 10}); }));
}

TEST_F(ViewportTest, FSeesTheSelectedNode)
{
    server.replies["view.bounds"] = [](const Json& params) {
        const double at = params.value("node", "") == "ball" ? 10 : 0;
        return Json{{"low", {at - 1, 0, at - 1}}, {"high", {at + 1, 2, at + 1}}};
    };
    document.addNode({}, "floe.shape.sphere", {});
    document.rename({}, "sphere", "ball");
    viewport.setSelection({}, "ball", "ball");
    area->setFocus();
    QTest::keyClick(area, Qt::Key_F);
    ASSERT_TRUE(waitUntil([&] { return area->camera().target == Vec3({10, 1, 10}); }));
    QTest::keyClick(area, Qt::Key_A);
    ASSERT_TRUE(waitUntil([&] { return area->camera().target == Vec3({0, 1, 0}); }));
    viewport.setSelection({}, {}, {});
    area->setCamera({});
    QTest::keyClick(area, Qt::Key_F);
    ASSERT_TRUE(waitUntil([&] {
        return area->camera().target == Vec3({0, 1, 0});
    })) << "everything, where nothing is selected";
}

// Who lets everything fall out of the picture is told, and what would hold it.
TEST_F(ViewportTest, SaysWhenWhatIsSimulatedIsOutOfSight)
{
    document.addNode({}, "floe.mpm.solver", {});
    double height = -30;
    server.replies["view.bounds"] = [&](const Json&) {
        return Json{{"low", {-0.5, height, -0.5}}, {"high", {0.5, height + 1, 0.5}}};
    };
    const auto show = [&] {
        QImage image(16, 9, QImage::Format_RGBA8888);
        client::Picture picture;
        picture.image = image;
        picture.cached = true;
        emit runtime.pictureArrived(picture);
    };
    show();
    ASSERT_TRUE(waitUntil([&] { return !area->hint().isEmpty(); }));
    EXPECT_TRUE(area->hint().contains("out of sight")) << area->hint().toStdString();
    EXPECT_TRUE(area->hint().contains("no collider")) << area->hint().toStdString();
    height = 0;
    show();
    EXPECT_TRUE(waitUntil([&] { return area->hint().isEmpty(); }));
}

TEST_F(ViewportTest, CameraNodesAreLookedThroughAndLeftByTurning)
{
    const std::string camera = document.addNode({}, "floe.camera", {});
    ASSERT_TRUE(waitUntil([&] { return view().contains("cameraNode"); }));
    EXPECT_EQ(view()["cameraNode"], camera);
    client::Picture picture; // from where an animated node stands at this frame
    picture.image = QImage(16, 9, QImage::Format_RGBA8888);
    picture.camera = client::Camera{{4, 3, 2}, {0, 1, 0}, {0, 1, 0}, 50};
    emit runtime.pictureArrived(picture);
    drag({400, 200}, {420, 200}, Qt::LeftButton);
    ASSERT_TRUE(waitUntil([&] { return view().contains("camera"); }));
    // The free camera goes on from where the node stood.
    EXPECT_NEAR(view()["camera"]["eye"][1].get<double>(), 3, 0.05);
    EXPECT_EQ(view()["camera"]["fov"], 50);
    emit runtime.pictureArrived(picture); // asked for before
    EXPECT_NE(area->camera(), OrbitCamera::lookingAt(*picture.camera));
}

TEST_F(ViewportTest, ThroughACameraNodeTheEdgesOfWhatIsRenderedShow)
{
    const std::string camera = document.addNode({}, "floe.camera", {});
    EXPECT_EQ(area->gate(), 0) << "nothing renders what it sees";
    const std::string render = document.addNode({}, "floe.output.render", {});
    ASSERT_TRUE(document.link({}, {{camera, "camera"}, {render, "camera"}}));
    document.setParameter({}, render, "width", 400);
    document.setParameter({}, render, "height", 400);
    EXPECT_EQ(area->gate(), 1);

    QImage grey(area->size(), QImage::Format_RGBA8888);
    grey.fill(QColor(128, 128, 128));
    area->setPicture(grey);
    const QImage seen = area->grab().toImage();
    const double scale = seen.devicePixelRatio();
    const auto lightness = [&](double x) {
        return qGray(seen.pixel(int(x * scale), int(0.7 * area->height() * scale)));
    };
    const double beside = (area->width() - area->height()) / 2.0;
    EXPECT_EQ(lightness(0.5 * area->width()), 128);
    EXPECT_LT(lightness(0.5 * beside), 100) << "not rendered";
    EXPECT_EQ(lightness(beside + 5), 128);

    // Of what is wider than the viewport the runtime is asked to show the whole.
    document.setParameter({}, render, "width", 1600);
    ASSERT_TRUE(waitUntil([&] { return view().value("gate", 0.0) == 4.0; }));
    const QImage wide = area->grab().toImage();
    const auto down = [&](double y) {
        return qGray(wide.pixel(int(0.3 * area->width() * scale), int(y * scale)));
    };
    const double above = (area->height() - area->width() / 4.0) / 2;
    EXPECT_LT(down(0.5 * above), 100) << "not rendered";
    EXPECT_EQ(down(above + 5), 128);

    drag({400, 200}, {420, 200}, Qt::LeftButton); // the free camera renders nothing
    EXPECT_TRUE(waitUntil([&] { return area->gate() == 0; }));
}

TEST_F(ViewportTest, ARangeMayHaveOneEndOnly)
{
    auto boxes = viewport.findChildren<QComboBox*>();
    boxes[1]->setFocus();
    QTest::keyClick(boxes[1], Qt::Key_Down); // Speed
    auto ends = viewport.findChildren<QLineEdit*>(QString(), Qt::FindDirectChildrenOnly);
    ASSERT_EQ(ends.size(), 2);
    client::Legend shown;
    shown.title = "Speed";
    shown.map = "viridis";
    shown.low = 0.5;
    shown.high = 3;
    area->setLegend(shown);
    ends[1]->setFocus();
    QTest::keyClicks(ends[1], "2");
    QTest::keyClick(ends[1], Qt::Key_Return);
    ASSERT_TRUE(waitUntil([&] { return view()["colouring"].contains("range"); }));
    EXPECT_EQ(view()["colouring"]["range"], Json::array({0.5, 2.0}));
}

TEST_F(ViewportTest, ColouringIsAskedWithItsMap)
{
    auto boxes = viewport.findChildren<QComboBox*>();
    boxes[1]->setFocus();
    QTest::keyClick(boxes[1], Qt::Key_Down); // Material, then Speed
    ASSERT_TRUE(waitUntil([&] { return view()["colouring"]["mode"] == "speed"; }));
    EXPECT_TRUE(boxes[2]->isVisible());
    EXPECT_EQ(view()["colouring"]["map"], "viridis");
}

TEST_F(ViewportTest, SaysWhyThereIsNothing)
{
    EXPECT_TRUE(area->message().contains(QStringLiteral("empty scene")))
        << area->message().toStdString();
    const std::string solver = document.addNode({}, "floe.mpm.solver", {});
    document.setParameter({}, solver, "cellSize", -1);
    document.checkNow();
    EXPECT_TRUE(area->message().contains(QStringLiteral("cellSize")))
        << area->message().toStdString();
    server.hangUp();
    ASSERT_TRUE(waitUntil([&] { return runtime.state() == Runtime::State::Lost; }));
    auto* restart = viewport.findChild<QPushButton*>();
    ASSERT_TRUE(restart->isVisible());
    QTest::mouseClick(restart, Qt::LeftButton);
    EXPECT_TRUE(waitUntil([&] { return runtime.state() == Runtime::State::Ready; }));
    EXPECT_FALSE(restart->isVisible());
}

TEST_F(ViewportTest, AHandleMovesAShapeInOneStep)
{
    const std::string ball = document.addNode({}, "floe.shape.sphere", {});
    area->setCamera(lookingAt({0, 0, 5}, {0, 0, 0}, 40));
    viewport.setSelection({}, ball, QString::fromStdString(ball));
    EXPECT_FALSE(area->hasHandle()) << "a message stands there: " << area->message().toStdString();
    QImage picture(80, 50, QImage::Format_RGB32);
    picture.fill(Qt::black);
    area->setPicture(picture);
    server.notify("run.state", {{"state", "finished"}});
    ASSERT_TRUE(waitUntil([&] { return area->hasHandle(); }));
    const int before = document.undo().count();
    const QPoint centre(area->width() / 2, area->height() / 2);
    drag(centre + QPoint(40, 0), centre + QPoint(90, 10), Qt::LeftButton);
    const Json moved = document.value({}, ball, "center");
    EXPECT_NEAR(moved[0].get<double>(),
                50 * area->camera().metresPerPixel({0, 0, 0}, area->height()),
                0.01); // written to about a pixel
    EXPECT_EQ(moved[1], 0);
    EXPECT_EQ(document.undo().count(), before + 1);
    document.undo().undo();
    EXPECT_EQ(document.value({}, ball, "center")[0], 0);
    document.setParameter({}, ball, "center", {0, {{"expr", "frame"}}, 0});
    EXPECT_FALSE(area->hasHandle()); // an expression says where it is
}

TEST_F(ViewportTest, GhostsAreAskedForWithEveryPicture)
{
    const std::string ball = document.addNode({}, "floe.shape.sphere", {0, 0});
    document.setGhost({}, {ball}, true);
    EXPECT_TRUE(waitUntil(
        [&] { return view().contains("ghosts") && view()["ghosts"] == Json::array({ball}); }));
    EXPECT_FALSE(view()["show"].contains("emitters"));
    document.undo().undo();
    EXPECT_TRUE(waitUntil([&] { return !view().contains("ghosts"); }));
}

// Pictures in motion are coarse; what is written over them is not.
TEST_F(ViewportTest, TheLegendIsAsSharpOverACoarsePicture)
{
    client::Legend legend;
    legend.title = QStringLiteral("Speed [m/s]");
    legend.map = QStringLiteral("viridis");
    legend.high = 2;
    const auto seenOver = [&](QSize size) {
        QImage picture(size, QImage::Format_RGB32);
        picture.fill(Qt::black);
        area->setPicture(picture);
        area->setLegend(legend);
        // Its middle: at the rim a small picture may be a pixel too narrow.
        return area->grab(QRect(area->width() - 180, area->height() - 80, 160, 60)).toImage();
    };
    showPicture();
    const QImage fine = seenOver(area->size()), coarse = seenOver(area->size() / 10);
    EXPECT_EQ(coarse, fine);
    legend.title.clear();
    EXPECT_NE(seenOver(area->size()), fine) << "else there was none";
}

// In small views colours are explained in one line, and the frame's text gives way.
TEST_F(ViewportTest, SmallViewsHaveALegendToo)
{
    client::Legend speed;
    speed.title = QStringLiteral("Speed  m/s");
    speed.map = QStringLiteral("viridis");
    speed.high = 6.25;
    client::Legend materials;
    materials.title = QStringLiteral("Material");
    for (const char* label : {"Water", "Wet sand", "Gravel"})
        materials.entries += client::Legend::Entry{QString::fromLatin1(label), Qt::red};
    showPicture();
    viewport.resize(320, 200);
    area->setMinimumSize(0, 0);
    const QString folder = QStringLiteral(FLOE_BINARY_DIR "/pictures/editor");
    QDir().mkpath(folder);
    for (const QSize size : {QSize(960, 540), QSize(402, 139), QSize(300, 120), QSize(240, 90)}) {
        area->resize(size);
        const QRectF axes(size.width() - 70, 0, 70, 70);
        for (const client::Legend& legend : {speed, materials}) {
            SCOPED_TRACE(legend.title.toStdString() + " " + std::to_string(size.width()));
            area->setLegend(legend);
            area->setCorner({});
            const QImage without = area->grab().toImage();
            area->setCorner(
                QStringLiteral("Before simulating  ·  frame 1  ·  402 × 139  ·  42 ms"));
            const QImage with = area->grab().toImage();
            EXPECT_TRUE(with.save(folder + QStringLiteral("/legend_%1_%2.png")
                                               .arg(legend.map.isEmpty() ? "materials" : "speed")
                                               .arg(size.width())));
            const QRectF box = area->legendBox();
            if (size.width() == 240 && legend.map.isEmpty()) {
                EXPECT_TRUE(box.isEmpty()) << "three names have no room";
                continue;
            }
            ASSERT_FALSE(box.isEmpty());
            EXPECT_TRUE(QRectF(QPointF(), QSizeF(size)).contains(box));
            EXPECT_FALSE(box.intersects(axes));
            const QRect there = box.toAlignedRect();
            EXPECT_EQ(with.copy(there), without.copy(there)) << "nothing is written over it";
        }
    }
}

} // namespace
