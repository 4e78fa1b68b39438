#pragma once

#include "floe/sdk/node.hpp"

/// The node types of this plugin, one class each; parameters and sockets are in plugin.json.
#define FLOE_VALUE_NODE(Class, Type)                                                               \
    class Class final : public sdk::Node {                                                         \
    public:                                                                                        \
        static constexpr const char* kType = Type;                                                 \
        void cook(sdk::Context& context) override;                                                 \
    };

namespace floe::values {

FLOE_VALUE_NODE(TransformNode, "floe.transform")       // transform_node.cpp
FLOE_VALUE_NODE(MathNode, "floe.value.math")           // math_node.cpp
FLOE_VALUE_NODE(NoiseNode, "floe.value.noise")         // noise_node.cpp
FLOE_VALUE_NODE(SwitchNode, "floe.value.switch")       // switch_node.cpp
FLOE_VALUE_NODE(CacheNode, "floe.value.cache")         // passing_nodes.cpp
FLOE_VALUE_NODE(TimeShiftNode, "floe.value.timeshift") // passing_nodes.cpp

} // namespace floe::values

#undef FLOE_VALUE_NODE
