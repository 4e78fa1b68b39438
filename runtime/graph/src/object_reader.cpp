#include "object_reader.hpp"

#include "floe/graph/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace floe::graph {

namespace {

constexpr const char* kMoreFaults = "more-faults";

} // namespace

void FaultSink::add(std::string code, std::string field, TranslatableText cause,
                    TranslatableText cure, Severity severity) const
{
    const bool room = faults.size() < kMaxFaults;
    // An error that is not listed must refuse the document all the same.
    if (!room && (severity != Severity::Error || faults.back().code == kMoreFaults))
        return;
    if (room)
        faults.push_back({severity, std::move(code), file, node, type, std::move(field),
                          std::move(cause), std::move(cure)});
    else
        faults.push_back(
            {Severity::Error, kMoreFaults, file, "", "", "",
             TranslatableText::of("there are more faults than these {count}", kMaxFaults),
             TranslatableText::of("fix these first")});
}

TranslatableText kindOf(const Json& value)
{
    switch (value.type()) {
    case Json::value_t::null:
        return TranslatableText::verbatim("null");
    case Json::value_t::object:
        return TranslatableText::of("an object");
    case Json::value_t::array:
        return TranslatableText::of("an array");
    case Json::value_t::string:
        return TranslatableText::of("a text");
    case Json::value_t::boolean:
        return TranslatableText::of("a boolean");
    default:
        return TranslatableText::of("a number");
    }
}

static TranslatableText kindOf(Json::value_t type)
{
    return kindOf(type == Json::value_t::number_float ? Json(0.0) : Json(type));
}

ObjectReader::ObjectReader(const Json& value, TranslatableText where, const FaultSink& sink)
    : where_(std::move(where)), sink_(sink)
{
    if (value.is_object()) {
        object_ = &value;
    } else {
        faulty_ = lost_ = true;
        sink_.add("wrong-type", where_.text(),
                  where_.empty() ? TranslatableText::of("this is {kind}", kindOf(value))
                                 : TranslatableText::of("{place} is {kind}", where_, kindOf(value)),
                  TranslatableText::of("must be an object"));
    }
}

std::string ObjectReader::fieldOf(const std::string& key) const
{
    return where_.empty() ? key : where_.text() + "." + key;
}

void ObjectReader::fault(const std::string& key, const TranslatableText& cause,
                         const TranslatableText& cure)
{
    faulty_ = lost_ = true;
    sink_.add("wrong-type", fieldOf(key), within(where_, cause), cure);
}

const Json* ObjectReader::any(const char* key, bool required)
{
    known_.push_back(key);
    if (!object_)
        return nullptr;
    const auto found = object_->find(key);
    if (found != object_->end())
        return &*found;
    if (required) {
        faulty_ = lost_ = true;
        sink_.add("missing-key", fieldOf(key),
                  within(where_, TranslatableText::of("'{key}' is missing", key)));
    }
    return nullptr;
}

const Json* ObjectReader::get(const char* key, Json::value_t type, bool required)
{
    const Json* value = any(key, required);
    if (!value)
        return nullptr;
    const bool fits =
        type == Json::value_t::number_float ? value->is_number() : value->type() == type;
    if (fits)
        return value;
    fault(key, TranslatableText::of("'{key}' is {kind}", key, kindOf(*value)),
          TranslatableText::of("must be {kind}", kindOf(type)));
    return nullptr;
}

std::string ObjectReader::text(const char* key, bool required)
{
    const Json* value = get(key, Json::value_t::string, required);
    return value ? value->get<std::string>() : std::string();
}

std::optional<double> ObjectReader::real(const char* key, bool required)
{
    const Json* value = get(key, Json::value_t::number_float, required);
    return value ? std::optional(value->get<double>()) : std::nullopt;
}

std::optional<std::int64_t> ObjectReader::whole(const char* key, std::int64_t low,
                                                std::int64_t high, bool required)
{
    const auto value = real(key, required);
    if (!value)
        return std::nullopt;
    if (*value == std::floor(*value) && *value >= static_cast<double>(low) &&
        *value <= static_cast<double>(high))
        return static_cast<std::int64_t>(*value);
    fault(key, TranslatableText::of("'{key}' is {value}", key, *value),
          TranslatableText::of("must be a whole number from {low} to {high}", low, high));
    return std::nullopt;
}

std::optional<bool> ObjectReader::boolean(const char* key)
{
    const Json* value = get(key, Json::value_t::boolean);
    return value ? std::optional(value->get<bool>()) : std::nullopt;
}

std::vector<std::string> ObjectReader::texts(const char* key)
{
    std::vector<std::string> result;
    if (const Json* list = get(key, Json::value_t::array)) {
        for (const Json& entry : *list) {
            if (entry.is_string())
                result.push_back(entry.get<std::string>());
            else
                fault(key, TranslatableText::of("'{key}' holds {kind}", key, kindOf(entry)),
                      TranslatableText::of("must hold texts"));
        }
    }
    return result;
}

Json ObjectReader::finish()
{
    Json extra = Json::object();
    if (!object_)
        return extra;
    for (const auto& [key, value] : object_->items()) {
        if (std::find(known_.begin(), known_.end(), key) != known_.end())
            continue;
        faulty_ = true;
        extra[key] = value;
        sink_.add("unknown-key", fieldOf(key),
                  within(where_, TranslatableText::of("unknown key '{key}'", key)),
                  didYouMean(key, known_,
                             TranslatableText::of("known are {names}", alternatives(known_, 20))));
    }
    return extra;
}

} // namespace floe::graph
