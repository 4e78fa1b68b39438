// Four views of one scene, drawn by the runtime.
#include "studio_fixture.hpp"

#include "canvas/search_popup.hpp"
#include "views/picture_area.hpp"
#include "views/timeline.hpp"
#include "views/viewport.hpp"

#include <QAction>
#include <QDir>
#include <QLineEdit>
#include <QMouseEvent>
#include <QWindow>

namespace floe::test {
namespace {

/// A ball over a plate, not simulated at first.
class FourViews : public WithTheRuntime {
protected:
    static constexpr const char* kScene = R"json({
        "floe": 1, "range": {"start": 1, "end": 4, "fps": 24},
        "nodes": {
            "ball": {"type": "floe.shape.sphere",
                     "parameters": {"radius": 0.3, "center": [0.4, 0.8, 0.2], "voxelSize": 0.05}},
            "jello": {"type": "floe.material"},
            "body": {"type": "floe.emitter"},
            "plate_shape": {"type": "floe.shape.box",
                            "parameters": {"size": [2, 0.2, 1], "voxelSize": 0.05}},
            "plate": {"type": "floe.collider"},
            "down": {"type": "floe.force.gravity"},
            "solver": {"type": "floe.mpm.solver", "parameters": {"cellSize": 0.1}}
        },
        "links": [
            {"from": "ball.shape", "to": "body.shape"},
            {"from": "jello.material", "to": "body.material"},
            {"from": "body.emitter", "to": "solver.emitters"},
            {"from": "plate_shape.shape", "to": "plate.shape"},
            {"from": "plate_shape.mesh", "to": "plate.mesh"},
            {"from": "plate.collider", "to": "solver.colliders"},
            {"from": "down.force", "to": "solver.forces"}
        ]})json";

    void SetUp() override
    {
        open(Json::parse(kScene));
        viewport = window->findChild<views::Viewport*>();
        ASSERT_NE(viewport, nullptr);
        viewport->area()->setFocus();
        QTest::keyClick(viewport->area(), Qt::Key_Q, Qt::ControlModifier | Qt::AltModifier);
        ASSERT_EQ(viewport->viewLayout(), views::ViewLayout::Four);
        ASSERT_TRUE(until([&] { return haveAll([](auto* area) { return isSharp(area); }); }));
    }

    template <class Condition>
    bool haveAll(const Condition& condition)
    {
        const auto areas = viewport->areas();
        return std::all_of(areas.begin(), areas.end(), condition);
    }
    /// The full picture, and of the size that it has now.
    static bool isSharp(const views::PictureArea* area)
    {
        return (QSizeF(area->size()) * area->devicePixelRatioF()).toSize() ==
               area->picture().size();
    }
    QPoint seen(int which, const views::Vec3& place)
    {
        const views::PictureArea* area = viewport->areas()[which];
        return area->camera().project(place, area->size()).value().toPoint();
    }
    void save(const char* name)
    {
        const QString pictures = QStringLiteral(FLOE_BINARY_DIR "/pictures/editor");
        QDir().mkpath(pictures);
        EXPECT_TRUE(window->grab().save(pictures + "/" + name));
    }

    views::Viewport* viewport = nullptr;
};

TEST_F(FourViews, ShowTheSceneFromFourSides)
{
    // Those along the axes begin with all of it: the middle of the plate and the ball is in sight.
    for (const int which : {1, 2, 3}) {
        const views::PictureArea* area = viewport->areas()[which];
        ASSERT_TRUE(until([&] {
            return area->rect().contains(seen(which, {0.4, 0.8, 0.2}));
        })) << which;
        EXPECT_TRUE(area->camera().orthographic) << which;
        ASSERT_TRUE(until([&] { // seen from as far as the others: the ball, which will move
            return std::abs(area->camera().target[1] - 0.8) < 0.1;
        })) << which;
    }
    // The ball is found where each shows it.
    for (int which = 0; which < 4; ++which) {
        window->canvas()->select({});
        QTest::mouseClick(viewport->areas()[which], Qt::LeftButton, {},
                          seen(which, {0.4, 0.8, 0.2}));
        EXPECT_TRUE(until([&] {
            return window->canvas()->selection() == std::vector<std::string>{"body"};
        })) << which;
    }
    window->canvas()->select({});
    ASSERT_TRUE(until([&] { return haveAll([](auto* area) { return isSharp(area); }); }));
    save("four_views.png");
}

