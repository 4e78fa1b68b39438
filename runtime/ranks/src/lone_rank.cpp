#include "lone_rank.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

namespace floe::ranks {

namespace {

bool known(std::int32_t operation, bool integers)
{
    return operation >= FLOE_RANKS_MIN && operation <= (integers ? FLOE_RANKS_OR : FLOE_RANKS_SUM);
}

template <class Number>
floe_status beginReduce(const floe_ranks*, std::int32_t operation, Number* values,
                        std::uint32_t count, floe_ranks_work** work)
{
    if (!work || (count > 0 && !values) || !known(operation, std::is_integral_v<Number>))
        return FLOE_BAD_ARGUMENT;
    *work = nullptr;
    return FLOE_OK;
}

floe_status beginExchange(const floe_ranks*, const floe_ranks_part*, std::uint32_t sends,
                          const floe_ranks_part*, std::uint32_t receives, floe_ranks_work** work)
{
    if (!work || sends > 0 || receives > 0) // there is no peer
        return FLOE_BAD_ARGUMENT;
    *work = nullptr;
    return FLOE_OK;
}

floe_status finish(const floe_ranks*, const floe_context*, floe_ranks_work* work)
{
    return work ? FLOE_BAD_ARGUMENT : FLOE_OK;
}

floe_status sizes(const floe_ranks*, const floe_context*, const std::uint64_t* to,
                  std::uint64_t* from)
{
    if (!to || !from)
        return FLOE_BAD_ARGUMENT;
    from[0] = to[0];
    return FLOE_OK;
}

floe_status gather(const floe_ranks*, const floe_context*, std::int32_t root, const void* data,
                   std::uint64_t bytes, void* all, const std::uint64_t* bytesOfEach)
{
    if (root != 0 || !bytesOfEach || bytesOfEach[0] != bytes || (bytes > 0 && (!data || !all)))
        return FLOE_BAD_ARGUMENT;
    if (bytes > 0)
        std::memcpy(all, data, bytes);
    return FLOE_OK;
}

void stop(const floe_ranks*, const char* reason)
{
    std::fprintf(stderr, "error: %s\n", reason ? reason : "a plugin stopped the run");
    std::_Exit(1);
}

void traffic(const floe_ranks*, floe_ranks_traffic* out)
{
    const std::uint32_t size = out->struct_size;
    floe_ranks_traffic none{};
    none.struct_size = size;
    std::memcpy(out, &none, size < sizeof none ? size : sizeof none);
}

} // namespace

const floe_ranks& loneRank()
{
    static const floe_ranks table = {sizeof(floe_ranks),
                                     0,
                                     1,
                                     1,
                                     nullptr,
                                     "bisection",
                                     beginReduce<double>,
                                     beginReduce<std::int64_t>,
                                     beginExchange,
                                     finish,
                                     sizes,
                                     gather,
                                     stop,
                                     traffic};
    return table;
}

} // namespace floe::ranks
