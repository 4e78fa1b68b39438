// PLY as 3DGS tools write it (Kerbl et al. 2023): x y z, f_dc_0..2, f_rest_* channel by channel,
// the logarithms of the scales, opacity before its sigmoid, rot_0..3 as w, x, y, z, and further
// properties under their names. And packed
// (PlayCanvas, SuperSplat): chunks of 256 with their ranges, within which numbers are fractions of
// 8 to 11 bits.
#include "files/formats.hpp"
#include "files/ply_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace floe::gaussians {

namespace {

constexpr std::size_t kChunk = 256;
constexpr const char* kSmoothing = "filter_3D"; ///< a Gaussian's width of the filter [m]
constexpr double kSmallestOpacity =
    1e-6; // and the largest is as far from 1: sigmoids reach neither

double sigmoid(double t)
{
    return 1 / (1 + std::exp(-t));
}

/// Degree of harmonics with this many coefficients beyond the first; -1 for no degree.
int degreeOf(std::size_t rest)
{
    for (int degree = 0; degree <= kMaxDegree; ++degree)
        if (rest == coefficientsOf(degree) - 1)
            return degree;
    return -1;
}

/// The properties "f_rest_0", ... as many as there are.
std::vector<PlyProperty> restOf(const InputFile& file, const PlyElement& element)
{
    std::vector<PlyProperty> rest;
    while (const PlyProperty* next = element.find("f_rest_" + std::to_string(rest.size())))
        rest.push_back(*next);
    if (rest.size() % 3 != 0 || degreeOf(rest.size() / 3) < 0)
        file.fail("has " + std::to_string(rest.size()) +
                  " properties f_rest; degrees 0 to 3 have 0, 9, 24 or 45");
    return rest;
}

/// What 3DGS tools write beside it, and nobody reads.
bool isKnown(const std::string& name)
{
    return name == "nx" || name == "ny" || name == "nz" || name.starts_with("f_dc_") ||
           name.starts_with("f_rest_") || name.starts_with("scale_") || name.starts_with("rot_") ||
           name == kSmoothing;
}

/// Widens a Gaussian by the standard deviation `width` in all directions and fades it by as much,
/// as Yu et al. 2024 do before they draw what they trained.
void smoothe(double width, float* scale, float& opacity)
{
    double share = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double before = scale[axis], after = std::hypot(before, width);
        if (after > 0)
            share *= before / after;
        scale[axis] = static_cast<float>(after);
    }
    opacity = static_cast<float>(opacity * share);
}

/// @param leftOut  how many further properties the set does not keep
GaussianSet readPlain(InputFile& file, PlyEncoding encoding, const PlyElement& vertices,
                      const Checkpoint& checkpoint, std::size_t& leftOut)
{
    const auto columns = [&](const std::vector<const char*>& names) {
        std::vector<PlyProperty> found;
        for (const char* name : names)
            found.push_back(vertices.require(file, name));
        return found;
    };
    const auto x = columns({"x", "y", "z"});
    const auto constant = columns({"f_dc_0", "f_dc_1", "f_dc_2"});
    const auto scale = columns({"scale_0", "scale_1", "scale_2"});
    const auto rotation = columns({"rot_1", "rot_2", "rot_3", "rot_0"});
    const PlyProperty opacity = vertices.require(file, "opacity");
    const PlyProperty* const smoothing = vertices.find(kSmoothing);
    const std::vector<PlyProperty> rest = restOf(file, vertices);
    const std::size_t higher = rest.size() / 3;

    GaussianSet set;
    set.degree = degreeOf(higher);
    std::vector<PlyProperty> further;
    for (const PlyProperty& property : vertices.properties) {
        if (isKnown(property.name) || !isPropertyName(property.name))
            continue;
        if (further.size() == kMaxProperties) {
            ++leftOut;
            continue;
        }
        further.push_back(property);
        set.properties.push_back({property.name, {}});
    }
    set.resize(vertices.count);
    const std::size_t components = set.shComponents();
    forEachRow(file, encoding, vertices, checkpoint,
               [&](std::uint64_t i, const unsigned char* row) {
                   for (std::size_t axis = 0; axis < 3; ++axis) {
                       set.x[3 * i + axis] = static_cast<float>(x[axis].in(row));
                       set.scale[3 * i + axis] = static_cast<float>(std::exp(scale[axis].in(row)));
                       set.sh[components * i + axis] = static_cast<float>(constant[axis].in(row));
                       for (std::size_t k = 0; k < higher; ++k)
                           set.sh[components * i + 3 * (k + 1) + axis] =
                               static_cast<float>(rest[axis * higher + k].in(row));
                   }
                   for (std::size_t part = 0; part < 4; ++part)
                       set.rotation[4 * i + part] = static_cast<float>(rotation[part].in(row));
                   set.opacity[i] = static_cast<float>(sigmoid(opacity.in(row)));
                   if (smoothing)
                       smoothe(smoothing->in(row), &set.scale[3 * i], set.opacity[i]);
                   for (std::size_t k = 0; k < further.size(); ++k)
                       set.properties[k].values[i] = static_cast<float>(further[k].in(row));
               });
    return set;
}

