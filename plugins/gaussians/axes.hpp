#pragma once

#include "set/gaussian_set.hpp"

#include "floe/sdk/node.hpp"

#include <string>

namespace floe::gaussians {

/// The rotation between a file whose upward direction is the choice `up` ("auto", "y", "-y", "z")
/// and Floe, where y is up.
/// @param yDown  what "auto" means
inline Quaternion uprightFrom(const std::string& up, bool yDown)
{
    if (up == "-y" || (up == "auto" && yDown))
        return fromEuler({180, 0, 0});
    return up == "z" ? fromEuler({-90, 0, 0}) : kNoTurn;
}

inline Quaternion inverse(const Quaternion& q)
{
    return {-q[0], -q[1], -q[2], q[3]};
}

} // namespace floe::gaussians
