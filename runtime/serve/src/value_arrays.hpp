#pragma once

#include "shared_memory.hpp"

#include "floe/base/json.hpp"
#include "floe/data/particles.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace floe::serve {

/// Attributes of a range of particles as they lie in one piece of memory: array after array, each
/// from a multiple of 64 bytes on, particle after particle.
class ArraySlice {
public:
    static constexpr std::uint64_t kMaxSentBytes = std::uint64_t(32) << 20; ///< of one answer

    /// @param names     of attributes; empty: all
    /// @param offset    first particle; after the last: no particles
    /// @param count     of particles, at most
    /// @param maxBytes  of all arrays: there are fewer particles where it does not suffice, yet one
    /// @throws InputError  the value is not particles; there is no such attribute
    ArraySlice(const ValueRef& value, std::span<const std::string> names, std::uint64_t offset,
               std::uint64_t count, std::uint64_t maxBytes);

    std::uint64_t bytes() const { return bytes_; }
    /// {"total", "offset", "count", "bytes", "arrays"}
    Json layout() const;
    /// @param memory  bytes() of them
    void copyTo(std::uint8_t* memory) const;

private:
    struct Part {
        const Attribute* attribute;
        std::uint64_t item;   ///< of one particle [bytes]
        std::uint64_t offset; ///< [bytes]
    };

    Ref<const ParticlesValue> particles_; ///< in host memory; owns the attributes
    std::vector<Part> parts_;
    std::uint64_t first_ = 0;
    std::uint64_t count_ = 0;
    std::uint64_t bytes_ = 0;
};

/// Arrays for a client on the same machine, each slice in shared memory of its own, until the
/// client has mapped and released it. All functions from any thread.
class ValueArrays {
public:
    static constexpr std::size_t kMaxSegments = 16; ///< not released, at a time

    /// @return the slice's layout with "segment"; without it when there are no bytes
    /// @throws RpcError(Busy)  kMaxSegments are not released
    /// @throws IoError         not enough shared memory
    Json share(const ArraySlice& slice);
    /// Ignores unknown names.
    void release(const std::string& segment);
    void clear();

private:
    std::mutex mutex_;
    std::map<std::string, SharedMemory> segments_;
};

} // namespace floe::serve
