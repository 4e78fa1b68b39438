/// Finding blocks by their coordinates, filled from many threads at once.
#pragma once

#include "block_key.hpp"

#include <atomic>
#include <bit>
#include <cstdint>
#include <vector>

namespace floe::activation {

class BlockTable {
public:
    static constexpr std::uint32_t kAbsent = ~0u;

    /// Empty, with room for `count` blocks.
    explicit BlockTable(std::size_t count)
        : slots_(std::bit_ceil(2 * count + 64)), limit_(slots_.size() * 3 / 4)
    {}

    /// Adds a block, numbered in the order of arrival. From any thread. When the table is full it
    /// stays as it is; see full().
    void insert(BlockKey key)
    {
        for (std::size_t at = hashOf(key) & mask();; at = (at + 1) & mask()) {
            std::atomic_ref found(slots_[at].key);
            BlockKey there = found.load(std::memory_order_relaxed);
            if (there == kNoBlock) {
                if (std::atomic_ref(count_).load(std::memory_order_relaxed) >= limit_)
                    return;
                if (found.compare_exchange_strong(there, key, std::memory_order_relaxed)) {
                    slots_[at].number =
                        std::atomic_ref(count_).fetch_add(1, std::memory_order_relaxed);
                    return;
                }
            }
            if (there == key)
                return;
        }
    }
    /// Adds a block under a number of the caller's.
    void insert(BlockKey key, std::uint32_t number)
    {
        for (std::size_t at = hashOf(key) & mask();; at = (at + 1) & mask()) {
            std::atomic_ref found(slots_[at].key);
            BlockKey there = kNoBlock;
            if (found.compare_exchange_strong(there, key, std::memory_order_relaxed)) {
                slots_[at].number = number;
                std::atomic_ref(count_).fetch_add(1, std::memory_order_relaxed);
                return;
            }
            if (there == key)
                return;
        }
    }
    /// Number of a block, or kAbsent. Not while blocks are added.
    std::uint32_t find(BlockKey key) const
    {
        for (std::size_t at = hashOf(key) & mask();; at = (at + 1) & mask()) {
            if (slots_[at].key == key)
                return slots_[at].number;
            if (slots_[at].key == kNoBlock)
                return kAbsent;
        }
    }

    std::uint32_t count() const { return count_; }
    /// Blocks may have been left out: begin again with a larger table.
    bool full() const { return count() >= limit_; }
    std::size_t slotCount() const { return slots_.size(); }
    /// body(key, number) for the blocks in some of the slots.
    template <class Body>
    void forEach(std::size_t begin, std::size_t end, const Body& body) const
    {
        for (std::size_t at = begin; at < end; ++at)
            if (slots_[at].key != kNoBlock)
                body(slots_[at].key, slots_[at].number);
    }

private:
    struct Slot {
        BlockKey key = kNoBlock;
        std::uint32_t number = 0;
    };
    std::size_t mask() const { return slots_.size() - 1; }

    std::vector<Slot> slots_;
    std::size_t limit_;
    std::uint32_t count_ = 0;
};

} // namespace floe::activation
