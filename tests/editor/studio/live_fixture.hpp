/// A scene that is played with while it is simulated.
#pragma once

#include "studio_fixture.hpp"

#include <algorithm>

namespace floe::test {

class LiveControl : public WithTheRuntime {
protected:
    /// A jet onto a collider that lasts long enough to be played with.
    static Json scene()
    {
        return Json::parse(R"json({
            "floe": 1, "range": {"start": 1, "end": 100000, "fps": 240},
            "nodes": {
                "ball": {"type": "floe.shape.sphere",
                         "parameters": {"radius": 0.2, "center": [0, 1, 0], "voxelSize": 0.05}},
                "jello": {"type": "floe.material"},
                "body": {"type": "floe.emitter", "parameters": {"mode": "once"}},
                "floor_shape": {"type": "floe.shape.box",
                                "parameters": {"size": [2, 0.2, 2], "voxelSize": 0.05}},
                "floor": {"type": "floe.collider"},
                "solver": {"type": "floe.mpm.solver", "parameters": {"cellSize": 0.1}}
            },
            "links": [
                {"from": "ball.shape", "to": "body.shape"},
                {"from": "jello.material", "to": "body.material"},
                {"from": "body.emitter", "to": "solver.emitters"},
                {"from": "floor_shape.shape", "to": "floor.shape"},
                {"from": "floor_shape.mesh", "to": "floor.mesh"},
                {"from": "floor.collider", "to": "solver.colliders"}
            ]})json");
    }

    void playToFrame(int frame)
    {
        int done = 0;
        const auto connection = QObject::connect(&runtime(), &client::Runtime::frameFinished,
                                                 window.get(), [&](int f) { done = f; });
        if (runtime().runState() != client::RunState::Running)
            runtime().play();
        ASSERT_TRUE(until([&] { return done >= frame; }));
        QObject::disconnect(connection);
    }

    /// Waits until frames that took a live change are up to date, and those before it are stale.
    void waitUntilFollowed()
    {
        EXPECT_TRUE(until([&] {
            bool stale = false, followed = false;
            for (const client::FrameSpan& span : runtime().frames()) {
                followed = followed || (stale && span.state == client::FrameState::Cached);
                stale = stale || span.state == client::FrameState::Stale;
            }
            return followed;
        }));
    }

    /// Stops, waits for the end. @return state of the last frame
    client::FrameState stop()
    {
        runtime().cancel();
        EXPECT_TRUE(until([&] { return !runs(); })); // the list of frames came before
        client::FrameState last = client::FrameState::Empty;
        int highest = 0;
        for (const client::FrameSpan& span : runtime().frames())
            if (span.last > highest && span.state != client::FrameState::Running) {
                highest = span.last;
                last = span.state;
            }
        return last;
    }
};

} // namespace floe::test
