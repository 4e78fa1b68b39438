#include "panels/step_keys.hpp"

#include <algorithm>
#include <cmath>

namespace floe::panels {

namespace {
auto place(StepKeys& keys, double frame)
{
    return std::lower_bound(keys.begin(), keys.end(), frame,
                            [](const StepKey& key, double f) { return key.frame < f; });
}
} // namespace

std::optional<StepKeys> readSteps(const Json& value)
{
    if (!value.is_object())
        return std::nullopt;
    const auto list = value.find("keys");
    if (list == value.end() || !list->is_array() || list->empty())
        return std::nullopt;
    StepKeys keys;
    for (const Json& entry : *list) {
        if (!entry.is_array() || entry.size() < 2 || !entry[0].is_number())
            return std::nullopt;
        const double frame = entry[0].get<double>();
        if (!keys.empty() && frame <= keys.back().frame)
            return std::nullopt;
        keys.push_back({frame, entry[1]});
    }
    return keys;
}

Json writeSteps(const StepKeys& keys)
{
    Json list = Json::array();
    for (const StepKey& key : keys) {
        const bool whole = key.frame == std::floor(key.frame) && std::abs(key.frame) < 1e15;
        list.push_back(Json::array(
            {whole ? Json(std::llround(key.frame)) : Json(key.frame), key.value, "step"}));
    }
    return {{"keys", std::move(list)}};
}

const Json& stepAt(const StepKeys& keys, double frame)
{
    auto at = std::upper_bound(keys.begin(), keys.end(), frame,
                               [](double f, const StepKey& key) { return f < key.frame; });
    return at == keys.begin() ? at->value : std::prev(at)->value;
}

bool hasStep(const StepKeys& keys, double frame)
{
    return std::any_of(keys.begin(), keys.end(),
                       [frame](const StepKey& key) { return key.frame == frame; });
}

Json withStep(const Json& stored, double frame, const Json& value)
{
    StepKeys keys = readSteps(stored).value_or(StepKeys());
    const auto at = place(keys, frame);
    if (at != keys.end() && at->frame == frame)
        at->value = value;
    else
        keys.insert(at, {frame, value});
    return writeSteps(keys);
}

Json withoutStep(const Json& stored, double frame)
{
    auto keys = readSteps(stored);
    if (!keys)
        return stored;
    const Json last = stepAt(*keys, frame);
    std::erase_if(*keys, [frame](const StepKey& key) { return key.frame == frame; });
    return keys->empty() ? last : writeSteps(*keys);
}

} // namespace floe::panels
