#include "floe/data/value.hpp"

#include "floe/base/error.hpp"
#include "floe/data/fields.hpp"

#include <string>
#include <unordered_set>
#include <vector>

namespace floe {

namespace {
std::atomic<std::uint64_t> liveByteSum{0};
std::atomic<std::uint64_t> liveValues{0};
} // namespace

const char* kindName(Kind kind)
{
    switch (kind) {
    case Kind::number:
        return "number";
    case Kind::vector:
        return "vector";
    case Kind::string:
        return "string";
    case Kind::boolean:
        return "boolean";
    case Kind::transform:
        return "transform";
    case Kind::curve:
        return "curve";
    case Kind::mesh:
        return "mesh";
    case Kind::volume:
        return "volume";
    case Kind::image:
        return "image";
    case Kind::particles:
        return "particles";
    case Kind::record:
        return "record";
    case Kind::interface:
        return "interface";
    }
    return "unknown kind";
}

Value::Value(Kind kind) : kind_(kind)
{
    liveValues.fetch_add(1, std::memory_order_relaxed);
    account(64); // about what the object itself takes
}

Value::~Value()
{
    liveByteSum.fetch_sub(bytes_, std::memory_order_relaxed);
    liveValues.fetch_sub(1, std::memory_order_relaxed);
}

void Value::account(std::uint64_t bytes) noexcept
{
    bytes_ += bytes;
    liveByteSum.fetch_add(bytes, std::memory_order_relaxed);
}

std::uint64_t Value::liveBytes() noexcept
{
    return liveByteSum;
}

std::uint64_t Value::liveCount() noexcept
{
    return liveValues;
}

std::uint64_t Value::totalBytes() const
{
    std::unordered_set<const Value*> seen{this};
    std::vector<const Value*> open{this};
    std::uint64_t sum = 0;
    while (!open.empty()) {
        const Value* value = open.back();
        open.pop_back();
        sum += value->bytes_;
        if (const Fields* fields = fieldsOf(*value))
            for (const Field& field : fields->list())
                if (seen.insert(field.value.get()).second)
                    open.push_back(field.value.get());
    }
    return sum;
}

void detail::throwWrongKind(Kind expected, const Value* value)
{
    throw InputError({}, std::string("expected a value of kind ") + kindName(expected) +
                             (value ? std::string(", got ") + kindName(value->kind())
                                    : std::string(", got nothing")));
}

} // namespace floe
