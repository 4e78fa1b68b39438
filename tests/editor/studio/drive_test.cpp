#include "studio_fixture.hpp"

#include "app/drive.hpp"
#include "views/picture_area.hpp"
#include "views/viewport.hpp"

#include <QAction>
#include <QMouseEvent>

#include <SDL.h>

#include <map>

namespace floe::test {
namespace {

/// A gamepad that is plugged in for a test.
class Pad {
public:
    Pad()
    {
        SDL_InitSubSystem(SDL_INIT_GAMECONTROLLER);
        number_ = SDL_JoystickAttachVirtual(SDL_JOYSTICK_TYPE_GAMECONTROLLER,
                                            SDL_CONTROLLER_AXIS_MAX, SDL_CONTROLLER_BUTTON_MAX, 0);
        pad_ = number_ < 0 ? nullptr : SDL_JoystickOpen(number_);
        for (int trigger : {SDL_CONTROLLER_AXIS_TRIGGERLEFT, SDL_CONTROLLER_AXIS_TRIGGERRIGHT})
            set(trigger, -32768); // not pulled
    }
    ~Pad()
    {
        if (pad_)
            SDL_JoystickClose(pad_);
        if (number_ >= 0)
            SDL_JoystickDetachVirtual(number_);
        SDL_QuitSubSystem(SDL_INIT_GAMECONTROLLER);
    }
    Pad(const Pad&) = delete;
    Pad& operator=(const Pad&) = delete;

    bool isThere() const { return pad_ != nullptr; }
    void set(int axis, Sint16 value)
    {
        if (pad_)
            SDL_JoystickSetVirtualAxis(pad_, axis, value);
    }
    void press(int button) { SDL_JoystickSetVirtualButton(pad_, button, 1); }

private:
    int number_ = -1;
    SDL_Joystick* pad_ = nullptr;
};

/// A ball that lies on a plate, which the hand drives.
class Driving : public WithTheRuntime {
protected:
    static constexpr int kLast = 8;

    void SetUp() override
    {
        open(Json::parse(R"json({
            "floe": 1, "range": {"start": 1, "end": 8, "fps": 24},
            "nodes": {
                "ball": {"type": "floe.shape.sphere",
                         "parameters": {"radius": 0.2, "center": [0, 0.31, 0], "voxelSize": 0.05}},
                "jello": {"type": "floe.material"},
                "body": {"type": "floe.emitter"},
                "plate_shape": {"type": "floe.shape.box",
                                "parameters": {"size": [2, 0.2, 2], "voxelSize": 0.05}},
                "plate": {"type": "floe.collider", "parameters": {"friction": 1}},
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
            ]})json"));
        window->canvas()->select({"plate"});
        viewport = window->findChild<views::Viewport*>();
        ASSERT_NE(viewport, nullptr);
        drive = window->findChild<editor::Drive*>();
        ASSERT_NE(drive, nullptr);
    }

    /// All particles of a frame, as the runtime tells them.
    Json particles(int frame)
    {
        Json rows;
        bool answered = false;
        runtime().request(
            studio, "value.table",
            {{"node", "solver"},
             {"socket", "particles"},
             {"frame", frame},
             {"offset", 0},
             {"count", 1000}},
            [&](const Json& result) {
                rows = result.at("rows");
                answered = true;
            },
            [&](const QString& message) {
                ADD_FAILURE() << message.toStdString();
                answered = true;
            });
        EXPECT_TRUE(until([&] { return answered; }));
        return rows;
    }

    /// Pulls the handle by 60 pixels to the right.
    void pull()
    {
        views::PictureArea* area = viewport->area();
        ASSERT_TRUE(until([&] { return area->hasHandle(); })) << "as soon as there is a picture";
        views::Vec3 place{};
        const Json keys = position();
        for (int axis = 0; axis < 3; ++axis)
            place[axis] = keys[axis]["keys"].back()[1].get<double>();
        const auto from = area->camera().project(place, area->size());
        ASSERT_TRUE(from.has_value());
        const QPoint start = from->toPoint();
        QTest::mousePress(area, Qt::LeftButton, {}, start);
        QMouseEvent move(QEvent::MouseMove, QPointF(start + QPoint(60, 0)),
                         area->mapToGlobal(QPointF(start + QPoint(60, 0))), Qt::NoButton,
                         Qt::LeftButton, {});
        QApplication::sendEvent(area, &move);
        QTest::mouseRelease(area, Qt::LeftButton, {}, start + QPoint(60, 0));
    }

    /// As a user begins: the key G in the viewport.
    void driveToTheEnd()
    {
        viewport->area()->setFocus();
        QTest::keyClick(viewport->area(), Qt::Key_G);
        ASSERT_TRUE(drive->isOn());
        ASSERT_TRUE(until([&] { return !drive->isOn(); }));
    }

