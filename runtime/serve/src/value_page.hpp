#pragma once

#include "floe/base/json.hpp"
#include "floe/data/particles.hpp"
#include "floe/data/value.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace floe::serve {

/// Values as tables, one page at a time: one row per particle; the points of meshes; the fields of
/// records, nested ones with a dot; the description of a volume; one row for anything else. Caches
/// the last sort order. One thread.
class ValuePages {
public:
    static constexpr std::uint64_t kMaxRows = 10'000; ///< per page

    /// @param sort  name of a column; empty: the value's own order
    /// @return {"columns", "rows", "total"}; NaN and infinity become null
    /// @throws InputError there is no such column
    Json page(const ValueRef& value, std::uint64_t offset, std::uint64_t count,
              const std::string& sort, bool descending);

    void clear();

private:
    const std::vector<std::uint32_t>& order(const ValueRef& value, const ParticlesValue& particles,
                                            const std::string& sort, bool descending);

    ValueRef sorted_;
    std::string column_;
    bool descending_ = false;
    std::vector<std::uint32_t> order_;
};

/// {"kind", "text", "bytes", "count"?, "attributes"?, "fields"?}
Json valueInfo(const ValueRef& value);

/// {name of each attribute: its number, or its numbers}
Json particleRow(const ParticlesValue& particles, std::uint64_t index);

} // namespace floe::serve
