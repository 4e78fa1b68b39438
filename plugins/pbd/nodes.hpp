/// The nodes of the plugin that make records. Their parameters: plugin.json.
#pragma once

#include "floe/sdk/node.hpp"

namespace floe::pbd {

class BodyNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.pbd.body";
    void cook(sdk::Context& context) override;
};

class GrainsNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.pbd.grains";
    void cook(sdk::Context& context) override;
};

class LiquidNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.pbd.liquid";
    void cook(sdk::Context& context) override;
};

class ClothNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.pbd.cloth";
    void cook(sdk::Context& context) override;
};

class RopeNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.pbd.rope";
    void cook(sdk::Context& context) override;
};

class JointNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.pbd.joint";
    void cook(sdk::Context& context) override;
};

} // namespace floe::pbd
