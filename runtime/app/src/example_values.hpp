#pragma once

#include "floe/data/value.hpp"

#include <string>

namespace floe::app {

/// Selects one of several meanings of an example.
struct ExampleVariant {
    bool vectorVolume = false; ///< volumes are a Vec3f field in place of a level set
};

/// Makes a small, ordinary value of a manifest's kind ("volume", "emitter", ...), to test a node
/// with: a ball of 0.5 m at the origin, a few dozen particles, jelly, gravity.
/// @return null for kinds that only a third party knows
ValueRef exampleValue(const std::string& kind, const ExampleVariant& variant = {});

/// Returns whether a value is of a manifest's kind.
bool isOfKind(const Value& value, const std::string& kind);

} // namespace floe::app
