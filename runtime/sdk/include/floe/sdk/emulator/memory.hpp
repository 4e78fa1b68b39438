#pragma once

/// Memory of the emulated device, with guard bytes (fences) on both sides of every allocation.
///
/// Fresh memory is filled with 0xFF (a float reads as NaN, an index as -1), which exposes kernels
/// that read uninitialised memory. All functions are thread-safe.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>

namespace floe::emulator {

/// Thrown when a kernel breaks CUDA's rules or a launch is malformed. The message names the kernel,
/// block and thread, and the source line where it is known.
class KernelFault : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Bytes with a fence before and after. The usable part is aligned to 256 bytes, as by cudaMalloc.
class FencedBytes {
public:
    static constexpr std::size_t kAlignment = 256;
    static constexpr std::size_t kFence = 256;
    static constexpr unsigned char kFenceByte = 0xA5;
    static constexpr unsigned char kFreshByte = 0xFF;

    explicit FencedBytes(std::size_t bytes) : bytes_(bytes)
    {
        memory_ = static_cast<unsigned char*>(
            ::operator new(bytes + 2 * kFence, std::align_val_t(kAlignment)));
        std::memset(memory_, kFenceByte, kFence);
        std::memset(memory_ + kFence + bytes, kFenceByte, kFence);
        refill();
    }
    FencedBytes(FencedBytes&& other) noexcept : memory_(other.memory_), bytes_(other.bytes_)
    {
        other.memory_ = nullptr;
    }
    FencedBytes& operator=(FencedBytes&&) = delete;
    ~FencedBytes()
    {
        if (memory_)
            ::operator delete(memory_, std::align_val_t(kAlignment));
    }

    void refill() { std::memset(memory_ + kFence, kFreshByte, bytes_); }
    void* data() const { return memory_ + kFence; }
    std::size_t size() const { return bytes_; }

    /// Returns the byte offset of the first overwritten fence byte from the start of the usable
    /// part (negative: before it); 0 when both fences are intact.
    std::ptrdiff_t brokenAt() const
    {
        for (std::size_t i = kFence; i-- > 0;)
            if (memory_[i] != kFenceByte)
                return static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(kFence);
        const unsigned char* behind = memory_ + kFence + bytes_;
        for (std::size_t i = 0; i < kFence; ++i)
            if (behind[i] != kFenceByte)
                return static_cast<std::ptrdiff_t>(bytes_ + i);
        return 0;
    }

private:
    unsigned char* memory_ = nullptr;
    std::size_t bytes_ = 0;
};

/// The emulated device's global memory.
class DeviceHeap {
public:
    static DeviceHeap& instance()
    {
        static DeviceHeap heap;
        return heap;
    }

    /// Returns null when the limit would be exceeded.
    void* allocate(std::size_t bytes)
    {
        const std::lock_guard lock(mutex_);
        if (bytes > limit_ - used_)
            return nullptr;
        FencedBytes block(bytes);
        void* data = block.data();
        blocks_.emplace(data, std::move(block));
        used_ += bytes;
        return data;
    }

    /// @throws KernelFault the memory was not allocated here, or a fence was overwritten
    void release(void* memory)
    {
        if (!memory)
            return;
        const std::lock_guard lock(mutex_);
        const auto found = blocks_.find(memory);
        if (found == blocks_.end())
            throw KernelFault("device memory is released that was never allocated");
        const std::ptrdiff_t broken = found->second.brokenAt();
        used_ -= found->second.size();
        const std::size_t size = found->second.size();
        blocks_.erase(found);
        if (broken != 0)
            throw KernelFault(describe(size, broken));
    }

    /// Returns a sentence that names a broken fence; empty when all are intact.
    std::string fault() const
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [data, block] : blocks_)
            if (const std::ptrdiff_t broken = block.brokenAt(); broken != 0)
                return describe(block.size(), broken);
        return {};
    }

    std::size_t used() const
    {
        const std::lock_guard lock(mutex_);
        return used_;
    }

    /// Sets the maximum bytes in use; lower it to test how a program handles exhausted memory.
    void setLimit(std::size_t bytes)
    {
        const std::lock_guard lock(mutex_);
        limit_ = bytes > used_ ? bytes : used_;
    }
    static constexpr std::size_t kNoLimit = std::size_t(1) << 46;

private:
    static std::string describe(std::size_t size, std::ptrdiff_t broken)
    {
        return "device memory is written out of bounds: byte " + std::to_string(broken) +
               " of an allocation of " + std::to_string(size) + " bytes";
    }

    mutable std::mutex mutex_;
    std::map<void*, FencedBytes> blocks_;
    std::size_t used_ = 0;
    std::size_t limit_ = kNoLimit;
};

} // namespace floe::emulator
