#include "floe/base/hash.hpp"

#include <cstdio>
#include <new>
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

RunningHash::RunningHash() : state_(XXH3_createState())
{
    if (!state_ || XXH3_128bits_reset(static_cast<XXH3_state_t*>(state_.get())) != XXH_OK)
        throw std::bad_alloc();
}

void RunningHash::add(const void* data, std::size_t bytes)
{
    XXH3_128bits_update(static_cast<XXH3_state_t*>(state_.get()), data, bytes);
}

Hash RunningHash::value() const
{
    const XXH128_hash_t value = XXH3_128bits_digest(static_cast<const XXH3_state_t*>(state_.get()));
    return {value.high64, value.low64};
}

void RunningHash::Release::operator()(void* state) const
{
    XXH3_freeState(static_cast<XXH3_state_t*>(state));
}

Hash combine(const Hash& a, const Hash& b)
{
    const Hash pair[2] = {a, b};
    return hashBytes(pair, sizeof pair);
}

} // namespace floe
