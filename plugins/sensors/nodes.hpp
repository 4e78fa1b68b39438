#pragma once

#include "floe/sdk/node.hpp"

namespace floe::sensors {

/// Measures what a camera sees: distances, normals, motion and what things are.
class CameraSensor final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.sensor.camera";
    void cook(sdk::Context& context) override;
};

/// Measures the force and torque on a collider, body or wall, from a solver's contacts.
class ForcePlate final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.sensor.forcePlate";
    void cook(sdk::Context& context) override;
};

} // namespace floe::sensors
