#include "floe/graph/translatable_text.hpp"

#include "floe/base/json.hpp"
#include "floe/graph/text.hpp"

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

/// Inserts the values into a translation. @return nothing when its places differ from the pattern's
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
            *found = {}; // each place once
        });
    fits = fits && std::ranges::all_of(open, [](std::string_view place) { return place.empty(); });
    return fits ? std::optional(result) : std::nullopt;
}

} // namespace

TranslatableText::TranslatableText(std::string pattern, std::vector<TranslatableText> values)
    : pattern_(std::move(pattern)), values_(std::move(values)), verbatim_(false)
{}

TranslatableText TranslatableText::verbatim(std::string text)
{
    TranslatableText message;
    message.pattern_ = std::move(text);
    return message;
}

TranslatableText TranslatableText::value(std::string_view text)
{
    return verbatim(shortened(text));
}

TranslatableText TranslatableText::value(double value)
{
    return verbatim(number(value));
}

std::string TranslatableText::text() const
{
    return text([](const std::string&) { return std::string(); });
}

std::string
TranslatableText::text(const std::function<std::string(const std::string& pattern)>& lineOf) const
{
    if (verbatim_)
        return pattern_;
    std::vector<std::string> values;
    for (const TranslatableText& value : values_)
        values.push_back(value.text(lineOf));
    const std::string line = lineOf(pattern_);
    if (!line.empty())
        if (auto result = filled(line, pattern_, values))
            return *result;
    return filled(pattern_, pattern_, values).value_or(pattern_);
}

TranslatableText within(const TranslatableText& place, const TranslatableText& fault)
{
    return place.empty() ? fault : TranslatableText::of("{place}: {fault}", place, fault);
}

TranslatableText didYouMean(std::string_view text, const std::vector<std::string>& candidates,
                            const TranslatableText& otherwise)
{
    const std::string meant = nearest(text, candidates);
    return meant.empty() ? otherwise : TranslatableText::of("did you mean '{name}'?", meant);
}

TranslatableText alternatives(const std::vector<std::string>& words, std::size_t limit)
{
    const std::size_t count = std::min(words.size(), limit);
    std::string listed;
    for (std::size_t i = 0; i < count; ++i) {
        if (i > 0 && i + 1 == words.size())
            return TranslatableText::of("{others} or {last}", TranslatableText::verbatim(listed),
                                        TranslatableText::verbatim(words[i]));
        listed += (i > 0 ? ", " : "") + words[i];
    }
    return TranslatableText::verbatim(listed + (count < words.size() ? ", ..." : ""));
}

nlohmann::ordered_json toJson(const TranslatableText& message)
{
    if (message.verbatim_)
        return message.pattern_;
    Json values = Json::array();
    for (const TranslatableText& value : message.values_)
        values.push_back(toJson(value));
    return {{"pattern", message.pattern_}, {"values", std::move(values)}};
}

TranslatableText translatableTextFrom(const nlohmann::ordered_json& json)
{
    if (json.is_string())
        return TranslatableText::verbatim(json.get<std::string>());
    if (!json.is_object() || !json.contains("pattern") || !json["pattern"].is_string())
        return {};
    std::vector<TranslatableText> values;
    if (const auto found = json.find("values"); found != json.end() && found->is_array())
        for (const Json& value : *found)
            values.push_back(translatableTextFrom(value));
    return {json["pattern"].get<std::string>(), std::move(values)};
}

WordedError::WordedError(Place place, TranslatableText cause, TranslatableText cure)
    : GraphError(std::move(place), cause.text(), cure.text()), causeText_(std::move(cause)),
      cureText_(std::move(cure))
{}

TranslatableText causeOf(const Error& error)
{
    const auto* worded = dynamic_cast<const WordedError*>(&error);
    return worded ? worded->causeText() : TranslatableText::verbatim(error.cause());
}

TranslatableText cureOf(const Error& error)
{
    const auto* worded = dynamic_cast<const WordedError*>(&error);
    return worded ? worded->cureText() : TranslatableText::verbatim(error.cure());
}

TranslatableText sentenceOf(const Error& error)
{
    const auto* worded = dynamic_cast<const WordedError*>(&error);
    if (!worded)
        return TranslatableText::verbatim(error.what());
    const TranslatableText &cause = worded->causeText(), &cure = worded->cureText();
    TranslatableText result =
        cure.empty() ? cause : TranslatableText::of("{cause}; {cure}", cause, cure);
    const Place& place = error.place();
    if (place.frame != Place::kNoFrame)
        result = within(TranslatableText::of("frame {frame}", place.frame), result);
    if (!place.parameter.empty())
        result = within(TranslatableText::verbatim("'" + place.parameter + "'"), result);
    if (!place.node.empty())
        result = within(
            TranslatableText::of("node '{node}'", TranslatableText::verbatim(place.node)), result);
    return within(TranslatableText::verbatim(place.file), result);
}

} // namespace floe::graph