    Json position() { return document().value("", "plate", "position"); }

    views::Viewport* viewport = nullptr;
    editor::Drive* drive = nullptr;
};

// Keys push the plate, the handle pulls it; both become keys of the document, which replays
// exactly.
TEST_F(Driving, WhatIsDrivenByHandReplaysExactly)
{
    QString reason;
    int stepped = 0;
    QObject::connect(drive, &editor::Drive::ended, window.get(),
                     [&](const QString& why) { reason = why; });
    QObject::connect(drive, &editor::Drive::stepped, window.get(), [&](int frame) {
        stepped = frame;
        if (frame == 2)
            QTest::keyPress(viewport->area(), Qt::Key_D);
        if (frame == 5) {
            QTest::keyRelease(viewport->area(), Qt::Key_D);
            pull();
        }
    });
    ASSERT_NO_FATAL_FAILURE(driveToTheEnd());
    EXPECT_EQ(stepped, kLast);
    EXPECT_TRUE(reason.contains("last")) << reason.toStdString();
    EXPECT_FALSE(viewport->drive->isChecked());

    const Json driven = position();
    ASSERT_TRUE(driven.is_array() && driven.size() == 3 && driven[0].is_object()) << driven;
    const auto along = [&](int axis, int key) {
        return driven[axis]["keys"][key][1].get<double>();
    };
    ASSERT_EQ(driven[0]["keys"].size(), kLast) << "a key a frame";
    EXPECT_EQ(along(0, 1), 0) << "nothing was held";
    const views::Vec3 right = viewport->area()->camera().level();
    for (int key = 2; key < 5; ++key) { // frames 3 to 5
        const views::Vec3 by{along(0, key) - along(0, key - 1), along(1, key) - along(1, key - 1),
                             along(2, key) - along(2, key - 1)};
        EXPECT_GT(views::length(by), 0.001) << key;
        EXPECT_NEAR(views::dot(by, right), views::length(by), 1e-9)
            << "to the right in the picture";
    }
    const views::Vec3 pulled{along(0, 5) - along(0, 4), along(1, 5) - along(1, 4),
                             along(2, 5) - along(2, 4)};
    EXPECT_GT(views::dot(pulled, right), 0.02) << "to where the mouse was";
    for (int axis = 0; axis < 3; ++axis)
        EXPECT_EQ(along(axis, 7), along(axis, 5)) << "it stays there";

    const Json seen = particles(kLast);
    ASSERT_GT(seen.size(), 100u);
    bool cleared = false;
    QObject::connect(&runtime(), &client::Runtime::framesChanged, window.get(),
                     [&] { cleared = cleared || runtime().frames().isEmpty(); });
    settle();
    runtime().clearCache();
    ASSERT_TRUE(until([&] { return cleared; }));
    ASSERT_TRUE(playToTheEnd());
    EXPECT_EQ(particles(kLast), seen) << "the same bits";

    document().undo().undo();
    EXPECT_EQ(position(), Json::parse("[0, 0, 0]")) << "one drive is one step";
    settle();
    runtime().play(1);
    ASSERT_TRUE(until([&] { return runs(); }));
    ASSERT_TRUE(until([&] { return !runs(); }));
    EXPECT_NE(particles(kLast), seen) << "what was driven has moved the ball";
}

// A transform has turned the plate's shape by a quarter: keys push it along the picture all the
// same.
TEST_F(Driving, WhatATransformTurnsIsPushedAlongThePicture)
{
    const std::string turned = document().addNode("", "floe.shape.transform", {});
    document().setParameter("", turned, "rotation", Json::parse("[0, 90, 0]"));
    document().setParameter("", turned, "scale", Json::parse("[2, 1, 1]"));
    ASSERT_TRUE(document().link("", {{"ball", "shape"}, {turned, "shape"}}));
    ASSERT_TRUE(document().link("", {{turned, "shape"}, {"body", "shape"}}));
    settle();
    window->canvas()->select({"ball"});
    QObject::connect(drive, &editor::Drive::stepped, window.get(), [&](int frame) {
        if (frame == 2)
            QTest::keyPress(viewport->area(), Qt::Key_D);
    });
    ASSERT_NO_FATAL_FAILURE(driveToTheEnd());
    const Json driven = document().value("", "ball", "center");
    ASSERT_TRUE(driven.is_array() && driven[0].is_object()) << driven;
    const auto moved = [&](int axis) {
        return driven[axis]["keys"][4][1].get<double>() - driven[axis]["keys"][3][1].get<double>();
    };
    // Its x, twice as long, leads to the world's -z, and its z to the world's x.
    const views::Vec3 way{moved(2), moved(1), -2 * moved(0)};
    EXPECT_GT(views::length(way), 0.001);
    EXPECT_NEAR(views::dot(way, viewport->area()->camera().level()), views::length(way), 1e-9);
}

// The shape of a stream is driven, and Space pours: what was poured by hand replays exactly.
TEST_F(Driving, SpacePours)
{
    document().setParameter("", "body", "mode", "continuous");
    document().setParameter("", "body", "velocity", Json::parse("[0, -2, 0]"));
    document().setParameter("", "body", "emit", false);
    settle();
    window->canvas()->select({"ball"});
    QObject::connect(drive, &editor::Drive::stepped, window.get(), [&](int frame) {
        if (frame == 3 || frame == 5)
            QTest::keyClick(viewport->area(), Qt::Key_Space);
        if (frame == 1)
            QTest::keyPress(viewport->area(), Qt::Key_E);
    });
    ASSERT_NO_FATAL_FAILURE(driveToTheEnd());
    EXPECT_EQ(
        document().value("", "body", "emit"),
        Json::parse(R"({"keys": [[3, false, "step"], [4, true, "step"], [6, false, "step"]]})"));
    ASSERT_EQ(document().value("", "ball", "center")[1]["keys"].size(), kLast);
    std::map<int, Json> seen;
    for (int frame = 1; frame <= kLast; ++frame)
        seen[frame] = particles(frame);
    EXPECT_EQ(seen[3].size(), 0u);
    EXPECT_GT(seen[4].size(), 0u);
    EXPECT_GT(seen[5].size(), seen[4].size());
    EXPECT_EQ(seen[kLast].size(), seen[5].size()) << "stopped";
    settle();
    runtime().clearCache();
    ASSERT_TRUE(until([&] { return runtime().frames().isEmpty(); }));
    ASSERT_TRUE(playToTheEnd());
    EXPECT_EQ(particles(kLast), seen[kLast]) << "the same bits";
}

// The left stick pushes the plate along the picture, the right one lifts it, a shoulder button
// makes it faster, and B ends.
TEST_F(Driving, AGamepadDrives)
{
    Pad pad;
    ASSERT_TRUE(pad.isThere()) << SDL_GetError();
    QString reason;
    int stepped = 0;
    QObject::connect(drive, &editor::Drive::ended, window.get(),
                     [&](const QString& why) { reason = why; });
    QObject::connect(drive, &editor::Drive::stepped, window.get(), [&](int frame) {
        stepped = frame;
        if (frame == 3) {
            pad.set(SDL_CONTROLLER_AXIS_LEFTX, 32767);
            pad.set(SDL_CONTROLLER_AXIS_RIGHTY, 2000); // slack
        }
        if (frame == 5)
            pad.press(SDL_CONTROLLER_BUTTON_LEFTSHOULDER);
        if (frame == 7)
            pad.press(SDL_CONTROLLER_BUTTON_B);
    });
    ASSERT_NO_FATAL_FAILURE(driveToTheEnd());
    EXPECT_EQ(stepped, 7);
    EXPECT_EQ(reason, "") << "by the user";

    const Json driven = position();
    ASSERT_TRUE(driven.is_array() && driven[0].is_object()) << driven;
    std::map<int, views::Vec3> at;
    for (int axis = 0; axis < 3; ++axis)
        for (const Json& key : driven[axis]["keys"])
            at[key[0].get<int>()][axis] = key[1].get<double>();
    const views::Vec3 right = viewport->area()->camera().level();
    const auto moved = [&](int frame) {
        return views::dot(views::operator-(at[frame], at[frame - 1]), right);
    };
    EXPECT_EQ(moved(3), 0) << "nothing was held";
    EXPECT_GT(moved(4), 0.001);
    EXPECT_NEAR(moved(5), moved(4), 1e-9);
    EXPECT_NEAR(moved(6), 4 * moved(4), 1e-9) << "faster";
    EXPECT_EQ(at[7][1], 0) << "a stick that hardly moved";
}

TEST_F(Driving, WhatCannotBeDrivenIsSaid)
{
    QString reason;
    QObject::connect(drive, &editor::Drive::ended, window.get(),
                     [&](const QString& why) { reason = why; });
    window->canvas()->select({"jello"});
    viewport->drive->trigger();
    EXPECT_FALSE(drive->isOn());
    EXPECT_TRUE(reason.contains("Select a node")) << reason.toStdString();
    EXPECT_FALSE(viewport->drive->isChecked());

    // Esc ends it, and A is a shortcut again.
    window->canvas()->select({"plate"});
    viewport->drive->trigger();
    ASSERT_TRUE(drive->isOn());
    QTest::keyClick(viewport->area(), Qt::Key_Escape);
    EXPECT_FALSE(drive->isOn());
    EXPECT_TRUE(until([&] { return !runs(); }));
}

} // namespace
} // namespace floe::test
