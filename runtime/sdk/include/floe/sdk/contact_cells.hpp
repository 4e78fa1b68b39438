/// How finely a log of contacts is: by the two that touch, or by the places where they do as well.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace floe::sdk {

/// Cells of a grid at rest, in each of which the pushes of two that touch are summed up.
struct ContactCells {
    using Cell = std::array<std::int64_t, 3>;

    double edge = 0; ///< [m]; 0: all that two push each other is one sum

    Cell of(const std::array<double, 3>& point) const
    {
        constexpr double kFurthest = 4e18;
        Cell cell{};
        for (std::size_t axis = 0; axis < 3 && edge > 0; ++axis)
            cell[axis] = static_cast<std::int64_t>(
                std::clamp(std::floor(point[axis] / edge), -kFurthest, kFurthest));
        return cell;
    }
    auto operator<=>(const ContactCells&) const = default;
};

/// Sums that a log keeps of one frame at most; a log that would need more gives nothing, see
/// makeContacts().
inline constexpr std::size_t kMaxContacts = 1'000'000;

} // namespace floe::sdk
