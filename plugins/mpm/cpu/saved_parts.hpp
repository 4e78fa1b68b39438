/// Saved states of several ranks: each saves a part, and takes what it owns from those of all.
#pragma once

#include "ownership.hpp"

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace floe::mpm::saved {

/// Bytes of saved states, in memory or not.
class Source {
public:
    virtual ~Source() = default;
    /// @pre the bytes are there
    virtual void read(std::uint64_t offset, void* to, std::uint64_t bytes) = 0;
};

/// @param bytes  must outlive this
class SourceInMemory final : public Source {
public:
    explicit SourceInMemory(std::span<const unsigned char> bytes) : bytes_(bytes) {}
    void read(std::uint64_t offset, void* to, std::uint64_t bytes) override
    {
        if (bytes > 0)
            std::memcpy(to, bytes_.data() + offset, bytes);
    }

private:
    std::span<const unsigned char> bytes_;
};

/// A piece of a source [bytes].
struct Extent {
    std::uint64_t offset, bytes;
};

/// What a rank owns of a saved state, in the form of a whole one.
struct OwnState {
    std::vector<unsigned char> bytes;
    std::uint64_t live = 0; ///< particles in it
    /// By which it was taken; null: everything is one rank's.
    sdk::grid::PartitionPointer partition{};
};

/// Makes a part of the state of a rank's own blocks, which has the form of a whole one.
std::vector<unsigned char> makePart(std::vector<unsigned char> own, int rank, int ranks);

/// Returns how many parts there are, whose first one this is; 0: it is a whole state of this
/// backend or something else.
/// @throws std::runtime_error  it is a part, and not the first
std::uint32_t partsOf(Source& source, const Extent& first);
/// Returns whether this is a whole state of this backend.
bool isWhole(Source& source, const Extent& state);

/// Takes a rank's own blocks from a state, anew divided among its ranks. Nothing else is in memory,
/// lists of all blocks excepted.
/// @param parts  of all ranks in their order, or a whole state
/// @throws std::runtime_error  they are damaged, or not of one state
OwnState takeOwn(Source& source, std::span<const Extent> parts, const Ownership& ownership);

} // namespace floe::mpm::saved
