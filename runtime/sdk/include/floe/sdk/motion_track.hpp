#pragma once

/// Turns a motion given as a function of the frame into the keys of a transform value.

#include "floe/sdk/motion.hpp"

#include <cmath>
#include <vector>

namespace floe::sdk {

/// Makes keys from frame `from` to frame `to`, dense enough that `interpolate` stays within
/// `tolerance` of the motion for points up to 1 m from the shape's origin: 17 to 513 keys, or two
/// when nothing moves. Quaternions of neighbouring keys lie in the same hemisphere, so that
/// blending takes the shorter arc.
/// @param poseAt  floe_transform_key(double frame)
template <class Pose>
std::vector<floe_transform_key> motionTrack(double from, double to, Pose&& poseAt,
                                            double tolerance = 1e-5)
{
    // Largest difference of two poses, as a length.
    const auto difference = [](const floe_transform_key& a, const floe_transform_key& b) {
        double cosine = 0, distance = std::fabs(a.scale - b.scale);
        for (int i = 0; i < 4; ++i)
            cosine += a.rotation[i] * b.rotation[i];
        double turn = 0; // 2 sin(angle / 2) with little cancellation
        for (int i = 0; i < 4; ++i) {
            const double part = a.rotation[i] - (cosine < 0 ? -b.rotation[i] : b.rotation[i]);
            turn += part * part;
        }
        distance += 2 * std::sqrt(turn);
        double way = 0;
        for (int i = 0; i < 3; ++i)
            way += (a.position[i] - b.position[i]) * (a.position[i] - b.position[i]);
        return distance + std::sqrt(way);
    };

    std::vector<floe_transform_key> keys;
    const auto add = [&](std::vector<floe_transform_key>& list, int n, int intervals) {
        const double frame = from + (to - from) * n / intervals;
        floe_transform_key key = poseAt(frame);
        key.frame = frame;
        list.push_back(key);
    };
    int intervals = 16;
    for (int n = 0; n <= intervals; ++n)
        add(keys, n, intervals);
    bool moves = false;
    for (const floe_transform_key& key : keys)
        moves = moves || difference(key, keys.front()) > 0;
    if (!moves) {
        keys = {keys.front(), keys.back()};
        return keys;
    }
    for (bool exact = false; !exact && intervals < 512; intervals *= 2) {
        std::vector<floe_transform_key> finer;
        exact = true;
        for (int n = 0; n < intervals; ++n) {
            finer.push_back(keys[static_cast<std::size_t>(n)]);
            add(finer, 2 * n + 1, 2 * intervals);
            exact = exact &&
                    difference(interpolate(keys, finer.back().frame), finer.back()) <= tolerance;
        }
        finer.push_back(keys.back());
        if (!exact)
            keys = std::move(finer);
    }
    for (std::size_t n = 1; n < keys.size(); ++n) {
        double cosine = 0;
        for (int i = 0; i < 4; ++i)
            cosine += keys[n].rotation[i] * keys[n - 1].rotation[i];
        if (cosine < 0)
            for (double& part : keys[n].rotation)
                part = -part;
    }
    return keys;
}

} // namespace floe::sdk
