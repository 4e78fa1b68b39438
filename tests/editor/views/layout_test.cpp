// Several views of one scene.
#include "viewport_fixture.hpp"

#include "temporary_folder.hpp"

#include "themes/colours.hpp"

#include <QAction>
#include <QComboBox>
#include <QSettings>
#include <QSignalSpy>

#include <algorithm>
#include <cmath>

namespace {

using namespace floe;
using namespace floe::views;

struct Layouts : ViewportTest {
    void choose(const char* name) { viewport.findChild<QAction*>(QLatin1String(name))->trigger(); }
    PictureArea* areaOf(int which) { return viewport.areas()[which]; }
    int shown()
    {
        const auto areas = viewport.areas();
        return static_cast<int>(
            std::count_if(areas.begin(), areas.end(), [](auto* a) { return a->isVisible(); }));
    }
    /// What was asked for last of a view; null: nothing.
    Json asked(int which)
    {
        for (auto message = server.received.rbegin(); message != server.received.rend(); ++message)
            if (message->value("method", "") == "view.set" &&
                (*message)["params"].value("view", 0) == which)
                return (*message)["params"];
        return {};
    }
    /// Once nothing is on the way any more.
    bool looksFrom(int which, const Vec3& direction)
    {
        return waitUntil([&] {
            const Json view = asked(which);
            if (!view.is_object() || !view.contains("camera"))
                return false;
            const Vec3 eye = client::triple(view["camera"]["eye"]).value();
            const Vec3 target = client::triple(view["camera"]["target"]).value();
            const Vec3 d = (eye - target) * (1 / length(eye - target));
            return length(d - direction) < 1e-6 && view["camera"].value("orthographic", false);
        });
    }
    void showPictures()
    {
        for (int which = 0; which < client::kMaxViews; ++which) {
            client::Picture picture;
            picture.view = which;
            picture.image = QImage(80, 50, QImage::Format_RGBA8888);
            picture.image.fill(QColor(10 * which, 0, 0));
            emit runtime.pictureArrived(picture);
        }
        server.notify("run.state", {{"state", "finished"}});
        ASSERT_TRUE(waitUntil([&] { return area->message() == QStringLiteral("\n"); }));
    }
    void click(int which, QPoint at) { QTest::mouseClick(areaOf(which), Qt::LeftButton, {}, at); }
};

TEST_F(Layouts, OneViewIsAskedForAsEver)
{
    EXPECT_EQ(shown(), 1);
    EXPECT_TRUE(waitUntil([&] { return asked(0).is_object(); }));
    for (const Json& message : server.received) {
        EXPECT_NE(message.value("method", ""), "view.close");
        if (message.value("method", "") == "view.set") {
            EXPECT_FALSE(message["params"].contains("view"));
        }
    }
}

TEST_F(Layouts, FourViewsLookInPerspectiveFromTheTopTheFrontAndTheRight)
{
    choose("viewport.four");
    EXPECT_EQ(shown(), 4);
    EXPECT_TRUE(looksFrom(1, {0, 1, 0}));
    EXPECT_TRUE(looksFrom(2, {0, 0, 1}));
    EXPECT_TRUE(looksFrom(3, {1, 0, 0}));
    EXPECT_FALSE(asked(0)["camera"].contains("orthographic"));
    // The plan is above the elevation, and all are of one size but for the gap.
    EXPECT_EQ(areaOf(1)->x(), areaOf(2)->x());
    EXPECT_EQ(areaOf(1)->y(), areaOf(0)->y());
    EXPECT_EQ(areaOf(2)->y(), areaOf(3)->y());
    EXPECT_LT(areaOf(1)->x(), areaOf(0)->x());
    EXPECT_LT(areaOf(1)->y(), areaOf(2)->y());
    for (int which = 0; which < 4; ++which) {
        EXPECT_NEAR(areaOf(which)->width(), 400, 3);
        EXPECT_NEAR(areaOf(which)->height(), areaOf(0)->height(), 2);
        EXPECT_TRUE(waitUntil([&] {
            return asked(which)["width"] ==
                   std::lround(areaOf(which)->width() * viewport.devicePixelRatioF());
        }));
    }
    choose("viewport.beside");
    EXPECT_EQ(shown(), 2);
    EXPECT_EQ(areaOf(0)->y(), areaOf(1)->y());
    EXPECT_TRUE(waitUntil([&] { return server.count("view.close") == 2; }));
    choose("viewport.above");
    EXPECT_EQ(shown(), 2);
    EXPECT_EQ(areaOf(0)->x(), areaOf(1)->x());
    EXPECT_GT(areaOf(1)->y(), areaOf(0)->y());
    choose("viewport.one");
    EXPECT_EQ(shown(), 1);
    EXPECT_TRUE(areaOf(0)->isVisible());
    EXPECT_TRUE(waitUntil([&] { return server.count("view.close") == 3; }));
}

TEST_F(Layouts, TheViewUnderThePointerFillsTheRoomAndGivesItBack)
{
    area->setFocus();
    const auto press = [&] {
        QTest::keyClick(viewport.window()->windowHandle(), Qt::Key_Q,
                        Qt::ControlModifier | Qt::AltModifier);
    };
    press();
    ASSERT_EQ(viewport.viewLayout(), ViewLayout::Four);
    QTest::mouseMove(areaOf(2), QPoint(100, 60));
    ASSERT_TRUE(waitUntil([&] { return areaOf(2)->underMouse(); }));
    press();
    EXPECT_EQ(viewport.viewLayout(), ViewLayout::One);
    EXPECT_EQ(viewport.area(), areaOf(2));
    EXPECT_TRUE(areaOf(2)->isVisible());
    EXPECT_EQ(shown(), 1);
    press();
    EXPECT_EQ(shown(), 4);
    EXPECT_EQ(viewport.area(), areaOf(2));
    // A key of the number pad is for the view under the pointer too.
    QTest::mouseMove(areaOf(3), QPoint(100, 60));
    ASSERT_TRUE(waitUntil([&] { return areaOf(3)->underMouse(); }));
    QTest::keyClick(viewport.window()->windowHandle(), Qt::Key_7, Qt::KeypadModifier);
    EXPECT_TRUE(looksFrom(3, {0, 1, 0}));
    EXPECT_TRUE(looksFrom(2, {0, 0, 1}));
}

TEST_F(Layouts, TheActiveViewHasAFrameAndTheBar)
{
    choose("viewport.four");
    showPictures();
    const auto framed = [&](int which) {
        return areaOf(which)->grab().toImage().pixelColor(1, areaOf(which)->height() / 2) ==
               editor::themeColours().focus;
    };
    EXPECT_TRUE(framed(0));
    EXPECT_FALSE(framed(2));
    auto* perspective = viewport.findChild<QAction*>("viewport.perspective");
    EXPECT_TRUE(perspective->isChecked());
    QSignalSpy asked(&viewport, &Viewport::asked); // for what is compared with it
    click(2, {100, 60});
    EXPECT_EQ(viewport.area(), areaOf(2));
    EXPECT_FALSE(framed(0));
    EXPECT_TRUE(framed(2));
    EXPECT_FALSE(perspective->isChecked());
    ASSERT_FALSE(asked.isEmpty());
    EXPECT_TRUE(asked.last()[0].value<client::View>().camera.orthographic);
    choose("viewport.left");
    EXPECT_TRUE(looksFrom(2, {-1, 0, 0}));
    choose("viewport.one");
    EXPECT_FALSE(framed(2)) << "one that is alone needs none";
}

TEST_F(Layouts, ClicksPicksAndCutsAreThoseOfOneView)
{
    server.replies["view.pick"] = [](const Json&) {
        return Json{{"node", "snow"}};
    };
    server.replies["view.bounds"] = [](const Json&) {
        return Json{{"low", {-1, 0, -1}}, {"high", {3, 2, 1}}};
    };
    choose("viewport.four");
    showPictures();
    click(3, {120, 60});
    ASSERT_TRUE(waitUntil([&] { return server.count("view.pick") == 1; }));
    EXPECT_EQ((*server.last("view.pick"))["view"], 3);
    EXPECT_EQ((*server.last("view.pick"))["x"], std::lround(120 * viewport.devicePixelRatioF()));
    choose("viewport.cutX");
    EXPECT_TRUE(waitUntil([&] { return asked(3).contains("cut"); }));
    for (const int other : {0, 1, 2})
        EXPECT_FALSE(asked(other).contains("cut")) << other;
    click(0, {120, 60});
    EXPECT_TRUE(viewport.findChild<QAction*>("viewport.cutNone")->isChecked());
    click(3, {120, 60});
    EXPECT_TRUE(viewport.findChild<QAction*>("viewport.cutX")->isChecked());
}

TEST_F(Layouts, EachHasACameraOfItsOwn)
{
    choose("viewport.four");
    showPictures();
    const OrbitCamera first = areaOf(0)->camera(), top = areaOf(1)->camera();
    area = areaOf(3);
    drag({100, 60}, {140, 90}, Qt::LeftButton, Qt::ShiftModifier);
    EXPECT_NE(areaOf(3)->camera().target, top.target);
    EXPECT_TRUE(areaOf(3)->camera().orthographic) << "panning stays in it";
    EXPECT_EQ(areaOf(0)->camera(), first);
    EXPECT_EQ(areaOf(1)->camera(), top);
    // Camera nodes are looked through by one.
    const std::string camera = document.addNode({}, "floe.camera", {});
    auto* cameras = viewport.findChildren<QComboBox*>()[0];
    EXPECT_EQ(cameras->currentIndex(), 0) << "of the active view";
    cameras->setCurrentIndex(1);
    emit cameras->activated(1);
    ASSERT_TRUE(waitUntil([&] { return asked(3).contains("cameraNode"); }));
    EXPECT_TRUE(waitUntil([&] { return asked(0).contains("cameraNode"); }))
        << "a scene opens as its first camera sees it";
    EXPECT_FALSE(asked(1).contains("cameraNode"));
    click(1, {100, 60});
    EXPECT_EQ(cameras->currentIndex(), 0);
}

TEST_F(Layouts, AHandleWorksInEachAndItsDragsAreSteps)
{
    const std::string ball = document.addNode({}, "floe.shape.sphere", {});
    choose("viewport.four");
    for (PictureArea* one : viewport.areas()) {
        OrbitCamera camera = one->camera();
        camera.target = {0, 0, 0};
        one->setCamera(camera);
    }
    viewport.setSelection({}, ball, QString::fromStdString(ball));
    showPictures();
    const int before = document.undo().count();
    const auto place = [&] {
        return client::triple(document.value({}, ball, "center")).value();
    };
    // In the view from the top what goes down comes towards the front; then up in that from the
    // right.
    for (const int which : {1, 3}) {
        area = areaOf(which);
        const QPoint centre = area->camera().project(place(), area->size())->toPoint();
        const QPoint by = which == 1 ? QPoint(0, 40) : QPoint(0, -40);
        drag(centre + by, centre + by * 2, Qt::LeftButton);
    }
    const double pixel = areaOf(1)->camera().metresPerPixel({0, 0, 0}, areaOf(1)->height());
    EXPECT_NEAR(place()[0], 0, 1e-9);
    EXPECT_NEAR(place()[1], 40 * pixel, 2 * pixel);
    EXPECT_NEAR(place()[2], 40 * pixel, 2 * pixel);
    EXPECT_EQ(document.undo().count(), before + 2) << "two drags, however they are numbered";
    for (PictureArea* one : viewport.areas())
        EXPECT_EQ(one->handles().node().points.at(0).place, place());
}

TEST_F(Layouts, PicturesGoToTheirViewsWhichBeginWithEverything)
{
    server.replies["view.bounds"] = [](const Json&) {
        return Json{{"low", {9, 0, 9}}, {"high", {11, 2, 11}}};
    };
    document.addNode({}, "floe.shape.sphere", {});
    runtime.setDocument({{"floe", 1}}, {});
    ASSERT_TRUE(waitUntil([&] { return runtime.knowsDocument(); }));
    const OrbitCamera first = areaOf(0)->camera();
    choose("viewport.four");
    showPictures();
    for (int which = 0; which < 4; ++which)
        EXPECT_EQ(areaOf(which)->picture().pixelColor(0, 0).red(), 10 * which);
    EXPECT_TRUE(waitUntil([&] {
        return areaOf(1)->camera().target == Vec3({10, 1, 10}) &&
               areaOf(2)->camera().target == Vec3({10, 1, 10}) &&
               areaOf(3)->camera().target == Vec3({10, 1, 10});
    }));
    EXPECT_TRUE(looksFrom(1, {0, 1, 0})) << "from where it looked";
    EXPECT_EQ(areaOf(0)->camera(), first);
}

TEST_F(Layouts, LayoutAndCamerasComeBackWithTheScene)
{
    const test::TemporaryFolder folder;
    const QString path = QString::fromStdString(
        folder.file("scene.floe.json", R"({"floe": 1, "nodes": {}, "links": []})").string());
    document.load(path);
    choose("viewport.four");
    showPictures();
    area = areaOf(2);
    drag({100, 60}, {140, 90}, Qt::LeftButton, Qt::ShiftModifier);
    const OrbitCamera camera = area->camera();
    QSettings settings(QString::fromStdString((folder.path() / "views.ini").string()),
                       QSettings::IniFormat);
    viewport.saveViews(settings);

    Viewport again(&runtime, &document);
    again.restoreViews(settings);
    EXPECT_EQ(again.viewLayout(), ViewLayout::Four);
    EXPECT_EQ(again.area(), again.areas()[2]) << "the active one too";
    EXPECT_NE(again.area()->camera(), camera) << "the scene is not there yet";
    document.load(path);
    EXPECT_EQ(again.areas()[2]->camera(), camera);

    for (const char* broken : {"", "[", "7", "[7, {\"framed\": true, \"target\": \"x\"}]"}) {
        settings.setValue("views/cameras", QLatin1String(broken));
        settings.setValue("views/active", "nine");
        Viewport third(&runtime, &document);
        third.restoreViews(settings);
        document.load(path);
        EXPECT_EQ(third.viewLayout(), ViewLayout::Four) << broken;
    }
}

// What is in the menu is in the command palette, which shows what has a name.
TEST_F(Layouts, CommandsHaveNames)
{
    QStringList names;
    for (const QAction* command : viewport.commands())
        names << command->objectName();
    for (const char* name : {"viewport.frameAll", "viewport.frameSelection", "viewport.drive",
                             "viewport.one", "viewport.beside", "viewport.above", "viewport.four"})
        EXPECT_TRUE(names.contains(QLatin1String(name))) << name;
}

} // namespace
