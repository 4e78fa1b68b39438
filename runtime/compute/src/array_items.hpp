#pragma once

#include "floe/compute/array.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

#if defined(__CUDACC__)
#define FLOE_ARRAY_ITEM __host__ __device__ inline
#else
#define FLOE_ARRAY_ITEM inline
#endif

/// Per-item operations of Device on arrays: the same on every device.
namespace floe::compute {

/// Sums in double precision, so that a vector's length is the same on every device.
template <class T>
FLOE_ARRAY_ITEM float magnitudeOf(const T* item, std::uint32_t components)
{
    if (components == 1)
        return static_cast<float>(item[0]);
    double sum = 0;
    for (std::uint32_t c = 0; c < components; ++c) {
        const double component = static_cast<double>(item[c]);
        sum += component * component;
    }
    return static_cast<float>(::sqrt(components == 9 ? sum / 3.0 : sum));
}

template <class T>
FLOE_ARRAY_ITEM std::uint8_t narrowed(T value)
{
    if constexpr (std::is_signed_v<T>)
        value = value < T(0) ? T(0) : value;
    return static_cast<std::uint8_t>(value > T(255) ? T(255) : value);
}

/// Returns whether all components of an item are finite and at most `most` in magnitude.
FLOE_ARRAY_ITEM bool isWithin(const float* item, std::uint32_t components, float most)
{
    for (std::uint32_t c = 0; c < components; ++c)
        if (!(::fabsf(item[c]) <= most))
            return false;
    return true;
}

inline constexpr float kHuge = std::numeric_limits<float>::max();
inline constexpr Extent kNoExtent{{kHuge, kHuge, kHuge}, {-kHuge, -kHuge, -kHuge}};

inline void include(Extent& extent, const float* item, std::uint32_t components, float most)
{
    if (!isWithin(item, components, most))
        return;
    for (std::uint32_t c = 0; c < components; ++c) {
        extent.low[c] = std::min(extent.low[c], item[c]);
        extent.high[c] = std::max(extent.high[c], item[c]);
    }
}

inline void include(Extent& extent, const Extent& other)
{
    for (std::size_t c = 0; c < 3; ++c) {
        extent.low[c] = std::min(extent.low[c], other.low[c]);
        extent.high[c] = std::max(extent.high[c], other.high[c]);
    }
}

/// Calls body(const T*) with the array's own type.
template <class Body>
void visitArray(const ArrayView& array, Body&& body)
{
    switch (array.element) {
    case Element::float32:
        return body(static_cast<const float*>(array.data));
    case Element::int32:
        return body(static_cast<const std::int32_t*>(array.data));
    case Element::uint32:
        return body(static_cast<const std::uint32_t*>(array.data));
    case Element::uint8:
        return body(static_cast<const std::uint8_t*>(array.data));
    case Element::uint64:
        return body(static_cast<const std::uint64_t*>(array.data));
    }
    throw std::logic_error("an array of no element type");
}

} // namespace floe::compute
