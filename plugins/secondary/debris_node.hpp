#pragma once

#include "debris.hpp"

#include "floe/sdk/node.hpp"

namespace floe::secondary {

class DebrisNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.secondary.debris";

    void cook(sdk::Context& context) override;
    void save(sdk::Context& context, sdk::Writer& writer) override;
    void load(sdk::Context& context, sdk::Reader& reader) override;

private:
    void output(sdk::Context& context) const;

    Debris debris_;
    bool hasWarned_ = false;
};

} // namespace floe::secondary
