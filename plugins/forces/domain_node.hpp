#pragma once

#include "floe/sdk/node.hpp"

namespace floe::forces {

/// The domain of the simulation: unbounded or a box.
class DomainNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.domain";
    void cook(sdk::Context& context) override;
};

} // namespace floe::forces
