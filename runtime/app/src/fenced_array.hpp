#pragma once

#include "floe/compute/device.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace floe::app {

/// An array in a device's memory between two fences, zones that nobody may write to. 64-byte
/// aligned.
template <class T>
class FencedArray {
public:
    FencedArray(compute::Device& device, std::string name, std::span<const T> values)
        : device_(device), name_(std::move(name)), count_(values.size())
    {
        memory_ = static_cast<std::byte*>(device_.allocate(bytes()));
        set(values);
    }
    ~FencedArray() { device_.release(memory_); }
    FencedArray(const FencedArray&) = delete;
    FencedArray& operator=(const FencedArray&) = delete;

    const std::string& name() const { return name_; }
    /// In the device's memory.
    T* data() const { return reinterpret_cast<T*>(memory_ + kFence); }
    std::size_t count() const { return count_; }

    void set(std::span<const T> values)
    {
        std::vector<std::byte> all(bytes(), kPost);
        std::memcpy(all.data() + kFence, values.data(), values.size_bytes());
        device_.copy(memory_, all.data(), all.size(), compute::Copy::toDevice);
        device_.synchronise();
    }

    /// What it holds; `broken` is told where a fence was written to: "before the beginning of",
    /// "past the end of".
    template <class Broken>
    std::vector<T> get(const Broken& broken) const
    {
        std::vector<std::byte> all(bytes());
        device_.copy(all.data(), memory_, all.size(), compute::Copy::toHost);
        device_.synchronise();
        const auto whole = [](std::span<const std::byte> fence) {
            return std::ranges::all_of(fence, [](std::byte post) { return post == kPost; });
        };
        const std::span<const std::byte> view(all);
        if (!whole(view.first(kFence)))
            broken("before the beginning of");
        if (!whole(view.subspan(kFence + count_ * sizeof(T))))
            broken("past the end of");
        std::vector<T> values(count_);
        std::memcpy(values.data(), all.data() + kFence, count_ * sizeof(T));
        return values;
    }

private:
    static constexpr std::size_t kFence = 256; ///< [bytes], keeps the alignment
    static constexpr std::byte kPost{0xa5};
    std::size_t bytes() const { return 2 * kFence + count_ * sizeof(T); }

    compute::Device& device_;
    std::string name_;
    std::size_t count_;
    std::byte* memory_;
};

} // namespace floe::app
