#include "viewport_fixture.hpp"

#include <QAction>
#include <QDoubleSpinBox>
#include <QMenu>
#include <QSlider>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace {

using namespace floe;
using namespace floe::views;

TEST(OrbitCamera, WithoutPerspectiveDepthChangesNothing)
{
    auto camera = lookingAt({0, 0, 4}, {0, 0, 0}, 90);
    const QSizeF size(400, 200); // 8 m high at the target
    const QPointF before = *camera.project({1, 0.5, 0}, size);
    camera.orthographic = true;
    EXPECT_EQ(*camera.project({1, 0.5, 0}, size), before) << "as large at the target";
    EXPECT_EQ(*camera.project({1, 0.5, -70}, size), before);
    EXPECT_EQ(*camera.project({1, 0.5, 70}, size), before) << "behind the eye too";
    EXPECT_NEAR(camera.metresPerPixel({0, 0, -70}, size.height()), 8.0 / 200, 1e-12);
    EXPECT_TRUE(camera.seesBox({7, 0, -90}, {7.5, 1, -80}, size));
    EXPECT_FALSE(camera.seesBox({9, 0, -90}, {9.5, 1, -80}, size));
}

struct StandardViews : ViewportTest {
    void press(int key, Qt::KeyboardModifiers more = {})
    {
        area->setFocus();
        QTest::keyClick(area, Qt::Key(key), Qt::KeypadModifier | more);
    }
    bool asks(const std::function<bool(const Json& camera)>& which)
    {
        return waitUntil([&] { return view().contains("camera") && which(view()["camera"]); });
    }
};

TEST_F(StandardViews, TheNumberPadLooksAlongTheAxes)
{
    const double distance = area->camera().distance;
    const std::tuple<int, Qt::KeyboardModifiers, Vec3> views[] = {
        {Qt::Key_1, Qt::NoModifier, {0, 0, 1}}, {Qt::Key_1, Qt::ControlModifier, {0, 0, -1}},
        {Qt::Key_3, Qt::NoModifier, {1, 0, 0}}, {Qt::Key_3, Qt::ControlModifier, {-1, 0, 0}},
        {Qt::Key_7, Qt::NoModifier, {0, 1, 0}}, {Qt::Key_7, Qt::ControlModifier, {0, -1, 0}}};
    for (const auto& [key, more, from] : views) {
        press(key, more);
        const OrbitCamera& camera = area->camera();
        EXPECT_TRUE(camera.orthographic);
        EXPECT_NEAR(length(camera.eye() - camera.target - from * distance), 0, 1e-9);
        EXPECT_NEAR(dot(camera.up(), from), 0, 1e-9);
        const Vec3 eye = camera.eye();
        EXPECT_TRUE(asks([&](const Json& asked) {
            return asked.value("orthographic", false) &&
                   length(client::triple(asked["eye"]).value() - eye) < 1e-9;
        }));
    }
    press(Qt::Key_5);
    EXPECT_FALSE(area->camera().orthographic);
    EXPECT_EQ(area->camera().distance, distance) << "what is at the target stays as large";
    EXPECT_TRUE(asks([](const Json& asked) { return !asked.contains("orthographic"); }));
}

// As in Blender: a view along an axis is left by turning it, one without perspective by choice
// stays.
TEST_F(StandardViews, TurningLeavesAViewAlongAnAxis)
{
    press(Qt::Key_1);
    drag({400, 200}, {430, 210}, Qt::LeftButton, Qt::ShiftModifier);
    EXPECT_TRUE(area->camera().orthographic) << "panning stays in it";
    drag({400, 200}, {430, 210}, Qt::LeftButton);
    EXPECT_FALSE(area->camera().orthographic);
    press(Qt::Key_5);
    drag({400, 200}, {430, 210}, Qt::LeftButton);
    EXPECT_TRUE(area->camera().orthographic);
}

