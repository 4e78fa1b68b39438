/// Large arrays of floats, on large pages.
#pragma once

#include <cstddef>
#include <memory>

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

/// An array that grows.
class FloatBuffer {
public:
    explicit FloatBuffer(MemorySource& source) : source_(&source) {}

    /// Makes room for `count` floats; the first `kept` of them keep their values.
    void reserve(std::size_t count, std::size_t kept);
    float* data() const { return floats_.get(); }
    std::size_t bytes() const { return capacity_ * sizeof(float); }

private:
    MemorySource* source_;
    Floats floats_;
    std::size_t capacity_ = 0;
};

} // namespace floe::mpm
