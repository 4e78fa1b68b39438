#pragma once

#include "floe/base/json.hpp"

#include <optional>
#include <vector>

namespace floe::panels {

/// Keys of a value that cannot be blended (switches, menus, texts, files): each holds until the
/// next. A document stores them as {"keys": [[frame, value, "step"], ...]}.
struct StepKey {
    double frame = 1;
    Json value;
    bool operator==(const StepKey&) const = default;
};
using StepKeys = std::vector<StepKey>; ///< in order of frames

/// Nothing when the stored value has no keys, or keys of a wrong shape.
std::optional<StepKeys> readSteps(const Json& value);
Json writeSteps(const StepKeys& keys);

/// The value at a frame; before the first key it is the first one's. @param keys not empty
const Json& stepAt(const StepKeys& keys, double frame);
bool hasStep(const StepKeys& keys, double frame);

/// A stored value with a key set at a frame; a constant becomes one key.
Json withStep(const Json& stored, double frame, const Json& value);
/// Without the key at a frame; the last one leaves a constant.
Json withoutStep(const Json& stored, double frame);

} // namespace floe::panels
