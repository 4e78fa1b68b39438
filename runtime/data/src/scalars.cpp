#include "floe/data/scalars.hpp"

#include "floe/base/error.hpp"
#include "floe/data/record.hpp"

#include <cmath>

namespace floe {

NumberValue::NumberValue(double number) : Value(kKind), number_(number)
{
    if (!std::isfinite(number))
        throw InputError({}, "a number must be finite");
}

VectorValue::VectorValue(const std::array<double, 3>& vector) : Value(kKind), vector_(vector)
{
    for (const double component : vector)
        if (!std::isfinite(component))
            throw InputError({}, "a vector's components must be finite");
}

StringValue::StringValue(std::string string) : Value(kKind), string_(std::move(string))
{
    if (string_.size() > kMaxBytes)
        throw InputError({}, "a string may be at most 64 MiB long");
    if (string_.find('\0') != std::string::npos)
        throw InputError({}, "a string may not contain zero bytes");
    account(string_.size());
}

double RecordValue::number(std::string_view name, double otherwise) const
{
    const auto* value = as<NumberValue>(find(name));
    return value ? value->number() : otherwise;
}

bool RecordValue::boolean(std::string_view name, bool otherwise) const
{
    const auto* value = as<BooleanValue>(find(name));
    return value ? value->boolean() : otherwise;
}

std::string RecordValue::string(std::string_view name, std::string otherwise) const
{
    const auto* value = as<StringValue>(find(name));
    return value ? value->string() : otherwise;
}

} // namespace floe