/// A fraction of `bits` bits that end `shift` bits above the lowest.
double fraction(std::uint32_t word, unsigned shift, unsigned bits)
{
    const std::uint32_t most = (1u << bits) - 1;
    return static_cast<double>(word >> shift & most) / most;
}

using Range = std::array<double, 2>;

double between(const Range& range, double share)
{
    return range[0] + (range[1] - range[0]) * share;
}

/// The ranges of one chunk: of x, y, z, the scales' logarithms, red, green, blue.
using Chunk = std::array<Range, 9>;

std::vector<Chunk> readChunks(InputFile& file, PlyEncoding encoding, const PlyElement& element,
                              const Checkpoint& checkpoint)
{
    constexpr const char* kNames[] = {"x",       "y", "z", "scale_x", "scale_y",
                                      "scale_z", "r", "g", "b"};
    std::array<std::array<const PlyProperty*, 2>, 9> columns;
    for (std::size_t i = 0; i < 9; ++i) {
        const std::string low = std::string("min_") + kNames[i];
        const std::string high = std::string("max_") + kNames[i];
        if (i < 6) { // colours got ranges later than the rest
            element.require(file, low);
            element.require(file, high);
        }
        columns[i] = {element.find(low), element.find(high)};
    }
    std::vector<Chunk> chunks(element.count);
    forEachRow(file, encoding, element, checkpoint, [&](std::uint64_t i, const unsigned char* row) {
        for (std::size_t k = 0; k < 9; ++k)
            chunks[i][k] = columns[k][0] && columns[k][1]
                               ? Range{columns[k][0]->in(row), columns[k][1]->in(row)}
                               : Range{0, 1};
    });
    return chunks;
}

void unpack(const std::array<std::uint32_t, 4>& words, const Chunk& chunk, GaussianSet& set,
            std::uint64_t i)
{
    constexpr unsigned kShifts[] = {21, 11, 0}, kBits[] = {11, 10, 11};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const unsigned shift = kShifts[axis], bits = kBits[axis];
        set.x[3 * i + axis] =
            static_cast<float>(between(chunk[axis], fraction(words[0], shift, bits)));
        set.scale[3 * i + axis] =
            static_cast<float>(std::exp(between(chunk[3 + axis], fraction(words[2], shift, bits))));
        const auto byte = static_cast<unsigned>(24 - 8 * axis);
        set.sh[set.shComponents() * i + axis] = static_cast<float>(
            (between(chunk[6 + axis], fraction(words[3], byte, 8)) - 0.5) / kConstantHarmonic);
    }
    set.opacity[i] = static_cast<float>(fraction(words[3], 0, 8));
    // The largest part of w, x, y, z follows from the other three.
    std::array<double, 4> wxyz{};
    const std::uint32_t largest = words[1] >> 30;
    double rest = 1;
    unsigned shift = 20;
    for (std::uint32_t part = 0; part < 4; ++part) {
        if (part == largest)
            continue;
        wxyz[part] = (fraction(words[1], shift, 10) - 0.5) * std::sqrt(2.0);
        rest -= wxyz[part] * wxyz[part];
        shift -= 10;
    }
    wxyz[largest] = std::sqrt(std::max(rest, 0.0));
    for (std::size_t part = 0; part < 4; ++part)
        set.rotation[4 * i + (part + 3) % 4] = static_cast<float>(wxyz[part]);
}

/// The bytes of harmonics are the middles of 256 steps from -4 to 4, with the ends at both ends.
double unpackedHarmonic(double byte)
{
    const double share = byte <= 0 ? 0 : byte >= 255 ? 1 : (byte + 0.5) / 256;
    return 8 * (share - 0.5);
}

