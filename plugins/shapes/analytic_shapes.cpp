#include "grid.hpp"
#include "nodes.hpp"

#include "floe/sdk/motion.hpp"

#include <algorithm>
#include <cmath>

namespace floe::shapes {

namespace {

constexpr double kPi = 3.14159265358979323846;

/// Placement of a shape made around the origin.
struct Placement {
    Point center;
    sdk::Quaternion rotation;

    Point toWorld(const Point& own) const
    {
        const Point turned = sdk::rotate(rotation, own);
        return {turned[0] + center[0], turned[1] + center[1], turned[2] + center[2]};
    }
    Point toOwn(const Point& world) const
    {
        return sdk::rotate(sdk::conjugate(rotation),
                           {world[0] - center[0], world[1] - center[1], world[2] - center[2]});
    }
};

Placement placementOf(const sdk::Context& context)
{
    return {context.vector("center"), sdk::fromEuler(context.vector("rotation"))};
}

/// Rotates a profile (radius, height) about the y axis; from the bottom up, on the axis at both
/// ends. Points with equal neighbours make sharp edges.
Surface turned(const std::vector<std::array<double, 2>>& profile, int segments)
{
    Surface surface;
    const auto rings = static_cast<uint32_t>(profile.size() - 2);
    const auto around = static_cast<uint32_t>(segments);
    surface.addPoint(0, profile.front()[1], 0);
    for (std::size_t ring = 1; ring + 1 < profile.size(); ++ring)
        for (int s = 0; s < segments; ++s) {
            const double angle = 2 * kPi * s / segments;
            surface.addPoint(profile[ring][0] * std::cos(angle), profile[ring][1],
                             profile[ring][0] * std::sin(angle));
        }
    surface.addPoint(0, profile.back()[1], 0);

    const auto vertex = [&](uint32_t ring, uint32_t s) {
        return 1 + ring * around + s % around;
    };
    const uint32_t top = 1 + rings * around;
    for (uint32_t s = 0; s < around; ++s) {
        surface.addTriangle(0, vertex(0, s), vertex(0, s + 1));
        for (uint32_t ring = 0; ring + 1 < rings; ++ring) {
            const uint32_t a = vertex(ring, s), b = vertex(ring, s + 1);
            const uint32_t c = vertex(ring + 1, s + 1), d = vertex(ring + 1, s);
            surface.addTriangle(a, c, b);
            surface.addTriangle(a, d, c);
        }
        surface.addTriangle(top, vertex(rings - 1, s + 1), vertex(rings - 1, s));
    }
    return surface;
}

/// Appends a quarter circle of a profile, from angle `from` to `to`.
void addArc(std::vector<std::array<double, 2>>& profile, double radius, double height, double size,
            double from, double to, int steps)
{
    for (int i = 0; i <= steps; ++i) {
        const double angle = from + (to - from) * i / std::max(steps, 1);
        profile.push_back(
            {std::max(radius + size * std::cos(angle), 0.0), height + size * std::sin(angle)});
    }
}

/// Returns the segments of a circle for which facets deviate less than a fraction of a voxel.
int segmentsFor(double radius, double voxelSize)
{
    const double sagitta = std::min(0.1 * voxelSize, 0.5 * radius);
    return static_cast<int>(
        std::clamp(std::ceil(kPi / std::acos(1 - sagitta / radius)), 32.0, 256.0));
}

Surface boxSurface(const Point& half)
{
    Surface surface;
    for (int i = 0; i < 8; ++i)
        surface.addPoint(i & 4 ? half[0] : -half[0], i & 2 ? half[1] : -half[1],
                         i & 1 ? half[2] : -half[2]);
    surface.triangles = {0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1,
                         2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3};
    return surface;
}

double boxDistance(const Point& p, const Point& half)
{
    const Point q = {std::fabs(p[0]) - half[0], std::fabs(p[1]) - half[1],
                     std::fabs(p[2]) - half[2]};
    const double outside =
        std::sqrt(std::pow(std::max(q[0], 0.0), 2) + std::pow(std::max(q[1], 0.0), 2) +
                  std::pow(std::max(q[2], 0.0), 2));
    return outside + std::min(std::max({q[0], q[1], q[2]}), 0.0);
}

/// Makes the level set and the mesh of a shape around the origin.
void setShape(sdk::Context& context, const Placement& placement, const Point& half,
              const std::function<double(const Point&)>& ownDistance, Surface ownSurface)
{
    // Bounding box of the rotated box.
    Point low = placement.center, high = placement.center;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        Point along{};
        along[axis] = half[axis];
        const Point edge = sdk::rotate(placement.rotation, along);
        for (std::size_t i = 0; i < 3; ++i) {
            low[i] -= std::fabs(edge[i]);
            high[i] += std::fabs(edge[i]);
        }
    }
    const GridRef grid =
        gridFromDistance([&](const Point& world) { return ownDistance(placement.toOwn(world)); },
                         low, high, context.number("voxelSize"));
    context.setOutput("shape", volumeValue(*grid));

