#pragma once

#include "set/harmonics.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace floe::gaussians {

/// A number of each Gaussian besides what it looks like: a label, a group, a painted weight.
struct Property {
    std::string name; ///< letters, digits and _
    std::vector<float> values;
};

/// Properties that a set keeps at most; a file may claim any number.
inline constexpr std::size_t kMaxProperties = 16;

/// Whether a property may have this name: letters, digits and _, at most 63 of them, and none that
/// particles use for something else ("x", "id", "material" ...).
bool isPropertyName(std::string_view name);

/// 3D Gaussians (Kerbl et al. 2023). Arrays hold one entry a Gaussian, times their components, and
/// carry the names of the attributes on wires.
struct GaussianSet {
    int degree = 0;                   ///< of the spherical harmonics, 0 to 3
    std::vector<float> x;             ///< 3: middle [m]
    std::vector<float> scale;         ///< 3: standard deviations along the own axes [m]
    std::vector<float> rotation;      ///< 4: own axes to the world, x, y, z, w, of length 1
    std::vector<float> opacity;       ///< 1: in the middle, 0 to 1
    std::vector<float> sh;            ///< coefficients, each red, green, blue
    std::vector<Property> properties; ///< at most kMaxProperties, each name once

    std::size_t count() const { return opacity.size(); }
    /// Components of `sh`.
    std::size_t shComponents() const { return 3 * coefficientsOf(degree); }
    /// Gives every array its length for `number` Gaussians. @throws std::bad_alloc
    void resize(std::size_t number);
    /// Null when there is none of that name.
    const Property* property(std::string_view name) const;
};

/// Keeps the Gaussians for which `keep(number)` says so, in their order.
void keepOnly(GaussianSet& set, const std::function<bool(std::size_t)>& keep);

/// Scales rotations to length 1, opacities into 0 to 1, and removes what no picture can show:
/// numbers that are not finite, positions beyond 1e7 m, scales above 1e6 m or below 0, rotations
/// without a direction, coefficients beyond 1e4. @return how many were removed
std::size_t removeUnusable(GaussianSet& set);

/// Moves a set: scale first, then rotation, then offset. Colours turn with it.
struct Placement {
    double scale = 1;               ///< > 0
    Quaternion rotation = kNoTurn;  ///< of length 1
    std::array<double, 3> offset{}; ///< [m]
};
void place(GaussianSet& set, const Placement& placement);

} // namespace floe::gaussians
