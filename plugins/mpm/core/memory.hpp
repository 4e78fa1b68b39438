/// Large arrays of floats, on large pages.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>
#include <vector>

namespace floe::mpm {

/// Where large arrays come from: the host in the plugin, which knows what the machine has left, the
/// C library in tests. Thread-safe.
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
MemorySource& plainMemory();

struct FreeFloats {
    MemorySource* source = nullptr;
    void operator()(float* memory) const { source->release(memory); }
};
/// Uninitialised, 64-byte aligned.
using Floats = std::unique_ptr<float[], FreeFloats>;

/// @throws std::bad_alloc
Floats allocateFloats(std::size_t count, MemorySource& source);

/// Pieces of one size; take and give may be called from any thread. Pieces given back are used
/// again, so that taking and giving for hours does not grow it; chunks that are wholly free stay
/// with the pool.
class FloatPool {
public:
    /// @param floats  of a piece, a multiple of 16
    FloatPool(std::size_t floats, MemorySource& source) : floats_(floats), source_(&source) {}

    /// Uninitialised, 64-byte aligned. @throws std::bad_alloc
    float* take();
    void give(float* piece) noexcept;
    std::size_t bytes() const { return bytes_; }

private:
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

/// An array that grows.
class FloatBuffer {
public:
    explicit FloatBuffer(MemorySource& source) : source_(&source) {}

    /// Makes room for `count` floats; the first `kept` of them keep their values.
    /// @param most  that will be asked for while those are kept
    void reserve(std::size_t count, std::size_t kept, std::size_t most = ~std::size_t{0});
    float* data() const { return floats_.get(); }
    std::size_t bytes() const { return capacity_ * sizeof(float); }

private:
    MemorySource* source_;
    Floats floats_;
    std::size_t capacity_ = 0;
};

} // namespace floe::mpm
