/// Watches every access of emulated kernels to device and shared memory, and finds what no run
/// shows: data races, within a block and between blocks, reads of memory that nothing has written,
/// and accesses beyond an allocation.
///
/// The kernels are compiled with -fsanitize=thread, which calls a function for every access;
/// memory_watch.cpp has these functions in the place of the sanitizer's own. Two accesses race
/// when both touch a byte in one launch, one of them writes, not both are atomic, and they are of
/// different threads with nothing between them that orders these: a barrier of their block, or an
/// exchange of their warp that both take part in.
#pragma once

#include <floe/sdk/emulator/watch.hpp>

#include <memory>
#include <string>
#include <vector>

namespace floe::test {

class MemoryWatch {
public:
    /// From now on, for kernels that this thread launches. At most one at a time.
    /// @pre no device memory is in use
    MemoryWatch();
    ~MemoryWatch();
    MemoryWatch(const MemoryWatch&) = delete;
    MemoryWatch& operator=(const MemoryWatch&) = delete;

    /// Returns what was found, a sentence each, at most one a kernel and kind.
    const std::vector<std::string>& found() const;
    /// Returns the number of accesses so far: a test that sees none tests nothing.
    std::size_t accesses() const;
    std::size_t launches() const;

    class Impl;

private:
    std::unique_ptr<Impl> impl_;
};

} // namespace floe::test
