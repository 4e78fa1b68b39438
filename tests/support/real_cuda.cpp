#include "cuda_device.hpp"

#include "floe/compute/device.hpp"
#include "floe/plugin/cook_context.hpp"

#include <algorithm>
#include <map>
#include <mutex>

namespace floe::test {
namespace {

/// The first card, with the sizes of what it has given.
struct Card {
    compute::DevicePointer device = compute::selectDevice("cuda");
    floe_device table = plugin::deviceInterface(*device);
    std::mutex mutex;
    std::map<void*, std::uint64_t> given;
    std::uint64_t bytes = 0, limit = kNoLimit;

    static Card& instance()
    {
        // Never destroyed: the CUDA runtime may be gone before the program's own objects are.
        static Card& card = *new Card;
        return card;
    }
};

floe_status allocate(const floe_device*, std::uint64_t bytes, void** memory)
{
    Card& card = Card::instance();
    const std::lock_guard lock(card.mutex);
    if (bytes > card.limit - std::min(card.bytes, card.limit))
        return FLOE_OUT_OF_MEMORY;
    const floe_status status = card.table.allocate(&card.table, bytes, memory);
    if (status == FLOE_OK) {
        card.given[*memory] = bytes;
        card.bytes += bytes;
    }
    return status;
}

void release(const floe_device*, void* memory)
{
    Card& card = Card::instance();
    const std::lock_guard lock(card.mutex);
    if (const auto found = card.given.find(memory); found != card.given.end()) {
        card.bytes -= found->second;
        card.given.erase(found);
    }
    card.table.release(&card.table, memory);
}

floe_status copy(const floe_device*, void* to, const void* from, std::uint64_t bytes,
                 std::int32_t direction)
{
    const floe_device& table = Card::instance().table;
    return table.copy(&table, to, from, bytes, direction);
}

floe_status synchronise(const floe_device*)
{
    const floe_device& table = Card::instance().table;
    return table.synchronise(&table);
}

} // namespace

floe_device cudaDevice()
{
    floe_device counted = Card::instance().table;
    counted.self = nullptr;
    counted.allocate = allocate;
    counted.release = release;
    counted.copy = copy;
    counted.synchronise = synchronise;
    return counted;
}

std::uint64_t cudaBytes()
{
    Card& card = Card::instance();
    const std::lock_guard lock(card.mutex);
    return card.bytes;
}

void limitCudaBytes(std::uint64_t most)
{
    Card& card = Card::instance();
    const std::lock_guard lock(card.mutex);
    card.limit = most;
}

void shuffleCudaThreads(std::uint64_t) {}

} // namespace floe::test