    for (std::size_t i = 0; i < ownSurface.points.size(); i += 3) {
        const Point world = placement.toWorld(
            {ownSurface.points[i], ownSurface.points[i + 1], ownSurface.points[i + 2]});
        for (std::size_t axis = 0; axis < 3; ++axis)
            ownSurface.points[i + axis] = static_cast<float>(world[axis]);
    }
    context.setOutput("mesh", meshValue(ownSurface));
}

double length2(double a, double b)
{
    return std::sqrt(a * a + b * b);
}

} // namespace

void SphereNode::cook(sdk::Context& context)
{
    const double radius = context.number("radius");
    const int segments = segmentsFor(radius, context.number("voxelSize"));
    std::vector<std::array<double, 2>> profile;
    addArc(profile, 0, 0, radius, -kPi / 2, kPi / 2, segments / 2);
    setShape(
        context, {context.vector("center"), {0, 0, 0, 1}}, {radius, radius, radius},
        [radius](const Point& p) {
            return std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - radius;
        },
        turned(profile, segments));
}

void BoxNode::cook(sdk::Context& context)
{
    const Point size = context.vector("size");
    const Point half = {size[0] / 2, size[1] / 2, size[2] / 2};
    const double round =
        std::min(context.number("rounding"), std::min({half[0], half[1], half[2]}));
    const Point inner = {half[0] - round, half[1] - round, half[2] - round};
    const auto distance = [=](const Point& p) {
        return boxDistance(p, inner) - round;
    };
    setShape(context, placementOf(context), half, distance, boxSurface(half));
}

void CylinderNode::cook(sdk::Context& context)
{
    const double radius = context.number("radius");
    const double half = context.number("height") / 2;
    const double round = std::min({context.number("rounding"), radius, half});
    const int segments = segmentsFor(radius, context.number("voxelSize"));
    std::vector<std::array<double, 2>> profile = {{0, -half}};
    const int steps = round > 0 ? 6 : 0;
    addArc(profile, radius - round, round - half, round, -kPi / 2, 0, steps);
    addArc(profile, radius - round, half - round, round, 0, kPi / 2, steps);
    profile.push_back({0, half});
    setShape(
        context, placementOf(context), {radius, half, radius},
        [=](const Point& p) {
            const double side = length2(p[0], p[2]) - (radius - round);
            const double end = std::fabs(p[1]) - (half - round);
            return length2(std::max(side, 0.0), std::max(end, 0.0)) +
                   std::min(std::max(side, end), 0.0) - round;
        },
        turned(profile, segments));
}

void CapsuleNode::cook(sdk::Context& context)
{
    const double radius = context.number("radius");
    const double half = context.number("height") / 2; // of the cylindrical part
    const int segments = segmentsFor(radius, context.number("voxelSize"));
    std::vector<std::array<double, 2>> profile;
    addArc(profile, 0, -half, radius, -kPi / 2, 0, segments / 4);
    addArc(profile, 0, half, radius, 0, kPi / 2, segments / 4);
    setShape(
        context, placementOf(context), {radius, half + radius, radius},
        [=](const Point& p) {
            const double y = p[1] - std::clamp(p[1], -half, half);
            return std::sqrt(p[0] * p[0] + y * y + p[2] * p[2]) - radius;
        },
        turned(profile, segments));
}

void TorusNode::cook(sdk::Context& context)
{
    const double major = context.number("radius");
    const double minor = context.number("tubeRadius");
    const double voxelSize = context.number("voxelSize");
    const auto around = static_cast<uint32_t>(segmentsFor(major + minor, voxelSize));
    const auto across = static_cast<uint32_t>(segmentsFor(minor, voxelSize));
    Surface surface;
    for (uint32_t i = 0; i < around; ++i)
        for (uint32_t j = 0; j < across; ++j) {
            const double a = 2 * kPi * i / around, b = 2 * kPi * j / across;
            const double r = major + minor * std::cos(b);
            surface.addPoint(r * std::cos(a), minor * std::sin(b), r * std::sin(a));
            const uint32_t i1 = (i + 1) % around, j1 = (j + 1) % across;
            const uint32_t p = i * across + j, q = i1 * across + j;
            const uint32_t r1 = i1 * across + j1, s = i * across + j1;
            surface.addTriangle(p, r1, q);
            surface.addTriangle(p, s, r1);
        }
    setShape(
        context, placementOf(context), {major + minor, minor, major + minor},
        [=](const Point& p) { return length2(length2(p[0], p[2]) - major, p[1]) - minor; },
        std::move(surface));
}

void PlaneNode::cook(sdk::Context& context)
{
    const double size = context.number("size") / 2;
    const double depth = context.number("thickness") / 2;
    Placement placement = placementOf(context);
    placement.center = placement.toWorld({0, -depth, 0}); // `center` is on the upper side
    const Point half = {size, depth, size};
    setShape(
        context, placement, half, [half](const Point& p) { return boxDistance(p, half); },
        boxSurface(half));
}

} // namespace floe::shapes
