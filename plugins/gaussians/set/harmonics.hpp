/// Real spherical harmonics of degrees 0 to 3 with the signs of 3D Gaussian splatting (Kerbl et al.
/// 2023): the colour seen along a direction is 0.5 + the sum of coefficients times functions.
#pragma once

#include "set/rotation.hpp"

#include <array>
#include <cstddef>

namespace floe::gaussians {

inline constexpr int kMaxDegree = 3;
inline constexpr double kConstantHarmonic = 0.28209479177387814; ///< of degree 0

/// Number of coefficients of a colour channel.
constexpr std::size_t coefficientsOf(int degree)
{
    return static_cast<std::size_t>((degree + 1) * (degree + 1));
}

/// Values of the functions of all degrees in a direction of length 1.
std::array<double, coefficientsOf(kMaxDegree)> harmonicsIn(const Vec3& direction);

/// What a rotation does to coefficients: the turned function in direction d is the function in
/// R^T d. Degrees do not mix, so this is one matrix per degree, found from the functions' values in
/// a few directions.
class HarmonicsRotation {
public:
    explicit HarmonicsRotation(const Mat3& R);

    /// @param sh  coefficientsOf(degree) times red, green, blue
    void apply(float* sh, int degree) const;

private:
    std::array<double, 9> first_;   ///< of degree 1, row by row
    std::array<double, 25> second_; ///< of degree 2
    std::array<double, 49> third_;  ///< of degree 3
};

} // namespace floe::gaussians
