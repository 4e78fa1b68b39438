#include "rest_sheet.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace floe::pbd {

namespace {

using physics::cross;
using physics::dot;
using physics::length;

Vec3f toFloat(const Vec3d& a)
{
    return {static_cast<float>(a.x), static_cast<float>(a.y), static_cast<float>(a.z)};
}

/// Sorts edges into groups without a particle in common, each as early as possible.
std::vector<std::vector<std::uint32_t>> groupsOf(const std::vector<SheetEdge>& edges,
                                                 std::size_t particles)
{
    std::vector<std::vector<bool>> used; // by group and particle
    std::vector<std::vector<std::uint32_t>> groups;
    for (std::uint32_t e = 0; e < edges.size(); ++e) {
        const auto [p, q] = edges[e].at;
        std::size_t g = 0;
        while (g < groups.size() && (used[g][p] || used[g][q]))
            ++g;
        if (g == groups.size()) {
            groups.emplace_back();
            used.emplace_back(particles);
        }
        used[g][p] = used[g][q] = true;
        groups[g].push_back(e);
    }
    return groups;
}

/// Bending of a triangle and the corners opposite its sides, by the quadratic through all of them
/// (Onate and Zarate 2000, in the flat): exact for constant curvature on any mesh. At a side with
/// no other triangle the curvature is the one of least energy, as at a free edge. Of a plate
/// without Poisson's effect, for isometric deformation (Bergou et al. 2006): linear in places.
/// @param corner    the triangle's
/// @param opposite  beyond side k, from corner k to the next; `has`: whether there is one
SheetBend bendOf(const std::array<Vec3d, 3>& corner, const std::array<Vec3d, 3>& opposite,
                 const std::array<bool, 3>& has, double rigidity)
{
    const Vec3d a = corner[1] - corner[0], b = corner[2] - corner[0], n = cross(a, b);
    const double area = 0.5 * length(n), scale = 1 / std::sqrt(area);
    // In its plane, in units of its size.
    const Vec3d along = (1 / length(a)) * a, aside = (1 / (2 * area)) * cross(n, along);
    using Point = std::array<double, 2>;
    const auto flat = [&](const Vec3d& v) {
        return Point{scale * dot(v, along), scale * dot(v, aside)};
    };
    const Point p[3] = {{0, 0}, flat(a), flat(b)};
    const double twice = p[1][0] * p[2][1] - p[1][1] * p[2][0];
    physics::Mat3<double> B{}; // what curvatures xx, xy, yy add at the corners opposite
    double weight[3][6] = {};
    for (std::size_t k = 0; k < 3; ++k) {
        if (!has[k])
            continue;
        const std::size_t next = (k + 1) % 3;
        const Vec3d side = corner[next] - corner[k], way = opposite[k] - corner[k];
        const double size = length(side), forth = dot(way, side) / size,
                     out = length(cross(way, side)) / size;
        // Turned about the side until it is in the plane.
        const double ex = (p[next][0] - p[k][0]) / size, ey = (p[next][1] - p[k][1]) / size;
        const Point at = {p[k][0] + forth * ex + out * ey, p[k][1] + forth * ey - out * ex};
        const double u = (at[0] * p[2][1] - at[1] * p[2][0]) / twice,
                     v = (p[1][0] * at[1] - p[1][1] * at[0]) / twice;
        const double linear[3] = {1 - u - v, u, v};
        const auto curved = [](const Point& x) {
            return Vec3d{0.5 * x[0] * x[0], x[0] * x[1], 0.5 * x[1] * x[1]};
        };
        Vec3d row = curved(at);
        for (std::size_t j = 0; j < 3; ++j) {
            row = row - linear[j] * curved(p[j]);
            weight[k][j] = -linear[j];
        }
        weight[k][3 + k] = 1;
        for (int c = 0; c < 3; ++c)
            B[static_cast<int>(k)][c] = row[c];
    }
    // The least energy xx^2 + 2 xy^2 + yy^2 that agrees with what is seen at the corners.
    physics::Mat3<double> yields{};
    double trace = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            yields[i][j] = B[i][0] * B[j][0] + 0.5 * B[i][1] * B[j][1] + B[i][2] * B[j][2];
    for (int i = 0; i < 3; ++i)
        trace += yields[i][i];
    for (std::size_t k = 0; k < 3; ++k) // slivers must not be infinitely stiff
        yields[static_cast<int>(k)][static_cast<int>(k)] += has[k] ? 1e-6 * trace : 1;
    const physics::Mat3<double> S =
        (rigidity / area / physics::determinant(yields)) * physics::cofactor(yields);
    SheetBend bend;
    bend.count = 6;
    for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t j = i; j < 6; ++j) {
            double sum = 0;
            for (std::size_t k = 0; k < 3; ++k)
                for (std::size_t l = 0; l < 3; ++l)
                    sum +=
                        weight[k][i] * S[static_cast<int>(k)][static_cast<int>(l)] * weight[l][j];
            bend.stiffness[i][j] = bend.stiffness[j][i] = sum;
        }
    return bend;
}

