#include "floe/base/hash.hpp"

#include <cstdio>
#include <xxhash.h>

namespace floe {

std::string Hash::text() const
{
    char buffer[33];
    std::snprintf(buffer, sizeof buffer, "%016llx%016llx", static_cast<unsigned long long>(high),
                  static_cast<unsigned long long>(low));
    return buffer;
}

Hash hashBytes(const void* data, std::size_t bytes)
{
    const XXH128_hash_t value = XXH3_128bits(data, bytes);
    return {value.high64, value.low64};
}

Hash combine(const Hash& a, const Hash& b)
{
    const Hash pair[2] = {a, b};
    return hashBytes(pair, sizeof pair);
}

} // namespace floe
