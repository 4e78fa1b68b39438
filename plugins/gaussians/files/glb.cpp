// GLB (glTF 2.0) with KHR_gaussian_splatting (Khronos, ratified): a primitive of points
// whose attributes are those of Floe: scales and opacities as they are, rotations x, y, z, w, a
// VEC3 for each coefficient of the harmonics; y up. Further properties are attributes of their own.
// For writing alone.
#include "files/formats.hpp"

#include "floe/sdk/node.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace floe::gaussians {

namespace {

/// An attribute: `components` numbers of each Gaussian, `step` apart, from number `first` on.
struct Column {
    std::string name;
    const std::vector<float>* values;
    std::size_t first, components, step;
};

std::vector<Column> columnsOf(const GaussianSet& set)
{
    const std::string prefix = "KHR_gaussian_splatting:";
    std::vector<Column> columns = {{"POSITION", &set.x, 0, 3, 3},
                                   {prefix + "ROTATION", &set.rotation, 0, 4, 4},
                                   {prefix + "SCALE", &set.scale, 0, 3, 3},
                                   {prefix + "OPACITY", &set.opacity, 0, 1, 1}};
    for (int degree = 0; degree <= set.degree; ++degree)
        for (std::size_t k = 0; k < static_cast<std::size_t>(2 * degree + 1); ++k)
            columns.push_back(
                {prefix + "SH_DEGREE_" + std::to_string(degree) + "_COEF_" + std::to_string(k),
                 &set.sh, 3 * (static_cast<std::size_t>(degree * degree) + k), 3,
                 set.shComponents()});
    for (const Property& property : set.properties) // an application's own names begin with _
        columns.push_back({"_" + property.name, &property.values, 0, 1, 1});
    return columns;
}

/// The lowest and the highest corner of the positions, as a glTF file must say.
std::string boundsOf(const GaussianSet& set)
{
    std::array<float, 3> low{}, high{};
    for (std::size_t i = 0; i < set.x.size(); ++i) {
        const std::size_t axis = i % 3;
        low[axis] = i < 3 ? set.x[i] : std::min(low[axis], set.x[i]);
        high[axis] = i < 3 ? set.x[i] : std::max(high[axis], set.x[i]);
    }
    char text[256];
    std::snprintf(text, sizeof text, R"(,"min":[%.9g,%.9g,%.9g],"max":[%.9g,%.9g,%.9g])", low[0],
                  low[1], low[2], high[0], high[1], high[2]);
    return text;
}

/// Chunks are of whole words.
std::string padded(std::string header)
{
    header.resize((header.size() + 3) / 4 * 4, ' ');
    return header;
}

std::string headerOf(const GaussianSet& set, const std::vector<Column>& columns,
                     std::uint64_t& bytes)
{
    std::string attributes, accessors, views;
    bytes = 0;
    if (set.count() == 0) // a scene of nothing: arrays have at least one element
        return padded(R"({"asset":{"version":"2.0","generator":"Floe"},"scene":0,"scenes":[{}]})");
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const Column& column = columns[i];
        const char* const comma = i > 0 ? "," : "";
        const std::string number = std::to_string(i);
        const std::uint64_t length = 4 * column.components * set.count();
        attributes += comma + ("\"" + column.name + "\":" + number);
        accessors += comma + (R"({"bufferView":)" + number + R"(,"componentType":5126,"count":)" +
                              std::to_string(set.count()) + R"(,"type":")" +
                              (column.components == 1   ? "SCALAR"
                               : column.components == 3 ? "VEC3"
                                                        : "VEC4") +
                              "\"" + (i == 0 ? boundsOf(set) : "") + "}");
        views += comma + (R"({"buffer":0,"byteOffset":)" + std::to_string(bytes) +
                          R"(,"byteLength":)" + std::to_string(length) + "}");
        bytes += length;
    }
    std::string header =
        R"({"asset":{"version":"2.0","generator":"Floe"},)"
        R"("extensionsUsed":["KHR_gaussian_splatting"],"scene":0,"scenes":[{"nodes":[0]}],)"
        R"("nodes":[{"mesh":0}],"meshes":[{"primitives":[{"mode":0,"attributes":{)" +
        attributes +
        R"(},"extensions":{"KHR_gaussian_splatting":{"kernel":"ellipse",)"
        R"("colorSpace":"srgb_rec709_display","projection":"perspective",)"
        R"("sortingMethod":"cameraDistance"}}}]}],"accessors":[)" +
        accessors + R"(],"bufferViews":[)" + views + R"(],"buffers":[{"byteLength":)" +
        std::to_string(bytes) + "}]}";
    return padded(std::move(header));
}

} // namespace

void writeGlb(OutputFile& file, const GaussianSet& set, const Checkpoint& checkpoint)
{
    const std::vector<Column> columns = columnsOf(set);
    std::uint64_t bytes = 0;
    const std::string header = headerOf(set, columns, bytes);
    const std::uint64_t length = 12 + 8 + header.size() + (bytes > 0 ? 8 + bytes : 0);
    if (length > UINT32_MAX)
        throw sdk::Failure("a .glb file holds at most 4 GiB, which is too little for " +
                               std::to_string(set.count()) + " Gaussians; write .spz or .ply",
                           FLOE_IO_FAILED);
    const auto words = [&](std::initializer_list<std::uint64_t> values) {
        for (const std::uint64_t value : values) {
            const auto word = static_cast<std::uint32_t>(value);
            file.write(&word, sizeof word);
        }
    };
    words({0x46546c67, 2, length, header.size(), 0x4e4f534a}); // "glTF", version 2, "JSON"
    file.write(header.data(), header.size());
    if (bytes > 0)
        words({bytes, 0x004e4942}); // "BIN"
    std::vector<float> rows;
    for (const Column& column : columns)
        for (std::size_t begin = 0; begin < set.count(); begin += kRowsAtOnce) {
            checkpoint();
            const std::size_t end = std::min<std::size_t>(begin + kRowsAtOnce, set.count());
            rows.clear();
            for (std::size_t i = begin; i < end; ++i) {
                const float* from = column.values->data() + i * column.step + column.first;
                rows.insert(rows.end(), from, from + column.components);
            }
            file.write(rows.data(), rows.size() * sizeof(float));
        }
}

} // namespace floe::gaussians
