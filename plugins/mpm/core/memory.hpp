/// Large arrays of floats, on large pages.
#pragma once

#include <cstddef>
#include <memory>

namespace floe::mpm {

struct FreeFloats {
    void operator()(float* memory) const;
};
/// Uninitialised, 64-byte aligned.
using Floats = std::unique_ptr<float[], FreeFloats>;

/// Pages of 2 MiB are asked for where that much is wanted: a step visits bins and arenas in an
/// order that the processor's translation buffers do not cover with small ones.
/// @throws std::bad_alloc
Floats allocateFloats(std::size_t count);

/// An array that grows.
class FloatBuffer {
public:
    /// Makes room for `count` floats; the first `kept` of them keep their values.
    void reserve(std::size_t count, std::size_t kept);
    float* data() const { return floats_.get(); }
    std::size_t bytes() const { return capacity_ * sizeof(float); }

private:
    Floats floats_;
    std::size_t capacity_ = 0;
};

} // namespace floe::mpm