TEST_F(StandardViews, TheMenuHasThemToo)
{
    const auto command = [&](const char* name) {
        return viewport.findChild<QAction*>(QLatin1String(name));
    };
    command("viewport.top")->trigger();
    EXPECT_EQ(area->camera().pitch, 90);
    EXPECT_FALSE(command("viewport.perspective")->isChecked());
    command("viewport.perspective")->trigger();
    EXPECT_FALSE(area->camera().orthographic);
    EXPECT_TRUE(command("viewport.perspective")->isChecked());
}

TEST_F(StandardViews, HandlesWorkInThem)
{
    const std::string ball = document.addNode({}, "floe.shape.sphere", {});
    document.setParameter({}, ball, "center", {0, 0, -3}); // off the target's depth
    area->setCamera(lookingAt({0, 0, 5}, {0, 0, 0}, 40));
    viewport.setSelection({}, ball, QString::fromStdString(ball));
    showPicture();
    press(Qt::Key_7); // from above: x to the right, z down
    const QPoint centre(area->width() / 2, area->height() / 2);
    const double pixel = area->camera().metresPerPixel({0, 0, 0}, area->height());
    const QPoint there = centre - QPoint(0, int(std::lround(3 / pixel)));
    drag(there + QPoint(0, 40), there + QPoint(0, 90), Qt::LeftButton);
    const Vec3 moved = client::triple(document.value({}, ball, "center")).value();
    EXPECT_NEAR(moved[2], -3 + 50 * pixel, pixel);
    EXPECT_EQ(moved[0], 0);
    EXPECT_EQ(moved[1], 0);
}

struct Cuts : StandardViews {
    Cuts()
    {
        server.replies["view.bounds"] = [](const Json&) {
            return Json{{"low", {-1, 0, -1}}, {"high", {3, 2, 1}}};
        };
        showPicture();
    }
    void choose(const char* name) { viewport.findChild<QAction*>(QLatin1String(name))->trigger(); }
    bool cutIs(const Vec3& normal, double offset)
    {
        return waitUntil([&] {
            if (!view().contains("cut"))
                return false;
            const Json& cut = view()["cut"];
            return length(client::triple(cut["normal"]).value() - normal) < 1e-6 &&
                   std::abs(cut["offset"].get<double>() - offset) < 0.01;
        });
    }
};

TEST_F(Cuts, APlaneAcrossAnAxisBeginsInTheMiddleAndFollowsTheSlider)
{
    EXPECT_FALSE(view().contains("cut"));
    auto* slider = viewport.findChild<QSlider*>();
    EXPECT_FALSE(slider->isVisible());
    choose("viewport.cutX");
    EXPECT_TRUE(cutIs({1, 0, 0}, 1));
    ASSERT_TRUE(slider->isVisible());
    slider->setFocus();
    QTest::keyClick(slider, Qt::Key_End);
    EXPECT_TRUE(cutIs({1, 0, 0}, 3.04)) << "a little beyond what is there";
    auto* place = viewport.findChild<QDoubleSpinBox*>();
    place->setFocus();
    place->selectAll();
    QTest::keyClicks(place, QLocale().toString(0.25));
    QTest::keyClick(place, Qt::Key_Return);
    EXPECT_TRUE(cutIs({1, 0, 0}, 0.25));
    choose("viewport.cutOther");
    EXPECT_TRUE(cutIs({-1, 0, 0}, -0.25));
    choose("viewport.cutNone");
    EXPECT_TRUE(waitUntil([&] { return !view().contains("cut"); }));
    EXPECT_FALSE(slider->isVisible());
}

TEST_F(Cuts, APlaneThatFacesTheViewTurnsWithIt)
{
    press(Qt::Key_1);
    choose("viewport.cutView");
    EXPECT_TRUE(cutIs({0, 0, 1}, 0)) << "through the middle, towards the eye";
    press(Qt::Key_3);
    EXPECT_TRUE(cutIs({1, 0, 0}, 1));
}

} // namespace
