/// A cup or can whose walls are as thin as one likes, and how it is shaken.
#pragma once

#include "mesh.hpp"

#include "floe/sdk/motion.hpp"
#include "floe/sdk/world/surface_collider.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

namespace floe::test {

using sdk::world::Vec3d;

/// A can about the y axis, or a cup that is open above: two surfaces all round.
struct Cup {
    double radius = 0.08, height = 0.2; ///< of its inside [m]
    double wall = 0.001;
    bool lid = true;

    MeshArrays mesh() const
    {
        constexpr int kFacets = 24;
        MeshArrays mesh;
        const auto ringAt = [&](double r, double y) {
            std::vector<std::uint32_t> ring;
            for (int k = 0; k < kFacets; ++k) {
                const double angle = 2 * std::numbers::pi * k / kFacets;
                ring.push_back(mesh.add(r * std::cos(angle), y, r * std::sin(angle)));
            }
            return ring;
        };
        const auto join = [&](const std::vector<std::uint32_t>& one,
                              const std::vector<std::uint32_t>& other) {
            for (std::size_t k = 0; k < kFacets; ++k) {
                const std::size_t next = (k + 1) % kFacets;
                for (const std::uint32_t corner :
                     {one[k], one[next], other[k], one[next], other[next], other[k]})
                    mesh.corners.push_back(corner);
            }
        };
        const auto close = [&](const std::vector<std::uint32_t>& ring, double y) {
            const std::uint32_t middle = mesh.add(0, y, 0);
            for (std::size_t k = 0; k < kFacets; ++k)
                mesh.corners.insert(mesh.corners.end(), {ring[k], ring[(k + 1) % kFacets], middle});
        };
        const auto low = ringAt(radius, 0), high = ringAt(radius, height),
                   below = ringAt(radius + wall, -wall),
                   above = ringAt(radius + wall, height + (lid ? wall : 0));
        join(low, high);
        join(below, above);
        close(low, 0);
        close(below, -wall);
        if (lid) {
            close(high, height);
            close(above, height + wall);
        } else {
            join(high, above);
        }
        return mesh;
    }
    /// In its own space, its walls not included.
    bool holds(const Vec3d& own) const
    {
        return own.y > 0 && own.y < height && std::hypot(own.x, own.z) < radius;
    }
};

inline sdk::world::SurfaceCollider::Shared surfaceOf(const MeshArrays& mesh)
{
    return {{}, std::make_shared<sdk::world::TriangleSurface>(mesh.points, mesh.corners)};
}

constexpr double kFps = 24;
inline sdk::world::FrameClock clockOf()
{
    return {.begin = 0, .first = 0, .fps = kFps};
}

/// Keys ten times a frame of a motion: shift [m] and rotation about z [degrees] at a time.
template <class Motion>
std::vector<floe_transform_key> track(double seconds, const Motion& motion)
{
    std::vector<floe_transform_key> keys;
    for (int k = 0; k <= static_cast<int>(seconds * kFps * 10); ++k) {
        const auto [shift, tilt] = motion(k / (10 * kFps));
        const sdk::Quaternion q = sdk::fromEuler({0, 0, tilt});
        keys.push_back({k / 10.0, {shift.x, shift.y, shift.z}, {q[0], q[1], q[2], q[3]}, 1});
    }
    return keys;
}

/// Shaken for some seconds, gently at first, then still.
inline std::pair<Vec3d, double> shaken(double time, double seconds)
{
    const double share = std::clamp(std::min(time / 0.3, (seconds - time) / 0.3), 0.0, 1.0);
    const double w = 2 * std::numbers::pi;
    return {share * Vec3d{0.04 * std::sin(2.5 * w * time), 0.02 * std::sin(3.1 * w * time),
                          0.03 * std::sin(2.1 * w * time)},
            share * 15 * std::sin(1.7 * w * time)};
}

} // namespace floe::test
