#pragma once

// Values of pictures, in short.

#include "floe/data/record.hpp"
#include "floe/data/scalars.hpp"

#include <array>
#include <utility>
#include <vector>

namespace floe::view {

using Fields = std::vector<std::pair<const char*, ValueRef>>;

inline Ref<const RecordValue> record(const char* schema, const Fields& fields)
{
    const auto made = make<RecordValue>(schema);
    for (const auto& [name, value] : fields)
        made->setField(name, value);
    made->seal();
    return made;
}

inline ValueRef number(double value)
{
    return make<NumberValue>(value);
}

inline ValueRef vector(const std::array<double, 3>& value)
{
    return make<VectorValue>(value);
}

} // namespace floe::view
