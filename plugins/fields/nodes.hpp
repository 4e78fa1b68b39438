#pragma once

#include "floe/sdk/node.hpp"

/// The node types of this plugin; parameters and sockets are in plugin.json.
namespace floe::fields {

/// One grid of a file. file_nodes.cpp
class FileNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.volume.file";
    void cook(sdk::Context& context) override;
};

/// One grid of the numbered file of each frame. file_nodes.cpp
class SequenceNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.volume.sequence";
    void cook(sdk::Context& context) override;
};

/// A grid of the values of formulas. formula_nodes.cpp
class FormulaVolumeNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.volume.formula";
    void cook(sdk::Context& context) override;
};

/// A force whose acceleration is given by formulas. formula_nodes.cpp
class FormulaForceNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.force.formula";
    void cook(sdk::Context& context) override;
};

/// Turbulence without sources. noise_node.cpp
class CurlNoiseNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.volume.curl_noise";
    void cook(sdk::Context& context) override;

private:
    bool warned_ = false; ///< of eddies that are left out
};

/// The velocity of colliders, in and around them. motion_node.cpp
class MotionNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.volume.motion";
    void cook(sdk::Context& context) override;
};

/// Density and velocity of particles. particles_node.cpp
class ParticlesNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.volume.particles";
    void cook(sdk::Context& context) override;
};

} // namespace floe::fields
