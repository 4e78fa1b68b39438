// Cloth and ropes, for the solver to move.

#include "nodes.hpp"

#include "floe/sdk/node.hpp"
#include "floe/sdk/physics/vec.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace floe::pbd {

namespace {

using Vec3d = physics::Vec3<double>;

Vec3d vectorOf(const sdk::Context& context, const char* name)
{
    const sdk::Vector v = context.vector(name);
    return {v[0], v[1], v[2]};
}

/// What cloth and ropes have in common.
sdk::Value makeSheet(const sdk::Context& context)
{
    sdk::Value record = sdk::makeRecord("floe.pbd.sheet");
    const std::string name = context.string("name");
    record.set("name", sdk::makeString(name.empty() ? context.nodeName() : name));
    record.set("color", sdk::makeVector(context.vector("color")));
    record.set("pinned", sdk::makeString(context.string("pinned")));
    record.set("meetsItself", sdk::makeNumber(context.boolean("selfCollision") ? 1 : 0));
    for (const char* number :
         {"density", "radius", "stretch", "bend", "damping", "tear", "friction", "slidingFriction"})
        record.set(number, sdk::makeNumber(context.number(number)));
    for (const char* vector : {"position", "rotation", "velocity"})
        record.set(vector, sdk::makeVector(context.vector(vector)));
    return record;
}

/// Points at equal distances along a parabola that hangs from one end to the other.
/// @param slack  how much longer it is than the straight way, as a share
std::vector<Vec3d> hangingLine(const Vec3d& from, const Vec3d& to, double slack, int segments)
{
    const Vec3d way = to - from;
    const double distance = physics::length(way);
    Vec3d down{0, -1, 0};
    down = down - (physics::dot(down, way) / std::max(distance * distance, 1e-300)) * way;
    if (physics::length(down) < 1e-6)
        down = {1, 0, 0}; // it hangs straight
    down = (1 / physics::length(down)) * down;
    constexpr int kFine = 4096;
    const auto place = [&](double t, double sag) {
        return from + t * way + (4 * sag * t * (1 - t)) * down;
    };
    const auto lengthOf = [&](double sag) {
        double sum = 0;
        for (int k = 0; k < kFine; ++k)
            sum += physics::length(place((k + 1.0) / kFine, sag) - place(double(k) / kFine, sag));
        return sum;
    };
    const double wanted = (1 + slack) * distance;
    double low = 0, high = (1 + slack) * distance;
    for (int k = 0; k < 50 && slack > 0; ++k) {
        const double middle = 0.5 * (low + high);
        (lengthOf(middle) < wanted ? low : high) = middle;
    }
    const double sag = slack > 0 ? 0.5 * (low + high) : 0;
    const double step = lengthOf(sag) / segments;
    std::vector<Vec3d> line = {from};
    double gone = 0;
    for (int k = 0; k < kFine && line.size() < static_cast<std::size_t>(segments); ++k) {
        const Vec3d a = place(double(k) / kFine, sag), b = place((k + 1.0) / kFine, sag);
        const double size = physics::length(b - a);
        while (gone + size >= step * static_cast<double>(line.size()) &&
               line.size() < static_cast<std::size_t>(segments)) {
            const double t = (step * static_cast<double>(line.size()) - gone) / size;
            line.push_back(a + t * (b - a));
        }
        gone += size;
    }
    line.push_back(to);
    return line;
}

/// A rectangle in the plane z = 0, centred, of squares cut one way: cut both ways in turn,
/// they would bend a third too easily.
/// @param spacing  about the edge of a square [m]
sdk::Value rectangle(double width, double height, double spacing)
{
    constexpr double kMaxSquares = 1e6;
    const double across = std::max(1.0, std::round(width / spacing)),
                 along = std::max(1.0, std::round(height / spacing));
    if (!(across * along <= kMaxSquares))
        throw sdk::Failure("the cloth would have more than a million squares; choose a larger "
                           "spacing",
                           FLOE_BAD_ARGUMENT);
    const auto columns = static_cast<std::uint32_t>(across),
               rows = static_cast<std::uint32_t>(along);
    std::vector<float> points;
    std::vector<std::uint32_t> triangles;
    for (std::uint32_t j = 0; j <= rows; ++j)
        for (std::uint32_t i = 0; i <= columns; ++i) {
            points.push_back(static_cast<float>(width * (i / across - 0.5)));
            points.push_back(static_cast<float>(height * (0.5 - j / along)));
            points.push_back(0);
        }
    for (std::uint32_t j = 0; j < rows; ++j)
        for (std::uint32_t i = 0; i < columns; ++i) {
            const std::uint32_t a = j * (columns + 1) + i, b = a + 1, d = a + columns + 1,
                                c = d + 1;
            triangles.insert(triangles.end(), {a, c, b, a, d, c});
        }
    return sdk::makeMesh(points, triangles);
}

} // namespace

void ClothNode::cook(sdk::Context& context)
{
    sdk::Value record = makeSheet(context);
    const sdk::Value mesh = context.input("mesh");
    record.set("mesh", mesh ? mesh
                            : rectangle(context.number("width"), context.number("height"),
                                        context.number("spacing")));
    record.set("shear", sdk::makeNumber(context.number("shear")));
    record.set("pinCenter", sdk::makeVector(context.vector("pinCenter")));
    record.set("pinSize", sdk::makeVector(context.vector("pinSize")));
    context.setOutput("body", record);
}

void RopeNode::cook(sdk::Context& context)
{
    sdk::Value record = makeSheet(context);
    record.set("shear", sdk::makeNumber(1)); // a line has none
    const Vec3d from = vectorOf(context, "from"), to = vectorOf(context, "to");
    if (!(physics::length(to - from) > 0))
        throw sdk::Failure("'from' and 'to' are at one place; move one of them", FLOE_BAD_ARGUMENT);
    const auto line = hangingLine(from, to, context.number("slack"),
                                  static_cast<int>(context.integer("segments")));
    sdk::Value points = sdk::makeParticles(line.size());
    const auto x = points.addAttribute<float>("x", 3);
    for (std::size_t i = 0; i < line.size(); ++i)
        for (std::size_t axis = 0; axis < 3; ++axis)
            x[3 * i + axis] = static_cast<float>(line[i][static_cast<int>(axis)]);
    record.set("line", points);
    context.setOutput("body", record);
}

} // namespace floe::pbd
