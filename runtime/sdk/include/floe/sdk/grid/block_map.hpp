/// Lookup of blocks by coordinates on the host.
#pragma once

#include "floe/sdk/grid/block.hpp"

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace floe::sdk::grid {

/// Hash table with open addressing and a power-of-two capacity, at most half full. For one thread
/// at a time, or many that only call find().
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
            if (slot.key != kNoKey)
                slots_[place(slot.key)] = slot;
    }
    std::size_t size() const { return used_; }
    /// Returns the index of a block; -1 when there is none.
    std::int32_t find(const BlockCoordinate& coordinate) const
    {
        return slots_.empty() ? -1 : slots_[place(keyOf(coordinate))].index;
    }
    /// Adds a block; its coordinate must be new.
    void insert(const BlockCoordinate& coordinate, std::int32_t index)
    {
        reserve(++used_);
        const BlockKey key = keyOf(coordinate);
        slots_[place(key)] = {key, index};
    }

private:
    struct Slot {
        BlockKey key = kNoKey;
        std::int32_t index = -1;
    };
    std::size_t place(BlockKey key) const
    {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = hashOf(key) & mask;
        while (slots_[at].key != kNoKey && slots_[at].key != key)
            at = (at + 1) & mask;
        return at;
    }

    std::vector<Slot> slots_;
    std::size_t used_ = 0;
};

/// Hash table of fixed capacity that many threads fill at once.
class SharedBlockMap {
public:
    static constexpr std::uint32_t kAbsent = ~0u;

    /// Makes an empty table with room for `count` blocks.
    explicit SharedBlockMap(std::size_t count)
        : slots_(std::bit_ceil(2 * count + 64)), limit_(slots_.size() * 3 / 4)
    {}

    /// Adds a block, numbered in order of arrival. From any thread. No effect when full().
    void insert(BlockKey key)
    {
        for (std::size_t at = hashOf(key) & mask();; at = (at + 1) & mask()) {
            std::atomic_ref found(slots_[at].key);
            BlockKey there = found.load(std::memory_order_relaxed);
            if (there == kNoKey) {
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
    /// Adds a block under a number that the caller gives.
    void insert(BlockKey key, std::uint32_t number)
    {
        for (std::size_t at = hashOf(key) & mask();; at = (at + 1) & mask()) {
            std::atomic_ref found(slots_[at].key);
            BlockKey there = kNoKey;
            if (found.compare_exchange_strong(there, key, std::memory_order_relaxed)) {
                slots_[at].number = number;
                std::atomic_ref(count_).fetch_add(1, std::memory_order_relaxed);
                return;
            }
            if (there == key)
                return;
        }
    }
    /// Returns the number of a block, or kAbsent. Not while blocks are added.
    std::uint32_t find(BlockKey key) const
    {
        for (std::size_t at = hashOf(key) & mask();; at = (at + 1) & mask()) {
            if (slots_[at].key == key)
                return slots_[at].number;
            if (slots_[at].key == kNoKey)
                return kAbsent;
        }
    }

    std::uint32_t count() const { return count_; }
    /// Returns true when blocks may have been left out: start again with a larger table.
    bool full() const { return count() >= limit_; }
    std::size_t slotCount() const { return slots_.size(); }
    /// Calls body(key, number) for the blocks in a range of slots.
    template <class Body>
    void forEach(std::size_t begin, std::size_t end, const Body& body) const
    {
        for (std::size_t at = begin; at < end; ++at)
            if (slots_[at].key != kNoKey)
                body(slots_[at].key, slots_[at].number);
    }

private:
    struct Slot {
        BlockKey key = kNoKey;
        std::uint32_t number = 0;
    };
    std::size_t mask() const { return slots_.size() - 1; }

    std::vector<Slot> slots_;
    std::size_t limit_;
    std::uint32_t count_ = 0;
};

} // namespace floe::sdk::grid