/// Centre, inertia and offsets of particles at places.
void weigh(RestBody& body, const std::vector<Vec3d>& at)
{
    body.mass = 0;
    body.center = {0, 0, 0};
    body.inertia = {};
    for (std::size_t i = 0; i < at.size(); ++i) {
        body.mass += body.particles[i].mass;
        body.center = body.center + double{body.particles[i].mass} * at[i];
    }
    body.center = (1 / body.mass) * body.center;
    body.reach = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
        RestParticle& particle = body.particles[i];
        const Vec3d q = at[i] - body.center;
        particle.offset = toFloat(q);
        particle.boundary = true;
        particle.gradient = {0, 1, 0};
        body.reach = std::max(body.reach, static_cast<float>(length(q)) + particle.radius);
        for (int row = 0; row < 3; ++row)
            for (int column = 0; column < 3; ++column)
                body.inertia[row][column] +=
                    particle.mass * ((row == column ? dot(q, q) : 0) - q[row] * q[column]);
    }
    // A straight line has none about itself; nothing asks for it, but it must have an inverse.
    for (int axis = 0; axis < 3; ++axis)
        body.inertia[axis][axis] += 1e-9 * body.mass * body.reach * body.reach + 1e-30;
}

} // namespace

Cloth makeCloth(const Triangles& mesh, const std::vector<std::uint8_t>& pinned, double density,
                double radius, const SheetStiffness& stiffness)
{
    if (mesh.corners.size() < 3)
        throw std::invalid_argument("its mesh has no triangles");
    Cloth cloth{};
    std::vector<Vec3d> at;
    for (std::size_t i = 0; i + 2 < mesh.points.size(); i += 3) {
        at.push_back({mesh.points[i], mesh.points[i + 1], mesh.points[i + 2]});
        if (!std::isfinite(length(at.back())))
            throw std::invalid_argument("its mesh has a point that is not finite");
    }
    const std::size_t count = at.size();
    std::vector<double> mass(count, 0);
    struct Side {
        std::uint32_t face, opposite;
    };
    std::map<std::array<std::uint32_t, 2>, std::vector<Side>> sides;
    RestSheet& sheet = cloth.sheet;
    for (std::size_t t = 0; t + 2 < mesh.corners.size(); t += 3) {
        std::array<std::uint32_t, 3> v;
        for (std::size_t k = 0; k < 3; ++k) {
            v[k] = mesh.corners[t + k];
            if (v[k] >= count)
                throw std::invalid_argument("its mesh has a corner without a point");
        }
        const Vec3d a = at[v[1]] - at[v[0]], b = at[v[2]] - at[v[0]], n = cross(a, b);
        const double area = 0.5 * length(n);
        if (!(area > 1e-12 * (dot(a, a) + dot(b, b))))
            throw std::invalid_argument("its mesh has a triangle without area");
        // Threads run along the mesh's x axis, or its y axis where x is across.
        const Vec3d normal = (0.5 / area) * n;
        const Vec3d axis = std::abs(normal.x) < 0.9 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
        Vec3d warp = axis - dot(axis, normal) * normal;
        warp = (1 / length(warp)) * warp;
        const Vec3d weft = cross(normal, warp);
        const double m[4] = {dot(a, warp), dot(b, warp), dot(a, weft), dot(b, weft)};
        const double scale = 1 / (m[0] * m[3] - m[1] * m[2]);
        const SheetTriangle triangle{
            v,
            {scale * m[3], -scale * m[1], -scale * m[2], scale * m[0]},
            {stiffness.stretch * area, stiffness.stretch * area, stiffness.shear * area}};
        for (std::size_t k = 0; k < 3; ++k) {
            mass[v[k]] += density * area / 3;
            const std::uint32_t p = v[k], q = v[(k + 1) % 3];
            sides[{std::min(p, q), std::max(p, q)}].push_back(
                {static_cast<std::uint32_t>(sheet.triangles.size()), v[(k + 2) % 3]});
        }
        sheet.triangles.push_back(triangle);
    }
    double edges = 0;
    for (const auto& [ends, faces] : sides) {
        const double size = length(at[ends[1]] - at[ends[0]]);
        edges += size / static_cast<double>(sides.size());
        sheet.edges.push_back({ends, size, 0});
    }
    sheet.edgeGroups = groupsOf(sheet.edges, count);
    for (std::uint32_t t = 0; t < sheet.triangles.size(); ++t) {
        const auto& v = sheet.triangles[t].at;
        sheet.faces.insert(sheet.faces.end(), v.begin(), v.end());
        std::array<Vec3d, 3> corner, opposite{};
        std::array<bool, 3> has{};
        std::array<std::uint32_t, 3> beyond = v;
        std::vector<std::uint32_t> of = {t};
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t p = v[k], q = v[(k + 1) % 3];
            corner[k] = at[p];
            const std::vector<Side>& faces = sides.at({std::min(p, q), std::max(p, q)});
            if (faces.size() != 2)
                continue;
            const Side& other = faces[faces[0].face == t];
            has[k] = true;
            beyond[k] = other.opposite;
            opposite[k] = at[other.opposite];
            of.push_back(other.face);
        }
        if (of.size() == 1 || !(stiffness.bend > 0))
            continue;
        SheetBend bend = bendOf(corner, opposite, has, stiffness.bend);
        std::copy(v.begin(), v.end(), bend.at.begin());
        std::copy(beyond.begin(), beyond.end(), bend.at.begin() + 3);
        std::copy(of.begin(), of.end(), bend.of.begin());
        bend.parts = static_cast<std::uint32_t>(of.size());
        sheet.bends.push_back(bend);
    }
    sheet.pinned = pinned;
    sheet.pinned.resize(count, 0);
    const auto r = static_cast<float>(radius > 0 ? radius : 0.5 * edges);
    cloth.body.boundaryRadius = r;
    for (std::size_t i = 0; i < count; ++i) {
        RestParticle particle{};
        particle.radius = r;
        if (!(mass[i] > 0))
            throw std::invalid_argument("its mesh has a point without a triangle");
        particle.mass = static_cast<float>(mass[i]);
        cloth.body.particles.push_back(particle);
    }
    weigh(cloth.body, at);
    for (const RestParticle& particle : cloth.body.particles)
        cloth.body.meshPoints.push_back(particle.offset);
    cloth.body.triangles = sheet.faces;
    return cloth;
}

