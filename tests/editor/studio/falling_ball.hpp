#pragma once

#include "floe/base/json.hpp"

namespace floe::test {

/// A ball of jelly that falls on the ground, coarse and short.
inline Json fallingBall()
{
    return Json::parse(R"json({"floe": 1, "range": {"start": 1, "end": 8, "fps": 24}, "nodes": {
            "ball": {"type": "floe.shape.sphere", "parameters": {"radius": 0.2,
                "center": [0, 0.5, 0], "voxelSize": 0.05}},
            "jello": {"type": "floe.material", "parameters": {"law": "fixedCorotated",
                "density": 1000, "youngModulus": 20000.0, "poissonRatio": 0.4}},
            "body": {"type": "floe.emitter"},
            "down": {"type": "floe.force.gravity"},
            "solver": {"type": "floe.mpm.solver", "parameters": {"cellSize": 0.05}}},
            "links": [{"from": "ball.shape", "to": "body.shape"},
                {"from": "jello.material", "to": "body.material"},
                {"from": "body.emitter", "to": "solver.emitters"},
                {"from": "down.force", "to": "solver.forces"}]})json");
}

} // namespace floe::test
