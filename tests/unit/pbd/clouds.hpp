/// Spheres, and their pairs by trying them all.
#pragma once

#include "neighbours/pairs.hpp"

#include "floe/sdk/sampling.hpp"

#include <cmath>
#include <vector>

namespace floe::pbd {

struct Cloud {
    std::vector<Vec3f> center;
    std::vector<float> radius;
    std::vector<std::uint32_t> group;
    Spheres view() const { return {center, radius, group}; }
};

/// Radii spread over a ratio, evenly in their logarithm; so dense that most touch something.
inline Cloud randomCloud(std::size_t count, double ratio, double doubled, std::uint64_t seed)
{
    Cloud cloud;
    sdk::RandomSequence random(seed);
    const double box = 0.02 * std::cbrt(static_cast<double>(count)) * std::pow(ratio, 0.6);
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3f x{static_cast<float>(box * random.uniform() - 30),
                      static_cast<float>(box * random.uniform()),
                      static_cast<float>(0.5 * box * random.uniform() + 7)};
        const bool again = i > 0 && random.uniform() < doubled;
        cloud.center.push_back(again ? cloud.center[random.below(static_cast<std::uint32_t>(i))]
                                     : x);
        cloud.radius.push_back(static_cast<float>(0.01 * std::pow(ratio, random.uniform())));
        cloud.group.push_back(i % 5 == 0 ? kNoGroup : static_cast<std::uint32_t>(i / 40));
    }
    return cloud;
}

inline std::vector<Pair> bruteForce(const Spheres& spheres)
{
    std::vector<Pair> pairs;
    for (std::uint32_t a = 0; a < spheres.center.size(); ++a)
        for (std::uint32_t b = a + 1; b < spheres.center.size(); ++b)
            if (strangers(spheres, a, b) && touch(spheres, a, b))
                pairs.push_back({a, b});
    return pairs;
}

} // namespace floe::pbd
