#include "grid.hpp"
#include "nodes.hpp"

#include "floe/sdk/level_set.hpp"
#include "floe/sdk/motion.hpp"
#include "floe/sdk/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>

namespace floe::shapes {

namespace {

constexpr std::size_t kMaximumTriangles = 50'000'000; // of all copies together
constexpr int kTriesPerCopy = 60;                     // before the region counts as full

/// Pose of a copy: p becomes origin + rotation (size (p - pivot)).
struct Stand {
    Point origin{};
    sdk::Quaternion rotation{0, 0, 0, 1};
    double size = 1;
    Point pivot{};
};

double chosenVoxelSize(const sdk::Context& context, const Grid& shape)
{
    const double size = context.number("voxelSize");
    return size > 0 ? size : voxelSizeOf(shape);
}

/// Outputs the union of the copies.
void setCopies(sdk::Context& context, const Grid& shape, const std::vector<Stand>& stands)
{
    const Surface one = surfaceOf(shape);
    if (one.triangleCount() * stands.size() > kMaximumTriangles)
        throw sdk::Failure("these are too many copies of a shape of so many voxels; copy less, or "
                           "give the shape a larger voxelSize",
                           FLOE_OUT_OF_MEMORY);
    Surface all;
    all.points.reserve(one.points.size() * stands.size());
    all.triangles.reserve(one.triangles.size() * stands.size());
    for (const Stand& stand : stands) {
        const auto first = static_cast<uint32_t>(all.pointCount());
        for (std::size_t i = 0; i < one.points.size(); i += 3) {
            Point p;
            for (std::size_t axis = 0; axis < 3; ++axis)
                p[axis] = stand.size * (one.points[i + axis] - stand.pivot[axis]);
            p = sdk::rotate(stand.rotation, p);
            all.addPoint(p[0] + stand.origin[0], p[1] + stand.origin[1], p[2] + stand.origin[2]);
        }
        for (const uint32_t index : one.triangles)
            all.triangles.push_back(first + index);
    }
    const GridRef grid = gridFromSurface(context, all, chosenVoxelSize(context, shape));
    context.setOutput("shape", volumeValue(*grid));
    context.setOutput("mesh", meshValue(surfaceOf(*grid))); // overlapping copies merge
}

/// Points with a minimum distance, found through a grid of cubes of that edge.
class SpacedPoints {
public:
    explicit SpacedPoints(double distance) : distance_(distance) {}

    bool add(const Point& p)
    {
        if (distance_ > 0) {
            const auto home = cubeOf(p);
            for (int64_t n = 0; n < 27; ++n) {
                const auto cube = cubes_.find(sdk::hashPoint(
                    0, home[0] + n / 9 - 1, home[1] + n / 3 % 3 - 1, home[2] + n % 3 - 1));
                if (cube == cubes_.end())
                    continue;
                for (const Point& q : cube->second)
                    if (std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) < distance_)
                        return false;
            }
            cubes_[sdk::hashPoint(0, home[0], home[1], home[2])].push_back(p);
        }
        return true;
    }

private:
    std::array<int64_t, 3> cubeOf(const Point& p) const
    {
        const auto index = [this](double x) {
            return static_cast<int64_t>(std::floor(std::clamp(x / distance_, -1e15, 1e15)));
        };
        return {index(p[0]), index(p[1]), index(p[2])};
    }

    double distance_;
    std::unordered_map<uint64_t, std::vector<Point>> cubes_;
};

/// Samples points of the surface uniformly.
class SurfacePoints {
public:
    explicit SurfacePoints(const Surface& surface) : surface_(surface)
    {
        double total = 0;
        for (std::size_t t = 0; t < surface.triangleCount(); ++t) {
            const Point a = corner(t, 0), b = corner(t, 1), c = corner(t, 2);
            const Point u = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
            const Point v = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
            total += std::hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                                u[0] * v[1] - u[1] * v[0]);
            areaUpTo_.push_back(total);
        }
    }

