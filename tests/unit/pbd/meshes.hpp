/// Meshes that tests voxelise.
#pragma once

#include "bodies/voxeliser.hpp"
#include "mesh.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace floe::test {

struct Mesh : MeshArrays {
    pbd::Triangles view() const { return {points, corners}; }
};

/// A box whose faces are cut into squares of two triangles each, with the diagonals one way.
inline Mesh gridBox(std::array<double, 3> low, std::array<double, 3> high, int cuts = 1)
{
    Mesh mesh;
    std::map<std::array<int, 3>, std::uint32_t> known;
    const auto point = [&](std::array<int, 3> at) {
        const auto found = known.find(at);
        if (found != known.end())
            return found->second;
        double x[3];
        for (std::size_t a = 0; a < 3; ++a)
            x[a] = low[a] + (high[a] - low[a]) * at[a] / cuts;
        return known[at] = mesh.add(x[0], x[1], x[2]);
    };
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (const int side : {0, cuts})
            for (int i = 0; i < cuts; ++i)
                for (int j = 0; j < cuts; ++j) {
                    const auto corner = [&](int di, int dj) {
                        std::array<int, 3> at{};
                        at[axis] = side;
                        at[(axis + 1) % 3] = i + di;
                        at[(axis + 2) % 3] = j + dj;
                        return point(at);
                    };
                    const std::uint32_t a = corner(0, 0), b = corner(1, 0), c = corner(1, 1),
                                        d = corner(0, 1);
                    if (side > 0)
                        mesh.corners.insert(mesh.corners.end(), {a, b, c, a, c, d});
                    else
                        mesh.corners.insert(mesh.corners.end(), {a, c, b, a, d, c});
                }
    return mesh;
}

inline Mesh cube(double edge)
{
    return gridBox({-edge / 2, -edge / 2, -edge / 2}, {edge / 2, edge / 2, edge / 2});
}

/// A Wavefront file's faces, cut into fans; nothing where there is no such file.
inline std::optional<Mesh> readObj(const std::string& path)
{
    std::ifstream file(path);
    if (!file)
        return {};
    Mesh mesh;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string kind;
        words >> kind;
        if (kind == "v") {
            double x, y, z;
            words >> x >> y >> z;
            mesh.add(x, y, z);
        } else if (kind == "f") {
            std::vector<std::uint32_t> face;
            for (std::string word; words >> word;)
                face.push_back(static_cast<std::uint32_t>(std::stoul(word)) - 1);
            for (std::size_t k = 2; k < face.size(); ++k)
                mesh.corners.insert(mesh.corners.end(), {face[0], face[k - 1], face[k]});
        }
    }
    return mesh;
}

/// A mesh of the folder that the environment variable FLOE_TEST_MODELS names.
inline std::optional<Mesh> readModel(const std::string& name)
{
    const char* folder = std::getenv("FLOE_TEST_MODELS");
    return folder ? readObj(std::string(folder) + "/" + name) : std::nullopt;
}

} // namespace floe::test
