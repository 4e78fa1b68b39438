#include "bytes.hpp"
#include "file_writer.hpp"
#include "particle_formats.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace floe::io {

namespace {

// Houdini's classic binary geometry, version 5, big endian: a header of counts; definitions of the
// point attributes; per point x, y, z, w and its attributes, 32 bits per number; then primitives
// and global attributes, of which particles have none.
constexpr std::string_view kMagic = "BgeoV";
constexpr std::int32_t kVersion = 5;
enum BgeoType : std::int32_t { kFloat = 0, kInt = 1, kString = 2, kIndex = 4, kVector = 5 };

struct Column {
    std::string name;
    BgeoType type = kFloat;
    std::uint32_t words = 0; // of 32 bits
    Element element = Element::float32;
    void* data = nullptr;

    std::uint32_t components() const { return element == Element::uint64 ? 1 : words; }
};

Column readColumn(ByteReader& reader)
{
    Column column;
    column.name = reader.text(reader.value<std::uint16_t>());
    column.words = reader.value<std::uint16_t>();
    column.type = static_cast<BgeoType>(reader.value<std::int32_t>());
    switch (column.type) {
    case kFloat:
    case kVector:
        reader.skip(4ull * column.words); // default values
        break;
    case kInt:
        reader.skip(4ull * column.words);
        column.element = Element::int32;
        if (column.name == "id" && column.words <= 2)
            column.element = Element::uint64;
        break;
    case kIndex: {
        const auto strings = reader.value<std::int32_t>();
        reader.requireElements(static_cast<std::uint32_t>(strings), 2, "strings");
        for (std::int32_t i = 0; i < strings; ++i)
            reader.skip(reader.value<std::uint16_t>());
        column.element = Element::int32;
        break;
    }
    default:
        reader.fail("has an attribute of an unknown type");
    }
    if (!isName(column.name) || column.words == 0 || column.words > ParticlesValue::kMaxComponents)
        reader.fail("has an attribute without a name, or of a size that Floe does not hold");
    return column;
}

void readPoint(const char* point, std::uint64_t i, const Column& column)
{
    const auto word = [&](std::uint32_t c) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, point + 4 * c, 4);
        return byteSwapped(bits);
    };
    if (column.element == Element::uint64) {
        auto* to = static_cast<std::uint64_t*>(column.data);
        to[i] = column.words > 1 ? word(0) | std::uint64_t(word(1)) << 32 : word(0);
        return;
    }
    auto* to = static_cast<char*>(column.data) + 4 * i * column.words;
    for (std::uint32_t c = 0; c < column.words; ++c) {
        const std::uint32_t bits = word(c);
        std::memcpy(to + 4 * c, &bits, 4);
    }
}

/// Output of one attribute: its words of one particle, in order.
struct Output {
    const Attribute* attribute = nullptr; // null: radii
    BgeoType type = kFloat;
    std::uint32_t words = 1;
    std::string name;
};

Output outputFor(const Attribute& attribute, std::uint64_t count)
{
    Output output{&attribute, kInt, attribute.components, attribute.name};
    if (attribute.element == Element::float32) {
        // Houdini rotates vectors with the object: velocities, but not any three numbers.
        output.type = attribute.name == "v" && attribute.components == 3 ? kVector : kFloat;
    } else if (attribute.element == Element::uint64) {
        const auto* values = static_cast<const std::uint64_t*>(attribute.data.data());
        for (std::uint64_t i = 0; i < count * attribute.components; ++i)
            if (values[i] > std::numeric_limits<std::int32_t>::max()) {
                output.words = 2 * attribute.components; // low, high
                break;
            }
    }
    return output;
}

void writeWords(FileWriter& file, const Output& output, std::uint64_t i)
{
    const Attribute& attribute = *output.attribute;
    visitElement(attribute.element, [&]<class T>(T*) {
        const T* values = static_cast<const T*>(attribute.data.data()) + i * attribute.components;
        for (std::uint32_t c = 0; c < attribute.components; ++c) {
            if constexpr (sizeof(T) == 4)
                file.bigEndian(std::bit_cast<std::uint32_t>(values[c]));
            else
                file.bigEndian(static_cast<std::uint32_t>(values[c]));
            if constexpr (sizeof(T) == 8)
                if (output.words > attribute.components)
                    file.bigEndian(static_cast<std::uint32_t>(values[c] >> 32));
        }
    });
}

} // namespace

