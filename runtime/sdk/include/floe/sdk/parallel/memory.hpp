/// Large arrays of floats, on large pages, from memory that somebody counts.
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

/// Where large arrays come from: the host in a plugin (host.hpp), which knows what the machine has
/// left, the C library in tests. Thread-safe.
///
/// Pages of 2 MiB are wanted where that much is asked for: a step visits bins and arenas in an
/// order that the processor's translation buffers do not cover with small ones.
class MemorySource {
public:
    virtual ~MemorySource() = default;
    /// Uninitialised, 64-byte aligned. @throws std::bad_alloc
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void release(void* memory) noexcept = 0;
};

/// The C library's.
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
            madvise(memory, bytes, MADV_HUGEPAGE); // a refusal costs speed only
#endif
        return memory;
    }
    void release(void* memory) noexcept override
    {
        std::free(memory);
    }
};

/// One for the whole program, or library.
inline MemorySource& plainMemory()
{
    static PlainMemory memory;
    return memory;
}

struct FreeFloats {
    MemorySource* source = nullptr;
    void operator()(float* memory) const { source->release(memory); }
};
/// Uninitialised, 64-byte aligned. Its source outlives it.
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

/// Pieces of one size; take and give may be called from any thread. Pieces given back are used
/// again, so that taking and giving for hours does not grow it; chunks that are wholly free stay
/// with the pool.
class FloatPool {
public:
    /// @param floats  of a piece, a multiple of 16, at most 2^19
    /// @param source  outlives the pool
    FloatPool(std::size_t floats, MemorySource& source) : floats_(floats), source_(&source) {}

    /// Uninitialised, 64-byte aligned. @throws std::bad_alloc
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
    /// Taken from the source so far.
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
/// An object in a pool of its kind, so that it counts as the solver's memory.
template <class T>
using Pooled = std::unique_ptr<T, GiveBack<T>>;

/// The floats a pool of `T` has in a piece.
template <class T>
inline constexpr std::size_t kFloatsOf = (sizeof(T) + 63) / 64 * 64 / sizeof(float);

/// Zeroed. @throws std::bad_alloc
template <class T>
Pooled<T> makePooled(FloatPool& pool)
{
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 64);
    return {new (pool.take()) T{}, GiveBack<T>{&pool}};
}

/// An array that grows. Movable.
class FloatBuffer {
public:
    /// @param source  outlives the buffer
    explicit FloatBuffer(MemorySource& source) : source_(&source) {}

    /// Makes room for `count` floats; the first `kept` of them keep their values.
    /// @param maximum  no more will be asked for while those are kept
    /// @throws std::bad_alloc
    void reserve(std::size_t count, std::size_t kept, std::size_t maximum = ~std::size_t{0})
    {
        if (count <= capacity_)
            return;
        // Exact at first; what grows once is likely to grow again, and what must be copied costs
        // more.
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
