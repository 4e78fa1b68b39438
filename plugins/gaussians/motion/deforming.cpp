#include "motion/deforming.hpp"

#include <algorithm>

namespace floe::gaussians {

namespace {

using Mat3f = physics::Mat3<float>;

bool isFinite(const Mat3f& F)
{
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
            if (!(std::abs(F[row][column]) < 1e12f))
                return false;
    return true;
}

template <class To, class From>
physics::Mat3<To> converted(const physics::Mat3<From>& A)
{
    physics::Mat3<To> result;
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
            result[row][column] = static_cast<To>(A[row][column]);
    return result;
}

std::array<float, 4> floats(const Quaternion& q)
{
    return {static_cast<float>(q[0]), static_cast<float>(q[1]), static_cast<float>(q[2]),
            static_cast<float>(q[3])};
}

} // namespace

Deformed deformed(const Mat3f& F, Following following, const float* scale, const float* rotation,
                  float maxStretch)
{
    Deformed result{};
    std::copy_n(scale, 3, result.scale.begin());
    std::copy_n(rotation, 4, result.rotation.begin());
    result.turn = {0, 0, 0, 1};
    if (!isFinite(F))
        return result;
    const Quaternion R = quaternionOf(converted<double>(physics::polarRotation(F)));
    const Quaternion rest = {rotation[0], rotation[1], rotation[2], rotation[3]};
    result.turn = floats(R);
    if (following == Following::Fixed)
        return result;
    if (following == Following::Rigid) {
        result.rotation = floats(times(R, rest));
        return result;
    }
    const float longest = std::max({scale[0], scale[1], scale[2]});
    if (!(longest > 0))
        return result;
    // A = M M^T with M = F R0 diag(scale); F A F^T has the axes of M's singular vectors.
    Mat3f M = F * converted<float>(matrixOf(rest));
    for (int row = 0; row < 3; ++row)
        for (int axis = 0; axis < 3; ++axis)
            M[row][axis] *= scale[axis] / longest;
    const auto parts = physics::svd(M);
    result.rotation = floats(quaternionOf(converted<double>(parts.U)));
    for (int axis = 0; axis < 3; ++axis)
        result.scale[static_cast<std::size_t>(axis)] =
            longest * std::min(std::abs(parts.sigma[axis]), maxStretch);
    return result;
}

} // namespace floe::gaussians
