#pragma once

#include <array>
#include <cstdint>

namespace floe::compute {

/// Types of array elements, numbered as in the plugin interface and in files.
enum class Element : std::int32_t {
    float32 = 1,
    int32 = 2,
    uint32 = 3,
    uint8 = 4,
    uint64 = 5,
};

/// An array in the memory of a device: item i starts at element i * components.
struct ArrayView {
    const void* data = nullptr;
    Element element = Element::float32;
    std::uint32_t components = 1; ///< elements per item
    std::uint64_t count = 0;      ///< items
};

/// Minimum and maximum of up to three components; low > high where there is none.
struct Extent {
    std::array<float, 3> low;
    std::array<float, 3> high;
};

} // namespace floe::compute
