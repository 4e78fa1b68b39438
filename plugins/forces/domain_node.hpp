#pragma once

#include "floe/sdk/node.hpp"

namespace floe::forces {

/// Where the simulation takes place: everywhere, or inside a box.
class DomainNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.domain";
    void cook(sdk::Context& context) override;
};

} // namespace floe::forces