TEST_F(FourViews, AShapeIsMovedInOneAndSeenInAll)
{
    window->canvas()->select({"ball"});
    views::PictureArea* front = viewport->areas()[2];
    ASSERT_TRUE(until([&] { return front->hasHandle(); }));
    ASSERT_TRUE(until([&] { return front->rect().contains(seen(2, {0.4, 0.8, 0.2})); }));
    std::vector<QImage> before;
    for (const views::PictureArea* area : viewport->areas())
        before.push_back(area->picture());
    const QPoint start = seen(2, {0.4, 0.8, 0.2}) - QPoint(0, 40); // on the arrow that points up
    const QPoint end = start + QPoint(0, 30);
    QTest::mousePress(front, Qt::LeftButton, {}, start);
    QMouseEvent move(QEvent::MouseMove, QPointF(end), front->mapToGlobal(QPointF(end)),
                     Qt::NoButton, Qt::LeftButton, {});
    QApplication::sendEvent(front, &move);
    QTest::mouseRelease(front, Qt::LeftButton, {}, end);
    const Json moved = document().value({}, "ball", "center");
    const double pixel = front->camera().metresPerPixel({0.4, 0.8, 0.2}, front->height());
    EXPECT_NEAR(moved[1].get<double>(), 0.8 - 30 * pixel, 2 * pixel);
    EXPECT_EQ(moved[0], 0.4);
    EXPECT_EQ(moved[2], 0.2);
    settle();
    for (std::size_t which = 0; which < before.size(); ++which)
        EXPECT_TRUE(until([&] {
            const views::PictureArea* area = viewport->areas()[static_cast<int>(which)];
            return isSharp(area) && area->picture() != before[which];
        })) << which;
}

// Everything is what moves, not the plate of two metres; F sees the node that is selected.
TEST_F(FourViews, AAndFSeeWhatIsMeant)
{
    ASSERT_TRUE(playToTheEnd());
    settle();
    views::PictureArea* area = viewport->area();
    window->canvas()->select({"plate"});
    area->setFocus();
    QTest::keyClick(area, Qt::Key_F);
    ASSERT_TRUE(until([&] {
        const views::Vec3 target = area->camera().target;
        return std::abs(target[0]) < 0.02 && std::abs(target[1]) < 0.05;
    }));
    const double wide = area->camera().distance;
    QTest::keyClick(area, Qt::Key_A);
    ASSERT_TRUE(until([&] { return std::abs(area->camera().target[0] - 0.4) < 0.1; }));
    EXPECT_LT(area->camera().distance, 0.6 * wide); // 0.6 m of ball, 2 m of plate
}

TEST_F(FourViews, AFrameIsShownInAll)
{
    ASSERT_TRUE(playToTheEnd());
    std::vector<int> frames(4, 0);
    QObject::connect(&runtime(), &client::Runtime::pictureArrived, viewport,
                     [&](const client::Picture& picture) {
                         if (picture.cached)
                             frames[static_cast<std::size_t>(picture.view)] = picture.frame;
                     });
    studio->timeline().setFrame(3);
    EXPECT_TRUE(until([&] { return frames == std::vector<int>(4, 3); }));
    // One alone: the others are drawn no more.
    viewport->areas()[3]->setFocus();
    ASSERT_EQ(viewport->area(), viewport->areas()[3]);
    QTest::keyClick(viewport->area(), Qt::Key_Q, Qt::ControlModifier | Qt::AltModifier);
    ASSERT_EQ(viewport->viewLayout(), views::ViewLayout::One);
    settle();
    frames.assign(4, 0);
    studio->timeline().setFrame(2);
    EXPECT_TRUE(until([&] { return frames[3] == 2; }));
    settle();
    EXPECT_EQ(frames, (std::vector<int>{0, 0, 0, 2}));
}

TEST_F(FourViews, ComeBackWithTheWindow)
{
    views::PictureArea* top = viewport->areas()[1];
    ASSERT_TRUE(until([&] { return top->rect().contains(seen(1, {0.4, 0.8, 0.2})); }));
    QTest::mousePress(top, Qt::LeftButton, Qt::ShiftModifier, {60, 60});
    const QPoint end(90, 40);
    QMouseEvent move(QEvent::MouseMove, QPointF(end), top->mapToGlobal(QPointF(end)), Qt::NoButton,
                     Qt::LeftButton, Qt::ShiftModifier);
    QApplication::sendEvent(top, &move);
    QTest::mouseRelease(top, Qt::LeftButton, Qt::ShiftModifier, end);
    const views::OrbitCamera camera = top->camera();
    const QString path = document().path();
    window->close();
    editor::MainWindow second(
        editor::typesFromFolders({FLOE_BINARY_DIR "/lib/floe/plugins", FLOE_TEST_PLUGINS}));
    new editor::Studio(second);
    second.finish();
    ASSERT_TRUE(second.open(path));
    const auto* again = second.findChild<views::Viewport*>();
    EXPECT_EQ(again->viewLayout(), views::ViewLayout::Four);
    EXPECT_EQ(again->area(), again->areas()[1]);
    EXPECT_EQ(again->areas()[1]->camera(), camera);
    second.recovery().discard();
}

TEST_F(FourViews, CommandsOfTheViewportAreInThePalette)
{
    for (const char* id :
         {"viewport.frameAll", "viewport.frameSelection", "viewport.drive", "viewport.four"}) {
        const QAction* action = viewport->findChild<QAction*>(QLatin1String(id));
        ASSERT_NE(action, nullptr) << id;
        QTest::keyClick(window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        editor::SearchPopup* palette = nullptr;
        for (editor::SearchPopup* popup : window->findChildren<editor::SearchPopup*>())
            if (popup->isVisible())
                palette = popup;
        ASSERT_NE(palette, nullptr);
        QTest::keyClicks(palette->field(), action->text());
        EXPECT_EQ(palette->currentId(), id);
        QTest::keyClick(palette->field(), Qt::Key_Escape);
    }
}

} // namespace
} // namespace floe::test
