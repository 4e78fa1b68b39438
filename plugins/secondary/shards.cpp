#include "shards.hpp"

#include "floe/sdk/motion.hpp"
#include "floe/sdk/sampling.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace floe::secondary {

namespace {

constexpr Point kEdges = {1.3, 1, 0.7}; // of a usual fragment, relative to each other
constexpr double kRoughness = 0.3;      // how far a corner is moved, as a part of half an edge

// clang-format off
constexpr uint32_t kFaces[Shards::kTriangles][3] = {
    {0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, // corner 4 x + 2 y + z
    {0, 4, 5}, {0, 5, 1}, {2, 3, 7}, {2, 7, 6},
    {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
// clang-format on

Point cross(const Point& a, const Point& b)
{
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double dot(const Point& a, const Point& b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

using Corners = std::array<Point, Shards::kPoints>;

/// Around its centre of corners, of volume 1.
Corners shapeOf(uint64_t id)
{
    sdk::RandomSequence random(sdk::hashPoint(0, static_cast<int64_t>(id), 0, 2));
    Corners corners;
    Point middle{};
    for (std::size_t n = 0; n < corners.size(); ++n)
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double side = n >> (2 - axis) & 1 ? 1 : -1;
            corners[n][axis] = kEdges[axis] * (side + kRoughness * (2 * random.uniform() - 1)) / 2;
            middle[axis] += corners[n][axis] / Shards::kPoints;
        }
    double volume = 0;
    for (const auto& face : kFaces)
        volume += dot(corners[face[0]], cross(corners[face[1]], corners[face[2]])) / 6;
    const double scale = 1 / std::cbrt(volume);
    for (Point& corner : corners)
        for (std::size_t axis = 0; axis < 3; ++axis)
            corner[axis] = scale * (corner[axis] - middle[axis]);
    return corners;
}

} // namespace

Shards shardsOf(std::span<const Chip> chips)
{
    Shards shards;
    shards.points.reserve(3 * Shards::kPoints * chips.size());
    shards.velocities.reserve(3 * Shards::kPoints * chips.size());
    shards.triangles.reserve(3 * Shards::kTriangles * chips.size());
    for (const Chip& chip : chips) {
        const auto first = static_cast<uint32_t>(shards.points.size() / 3);
        const double scale = std::cbrt(std::numbers::pi / 6) * chip.size;
        const floe_transform_key pose{.position = {0, 0, 0},
                                      .rotation = {chip.orientation[0], chip.orientation[1],
                                                   chip.orientation[2], chip.orientation[3]},
                                      .scale = scale};
        for (const Point& corner : shapeOf(chip.flight.id)) {
            const Point arm = sdk::toWorld(pose, corner);
            const Point turning = cross({chip.spin[0], chip.spin[1], chip.spin[2]}, arm);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                shards.points.push_back(static_cast<float>(chip.flight.x[axis] + arm[axis]));
                shards.velocities.push_back(
                    static_cast<float>(chip.flight.v[axis] + turning[axis]));
            }
        }
        for (const auto& face : kFaces)
            for (const uint32_t corner : face)
                shards.triangles.push_back(first + corner);
    }
    return shards;
}

} // namespace floe::secondary