    Point draw(sdk::RandomSequence& random) const
    {
        const double at = random.uniform() * areaUpTo_.back();
        const auto t = static_cast<std::size_t>(
            std::min(std::upper_bound(areaUpTo_.begin(), areaUpTo_.end(), at),
                     areaUpTo_.end() - 1) -
            areaUpTo_.begin());
        // Uniform over a triangle (Osada et al. 2002).
        const double r = std::sqrt(random.uniform()), s = random.uniform();
        const Point a = corner(t, 0), b = corner(t, 1), c = corner(t, 2);
        Point p;
        for (std::size_t axis = 0; axis < 3; ++axis)
            p[axis] = (1 - r) * a[axis] + r * (1 - s) * b[axis] + r * s * c[axis];
        return p;
    }

private:
    Point corner(std::size_t triangle, std::size_t n) const
    {
        const std::size_t i = 3 * static_cast<std::size_t>(surface_.triangles[3 * triangle + n]);
        return {surface_.points[i], surface_.points[i + 1], surface_.points[i + 2]};
    }

    const Surface& surface_;
    std::vector<double> areaUpTo_;
};

/// Returns a uniformly random rotation (Shoemake 1992).
sdk::Quaternion randomRotation(sdk::RandomSequence& random)
{
    const double u = random.uniform();
    const double a = 2 * std::numbers::pi * random.uniform();
    const double b = 2 * std::numbers::pi * random.uniform();
    const double p = std::sqrt(1 - u), q = std::sqrt(u);
    return {p * std::sin(a), p * std::cos(a), q * std::sin(b), q * std::cos(b)};
}

} // namespace

void RepeatNode::cook(sdk::Context& context)
{
    const GridRef shape = gridFromValue(context.input("shape"), "shape");
    const Point step = context.vector("step"), turn = context.vector("turn");
    std::vector<Stand> stands(static_cast<std::size_t>(context.integer("count")));
    for (std::size_t n = 0; n < stands.size(); ++n) {
        const auto times = static_cast<double>(n);
        Stand& stand = stands[n];
        stand.pivot = context.vector("pivot");
        stand.rotation = sdk::fromEuler({times * turn[0], times * turn[1], times * turn[2]});
        for (std::size_t axis = 0; axis < 3; ++axis)
            stand.origin[axis] = stand.pivot[axis] + times * step[axis];
    }
    setCopies(context, *shape, stands);
}

void ScatterNode::cook(sdk::Context& context)
{
    const GridRef shape = gridFromValue(context.input("shape"), "shape");
    const Surface region = surfaceOf(*gridFromValue(context.input("region"), "region"));
    const bool onSurface = context.string("place") == "surface";
    const auto count = static_cast<std::size_t>(context.integer("count"));
    const auto seed = static_cast<uint64_t>(context.integer("seed"));
    const bool isTurned = context.boolean("turned");
    const double variation = context.number("sizeVariation");
    const sdk::Value regionValue = context.input("region");
    const sdk::LevelSet levelSet(regionValue.volume());

    std::vector<Stand> stands;
    if (region.triangleCount() > 0) {
        Point low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
        for (std::size_t i = 0; i < region.points.size(); ++i) {
            low[i % 3] = std::min<double>(low[i % 3], region.points[i]);
            high[i % 3] = std::max<double>(high[i % 3], region.points[i]);
        }
        const SurfacePoints surface(region);
        const auto inside = levelSet.sampler();
        SpacedPoints taken(context.number("distance"));
        for (std::size_t n = 0; stands.size() < count && n < kTriesPerCopy * count; ++n) {
            sdk::RandomSequence random(sdk::mixBits(seed) + n);
            Stand stand;
            if (onSurface) {
                stand.origin = surface.draw(random);
            } else {
                for (std::size_t axis = 0; axis < 3; ++axis)
                    stand.origin[axis] = low[axis] + random.uniform() * (high[axis] - low[axis]);
                if (!(inside.distance(stand.origin) < 0))
                    continue;
            }
            if (!taken.add(stand.origin))
                continue;
            if (isTurned)
                stand.rotation = randomRotation(random);
            stand.size = 1 + variation * (2 * random.uniform() - 1);
            stands.push_back(stand);
        }
    }
    if (stands.size() < count)
        context.warn("there was room for " + std::to_string(stands.size()) + " copies of " +
                     std::to_string(count) + "; make 'distance' smaller or the region larger");
    setCopies(context, *shape, stands);
}

} // namespace floe::shapes
