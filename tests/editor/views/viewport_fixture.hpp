/// What the viewport's tests begin with.
#pragma once

#include "fake_server.hpp"

#include "document/document.hpp"
#include "views/orbit_camera.hpp"
#include "views/picture_area.hpp"
#include "views/viewport.hpp"

#include <QApplication>
#include <QMouseEvent>
#include <QTest>

#include <gtest/gtest.h>

namespace floe::views {

inline OrbitCamera lookingAt(const Vec3& eye, const Vec3& target, double fieldOfView)
{
    return OrbitCamera::lookingAt({eye, target, {0, 1, 0}, fieldOfView});
}

inline editor::Types builtIn()
{
    auto types = std::make_shared<graph::TypeLibrary>();
    for (const char* plugin : {"shapes", "output", "mpm", "colliders", "gaussians", "forces", "pbd",
                               "values", "emitters"})
        types->addManifestFile(std::string(FLOE_SOURCE_DIR) + "/plugins/" + plugin +
                               "/plugin.json");
    return types;
}

/// A viewport in a window of its own, and a runtime that is played.
struct ViewportTest : ::testing::Test {
    FakeServer server;
    client::Runtime runtime;
    editor::Document document{builtIn()};
    Viewport viewport{&runtime, &document};
    PictureArea* area = viewport.area();

    ViewportTest()
    {
        viewport.resize(800, 500);
        viewport.show();
        EXPECT_TRUE(QTest::qWaitForWindowExposed(&viewport));
        runtime.connectLocal(server.path());
        EXPECT_TRUE(waitUntil([&] { return server.count("view.set") >= 1; }));
    }
    const Json& view() { return *server.last("view.set"); }
    void drag(QPoint from, QPoint to, Qt::MouseButton button, Qt::KeyboardModifiers keys = {})
    {
        QTest::mousePress(area, button, keys, from);
        for (int i = 1; i <= 8; ++i) {
            const QPoint at = from + (to - from) * i / 8;
            QMouseEvent move(QEvent::MouseMove, at, area->mapToGlobal(at), button, button, keys);
            QApplication::sendEvent(area, &move);
        }
        QTest::mouseRelease(area, button, keys, to);
    }
    /// A picture is there, so handles are.
    void showPicture()
    {
        QImage picture(80, 50, QImage::Format_RGB32);
        picture.fill(Qt::black);
        area->setPicture(picture);
        server.notify("run.state", {{"state", "finished"}});
        ASSERT_TRUE(waitUntil([&] { return area->message() == QStringLiteral("\n"); }));
    }
    bool moving() { return view()["quality"] == "moving"; }
};

} // namespace floe::views
