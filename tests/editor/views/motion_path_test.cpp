// Paths of places that keys move.

#include "viewport_fixture.hpp"

#include "views/motion_path.hpp"

#include <QDir>

#include <cmath>

namespace {

using namespace floe;
using namespace floe::views;

Json keys(std::initializer_list<Json> list)
{
    return {{"keys", Json::array_t(list)}};
}

TEST(MotionPaths, GoFrameByFrameFromTheFirstKeyToTheLast)
{
    const Json value = Json::array(
        {keys({{1, 0, "linear"}, {11, 1, "linear"}}), 2, keys({{6, 5, "step"}, {9, 7, "step"}})});
    const auto path = pathOf("center", value, {0, 0.5, 0});
    ASSERT_TRUE(path);
    ASSERT_EQ(path->spots.size(), 11u);
    EXPECT_EQ(path->spots.front().place, (Vec3{0, 2.5, 5}));
    EXPECT_NEAR(path->spots[3].place[0], 0.3, 1e-12);
    EXPECT_EQ(path->spots.back().place, (Vec3{1, 2.5, 7}));
    std::vector<double> frames;
    for (const auto& key : path->keys)
        frames.push_back(key.frame);
    EXPECT_EQ(frames, (std::vector<double>{1, 6, 9, 11}));
}

TEST(MotionPaths, OfWholeVectorsAndOfManyFramesAreBounded)
{
    const auto path =
        pathOf("eye", keys({{1, {0, 0, 0}, "linear"}, {1e6, {1, 2, 3}, "linear"}}), {});
    ASSERT_TRUE(path);
    EXPECT_LE(path->spots.size(), 2002u);
    EXPECT_GT(path->spots.size(), 1000u);
    EXPECT_EQ(path->spots.back().place, (Vec3{1, 2, 3}));
    EXPECT_EQ(path->keys.size(), 2u);
}

TEST(MotionPaths, AreThoseOfKeysAlone)
{
    EXPECT_FALSE(pathOf("center", {1, 2, 3}, {}));
    EXPECT_FALSE(
        pathOf("center", Json::array({keys({{1, 0}, {5, 1}}), 0, {{"expr", "frame"}}}), {}));
    EXPECT_FALSE(pathOf("center", "text", {}));
    EXPECT_FALSE(numbersAt(Json::array({0, {{"expr", "frame"}}, 0}), 3, 1));
    EXPECT_EQ(numbersAt(keys({{1, 2, "linear"}, {3, 4, "linear"}}), 1, 2).value()[0], 3);
}

TEST(MotionPaths, AComponentThatDidNotMoveStaysAsItWasAtTheOtherKeys)
{
    const Json value = Json::array({keys({{1, 0, "linear"}, {11, 1, "linear"}}), 2, 3});
    const double moved[] = {0.5, 2.75, 3.001};
    const Json now = withKeysAt(value, 6, moved, 0.01);
    EXPECT_EQ(now[2], 3) << "not by rounding";
    for (const auto& [frame, y] : {std::pair(1.0, 2.0), {6.0, 2.75}, {11.0, 2.0}})
        EXPECT_EQ(numbersAt(now, 3, frame).value()[1], y) << frame;
    EXPECT_EQ(now[0]["keys"].size(), 3u);
    EXPECT_EQ(now[1]["keys"][0][2], "linear") << "as the others go";
}

struct Paths : ViewportTest {
    std::string ball;
    QPoint at(const Vec3& place)
    {
        return area->camera().project(place, area->size()).value().toPoint();
    }
    void show()
    {
        ball = document.addNode({}, "floe.shape.sphere", {});
        document.setParameter(
            {}, ball, "center",
            Json::array({keys({{1, -1, "linear"}, {11, 0, "linear"}, {21, 1, "linear"}}), 0, 0}));
        area->setCamera(lookingAt({0, 0, 5}, {0, 0, 0}, 40));
        viewport.setSelection({}, ball, QString::fromStdString(ball));
        viewport.setFrame(6, false);
        showPicture();
    }
    Vec3 center(double frame)
    {
        return numbersAt(document.value({}, ball, "center"), 3, frame).value();
    }
};

TEST_F(Paths, TheHandleIsWhereTheNodeIsAndSetsAKeyThere)
{
    show();
    ASSERT_TRUE(area->hasHandle());
    ASSERT_TRUE(area->handles().node().path);
    EXPECT_NEAR(area->handles().node().points[0].place[0], -0.5, 1e-9);
    const QPoint arrow = at({-0.5, 0, 0}) + QPoint(40, 0);
    const int before = document.undo().count();
    drag(arrow, arrow + QPoint(30, 0), Qt::LeftButton);
    const double pixel = area->camera().metresPerPixel({0, 0, 0}, area->height());
    EXPECT_NEAR(center(6)[0], -0.5 + 30 * pixel, 0.02);
    EXPECT_EQ(center(1)[0], -1);
    EXPECT_EQ(center(11)[0], 0);
    EXPECT_EQ(document.value({}, ball, "center")[1], 0) << "it was not moved along y";
    EXPECT_EQ(document.undo().count(), before + 1);
    viewport.setFrame(11, false);
    EXPECT_NEAR(area->handles().node().points[0].place[0], 0, 1e-9);
}

TEST_F(Paths, AKeyIsDraggedWhereItIs)
{
    show();
    const int before = document.undo().count();
    drag(at({1, 0, 0}), at({1, 0, 0}) + QPoint(0, -60), Qt::LeftButton);
    const double pixel = area->camera().metresPerPixel({0, 0, 0}, area->height());
    EXPECT_NEAR(center(21)[1], 60 * pixel, 0.02);
    EXPECT_NEAR(center(21)[0], 1, 0.02);
    for (const double p : center(11)) // the other keys stay
        EXPECT_NEAR(p, 0, 1e-12);
    EXPECT_EQ(document.undo().count(), before + 1);
    EXPECT_NEAR(area->handles().node().path->keys[2].place[1], 60 * pixel, 0.02);
    EXPECT_NEAR(area->handles().node().points[0].place[0], -0.5, 1e-9) << "the handle stays";
    document.undo().undo();
    EXPECT_EQ(center(21), (Vec3{1, 0, 0}));

    // Esc in the middle of it puts it back.
    const QPoint from = at({1, 0, 0});
    QTest::mousePress(area, Qt::LeftButton, {}, from);
    for (int i = 1; i <= 4; ++i) {
        const QPoint to = from + QPoint(0, 10 * i);
        QMouseEvent move(QEvent::MouseMove, to, area->mapToGlobal(to), Qt::LeftButton,
                         Qt::LeftButton, {});
        QApplication::sendEvent(area, &move);
    }
    EXPECT_LT(center(21)[1], -0.01);
    area->setFocus();
    QTest::keyClick(area, Qt::Key_Escape);
    EXPECT_EQ(center(21), (Vec3{1, 0, 0}));
    QTest::mouseRelease(area, Qt::LeftButton, {}, from);
}

// For people to look at: build/pictures/editor.
TEST_F(Paths, AreDrawn)
{
    show();
    document.setParameter({}, ball, "center",
                          Json::array({keys({{1, -1}, {11, 0}, {21, 1}}),
                                       keys({{1, -0.5}, {11, 0.6}, {21, -0.4}}), 0}));
    const QImage with = area->grab().toImage();
    const QString folder = QStringLiteral(FLOE_BINARY_DIR "/pictures/editor");
    QDir().mkpath(folder);
    EXPECT_TRUE(with.save(folder + QStringLiteral("/motion_path.png")));
    viewport.setSelection({}, {}, {});
    EXPECT_NE(area->grab().toImage(), with);
}

} // namespace
