/// The nodes that make models of pressures.
#pragma once

#include "floe/sdk/node.hpp"

namespace floe::coupled {

/// Writes what the solver solves: the data set.
class RecordNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.coupled.record";
    void cook(sdk::Context& context) override;
};

/// Guesses pressures by a convolutional network with a memory.
class PredictorNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.coupled.predictor";
    void cook(sdk::Context& context) override;
};

} // namespace floe::coupled
