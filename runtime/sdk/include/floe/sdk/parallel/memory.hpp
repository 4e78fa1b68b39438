/// Large arrays of floats, on large pages, from a counted source of memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace floe::sdk::parallel {

/// Source of large arrays: the host in a plugin (host.hpp), which knows how much memory the machine
/// has left; the C library in tests. Thread-safe.
///
/// Large requests should use pages of 2 MiB: a step visits bins and arenas in an order for which
/// the processor's translation buffers do not suffice with small pages.
class MemorySource {
public:
    virtual ~MemorySource() = default;
    /// Returns uninitialised memory, 64-byte aligned. @throws std::bad_alloc
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void release(void* memory) noexcept = 0;
};

/// The C library's memory.
class PlainMemory final : public MemorySource {
public:
    void* allocate(std::size_t bytes) override
    {
        constexpr std::size_t kLine = 64, kLargePage = std::size_t{2} << 20;
        void* memory = nullptr;
        if (posix_memalign(&memory, bytes >= kLargePage ? kLargePage : kLine, bytes) != 0)
            throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
        if (bytes >= kLargePage)
            madvise(memory, bytes, MADV_HUGEPAGE); // a refusal only costs speed
#endif
        return memory;
    }
    void release(void* memory) noexcept override
    {
        std::free(memory);
    }
};

/// Returns the one of the whole program or library.
inline MemorySource& plainMemory()
{
    static PlainMemory memory;
    return memory;
}

struct FreeFloats {
    MemorySource* source = nullptr;
    void operator()(float* memory) const { source->release(memory); }
};
/// Uninitialised floats, 64-byte aligned. The source must outlive them.
using Floats = std::unique_ptr<float[], FreeFloats>;

/// @throws std::bad_alloc
inline Floats allocateFloats(std::size_t count, MemorySource& source)
{
    if (count > std::size_t{1} << 58)
        throw std::bad_alloc();
    constexpr std::size_t kLine = 64;
    const std::size_t bytes = (count * sizeof(float) + kLine - 1) / kLine * kLine;
    return {static_cast<float*>(source.allocate(bytes)), FreeFloats{&source}};
}

/// A pool of pieces of one size; take() and give() may be called from any thread. Returned pieces
/// are reused, so that the pool does not grow over hours; wholly free chunks stay with it.
class FloatPool {
public:
    /// @param floats  size of a piece, a multiple of 16, at most 2^19
    /// @param source  must outlive the pool
    FloatPool(std::size_t floats, MemorySource& source) : floats_(floats), source_(&source) {}

    /// Returns an uninitialised piece, 64-byte aligned. @throws std::bad_alloc
    float* take()
    {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) {
            const std::size_t pieces = kChunkFloats / floats_;
            chunks_.push_back(allocateFloats(kChunkFloats, *source_));
            bytes_ += kChunkFloats * sizeof(float);
            free_.reserve(chunks_.size() * pieces); // give() must not fail
            for (std::size_t i = pieces; i-- > 0;)
                free_.push_back(chunks_.back().get() + i * floats_);
        }
        float* piece = free_.back();
        free_.pop_back();
        return piece;
    }
    void give(float* piece) noexcept
    {
        const std::lock_guard lock(mutex_);
        free_.push_back(piece);
    }
    /// Returns the bytes taken from the source so far.
    std::size_t bytes() const { return bytes_; }

private:
    static constexpr std::size_t kChunkFloats = std::size_t{1} << 19; // one large page

    std::size_t floats_;
    MemorySource* source_;
    std::vector<Floats> chunks_;
    std::vector<float*> free_;
    std::mutex mutex_;
    std::size_t bytes_ = 0;
};

template <class T>
struct GiveBack {
    FloatPool* pool = nullptr;
    void operator()(T* object) const { pool->give(reinterpret_cast<float*>(object)); }
};
/// An object in a pool of its type, counted as the solver's memory.
template <class T>
using Pooled = std::unique_ptr<T, GiveBack<T>>;

/// Floats per piece of a pool of `T`.
template <class T>
inline constexpr std::size_t kFloatsOf = (sizeof(T) + 63) / 64 * 64 / sizeof(float);

/// Makes a zeroed object. @throws std::bad_alloc
template <class T>
Pooled<T> makePooled(FloatPool& pool)
{
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 64);
    return {new (pool.take()) T{}, GiveBack<T>{&pool}};
}

/// A growing array of floats. Movable.
class FloatBuffer {
public:
    /// @param source  must outlive the buffer
    explicit FloatBuffer(MemorySource& source) : source_(&source) {}

    /// Makes room for `count` floats; the first `kept` of them keep their values.
    /// @param maximum  upper bound of later requests while the kept floats are needed
    /// @throws std::bad_alloc
    void reserve(std::size_t count, std::size_t kept, std::size_t maximum = ~std::size_t{0})
    {
        if (count <= capacity_)
            return;
        // Exact at first; an array that grows is likely to grow again, which costs a copy.
        const std::size_t larger = capacity_ == 0 ? count
                                   : kept == 0
                                       ? count + count / 8
                                       : std::max(count, std::min(count + count / 2, maximum));
        if (kept == 0) {
            floats_.reset();
            capacity_ = 0;
        }
        Floats grown = allocateFloats(larger, *source_);
        if (kept > 0)
            std::memcpy(grown.get(), floats_.get(), kept * sizeof(float));
        floats_ = std::move(grown);
        capacity_ = larger;
    }
    float* data() const { return floats_.get(); }
    std::size_t bytes() const { return capacity_ * sizeof(float); }

private:
    MemorySource* source_;
    Floats floats_;
    std::size_t capacity_ = 0;
};

} // namespace floe::sdk::parallel
