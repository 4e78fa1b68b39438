#include "floe/data/volume.hpp"

#include "floe/base/error.hpp"
#include "grid_header.hpp"

#include <cstring>

namespace floe {

namespace {

compute::Buffer copied(std::span<const std::byte> bytes)
{
    checkGridHeader(bytes); // before `size` bytes are read: the caller's size may be wrong
    compute::Buffer buffer(compute::cpuDevice(), bytes.size());
    std::memcpy(buffer.data(), bytes.data(), bytes.size());
    return buffer;
}

} // namespace

VolumeValue::VolumeValue(std::span<const std::byte> grid) : VolumeValue(copied(grid)) {}

VolumeValue::VolumeValue(compute::Buffer grid) : Value(kKind), grid_(std::move(grid))
{
    if (grid_.space() != compute::Space::host)
        throw InputError({}, "a volume's grid must be in host memory");
    info_ = checkGrid({static_cast<const std::byte*>(grid_.data()), grid_.bytes()});
    account(grid_.bytes());
}

} // namespace floe
