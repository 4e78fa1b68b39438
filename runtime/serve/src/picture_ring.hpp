#pragma once

#include "floe/base/json.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>

namespace floe::serve {

/// Pictures for a client on the same machine: three places in a POSIX shared memory segment that
/// only its owner may open. A place is taken until the client has shown its picture; when none is
/// free nothing is drawn, so pictures never queue.
///
/// The segment's name goes with the process: at the latest, the next server removes it.
class PictureRing {
public:
    static constexpr std::size_t kPlaces = 3;

    PictureRing() = default;
    ~PictureRing();
    PictureRing(const PictureRing&) = delete;
    PictureRing& operator=(const PictureRing&) = delete;

    /// True when a picture could be put now.
    bool hasPlace() const;
    /// Copies a picture of 4 bytes a pixel into a free place.
    /// @return {"sequence", "segment", "offset", "stride", "width", "height"}; nothing when none is
    ///         free
    /// @throws IoError shared memory does not suffice
    std::optional<Json> put(std::span<const std::uint8_t> pixels, int width, int height);
    /// The client is done with a picture. Unknown numbers are ignored.
    void shown(std::uint64_t sequence);
    /// The client is gone: every place is free.
    void reset();
    /// Removes the segment, for a process that ends without destructors.
    void remove();
    /// The number for a picture that travels another way.
    std::uint64_t nextSequence();

    /// Removes the segments that dead servers of this user left behind.
    static void removeLeftovers();

private:
    void grow(std::size_t placeBytes);
    void release();

    mutable std::mutex mutex_;
    std::string name_;
    int descriptor_ = -1;
    std::uint8_t* memory_ = nullptr;
    std::size_t placeBytes_ = 0;
    std::array<std::uint64_t, kPlaces> taken_{}; ///< sequence of the picture in a place; 0: free
    std::uint64_t sequence_ = 0;
};

} // namespace floe::serve
