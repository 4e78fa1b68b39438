#include "object_reader.hpp"

#include "floe/graph/words.hpp"

#include <algorithm>
#include <cmath>

namespace floe::graph {

void FaultSink::add(std::string code, std::string field, std::string cause, std::string cure,
                    Severity severity) const
{
    faults.push_back({severity, std::move(code), file, node, type, std::move(field),
                      std::move(cause), std::move(cure)});
}

std::string kindOf(const Json& value)
{
    switch (value.type()) {
    case Json::value_t::null:
        return "null";
    case Json::value_t::object:
        return "an object";
    case Json::value_t::array:
        return "an array";
    case Json::value_t::string:
        return "a text";
    case Json::value_t::boolean:
        return "a boolean";
    default:
        return "a number";
    }
}

static std::string kindOf(Json::value_t type)
{
    return type == Json::value_t::number_float ? "a number" : kindOf(Json(type));
}

ObjectReader::ObjectReader(const Json& value, std::string where, const FaultSink& sink)
    : where_(std::move(where)), sink_(sink)
{
    if (value.is_object()) {
        object_ = &value;
    } else {
        faulty_ = lost_ = true;
        sink_.add("wrong-type", where_, (where_.empty() ? "this" : where_) + " is " + kindOf(value),
                  "must be an object");
    }
}

void ObjectReader::fault(const std::string& key, const std::string& cause, const std::string& cure)
{
    faulty_ = lost_ = true;
    sink_.add("wrong-type", where_.empty() ? key : where_ + "." + key,
              (where_.empty() ? "" : where_ + ": ") + quote(key) + " " + cause, cure);
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
        sink_.add("missing-key", where_.empty() ? key : where_ + "." + key,
                  (where_.empty() ? "" : where_ + ": ") + quote(key) + " is missing");
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
    fault(key, "is " + kindOf(*value), "must be " + kindOf(type));
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
    fault(key, "is " + number(*value),
          "must be a whole number from " + std::to_string(low) + " to " + std::to_string(high));
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
                fault(key, "holds " + kindOf(entry), "must hold texts");
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
        sink_.add("unknown-key", where_.empty() ? key : where_ + "." + key,
                  (where_.empty() ? "" : where_ + ": ") + "unknown key " + quote(key),
                  didYouMean(key, known_, "known are " + alternatives(known_, 20)));
    }
    return extra;
}

} // namespace floe::graph
