#pragma once

#include "set/gaussian_set.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace floe::gaussians::test {

/// Gaussians such as a capture has: about a metre across, a few centimetres large.
inline GaussianSet randomSet(std::size_t count, int degree, unsigned seed = 7)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::uniform_real_distribution<float> uniform(0.02f, 0.98f);
    GaussianSet set;
    set.degree = degree;
    set.resize(count);
    for (float& value : set.x)
        value = normal(random);
    for (float& value : set.scale)
        value = 0.03f * std::exp(normal(random));
    for (float& value : set.opacity)
        value = uniform(random);
    for (float& value : set.sh)
        value = std::clamp(0.3f * normal(random), -0.9f, 0.9f);
    for (std::size_t i = 0; i < count; ++i) {
        Quaternion q;
        for (double& part : q)
            part = normal(random);
        normalise(q);
        for (std::size_t k = 0; k < 4; ++k)
            set.rotation[4 * i + k] = static_cast<float>(q[k]);
    }
    return set;
}

/// Covariance of a Gaussian, R S S R^T.
inline Mat3 covarianceOf(const GaussianSet& set, std::size_t i)
{
    Quaternion q;
    std::copy_n(&set.rotation[4 * i], 4, q.begin());
    Mat3 M = matrixOf(q);
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
            M[row][column] *= set.scale[3 * i + static_cast<std::size_t>(column)];
    return M * transpose(M);
}

/// Colour of a Gaussian seen along a direction.
inline std::array<double, 3> colourOf(const GaussianSet& set, std::size_t i, const Vec3& direction)
{
    const auto values = harmonicsIn(direction);
    std::array<double, 3> colour = {0.5, 0.5, 0.5};
    for (std::size_t k = 0; k < coefficientsOf(set.degree); ++k)
        for (std::size_t channel = 0; channel < 3; ++channel)
            colour[channel] += values[k] * set.sh[set.shComponents() * i + 3 * k + channel];
    return colour;
}

} // namespace floe::gaussians::test
