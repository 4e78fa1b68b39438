#pragma once

#include "shared_memory.hpp"

#include "floe/base/json.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>

namespace floe::serve {

/// Pictures for a client on the same machine: three slots in shared memory. A slot is taken until
/// the client has shown its picture; when none is free nothing is drawn, so pictures never queue.
class PictureRing {
public:
    static constexpr std::size_t kPlaces = 3;

    /// Returns whether a slot is free.
    bool hasPlace() const;
    /// Copies a picture of 4 bytes per pixel into a free slot.
    /// @return {"sequence", "segment", "offset", "stride", "width", "height"}; or nothing
    /// @throws IoError not enough shared memory
    std::optional<Json> put(std::span<const std::uint8_t> pixels, int width, int height);
    /// Frees the slot of a picture that the client has shown. Ignores unknown numbers.
    void shown(std::uint64_t sequence);
    /// Frees all slots after the client has disconnected.
    void reset();
    /// Removes the segment, for a process that ends without destructors.
    void remove();
    /// Returns the number of a picture that is sent another way.
    std::uint64_t nextSequence();

private:
    mutable std::mutex mutex_;
    SharedMemory memory_;
    std::array<std::uint64_t, kPlaces> taken_{}; ///< sequence of the picture in a slot; 0: free
    std::uint64_t sequence_ = 0;
};

} // namespace floe::serve
