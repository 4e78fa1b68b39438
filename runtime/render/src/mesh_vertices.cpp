#include "mesh_vertices.hpp"

#include "linear.hpp"

namespace floe::render {
namespace {

constexpr float kCosCrease = 0.766f; // 40 degrees
/// Points with more triangles than this are averaged over all of them: time stays linear.
constexpr std::uint32_t kManyTriangles = 64;

} // namespace

std::vector<MeshVertex> meshVertices(const Mesh& mesh)
{
    std::vector<Float3> faces(mesh.triangles.size()); // length: twice the area
    std::vector<std::uint32_t> begin(mesh.points.size() + 1, 0);
    std::vector<Float3> sums(mesh.points.size(), Float3{});
    for (std::size_t t = 0; t < faces.size(); ++t) {
        const auto& [a, b, c] = mesh.triangles[t];
        const Float3 face = cross(subtract(mesh.points[b], mesh.points[a]),
                                  subtract(mesh.points[c], mesh.points[a]));
        if (!(length(face) > 0) || !finite(face))
            continue;
        faces[t] = face;
        for (const std::uint32_t point : mesh.triangles[t]) {
            ++begin[point + 1];
            sums[point] = add(sums[point], face);
        }
    }
    for (std::size_t p = 0; p < mesh.points.size(); ++p)
        begin[p + 1] += begin[p];
    std::vector<std::uint32_t> around(begin.back());
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    const auto kept = [&](std::size_t t) {
        return faces[t] != Float3{};
    };
    for (std::size_t t = 0; t < faces.size(); ++t)
        if (kept(t))
            for (const std::uint32_t point : mesh.triangles[t])
                around[next[point]++] = static_cast<std::uint32_t>(t);

    std::vector<MeshVertex> vertices;
    vertices.reserve(3 * faces.size());
    for (std::size_t t = 0; t < faces.size(); ++t) {
        if (!kept(t)) { // three equal points: nothing is drawn, and the others keep their places
            vertices.resize(vertices.size() + 3);
            continue;
        }
        const Float3 own = normalized(faces[t]);
        for (const std::uint32_t point : mesh.triangles[t]) {
            Float3 sum{};
            if (mesh.smooth || begin[point + 1] - begin[point] > kManyTriangles)
                sum = sums[point];
            else
                for (std::uint32_t i = begin[point]; i < begin[point + 1]; ++i)
                    if (dot(normalized(faces[around[i]]), own) >= kCosCrease)
                        sum = add(sum, faces[around[i]]);
            vertices.push_back({mesh.points[point], normalized(sum, own),
                                mesh.colours.empty() ? Float3{1, 1, 1} : mesh.colours[point]});
        }
    }
    return vertices;
}

} // namespace floe::render
