/// Finds blocks by coordinate, on the host.
#pragma once

#include <floe/sdk/grid/block.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace floe::sdk::grid {

/// Coordinate to index. Open addressing, power-of-two capacity, at most half full. Any number of
/// threads may look while none inserts.
class BlockMap {
public:
    void clear()
    {
        slots_.assign(slots_.size(), Slot{});
        used_ = 0;
    }
    void reserve(std::size_t blocks)
    {
        std::size_t capacity = 64;
        while (capacity < 2 * blocks)
            capacity *= 2;
        if (capacity <= slots_.size())
            return;
        const std::vector<Slot> old = std::move(slots_);
        slots_.assign(capacity, Slot{});
        for (const Slot& slot : old)
            if (slot.key != kEmpty)
                slots_[place(slot.key)] = slot;
    }
    /// -1 when there is none.
    std::int32_t find(const BlockCoordinate& coordinate) const
    {
        return slots_.empty() ? -1 : slots_[place(blockKey(coordinate))].index;
    }
    /// The coordinate must be new.
    void insert(const BlockCoordinate& coordinate, std::int32_t index)
    {
        reserve(++used_);
        const std::uint64_t key = blockKey(coordinate);
        slots_[place(key)] = {key, index};
    }

private:
    static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
    struct Slot {
        std::uint64_t key = kEmpty;
        std::int32_t index = -1;
    };

    /// Where a key is, or would be.
    std::size_t place(std::uint64_t key) const
    {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = hashOfKey(key) & mask;
        while (slots_[at].key != kEmpty && slots_[at].key != key)
            at = (at + 1) & mask;
        return at;
    }

    std::vector<Slot> slots_;
    std::size_t used_ = 0;
};

} // namespace floe::sdk::grid
