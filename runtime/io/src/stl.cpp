#include "bytes.hpp"
#include "mesh_formats.hpp"
#include "text.hpp"

#include <array>
#include <cmath>
#include <unordered_map>

namespace floe::io {

namespace {

constexpr std::size_t kHeader = 84;   // 80 of comment, 4 of count
constexpr std::size_t kTriangle = 50; // normal, three corners, two bytes of attributes

using Corner = std::array<float, 3>;

struct CornerHash {
    std::size_t operator()(const Corner& corner) const
    {
        std::uint64_t hash = 0;
        for (const float value : corner)
            hash = (hash ^ std::bit_cast<std::uint32_t>(value)) * 0x9e3779b97f4a7c15ull,
            hash ^= hash >> 29;
        return hash;
    }
};

/// STL repeats a point for every triangle that uses it; equal coordinates become one point again.
class Welder {
public:
    explicit Welder(MeshData& mesh) : mesh_(mesh) {}
    void add(Corner corner)
    {
        for (float& value : corner)
            value += 0.0f; // -0 and 0 are the same position
        const auto next = static_cast<std::uint32_t>(mesh_.points.size() / 3);
        const auto [entry, isNew] = indices_.try_emplace(corner, next);
        if (isNew)
            mesh_.points.insert(mesh_.points.end(), corner.begin(), corner.end());
        mesh_.triangles.push_back(entry->second);
    }

private:
    MeshData& mesh_;
    std::unordered_map<Corner, std::uint32_t, CornerHash> indices_;
};

bool isBinary(std::string_view bytes)
{
    if (bytes.size() < kHeader)
        return false;
    std::uint32_t count = 0;
    std::memcpy(&count, bytes.data() + 80, sizeof count);
    if (kHeader + kTriangle * std::uint64_t(count) == bytes.size())
        return true; // binary files exist whose comment starts with "solid"
    return !bytes.starts_with("solid");
}

MeshData parseBinary(std::string_view bytes, const std::string& file, Cancellation& stop)
{
    ByteReader reader(bytes, file, std::endian::little);
    reader.skip(80);
    const auto count = reader.value<std::uint32_t>();
    reader.requireElements(count, kTriangle, "triangles");
    MeshData mesh;
    mesh.triangles.reserve(3 * std::size_t(count));
    Welder welder(mesh);
    for (std::uint32_t i = 0; i < count; ++i) {
        reader.skip(12); // the normal follows from the order of corners
        for (int k = 0; k < 3; ++k) {
            Corner corner;
            for (float& value : corner) {
                value = reader.value<float>();
                if (!std::isfinite(value))
                    reader.fail("triangle " + std::to_string(i) +
                                " has a coordinate that is not a finite number");
            }
            welder.add(corner);
        }
        reader.skip(2);
        stop.after(kTriangle);
    }
    return mesh;
}

MeshData parseText(std::string_view bytes, const std::string& file, Cancellation& stop)
{
    MeshData mesh;
    Welder welder(mesh);
    TextReader text(bytes, file, stop);
    int corners = 0;
    bool closed = false;
    while (text.nextLine()) {
        const std::string_view key = text.word();
        if (key == "vertex") {
            Corner corner;
            for (float& value : corner) {
                value = static_cast<float>(text.number("a coordinate"));
                if (!std::isfinite(value))
                    text.fail("a coordinate is not a finite number of single precision");
            }
            welder.add(corner);
            ++corners;
        } else if (key == "endfacet") {
            if (corners != 3)
                text.fail("a facet has " + std::to_string(corners) + " corners instead of 3");
            corners = 0;
        } else if (key == "endsolid") {
            closed = true;
        } else if (!key.empty() && key != "facet" && key != "outer" && key != "endloop" &&
                   key != "solid") {
            text.fail("expected 'facet', 'vertex' or 'endsolid', found " + inQuotes(key));
        }
    }
    if (!closed || corners != 0)
        text.fail("ends before 'endsolid': it is damaged or was cut off");
    return mesh;
}

} // namespace

MeshData parseStl(std::string_view bytes, const std::string& file, Cancellation& stop)
{
    MeshData mesh = isBinary(bytes) ? parseBinary(bytes, file, stop)
                    : bytes.starts_with("solid")
                        ? parseText(bytes, file, stop)
                        : throw IoError({.file = file}, "is not an STL file");
    if (mesh.triangles.empty())
        throw IoError({.file = file}, "holds no triangles");
    return mesh;
}

std::string formatStl(const MeshValue& mesh)
{
    std::string bytes = "binary STL written by Floe";
    const std::size_t count = mesh.triangles().size() / 3;
    bytes.reserve(kHeader + kTriangle * count);
    bytes.resize(80, ' ');
    append(bytes, static_cast<std::uint32_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
        std::array<const float*, 3> p;
        for (int k = 0; k < 3; ++k)
            p[k] = &mesh.points()[3 * std::size_t(mesh.triangles()[3 * i + k])];
        std::array<double, 3> normal;
        for (int k = 0; k < 3; ++k) {
            const int u = (k + 1) % 3, v = (k + 2) % 3;
            normal[k] = (double(p[1][u]) - p[0][u]) * (double(p[2][v]) - p[0][v]) -
                        (double(p[1][v]) - p[0][v]) * (double(p[2][u]) - p[0][u]);
        }
        const double length = std::hypot(normal[0], normal[1], normal[2]);
        for (const double component : normal)
            append(bytes, static_cast<float>(length > 0 ? component / length : 0));
        for (const float* point : p)
            bytes.append(reinterpret_cast<const char*>(point), 12);
        append(bytes, std::uint16_t(0));
    }
    return bytes;
}

} // namespace floe::io
