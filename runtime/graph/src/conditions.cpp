#include "conditions.hpp"

#include "floe/graph/text.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>

namespace floe::graph {

namespace {

using Places = std::unordered_map<std::string_view, std::size_t>;

std::string textOf(const Json& value)
{
    return value.is_boolean() ? value.get<bool>() ? "true" : "false" : value.get<std::string>();
}

std::vector<std::string> valuesOf(const ParameterSpec& spec)
{
    if (spec.type == ValueType::Bool)
        return {"true", "false"};
    std::vector<std::string> values;
    for (const Choice& choice : spec.choices)
        values.push_back(choice.value);
    return values;
}

/// Place of faults of a parameter's conditions: the manifest's key and the name.
TranslatableText placeOf(const ParameterSpec& spec)
{
    return TranslatableText::verbatim("parameters " + quote(spec.name));
}

/// @param key    of the conditions: "shownWhen"
/// @param place  of what has them
void checkNames(const NodeType& type, const Places& places,
                const std::vector<Condition>& conditions, const char* key, const std::string& field,
                const TranslatableText& place, const FaultSink& sink)
{
    const auto fault = [&](const TranslatableText& cause, const TranslatableText& cure) {
        sink.add("bad-condition", field, within(place, cause), cure);
    };
    for (const Condition& condition : conditions) {
        const auto found = places.find(condition.parameter);
        if (found == places.end()) {
            std::vector<std::string> known;
            for (const ParameterSpec& other : type.parameters)
                known.push_back(other.name);
            fault(TranslatableText::of("'{key}' names the unknown parameter '{parameter}'", key,
                                       condition.parameter),
                  didYouMean(condition.parameter, known,
                             TranslatableText::of("known are {names}", alternatives(known))));
            continue;
        }
        const ParameterSpec& other = type.parameters[found->second];
        if (other.type != ValueType::Choice && other.type != ValueType::Bool) {
            fault(TranslatableText::of("'{key}' names '{parameter}', which is of type {type}", key,
                                       other.name, name(other.type)),
                  TranslatableText::of("must name a choice or a bool"));
            continue;
        }
        const std::vector<std::string> known = valuesOf(other);
        for (const std::string& value : condition.values)
            if (std::find(known.begin(), known.end(), value) == known.end())
                fault(TranslatableText::of("'{key}' asks whether '{parameter}' is '{value}', "
                                           "which it never is",
                                           key, other.name, value),
                      didYouMean(value, known,
                                 TranslatableText::of("must be {values}", alternatives(known))));
    }
}

/// Reports parameters whose chains of conditions exceed the bound.
void checkChains(const NodeType& type, const Places& places, const FaultSink& sink)
{
    std::vector<bool> ends(type.parameters.size(), false);
    const auto open = [&](std::size_t i) -> const Condition* { // the first that does not end
        for (const Condition& condition : type.parameters[i].shownWhen)
            if (const auto found = places.find(condition.parameter);
                found != places.end() && !ends[found->second])
                return &condition;
        return nullptr;
    };
    for (int round = 0; round <= kMaxConditionChain; ++round) {
        std::vector<bool> next = ends;
        for (std::size_t i = 0; i < ends.size(); ++i)
            next[i] = ends[i] || !open(i);
        ends = std::move(next);
    }
    const auto unending = std::find(ends.begin(), ends.end(), false);
    if (unending == ends.end())
        return;
    std::size_t at = static_cast<std::size_t>(unending - ends.begin());
    std::vector<std::size_t> way;
    while (way.size() < 1000 && std::find(way.begin(), way.end(), at) == way.end() && open(at)) {
        way.push_back(at);
        at = places.at(open(at)->parameter);
    }
    const ParameterSpec& first = type.parameters[at];
    const auto loop = std::find(way.begin(), way.end(), at);
    if (loop == way.end()) {
        const ParameterSpec& start = type.parameters[way.front()];
        sink.add(
            "bad-condition", start.name,
            within(placeOf(start),
                   TranslatableText::of("'shownWhen' leads through more than {limit} parameters",
                                        kMaxConditionChain)),
            TranslatableText::of("name what decides directly"));
        return;
    }
    std::vector<std::string> names;
    for (auto i = loop; i != way.end(); ++i)
        names.push_back(quote(type.parameters[*i].name));
    if (names.size() > 6)
        names.erase(names.begin() + 5, names.end());
    std::string path;
    for (const std::string& name : names)
        path += name + " -> ";
    sink.add("bad-condition", first.name,
             within(placeOf(first),
                    TranslatableText::of("'shownWhen' leads back to itself: {path}",
                                         TranslatableText::verbatim(path + quote(first.name)))),
             TranslatableText::of("take one of the conditions out"));
}

/// Returns whether a stored value is one of those, at some time at least.
bool canBe(const Json& value, const std::vector<std::string>& wanted)
{
    const auto is = [&](const Json& v) {
        return (!v.is_string() && !v.is_boolean()) ||
               std::find(wanted.begin(), wanted.end(), textOf(v)) != wanted.end();
    };
    if (!value.is_object())
        return is(value);
    const auto keys = value.find("keys");
    if (keys == value.end() || !keys->is_array() || keys->empty())
        return true;
    return std::any_of(keys->begin(), keys->end(), [&](const Json& key) {
        return !key.is_array() || key.size() < 2 || is(key[1]);
    });
}

bool holds(const NodeType& type, const ParameterSpec& spec, const Json& stored, int depth)
{
    return depth > kMaxConditionChain ||
           std::all_of(spec.shownWhen.begin(), spec.shownWhen.end(), [&](const Condition& c) {
               const ParameterSpec* other = type.parameter(c.parameter);
               if (!other)
                   return true;
               const auto own = stored.find(c.parameter);
               return canBe(own != stored.end() ? *own : Json::parse(text(other->defaultValue)),
                            c.values) &&
                      holds(type, *other, stored, depth + 1);
           });
}

} // namespace

std::vector<Condition> readConditions(ObjectReader& reader, const char* key)
{
    std::vector<Condition> conditions;
    const Json* given = reader.get(key, Json::value_t::object);
    if (!given)
        return conditions;
    const auto refuse = [&] {
        reader.fault(
            key,
            TranslatableText::of(
                "'{key}' is {value}", key,
                TranslatableText::verbatim(
                    given->dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 60))),
            TranslatableText::of(
                "must be like {\"law\": [\"snow\", \"sand\"]} or {\"bounded\": true}"));
    };
    for (const auto& [name, value] : given->items()) {
        Condition condition{name, {}};
        const Json list = value.is_array() ? value : Json::array({value});
        for (const Json& entry : list)
            if (entry.is_string() || entry.is_boolean())
                condition.values.push_back(textOf(entry));
        if (condition.values.size() != list.size() || list.empty())
            return refuse(), conditions;
        conditions.push_back(std::move(condition));
    }
    if (conditions.empty())
        refuse();
    return conditions;
}

void checkConditions(const NodeType& type, const FaultSink& sink)
{
    if (std::all_of(type.parameters.begin(), type.parameters.end(),
                    [](const ParameterSpec& spec) { return spec.shownWhen.empty(); }) &&
        type.excludes.empty())
        return;
    Places places;
    for (std::size_t i = 0; i < type.parameters.size(); ++i)
        places.emplace(type.parameters[i].name, i);
    for (const ParameterSpec& spec : type.parameters)
        checkNames(type, places, spec.shownWhen, "shownWhen", spec.name, placeOf(spec), sink);
    for (const Exclusion& exclusion : type.excludes)
        checkNames(type, places, exclusion.when, "when", "excludes",
                   TranslatableText::verbatim("excludes"), sink);
    checkChains(type, places, sink);
}

bool NodeType::matters(const ParameterSpec& spec, const Json& stored) const
{
    return spec.shownWhen.empty() || holds(*this, spec, stored, 0);
}

} // namespace floe::graph
