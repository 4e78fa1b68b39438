#include "sheet_record.hpp"

#include "body_record.hpp"

#include "floe/sdk/world/records.hpp"

#include <algorithm>
#include <cmath>

namespace floe::pbd {

namespace {

/// Which points are held.
std::vector<std::uint8_t> pinnedOf(const sdk::Value& record, const std::vector<Vec3d>& points)
{
    const std::string which = record.require("pinned").string();
    std::vector<std::uint8_t> pinned(points.size(), 0);
    if (points.empty() || which == "none")
        return pinned;
    if (which == "start" || which == "both")
        pinned.front() = 1;
    if (which == "end" || which == "both")
        pinned.back() = 1;
    const auto held = [&](int axis, bool highest) {
        double low = points[0][axis], high = low;
        for (const Vec3d& x : points) {
            low = std::min(low, x[axis]);
            high = std::max(high, x[axis]);
        }
        const double margin = 1e-3 * (high - low);
        for (std::size_t i = 0; i < points.size(); ++i)
            pinned[i] =
                highest ? points[i][axis] >= high - margin : points[i][axis] <= low + margin;
    };
    if (which == "top" || which == "corners")
        held(1, true);
    if (which == "left")
        held(0, false);
    if (which == "corners") {
        double low = INFINITY, high = -INFINITY;
        for (std::size_t i = 0; i < points.size(); ++i)
            if (pinned[i]) {
                low = std::min(low, points[i].x);
                high = std::max(high, points[i].x);
            }
        const double margin = 1e-3 * (high - low);
        for (std::size_t i = 0; i < points.size(); ++i)
            pinned[i] = pinned[i] && (points[i].x <= low + margin || points[i].x >= high - margin);
    }
    if (which == "box") {
        const Vec3d center = sdk::world::vectorOf(record, "pinCenter"),
                    size = sdk::world::vectorOf(record, "pinSize");
        for (std::size_t i = 0; i < points.size(); ++i) {
            pinned[i] = 1;
            for (int axis = 0; axis < 3; ++axis)
                if (std::abs(points[i][axis] - center[axis]) > 0.5 * size[axis])
                    pinned[i] = 0;
        }
    }
    return pinned;
}

bool meetsItself(const sdk::Value& record)
{
    const sdk::Value field = record.field("meetsItself");
    return field && field.number() != 0;
}

/// A rope touches by its particles: where they are so far apart that two can cross between theirs,
/// it would pass through itself.
void requireBeads(const std::vector<Vec3d>& points, double radius)
{
    constexpr double kApart = 2.5; // radii; two cross where it is 2 sqrt(2)
    double length = 0, longest = 0;
    for (std::size_t k = 1; k < points.size(); ++k) {
        const double segment = physics::length(points[k] - points[k - 1]);
        length += segment;
        longest = std::max(longest, segment);
    }
    if (longest > kApart * radius)
        throw std::invalid_argument("a rope that collides with itself needs segments of at most "
                                    "two and a half radii; take " +
                                    std::to_string(std::lround(std::ceil(length / (2 * radius)))) +
                                    " Segments, or a larger Radius");
}

} // namespace

SheetDescription::SheetDescription(const sdk::Value& record)
{
    const std::string of = "'" + record.require("name").string() + "'";
    material.kind = Material::Kind::body;
    material.density = 1000;
    readFriction(material, record, of);
    damping = static_cast<float>(numberWithin(record, "damping", 0, 1e6, of));
    tear = static_cast<float>(numberWithin(record, "tear", 0, 1e6, of));
    placed.x = sdk::world::vectorOf(record, "position");
    placed.R = rotationOf(sdk::world::vectorOf(record, "rotation"));
    placed.v = sdk::world::vectorOf(record, "velocity");
}

std::shared_ptr<const Cloth> SheetDescription::make(const sdk::Value& record) const
{
    const std::string of = "'" + record.require("name").string() + "'";
    SheetStiffness stiffness;
    stiffness.stretch = numberWithin(record, "stretch", 1e-6, 1e15, of);
    stiffness.shear = numberWithin(record, "shear", 1e-6, 1e15, of);
    stiffness.bend = numberWithin(record, "bend", 0, 1e15, of);
    const double density = numberWithin(record, "density", 1e-6, 1e6, of),
                 radius = numberWithin(record, "radius", 0, 1e6, of);
    std::vector<Vec3d> points;
    try {
        if (const sdk::Value line = record.field("line")) {
            const auto x = line.attribute<float>("x", 3);
            for (std::size_t i = 0; i + 2 < x.size(); i += 3)
                points.push_back({x[i], x[i + 1], x[i + 2]});
            auto rope = std::make_shared<Cloth>(
                makeRope(points, pinnedOf(record, points), density, radius, stiffness));
            rope->sheet.meetsItself = meetsItself(record);
            if (rope->sheet.meetsItself)
                requireBeads(points, radius);
            return rope;
        }
        const floe_mesh mesh = record.require("mesh").mesh();
        for (std::size_t i = 0; i < mesh.point_count; ++i)
            points.push_back({mesh.points[3 * i], mesh.points[3 * i + 1], mesh.points[3 * i + 2]});
        auto cloth = std::make_shared<Cloth>(
            makeCloth({{mesh.points, std::size_t{3} * mesh.point_count},
                       {mesh.triangles, std::size_t{3} * mesh.triangle_count}},
                      pinnedOf(record, points), density, radius, stiffness));
        cloth->sheet.meetsItself = meetsItself(record);
        return cloth;
    } catch (const std::invalid_argument& e) {
        throw sdk::Failure(of + ": " + e.what(), FLOE_BAD_ARGUMENT);
    }
}

} // namespace floe::pbd
