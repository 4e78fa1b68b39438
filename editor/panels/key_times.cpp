#include "panels/key_times.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

namespace floe::panels {

namespace {

bool hasKeys(const Json& value)
{
    if (!value.is_object())
        return false;
    const auto list = value.find("keys");
    return list != value.end() && list->is_array() && !list->empty() &&
           std::all_of(list->begin(), list->end(), [](const Json& key) {
               return key.is_array() && key.size() >= 2 && key[0].is_number();
           });
}

/// Calls for the value, or for each component of a vector that is stored by components, where it
/// has keys.
template <class Value>
void eachKeyed(Value& stored, const std::function<void(Value& keyed)>& call)
{
    if (hasKeys(stored))
        call(stored);
    else if (stored.is_array())
        for (auto& part : stored)
            if (hasKeys(part))
                call(part);
}

double frameOf(const Json& key)
{
    return key[0].get<double>();
}

Json written(double frame)
{
    const bool whole = frame == std::floor(frame) && std::abs(frame) < 1e15;
    return whole ? Json(std::llround(frame)) : Json(frame);
}

/// Keys of both in order of frames; of two at one frame, that of `over`.
Json joined(const Json& under, const Json& over)
{
    std::map<double, Json> keys;
    for (const Json* list : {&under, &over})
        for (const Json& key : *list)
            keys[frameOf(key)] = key;
    Json list = Json::array();
    for (auto& [frame, key] : keys)
        list.push_back(std::move(key));
    return list;
}

/// Keys of those frames, or all others.
Json chosen(const Json& list, const std::set<double>& frames, bool others)
{
    Json result = Json::array();
    for (const Json& key : list)
        if (frames.contains(frameOf(key)) != others)
            result.push_back(key);
    return result;
}

Json moved(Json list, double by)
{
    for (Json& key : list)
        key[0] = written(frameOf(key) + by);
    return list;
}

} // namespace

std::vector<double> keyFrames(const Json& stored)
{
    std::set<double> frames;
    eachKeyed<const Json>(stored, [&](const Json& keyed) {
        for (const Json& key : keyed["keys"])
            frames.insert(frameOf(key));
    });
    return {frames.begin(), frames.end()};
}

Json withKeysMoved(Json stored, const std::set<double>& frames, double by)
{
    eachKeyed<Json>(stored, [&](Json& keyed) {
        Json& list = keyed["keys"];
        list = joined(chosen(list, frames, true), moved(chosen(list, frames, false), by));
    });
    return stored;
}

Json withoutKeys(Json stored, const std::set<double>& frames)
{
    eachKeyed<Json>(stored, [&](Json& keyed) {
        const Json left = chosen(keyed["keys"], frames, true);
        if (left.empty()) {
            const Json value = keyed["keys"][0][1];
            keyed = value;
        } else {
            keyed["keys"] = left;
        }
    });
    return stored;
}

Json onlyKeys(Json stored, const std::set<double>& frames)
{
    const auto only = [&](const Json& value) -> Json {
        if (!hasKeys(value))
            return nullptr;
        Json list = chosen(value["keys"], frames, false);
        return list.empty() ? Json() : Json{{"keys", std::move(list)}};
    };
    if (hasKeys(stored) || !stored.is_array())
        return only(stored);
    bool any = false;
    for (Json& part : stored) {
        part = only(part);
        any = any || !part.is_null();
    }
    return any ? stored : Json();
}

Json withKeysPasted(Json stored, const Json& keys, double by)
{
    const auto sample = [](const Json& value) -> const Json& {
        return hasKeys(value) ? value["keys"][0][1] : value;
    };
    const auto paste = [&](const Json& under, const Json& over) -> Json {
        if (!hasKeys(over))
            return under;
        const Json &a = sample(under), &b = sample(over);
        const bool alike = a.is_array() ? b.is_array() && a.size() == b.size()
                                        : a.type() == b.type() || (a.is_number() && b.is_number());
        if (!alike)
            return under;
        const Json list = moved(over["keys"], by);
        return {{"keys", hasKeys(under) ? joined(under["keys"], list) : list}};
    };
    const bool parts =
        stored.is_array() &&
        std::any_of(stored.begin(), stored.end(), [](auto& part) { return part.is_object(); });
    if (!keys.is_array())
        return parts ? stored : paste(stored, keys);
    if (!stored.is_array() || stored.size() != keys.size())
        return stored;
    for (std::size_t i = 0; i < keys.size(); ++i)
        stored[i] = paste(stored[i], keys[i]);
    return stored;
}

} // namespace floe::panels