Ref<const ParticlesValue> parseBgeo(std::string_view bytes, const std::string& file,
                                    Cancellation& stop)
{
    ByteReader reader(bytes, file, std::endian::big);
    if (bytes.starts_with("\x7fNSJ"))
        throw IoError({.file = file}, "is of Houdini's newer BGEO format",
                      "save it from Houdini as .bhclassic");
    if (!bytes.starts_with(kMagic))
        throw IoError({.file = file}, "is not a classic BGEO file");
    reader.skip(kMagic.size());
    if (reader.value<std::int32_t>() != kVersion)
        reader.fail("is not of BGEO version 5");
    std::int32_t counts[8]; // points, primitives, 2 of groups, attributes of 4 kinds
    for (std::int32_t& count : counts) {
        count = reader.value<std::int32_t>();
        if (count < 0)
            reader.fail("has a negative count");
    }
    const auto count = static_cast<std::uint64_t>(counts[0]);
    if (counts[4] >= static_cast<std::int32_t>(ParticlesValue::kMaxAttributes))
        reader.fail("has more than 256 attributes");
    std::vector<Column> columns;
    std::uint64_t words = 4;
    for (std::int32_t i = 0; i < counts[4]; ++i) {
        columns.push_back(readColumn(reader));
        words += columns.back().words;
    }
    reader.requireElements(count, 4 * words, "points");

    const Ref<ParticlesValue> particles = make<ParticlesValue>(count);
    const std::span<float> positions = particles->add<float>("x", 3);
    for (Column& column : columns) {
        if (particles->find(column.name))
            reader.fail("has two attributes of one name");
        column.data = particles->add(column.name, column.element, column.components());
    }
    for (std::uint64_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            positions[3 * i + k] = reader.value<float>();
            if (!std::isfinite(positions[3 * i + k]))
                reader.fail("has a point whose position is not finite");
        }
        reader.skip(4); // w
        for (const Column& column : columns) {
            readPoint(reader.here(), i, column);
            reader.skip(4ull * column.words);
        }
        stop.after(4 * words);
    }
    particles->seal();
    return particles;
}

void writeBgeo(const std::filesystem::path& path, const ParticlesValue& particles)
{
    const std::uint64_t count = particles.count();
    if (count > std::numeric_limits<std::int32_t>::max())
        throw IoError({.file = path.string()}, "BGEO holds at most 2147483647 particles",
                      "write .vdb or .floe");
    const std::span<const float> positions = positionsOf(particles, path);
    const std::vector<float> radii = radiiOf(particles);
    std::vector<Output> outputs;
    for (const Attribute& attribute : particles.attributes())
        if (attribute.name != "x")
            outputs.push_back(outputFor(attribute, count));
    if (!radii.empty())
        outputs.push_back({nullptr, kFloat, 1, "pscale"});

    FileWriter::replace(path, [&](FileWriter& file) {
        file.text(kMagic);
        file.bigEndian(kVersion);
        const std::int32_t counts[8] = {static_cast<std::int32_t>(count),          0, 0, 0,
                                        static_cast<std::int32_t>(outputs.size()), 0, 0, 0};
        for (const std::int32_t number : counts)
            file.bigEndian(number);
        for (const Output& output : outputs) {
            file.bigEndian(static_cast<std::uint16_t>(output.name.size()));
            file.text(output.name);
            file.bigEndian(static_cast<std::uint16_t>(output.words));
            file.bigEndian(static_cast<std::int32_t>(output.type));
            for (std::uint32_t c = 0; c < output.words; ++c)
                file.bigEndian(std::int32_t(0)); // default value
        }
        for (std::uint64_t i = 0; i < count; ++i) {
            for (int k = 0; k < 3; ++k)
                file.bigEndian(positions[3 * i + k]);
            file.bigEndian(1.0f);
            for (const Output& output : outputs)
                if (output.attribute)
                    writeWords(file, output, i);
                else
                    file.bigEndian(radii[i]);
        }
        file.text(std::string_view("\x00\xff", 2)); // end
    });
}

} // namespace floe::io
