/// Sorting 64-bit keys that carry a number along.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace floe::pbd {

struct Keyed {
    std::uint64_t key;
    std::uint32_t value;
};

/// Stable, by key. Bytes that all keys have in common cost a look only.
inline void radixSort(std::vector<Keyed>& items)
{
    std::vector<Keyed> other(items.size());
    for (int shift = 0; shift < 64; shift += 8) {
        std::array<std::size_t, 256> begin{};
        for (const Keyed& item : items)
            ++begin[item.key >> shift & 255];
        std::size_t sum = 0;
        bool one = false;
        for (std::size_t& slot : begin) {
            const std::size_t count = slot;
            one = one || count == items.size();
            slot = sum;
            sum += count;
        }
        if (one)
            continue;
        for (const Keyed& item : items)
            other[begin[item.key >> shift & 255]++] = item;
        items.swap(other);
    }
}

} // namespace floe::pbd
