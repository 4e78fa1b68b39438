#include "floe/graph/wording.hpp"

#include "floe/base/json.hpp"
#include "floe/graph/words.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace floe::graph {

namespace {

/// Calls `text` and `place` with the parts of a pattern, in their order.
template <class Text, class Place>
void forEachPart(std::string_view pattern, const Text& text, const Place& place)
{
    std::size_t done = 0;
    for (std::size_t open = pattern.find('{'); open != std::string_view::npos;
         open = pattern.find('{', open + 1)) {
        std::size_t end = open + 1;
        while (end < pattern.size() && std::isalpha(static_cast<unsigned char>(pattern[end])))
            ++end;
        if (end == open + 1 || end == pattern.size() || pattern[end] != '}')
            continue;
        text(pattern.substr(done, open - done));
        place(pattern.substr(open + 1, end - open - 1));
        done = end + 1;
        open = end;
    }
    text(pattern.substr(done));
}

std::vector<std::string_view> placesOf(std::string_view pattern)
{
    std::vector<std::string_view> places;
    forEachPart(
        pattern, [](std::string_view) {}, [&](std::string_view place) { places.push_back(place); });
    return places;
}

/// The line with the values in its places. @return nothing when its places are not the pattern's
std::optional<std::string> filled(std::string_view line, std::string_view pattern,
                                  const std::vector<std::string>& values)
{
    const std::vector<std::string_view> places = placesOf(pattern);
    std::vector<std::string_view> open = places;
    open.resize(std::min(places.size(), values.size()));
    std::string result;
    bool fits = open.size() == places.size();
    forEachPart(
        line, [&](std::string_view text) { result += text; },
        [&](std::string_view place) {
            const auto found = std::ranges::find(open, place);
            fits = fits && found != open.end();
            if (!fits)
                return;
            result += values[static_cast<std::size_t>(found - open.begin())];
            *found = {}; // each once
        });
    fits = fits && std::ranges::all_of(open, [](std::string_view place) { return place.empty(); });
    return fits ? std::optional(result) : std::nullopt;
}

} // namespace

Wording::Wording(std::string pattern, std::vector<Wording> values)
    : pattern_(std::move(pattern)), values_(std::move(values)), given_(false)
{}

Wording Wording::given(std::string text)
{
    Wording wording;
    wording.pattern_ = std::move(text);
    return wording;
}

Wording Wording::value(std::string_view text)
{
    return given(shortened(text));
}

Wording Wording::value(double value)
{
    return given(number(value));
}

std::string Wording::text() const
{
    return text([](const std::string&) { return std::string(); });
}

std::string
Wording::text(const std::function<std::string(const std::string& pattern)>& lineOf) const
{
    if (given_)
        return pattern_;
    std::vector<std::string> values;
    for (const Wording& value : values_)
        values.push_back(value.text(lineOf));
    const std::string line = lineOf(pattern_);
    if (!line.empty())
        if (auto result = filled(line, pattern_, values))
            return *result;
    return filled(pattern_, pattern_, values).value_or(pattern_);
}

Wording within(const Wording& place, const Wording& fault)
{
    return place.empty() ? fault : Wording::of("{place}: {fault}", place, fault);
}

Wording didYouMean(std::string_view text, const std::vector<std::string>& candidates,
                   const Wording& otherwise)
{
    const std::string meant = nearest(text, candidates);
    return meant.empty() ? otherwise : Wording::of("did you mean '{name}'?", meant);
}

Wording alternatives(const std::vector<std::string>& words, std::size_t limit)
{
    const std::size_t count = std::min(words.size(), limit);
    std::string listed;
    for (std::size_t i = 0; i < count; ++i) {
        if (i > 0 && i + 1 == words.size())
            return Wording::of("{others} or {last}", Wording::given(listed),
                               Wording::given(words[i]));
        listed += (i > 0 ? ", " : "") + words[i];
    }
    return Wording::given(listed + (count < words.size() ? ", ..." : ""));
}

nlohmann::ordered_json toJson(const Wording& wording)
{
    if (wording.given_)
        return wording.pattern_;
    Json values = Json::array();
    for (const Wording& value : wording.values_)
        values.push_back(toJson(value));
    return {{"pattern", wording.pattern_}, {"values", std::move(values)}};
}

Wording wordingFrom(const nlohmann::ordered_json& json)
{
    if (json.is_string())
        return Wording::given(json.get<std::string>());
    if (!json.is_object() || !json.contains("pattern") || !json["pattern"].is_string())
        return {};
    std::vector<Wording> values;
    if (const auto found = json.find("values"); found != json.end() && found->is_array())
        for (const Json& value : *found)
            values.push_back(wordingFrom(value));
    return {json["pattern"].get<std::string>(), std::move(values)};
}

WordedError::WordedError(Place place, Wording cause, Wording cure)
    : GraphError(std::move(place), cause.text(), cure.text()), causeWording_(std::move(cause)),
      cureWording_(std::move(cure))
{}

Wording causeOf(const Error& error)
{
    const auto* worded = dynamic_cast<const WordedError*>(&error);
    return worded ? worded->causeWording() : Wording::given(error.cause());
}

Wording cureOf(const Error& error)
{
    const auto* worded = dynamic_cast<const WordedError*>(&error);
    return worded ? worded->cureWording() : Wording::given(error.cure());
}

Wording sentenceOf(const Error& error)
{
    const auto* worded = dynamic_cast<const WordedError*>(&error);
    if (!worded)
        return Wording::given(error.what());
    const Wording &cause = worded->causeWording(), &cure = worded->cureWording();
    Wording result = cure.empty() ? cause : Wording::of("{cause}; {cure}", cause, cure);
    const Place& place = error.place();
    if (place.frame != Place::kNoFrame)
        result = within(Wording::of("frame {frame}", place.frame), result);
    if (!place.parameter.empty())
        result = within(Wording::given("'" + place.parameter + "'"), result);
    if (!place.node.empty())
        result = within(Wording::of("node '{node}'", Wording::given(place.node)), result);
    return within(Wording::given(place.file), result);
}

} // namespace floe::graph