GaussianSet readPacked(InputFile& file, const PlyHeader& header, const Checkpoint& checkpoint)
{
    const PlyEncoding encoding = header.encoding;
    const std::vector<PlyElement>& elements = header.elements;
    if (encoding == PlyEncoding::Text)
        file.fail("is packed, but of text; save it as binary_little_endian");
    GaussianSet set;
    const auto named = [&](const char* name) {
        return std::find_if(elements.begin(), elements.end(),
                            [&](const PlyElement& one) { return one.name == name; });
    };
    const auto vertices = named("vertex"), harmonics = named("sh");
    if (named("chunk") > vertices || harmonics < vertices)
        file.fail("its elements are not in the order chunk, vertex, sh");
    std::vector<PlyProperty> rest;
    if (harmonics != elements.end()) {
        if (harmonics->count != vertices->count)
            file.fail("has harmonics for " + std::to_string(harmonics->count) + " of " +
                      std::to_string(vertices->count) + " Gaussians");
        rest = restOf(file, *harmonics);
        set.degree = degreeOf(rest.size() / 3);
    }
    std::vector<Chunk> chunks;
    for (const PlyElement& element : elements) {
        if (element.name == "chunk") {
            chunks = readChunks(file, encoding, element, checkpoint);
            if (element.count < (vertices->count + kChunk - 1) / kChunk)
                file.fail("has " + std::to_string(element.count) + " chunks for " +
                          std::to_string(vertices->count) + " Gaussians");
        } else if (element.name == "vertex") {
            const std::array<PlyProperty, 4> packed = {
                element.require(file, "packed_position"), element.require(file, "packed_rotation"),
                element.require(file, "packed_scale"), element.require(file, "packed_color")};
            for (const PlyProperty& property : packed)
                if (property.type != PlyProperty::Type::Uint32)
                    file.fail("property '" + property.name + "' is not of type uint");
            set.resize(element.count);
            const auto body = [&](std::uint64_t i, const unsigned char* row) {
                std::array<std::uint32_t, 4> words;
                for (std::size_t k = 0; k < 4; ++k)
                    std::memcpy(&words[k], row + packed[k].offset, 4);
                unpack(words, chunks[i / kChunk], set, i);
            };
            forEachRow(file, encoding, element, checkpoint, body);
        } else if (element.name == "sh") {
            const std::size_t higher = rest.size() / 3, components = set.shComponents();
            const auto body = [&](std::uint64_t i, const unsigned char* row) {
                for (std::size_t channel = 0; channel < 3; ++channel)
                    for (std::size_t k = 0; k < higher; ++k)
                        set.sh[components * i + 3 * (k + 1) + channel] = static_cast<float>(
                            unpackedHarmonic(rest[channel * higher + k].in(row)));
            };
            forEachRow(file, encoding, element, checkpoint, body);
        } else {
            skipRows(file, encoding, element, checkpoint);
        }
    }
    return set;
}

} // namespace

FileContent readPly(InputFile& file, const Checkpoint& checkpoint)
{
    const PlyHeader header = readPlyHeader(file);
    const std::vector<PlyElement>& elements = header.elements;
    const auto has = [&](const char* name) {
        return std::count_if(elements.begin(), elements.end(),
                             [&](const PlyElement& one) { return one.name == name; });
    };
    if (has("vertex") != 1)
        file.fail("has " + std::string(has("vertex") > 1 ? "several elements" : "no element") +
                  " 'vertex'");
    FileContent content;
    if (has("chunk") == 1 && has("sh") <= 1) {
        content.set = readPacked(file, header, checkpoint);
        return content;
    }
    for (const PlyElement& element : elements) {
        if (element.name == "vertex") {
            content.set =
                readPlain(file, header.encoding, element, checkpoint, content.propertiesLeftOut);
            break;
        }
        skipRows(file, header.encoding, element, checkpoint);
    }
    return content;
}

void writePly(OutputFile& file, const GaussianSet& set, const Checkpoint& checkpoint)
{
    const std::size_t higher = coefficientsOf(set.degree) - 1;
    std::vector<std::string> names = {"x",  "y",      "z",      "nx",    "ny",
                                      "nz", "f_dc_0", "f_dc_1", "f_dc_2"};
    for (std::size_t k = 0; k < 3 * higher; ++k)
        names.push_back("f_rest_" + std::to_string(k));
    for (const char* name :
         {"opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3"})
        names.emplace_back(name);
    for (const Property& property : set.properties)
        names.push_back(property.name);
    std::string header = "ply\nformat binary_little_endian 1.0\nelement vertex " +
                         std::to_string(set.count()) + "\n";
    for (const std::string& name : names)
        header += "property float " + name + "\n";
    header += "end_header\n";
    file.write(header.data(), header.size());

    const std::size_t components = set.shComponents();
    std::vector<float> rows;
    for (std::size_t first = 0; first < set.count(); first += kRowsAtOnce) {
        checkpoint();
        const std::size_t end = std::min<std::size_t>(first + kRowsAtOnce, set.count());
        rows.clear();
        for (std::size_t i = first; i < end; ++i) {
            const float* sh = &set.sh[components * i];
            rows.insert(rows.end(), &set.x[3 * i], &set.x[3 * i] + 3);
            rows.insert(rows.end(), 3, 0.0f); // normals, which viewers expect and nobody reads
            rows.insert(rows.end(), sh, sh + 3);
            for (std::size_t channel = 0; channel < 3; ++channel)
                for (std::size_t k = 1; k <= higher; ++k)
                    rows.push_back(sh[3 * k + channel]);
            const double opacity = std::clamp(static_cast<double>(set.opacity[i]), kSmallestOpacity,
                                              1 - kSmallestOpacity);
            rows.push_back(static_cast<float>(std::log(opacity / (1 - opacity))));
            for (std::size_t axis = 0; axis < 3; ++axis)
                rows.push_back(std::log(std::max(set.scale[3 * i + axis], 1e-30f)));
            for (const std::size_t part : {3u, 0u, 1u, 2u})
                rows.push_back(set.rotation[4 * i + part]);
            for (const Property& property : set.properties)
                rows.push_back(property.values[i]);
        }
        file.write(rows.data(), rows.size() * sizeof(float));
    }
}

} // namespace floe::gaussians
