#pragma once

#include "floe/data/value.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace floe {

/// A name and its value.
struct Field {
    std::string name;
    ValueRef value;
};

/// The named values that a record, or particles, carry; in the order in which they were first set.
/// A value becomes sealed when it is set, so no record can come to contain itself.
class Fields {
public:
    static constexpr std::size_t kMaxCount = 65536;
    static constexpr int kMaxDepth = 64; ///< of records within records

    /// Sets or replaces a field.
    /// @throws InputError  the name is empty or not a name, the value is missing or would contain
    ///                     `owner`, there are too many fields or they nest too deeply
    void set(const Value& owner, std::string_view name, ValueRef value);
    /// Null when there is none of that name.
    const Value* find(std::string_view name) const;
    std::span<const Field> list() const { return list_; }
    /// 0 without fields, else 1 + the deepest of the fields.
    int depth() const { return depth_; }

private:
    std::vector<Field> list_;
    int depth_ = 0;
};

/// The fields of a record or of particles; null for every other kind.
const Fields* fieldsOf(const Value& value);

/// True for names of fields and attributes: 1 to 255 bytes of UTF-8 without control characters.
bool isName(std::string_view text);

} // namespace floe
