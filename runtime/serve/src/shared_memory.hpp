#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace floe::serve {

/// A POSIX shared memory segment that only this user may open, named for this process.
///
/// What a client has mapped stays readable after the segment is removed, which its destructor does;
/// what a killed server leaves behind, the next one removes.
class SharedMemory {
public:
    SharedMemory() = default;
    /// @param cure  what to do when there is too little memory
    /// @throws IoError not enough shared memory
    SharedMemory(std::size_t bytes, const std::string& cure);
    ~SharedMemory();
    SharedMemory(SharedMemory&& other) noexcept { *this = std::move(other); }
    SharedMemory& operator=(SharedMemory&& other) noexcept;

    const std::string& name() const { return name_; } ///< as shm_open() takes it
    std::uint8_t* data() const { return memory_; }    ///< null when empty
    std::size_t bytes() const { return bytes_; }

    /// Removes the segments of this user's dead servers.
    static void removeLeftovers();

private:
    void release();

    std::string name_;
    int descriptor_ = -1;
    std::uint8_t* memory_ = nullptr;
    std::size_t bytes_ = 0;
};

} // namespace floe::serve