Cloth makeRope(const std::vector<Vec3d>& line, const std::vector<std::uint8_t>& pinned,
               double density, double radius, const SheetStiffness& stiffness)
{
    if (line.size() < 2)
        throw std::invalid_argument("it needs at least two points");
    Cloth rope{};
    RestSheet& sheet = rope.sheet;
    sheet.rope = true;
    sheet.radius = static_cast<float>(radius);
    std::vector<double> mass(line.size(), 0), size;
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
        size.push_back(length(line[i + 1] - line[i]));
        if (!(size.back() > 0))
            throw std::invalid_argument("two of its points are at one place");
        const auto a = static_cast<std::uint32_t>(i);
        sheet.edges.push_back({{a, a + 1}, size.back(), stiffness.stretch / size.back()});
        mass[i] += 0.5 * density * size.back();
        mass[i + 1] += 0.5 * density * size.back();
    }
    sheet.edgeGroups = groupsOf(sheet.edges, line.size());
    for (std::size_t i = 1; i + 1 < line.size() && stiffness.bend > 0; ++i) {
        const double before = size[i - 1], after = size[i];
        const auto a = static_cast<std::uint32_t>(i);
        const double weight[3] = {1 / before, -1 / before - 1 / after, 1 / after};
        SheetBend bend;
        bend.count = 3;
        bend.at = {a - 1, a, a + 1};
        for (std::size_t k = 0; k < 3; ++k)
            for (std::size_t l = 0; l < 3; ++l)
                bend.stiffness[k][l] =
                    weight[k] * weight[l] * stiffness.bend / (0.5 * (before + after));
        bend.parts = 2;
        bend.of = {a - 1, a};
        sheet.bends.push_back(bend);
    }
    sheet.pinned = pinned;
    sheet.pinned.resize(line.size(), 0);
    rope.body.boundaryRadius = static_cast<float>(radius);
    for (const double m : mass) {
        RestParticle particle{};
        particle.radius = static_cast<float>(radius);
        particle.mass = static_cast<float>(m);
        rope.body.particles.push_back(particle);
    }
    weigh(rope.body, line);
    return rope;
}

} // namespace floe::pbd
