#pragma once

/// What an observer of emulated kernels is told (Options::watch). Tests find races with it.

#include <cstddef>
#include <cstdint>

namespace floe::emulator {

class Watch {
public:
    virtual ~Watch() = default;
    virtual void beginLaunch(const char* kernel) = 0;
    virtual void endLaunch() = 0;
    /// @param block  counted along x, then y and z
    virtual void beginBlock(std::uint64_t block) = 0;
    /// A thread of the block runs until pause(). @param thread  counted likewise
    virtual void resume(unsigned thread) = 0;
    virtual void pause() = 0;
    /// All threads of the block have reached a barrier.
    virtual void barrier() = 0;
    /// These lanes of a warp have exchanged values.
    virtual void exchange(unsigned warp, unsigned lanes) = 0;
    /// Shared memory of the running block.
    virtual void shared(const void* memory, std::size_t bytes) = 0;
    /// Device memory: it is new, gone, or was written by a copy.
    virtual void allocated(const void* memory, std::size_t bytes) = 0;
    virtual void released(const void* memory) = 0;
    virtual void copied(const void* to, std::size_t bytes) = 0;
};

/// Whether the calling thread accesses memory as an atomic operation. What reads it is called by
/// code that the compiler adds last, and does not see.
inline volatile bool& isAtomic()
{
    static thread_local volatile bool instance = false;
    return instance;
}

} // namespace floe::emulator
