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

/// Named values of a record or of particles, in the order in which they were first set. A value is
/// sealed when it is set, so a record cannot contain itself.
class Fields {
public:
    static constexpr std::size_t kMaxCount = 65536;
    static constexpr int kMaxDepth = 64; ///< of records within records

    /// Sets or replaces a field.
    /// @throws InputError  an invalid name, a missing value or one that would contain `owner`, too
    ///                     many fields, or too deep nesting
    void set(const Value& owner, std::string_view name, ValueRef value);
    /// Returns the value of that name, or null.
    const Value* find(std::string_view name) const;
    std::span<const Field> list() const { return list_; }
    /// Returns 0 without fields, else 1 + the depth of the deepest field.
    int depth() const { return depth_; }

private:
    std::vector<Field> list_;
    int depth_ = 0;
};

/// Returns the fields of a record or of particles; null for every other kind.
const Fields* fieldsOf(const Value& value);

/// True for names of fields and attributes: 1 to 255 bytes of UTF-8 without control characters.
bool isName(std::string_view text);

} // namespace floe
