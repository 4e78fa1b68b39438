#include "mesh_formats.hpp"
#include "text.hpp"

#include "floe/base/error.hpp"

#include <charconv>
#include <cmath>
#include <limits>

namespace floe::io {

namespace {

constexpr std::size_t kMaxPoints = std::numeric_limits<std::uint32_t>::max();

/// Polygons are triangulated once all points are known: a face may refer to later points.
struct Polygons {
    std::vector<std::uint32_t> corners;
    std::vector<std::size_t> ends; // in `corners`
    std::int64_t largest = -1;     // index named, and where
    std::uint64_t largestLine = 0;
};

void readVertex(TextReader& text, std::vector<float>& points)
{
    for (int k = 0; k < 3; ++k) {
        const float value = static_cast<float>(text.number("a coordinate"));
        if (!std::isfinite(value))
            text.fail("a coordinate is not a finite number of single precision");
        points.push_back(value);
    }
    if (points.size() / 3 > kMaxPoints)
        text.fail("more than 4294967295 vertices");
}

void readFace(TextReader& text, std::size_t pointCount, Polygons& polygons)
{
    const std::size_t begin = polygons.corners.size();
    for (std::string_view word = text.word(); !word.empty(); word = text.word()) {
        if (word.front() == '#')
            break;
        const std::string_view position = word.substr(0, word.find('/'));
        std::int64_t index = 0;
        if (!parseInteger(position, index))
            text.fail("expected the index of a vertex, found " + inQuotes(word));
        if (index == 0)
            text.fail("vertex index 0: indices start at 1, or at -1 counted back");
        const std::int64_t resolved =
            index > 0 ? index - 1 : static_cast<std::int64_t>(pointCount) + index;
        if (resolved < 0 || resolved >= static_cast<std::int64_t>(kMaxPoints))
            text.fail("there is no vertex " + std::to_string(index) + ", " +
                      std::to_string(pointCount) + " came before this line");
        if (resolved > polygons.largest) {
            polygons.largest = resolved;
            polygons.largestLine = text.lineNumber();
        }
        polygons.corners.push_back(static_cast<std::uint32_t>(resolved));
    }
    if (polygons.corners.size() - begin < 3)
        text.fail("a face needs three corners or more");
    polygons.ends.push_back(polygons.corners.size());
}

void appendNumber(std::string& text, float value)
{
    char buffer[32];
    const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
    text.append(buffer, result.ptr);
}

} // namespace

MeshData parseObj(std::string_view bytes, const std::string& file, Cancellation& stop)
{
    MeshData mesh;
    Polygons polygons;
    TextReader text(bytes, file, stop);
    while (text.nextLine()) {
        const std::string_view key = text.word();
        if (key == "v")
            readVertex(text, mesh.points);
        else if (key == "f" || key == "fo")
            readFace(text, mesh.points.size() / 3, polygons);
        else if (key.find('\0') != std::string_view::npos)
            text.fail("is not a text file");
    }
    const std::size_t count = mesh.points.size() / 3;
    if (polygons.largest >= static_cast<std::int64_t>(count))
        throw IoError({.file = file}, "line " + std::to_string(polygons.largestLine) +
                                          ": a face names vertex " +
                                          std::to_string(polygons.largest + 1) +
                                          " but the file has " + std::to_string(count));
    if (count == 0)
        throw IoError({.file = file}, "holds no vertices", "give a Wavefront OBJ file");
    std::size_t begin = 0;
    mesh.triangles.reserve(3 * polygons.ends.size());
    for (const std::size_t end : polygons.ends) {
        triangulate(std::span(polygons.corners).subspan(begin, end - begin), mesh.points,
                    mesh.triangles, stop);
        begin = end;
    }
    return mesh;
}

std::string formatObj(const MeshValue& mesh)
{
    std::string text = "# Floe\n";
    text.reserve(mesh.points().size() * 12 + mesh.triangles().size() * 8);
    for (std::size_t i = 0; i < mesh.points().size(); i += 3) {
        text += 'v';
        for (int k = 0; k < 3; ++k) {
            text += ' ';
            appendNumber(text, mesh.points()[i + k]);
        }
        text += '\n';
    }
    for (std::size_t i = 0; i < mesh.triangles().size(); i += 3) {
        text += 'f';
        for (int k = 0; k < 3; ++k) {
            text += ' ';
            text += std::to_string(std::uint64_t(mesh.triangles()[i + k]) + 1);
        }
        text += '\n';
    }
    return text;
}

} // namespace floe::io
