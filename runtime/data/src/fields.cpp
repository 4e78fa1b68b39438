#include "floe/data/fields.hpp"

#include "floe/base/error.hpp"
#include "floe/data/particles.hpp"
#include "floe/data/record.hpp"

#include <algorithm>

namespace floe {

bool isName(std::string_view text)
{
    return !text.empty() && text.size() <= 255 && std::ranges::none_of(text, [](char letter) {
        return static_cast<unsigned char>(letter) < 32 || letter == 127;
    });
}

void Fields::set(const Value& owner, std::string_view name, ValueRef value)
{
    if (!isName(name))
        throw InputError({}, "a field's name is empty, too long, or has control characters");
    if (!value)
        throw InputError({.parameter = std::string(name)}, "a field needs a value");
    // A sealed owner cannot be filled, so a value that (deeply) holds the owner cannot exist yet:
    // only the owner itself is left to refuse.
    if (value.get() == &owner)
        throw InputError({.parameter = std::string(name)}, "a value cannot be its own field");
    const Fields* inner = fieldsOf(*value);
    const int depth = 1 + (inner ? inner->depth() : 0);
    if (depth > kMaxDepth)
        throw InputError({.parameter = std::string(name)},
                         "records nest more than " + std::to_string(kMaxDepth) + " deep");
    value->seal();
    const auto found = std::ranges::find(list_, name, &Field::name);
    if (found != list_.end()) {
        found->value = std::move(value);
    } else {
        if (list_.size() == kMaxCount)
            throw InputError({.parameter = std::string(name)}, "there are too many fields");
        list_.push_back({std::string(name), std::move(value)});
    }
    depth_ = std::max(depth_, depth);
}

const Value* Fields::find(std::string_view name) const
{
    const auto found = std::ranges::find(list_, name, &Field::name);
    return found == list_.end() ? nullptr : found->value.get();
}

const Fields* fieldsOf(const Value& value)
{
    if (const auto* record = as<RecordValue>(&value))
        return &record->fields();
    if (const auto* particles = as<ParticlesValue>(&value))
        return &particles->fields();
    return nullptr;
}

// ------------------------------------------------------------------------------------ records

RecordValue::RecordValue(std::string schema) : Value(kKind), schema_(std::move(schema))
{
    if (!isName(schema_))
        throw InputError({}, "a record's schema is empty, too long, or has control characters");
    account(schema_.size());
}

void RecordValue::setField(std::string_view name, ValueRef value)
{
    if (sealed())
        throw InputError({.parameter = std::string(name)},
                         "the record has been handed on and cannot change any more");
    const std::size_t before = fields_.list().size();
    fields_.set(*this, name, std::move(value));
    if (fields_.list().size() != before)
        account(sizeof(Field) + name.size());
}

InterfaceValue::InterfaceValue(std::string id, const void* table, void* self,
                               void (*destroy)(void*), std::shared_ptr<const void> owner)
    : Value(kKind), id_(std::move(id)), table_(table), self_(self), destroy_(destroy),
      owner_(std::move(owner))
{
    // On failure the destructor does not run: self stays the caller's.
    if (!isName(id_))
        throw InputError({}, "an interface's id is empty, too long, or has control characters");
    if (!table_)
        throw InputError({.parameter = id_}, "an interface needs a table of functions");
}

InterfaceValue::~InterfaceValue()
{
    if (destroy_)
        destroy_(self_);
}

} // namespace floe
