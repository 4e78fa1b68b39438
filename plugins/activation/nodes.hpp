/// The node types of this plugin.
#pragma once

#include "floe/sdk/node.hpp"

namespace floe::activation {

/// Everything all the time.
class AlwaysNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.activation.always";
    void cook(sdk::Context& context) override;
};

/// Sleep when slow for long enough, wake when a neighbour pushes.
class ThresholdNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.activation.threshold";
    void cook(sdk::Context& context) override;
};

/// Wake on contact only.
class ImpactNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.activation.impact";
    void cook(sdk::Context& context) override;
};

/// A convolutional network looks at the speed of everything (Sirois-Vigneux 2023).
class NetworkNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.activation.network";
    void cook(sdk::Context& context) override;
};

/// Looks into the future: what the others are measured against and learn from.
class OracleNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.activation.oracle";
    void cook(sdk::Context& context) override;
};

/// An oracle that writes what it was asked and what is true: the data set.
class RecordNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.activation.record";
    void cook(sdk::Context& context) override;
};

} // namespace floe::activation
