#include "floe/view/line_box.hpp"

#include "floe/data/mesh.hpp"
#include "floe/data/scalars.hpp"
#include "floe/data/transform.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace floe::view {

namespace {

constexpr double kLineWidth = 1.4; // [pixels]
constexpr std::array<double, 3> kDomainColour{0.95, 0.75, 0.25};
constexpr std::array<double, 3> kOutlineColour{0.25, 0.6, 0.95};

using Double3 = std::array<double, 3>;

Double3 along(const Double3& a, double t, const Double3& b)
{
    return {a[0] + t * b[0], a[1] + t * b[1], a[2] + t * b[2]};
}
double dot(const Double3& a, const Double3& b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Double3 cross(const Double3& a, const Double3& b)
{
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Double3 unit(const Double3& a)
{
    const double length = std::sqrt(dot(a, a));
    return length > 0 ? along({}, 1 / length, a) : Double3{};
}
Double3 doubles(const render::Float3& a)
{
    return {a[0], a[1], a[2]};
}

/// Calls f(first, last) with the corners of each edge.
template <class F>
void forEachEdge(const F& f)
{
    for (unsigned axis = 0; axis < 3; ++axis)
        for (unsigned corner = 0; corner < 8; ++corner)
            if (!(corner >> axis & 1))
                f(corner, corner | 1u << axis);
}

/// The eight points of a bar: bits of the index are the end, and the side in two directions.
void addBar(std::vector<render::Float3>& points, const Double3 (&ends)[2], const double (&half)[2],
            const Double3& u, const Double3& v)
{
    for (unsigned corner = 0; corner < 8; ++corner) {
        const unsigned end = corner & 1;
        const Double3 p = along(along(ends[end], corner & 2 ? half[end] : -half[end], u),
                                corner & 4 ? half[end] : -half[end], v);
        points.push_back(
            {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
    }
}

LineBox lineBox(const std::array<render::Float3, 8>& corners, const Double3& colour)
{
    // Without a camera: a thousandth of the box, for callers that need its position.
    double longest = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Double3 edge =
            along(doubles(corners[std::size_t(1) << axis]), -1, doubles(corners[0]));
        longest = std::max(longest, std::sqrt(dot(edge, edge)));
    }
    const double half = 0.0005 * longest;
    std::vector<render::Float3> points;
    std::vector<std::uint32_t> triangles;
    static constexpr std::uint32_t kFaces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                                    {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                                    {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    forEachEdge([&](unsigned first, unsigned last) {
        const auto begin = static_cast<std::uint32_t>(points.size());
        const Double3 ends[2] = {doubles(corners[first]), doubles(corners[last])};
        const Double3 edge = unit(along(ends[1], -1, ends[0]));
        const Double3 other = std::abs(edge[1]) < 0.9 ? Double3{0, 1, 0} : Double3{1, 0, 0};
        const Double3 u = unit(cross(edge, other));
        addBar(points, ends, {half, half}, u, cross(edge, u));
        for (const auto& face : kFaces)
            for (const std::uint32_t corner : face)
                triangles.push_back(begin + corner);
    });
    std::vector<float> numbers;
    for (const render::Float3& p : points)
        numbers.insert(numbers.end(), p.begin(), p.end());
    const auto mesh = make<MeshValue>(numbers, triangles);
    mesh->seal();
    const auto record = make<RecordValue>("collider");
    record->setField("mesh", mesh);
    record->setField("color", make<VectorValue>(colour));
    record->seal();
    return {corners, record};
}

} // namespace

LineBox domainBox(const RecordValue& domain)
{
    const auto vector = [&](const char* name) {
        const auto* found = as<VectorValue>(domain.find(name));
        return found ? found->vector() : Double3{};
    };
    const Double3 center = vector("center"), size = vector("size"), degrees = vector("rotation");
    std::array<Double3, 3> rotation{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (std::size_t axis = 0; axis < 3; ++axis) { // X, then Y, then Z: R = Rz Ry Rx
        const double angle = degrees[axis] * std::numbers::pi / 180;
        const std::size_t a = (axis + 1) % 3, b = (axis + 2) % 3;
        auto turned = rotation;
        for (std::size_t c = 0; c < 3; ++c) {
            turned[a][c] = std::cos(angle) * rotation[a][c] - std::sin(angle) * rotation[b][c];
            turned[b][c] = std::sin(angle) * rotation[a][c] + std::cos(angle) * rotation[b][c];
        }
        rotation = turned;
    }
    std::array<render::Float3, 8> corners;
    for (unsigned corner = 0; corner < 8; ++corner) {
        Double3 p{};
        for (unsigned axis = 0; axis < 3; ++axis)
            p[axis] = (corner >> axis & 1 ? 0.5 : -0.5) * size[axis];
        for (std::size_t r = 0; r < 3; ++r)
            corners[corner][r] = static_cast<float>(center[r] + dot(rotation[r], p));
    }
    return lineBox(corners, kDomainColour);
}

LineBox outlineOf(const RecordValue& collider, double frame)
{
    const auto bounds = as<MeshValue>(collider.find("mesh"))->bounds();
    const auto* transform = as<TransformValue>(collider.find("transform"));
    std::array<render::Float3, 8> corners;
    for (unsigned corner = 0; corner < 8; ++corner) {
        Double3 p{};
        for (unsigned axis = 0; axis < 3; ++axis)
            p[axis] = bounds[axis + (corner >> axis & 1 ? 3 : 0)];
        if (transform) {
            const auto m = transform->matrixAt(frame);
            Double3 moved;
            for (std::size_t r = 0; r < 3; ++r)
                moved[r] =
                    m[4 * r] * p[0] + m[4 * r + 1] * p[1] + m[4 * r + 2] * p[2] + m[4 * r + 3];
            p = moved;
        }
        for (std::size_t axis = 0; axis < 3; ++axis)
            corners[corner][axis] = static_cast<float>(p[axis]);
    }
    return lineBox(corners, kOutlineColour);
}

std::vector<render::Float3> thinLines(const std::array<render::Float3, 8>& corners,
                                      const render::Camera& through, int height)
{
    const render::Camera camera = render::lensOf(through);
    const Double3 eye = doubles(camera.eye);
    const Double3 towards = along(doubles(camera.target), -1, eye);
    const Double3 forward = unit(towards);
    const double nearest = 1e-3 * std::sqrt(dot(towards, towards));
    const double perDepth =
        0.5 * kLineWidth * 2 * std::tan(camera.verticalFov * std::numbers::pi / 360) / height;
    std::vector<render::Float3> points;
    forEachEdge([&](unsigned first, unsigned last) {
        Double3 ends[2] = {doubles(corners[first]), doubles(corners[last])};
        double depth[2];
        for (int i = 0; i < 2; ++i)
            depth[i] = dot(forward, along(ends[i], -1, eye));
        for (int i = 0; i < 2; ++i) // clips behind the eye
            if (depth[i] < nearest && depth[1 - i] > nearest) {
                const double t = (nearest - depth[i]) / (depth[1 - i] - depth[i]);
                ends[i] = along(ends[i], t, along(ends[1 - i], -1, ends[i]));
                depth[i] = nearest;
            }
        const Double3 edge = unit(along(ends[1], -1, ends[0]));
        const Double3 middle = along({}, 0.5, along(ends[0], 1, ends[1]));
        Double3 u = unit(cross(edge, along(middle, -1, eye)));
        if (dot(u, u) == 0) // seen along its length
            u = unit(cross(edge, std::abs(edge[1]) < 0.9 ? Double3{0, 1, 0} : Double3{1, 0, 0}));
        addBar(points, ends,
               {perDepth * std::max(depth[0], 0.0), perDepth * std::max(depth[1], 0.0)}, u,
               cross(edge, u));
    });
    return points;
}

} // namespace floe::view
