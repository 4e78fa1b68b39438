#include "stored_state.hpp"

#include <cstdint>
#include <vector>

namespace floe::mpm {

namespace {

/// Bytes that the host reads from the disk.
class Stored final : public saved::Source {
public:
    explicit Stored(sdk::Reader& reader) : reader_(&reader) {}
    void read(std::uint64_t offset, void* to, std::uint64_t bytes) override
    {
        reader_->seek(offset);
        reader_->bytes(to, bytes);
    }
    /// Passes over an array. @return where its bytes are
    saved::Extent pass()
    {
        const auto bytes = reader_->value<std::uint64_t>();
        const saved::Extent extent{reader_->position(), bytes};
        if (bytes > reader_->remaining())
            throw sdk::Failure("the saved state is shorter than it says", FLOE_IO_FAILED);
        reader_->seek(extent.offset + bytes);
        return extent;
    }

private:
    sdk::Reader* reader_;
};

} // namespace

saved::OwnState readState(sdk::Reader& reader, const Ownership& ownership,
                          const std::function<void()>& between)
{
    Stored stored(reader);
    std::vector<saved::Extent> parts = {stored.pass()};
    std::uint64_t end = reader.position();
    const std::uint32_t count = saved::partsOf(stored, parts[0]);
    reader.seek(end);
    between();
    while (parts.size() < count)
        parts.push_back(stored.pass());
    end = reader.position();
    saved::OwnState own;
    if (count > 0 || (!ownership.alone() && saved::isWhole(stored, parts[0]))) {
        own = saved::takeOwn(stored, parts, ownership);
    } else {
        own.bytes.resize(parts[0].bytes);
        stored.read(parts[0].offset, own.bytes.data(), parts[0].bytes);
    }
    reader.seek(end);
    return own;
}

} // namespace floe::mpm
