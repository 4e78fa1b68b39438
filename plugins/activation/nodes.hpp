/// The node types of this plugin.
#pragma once

#include "floe/sdk/node.hpp"

namespace floe::activation {

/// Keeps everything active.
class AlwaysNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.activation.always";
    void cook(sdk::Context& context) override;
};

/// Sleeps when slow for long enough, wakes when a neighbour pushes.
class ThresholdNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.activation.threshold";
    void cook(sdk::Context& context) override;
};

/// Wakes on contact only.
class ImpactNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.activation.impact";
    void cook(sdk::Context& context) override;
};

/// Evaluates a convolutional network on the speed of all matter (Sirois-Vigneux 2023).
class NetworkNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.activation.network";
    void cook(sdk::Context& context) override;
};

/// Simulates ahead: the reference that the other strategies are compared with and trained on.
class OracleNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.activation.oracle";
    void cook(sdk::Context& context) override;
};

/// An oracle that records requests and true states: the data set.
class RecordNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.activation.record";
    void cook(sdk::Context& context) override;
};

} // namespace floe::activation
