#include "mesh_formats.hpp"
#include "ply.hpp"

#include "floe/io/srgb.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace floe::io {

namespace {

constexpr std::array<const char*, 3> kPosition = {"x", "y", "z"};
constexpr std::array<const char*, 3> kVelocity = {"vx", "vy", "vz"};
constexpr std::array<const char*, 3> kColour = {"red", "green", "blue"};

std::array<int, 3> findAll(const PlyElement& element, const std::array<const char*, 3>& names)
{
    std::array<int, 3> found;
    for (int k = 0; k < 3; ++k)
        found[k] = element.find(names[k]);
    return found;
}

int findCorners(const PlyElement& element)
{
    for (std::size_t i = 0; i < element.properties.size(); ++i) {
        const PlyProperty& property = element.properties[i];
        if (property.listCount &&
            (property.name == "vertex_indices" || property.name == "vertex_index"))
            return static_cast<int>(i);
    }
    return -1;
}

bool has(const std::array<int, 3>& columns)
{
    return std::ranges::all_of(columns, [](int column) { return column >= 0; });
}

/// What stands for full light in a column: whole numbers to their largest, others to 1.
double fullLight(PlyType type)
{
    switch (type) {
    case PlyType::kInt8:
        return 127;
    case PlyType::kUint8:
        return 255;
    case PlyType::kInt16:
        return 32767;
    case PlyType::kUint16:
        return 65535;
    case PlyType::kInt32:
        return 2147483647;
    case PlyType::kUint32:
        return 4294967295;
    case PlyType::kFloat:
    case PlyType::kDouble:
        break;
    }
    return 1;
}

} // namespace

MeshData parsePlyMesh(std::string_view bytes, const std::string& file, Cancellation& stop)
{
    PlyReader reader(bytes, file, stop);
    constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
    std::size_t vertexElement = kNone, faceElement = kNone;
    std::array<int, 3> position{}, velocity{}, colour{};
    int corners = -1;
    const auto& elements = reader.elements();
    for (std::size_t e = 0; e < elements.size(); ++e) {
        if (elements[e].name == "vertex" && vertexElement == kNone) {
            vertexElement = e;
            position = findAll(elements[e], kPosition);
            velocity = findAll(elements[e], kVelocity);
            colour = findAll(elements[e], kColour);
        } else if (elements[e].name == "face" && faceElement == kNone) {
            faceElement = e;
            corners = findCorners(elements[e]);
        }
    }
    if (vertexElement == kNone || !has(position))
        throw IoError({.file = file}, "has no vertices with x, y and z");
    if (faceElement == kNone || corners < 0)
        throw IoError({.file = file}, "has no faces: it is a cloud of points, not a mesh");
    if (elements[vertexElement].count > std::numeric_limits<std::uint32_t>::max())
        throw IoError({.file = file}, "has more than 4294967295 vertices");
    const bool moves = has(velocity), coloured = has(colour);

    MeshData mesh;
    std::vector<std::uint32_t> polygonCorners;
    std::vector<std::size_t> polygonEnds;
    const auto appendVector = [&](const PlyRow& row, const std::array<int, 3>& columns,
                                  std::vector<float>& to) {
        for (const int column : columns) {
            const auto value = static_cast<float>(row.values[static_cast<std::size_t>(column)]);
            if (!std::isfinite(value))
                reader.fail("vertex " + std::to_string(to.size() / 3) +
                            " has a number that is not finite");
            to.push_back(value);
        }
    };
    const auto appendColour = [&](const PlyRow& row) {
        for (const int column : colour) {
            const auto at = static_cast<std::size_t>(column);
            const double share =
                row.values[at] / fullLight(elements[vertexElement].properties[at].type);
            const double held = share >= 0 ? std::min(share, 1.0) : 0; // also what is no number
            mesh.colours.push_back(srgbToLinear(static_cast<float>(held)));
        }
    };
    const std::uint64_t pointCount = elements[vertexElement].count;
    reader.read([&](std::size_t e, const PlyRow& row) {
        if (e == vertexElement) {
            appendVector(row, position, mesh.points);
            if (moves)
                appendVector(row, velocity, mesh.velocities);
            if (coloured)
                appendColour(row);
        } else if (e == faceElement) {
            for (const double index : row.lists[static_cast<std::size_t>(corners)]) {
                if (!(index >= 0) || index >= static_cast<double>(pointCount) ||
                    index != std::floor(index))
                    reader.fail("a face names a vertex that is not there; the file has " +
                                std::to_string(pointCount));
                polygonCorners.push_back(static_cast<std::uint32_t>(index));
            }
            polygonEnds.push_back(polygonCorners.size());
        }
    });
    mesh.triangles.reserve(3 * polygonEnds.size());
    std::size_t begin = 0;
    for (const std::size_t end : polygonEnds) {
        triangulate(std::span(polygonCorners).subspan(begin, end - begin), mesh.points,
                    mesh.triangles, stop);
        begin = end;
    }
    return mesh;
}

std::string formatPly(const MeshValue& mesh)
{
    const std::size_t points = mesh.points().size() / 3;
    const std::size_t triangles = mesh.triangles().size() / 3;
    std::string bytes = "ply\nformat binary_little_endian 1.0\ncomment written by Floe\n"
                        "element vertex " +
                        std::to_string(points) + "\n";
    const auto declare = [&](const std::array<const char*, 3>& names) {
        for (const char* name : names)
            bytes += std::string("property float ") + name + "\n";
    };
    declare(kPosition);
    if (!mesh.velocities().empty())
        declare(kVelocity);
    if (!mesh.colours().empty())
        for (const char* name : kColour)
            bytes += std::string("property uchar ") + name + "\n";
    bytes += "element face " + std::to_string(triangles) +
             "\nproperty list uchar uint vertex_indices\nend_header\n";
    const std::size_t row =
        12 + (mesh.velocities().empty() ? 0 : 12) + (mesh.colours().empty() ? 0 : 3);
    bytes.reserve(bytes.size() + points * row + triangles * 13);
    for (std::size_t i = 0; i < points; ++i) {
        bytes.append(reinterpret_cast<const char*>(&mesh.points()[3 * i]), 12);
        if (!mesh.velocities().empty())
            bytes.append(reinterpret_cast<const char*>(&mesh.velocities()[3 * i]), 12);
        for (std::size_t k = 0; k < 3 && !mesh.colours().empty(); ++k)
            bytes += static_cast<char>(std::lround(255 * linearToSrgb(mesh.colours()[3 * i + k])));
    }
    for (std::size_t i = 0; i < triangles; ++i) {
        bytes += '\3';
        bytes.append(reinterpret_cast<const char*>(&mesh.triangles()[3 * i]), 12);
    }
    return bytes;
}

} // namespace floe::io
