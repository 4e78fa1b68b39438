/// Where saved states are read from, and the parts of them that several ranks save.
#pragma once

#include "ownership.hpp"

#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace floe::mpm::saved {

[[noreturn]] inline void refuse(const char* why)
{
    throw std::runtime_error(std::string("the solver's saved state ") + why);
}

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

/// In front of a part.
struct PartHeader {
    char magic[8];
    std::uint32_t version, part, parts, unused;
};
inline constexpr char kPartMagic[8] = {'f', 'l', 'o', 'e', 'm', 'p', 'r', 't'};
inline constexpr std::uint32_t kPartVersion = 1;

/// Reads a range of a source from its begin.
class Cursor {
public:
    Cursor(Source& source, const Extent& range)
        : source_(&source), at_(range.offset), end_(range.offset + range.bytes)
    {}
    std::uint64_t at() const { return at_; }
    std::uint64_t left() const { return end_ - at_; }
    void pass(std::uint64_t bytes)
    {
        if (bytes > left())
            refuse("is cut short");
        at_ += bytes;
    }
    void get(void* to, std::uint64_t bytes)
    {
        const std::uint64_t from = at_;
        pass(bytes);
        source_->read(from, to, bytes);
    }
    /// Valid until the next call.
    std::span<const unsigned char> take(std::size_t bytes)
    {
        taken_.resize(bytes);
        get(taken_.data(), bytes);
        return taken_;
    }

private:
    Source* source_;
    std::uint64_t at_, end_;
    std::vector<unsigned char> taken_;
};

inline PartHeader partHeaderIn(Cursor& in)
{
    PartHeader header{};
    if (in.left() < sizeof header)
        return header;
    in.get(&header, sizeof header);
    return header;
}

inline bool isPart(const PartHeader& header)
{
    return std::memcmp(header.magic, kPartMagic, sizeof kPartMagic) == 0;
}

inline PartHeader makePartHeader(int rank, int ranks)
{
    PartHeader header{};
    std::memcpy(header.magic, kPartMagic, sizeof kPartMagic);
    header.version = kPartVersion;
    header.part = static_cast<std::uint32_t>(rank);
    header.parts = static_cast<std::uint32_t>(ranks);
    return header;
}

/// Reads a part's header. @throws std::runtime_error  it is not this part of so many
inline void requirePart(Cursor& in, std::uint32_t part, std::size_t parts)
{
    const PartHeader own = partHeaderIn(in);
    if (!isPart(own) || own.part != part || own.parts != parts)
        refuse("is of parts that do not belong to each other");
    if (own.version != kPartVersion)
        refuse("was written by another version of the solver; run the simulation from its start");
}

} // namespace floe::mpm::saved
