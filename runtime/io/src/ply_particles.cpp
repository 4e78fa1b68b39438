#include "file_writer.hpp"
#include "particle_formats.hpp"
#include "ply.hpp"

#include <cmath>
#include <limits>

namespace floe::io {

namespace {

constexpr std::string_view kHigh = "_high"; // upper half of a uint64, which PLY does not know

/// One attribute and its columns.
struct Group {
    std::string name;
    Element element;
    std::vector<int> columns; // one per component; for a uint64 two: low, high
    void* data = nullptr;

    std::uint32_t components() const
    {
        return element == Element::uint64 ? 1 : static_cast<std::uint32_t>(columns.size());
    }
};

Element elementFor(PlyType type)
{
    switch (type) {
    case PlyType::kFloat:
    case PlyType::kDouble:
        return Element::float32;
    case PlyType::kUint8:
        return Element::uint8;
    case PlyType::kUint16:
    case PlyType::kUint32:
        return Element::uint32;
    default:
        return Element::int32;
    }
}

/// "F_8": base F, number 8. Returns false for names without a number.
bool splitNumber(const std::string& name, std::string& base, int& number)
{
    const std::size_t line = name.rfind('_');
    std::int64_t parsed = 0;
    if (line == std::string::npos || line == 0 || !parseInteger(name.substr(line + 1), parsed) ||
        parsed < 0 || parsed >= ParticlesValue::kMaxComponents)
        return false;
    base = name.substr(0, line);
    number = static_cast<int>(parsed);
    return true;
}

std::vector<Group> groupsOf(const PlyElement& element)
{
    std::vector<Group> groups;
    std::vector<bool> used(element.properties.size());
    const auto take = [&](const std::string& name, const std::vector<std::string>& columns) {
        Group group{name, Element::float32, {}};
        for (const std::string& column : columns) {
            const int index = element.find(column);
            if (index < 0 || used[static_cast<std::size_t>(index)])
                return;
            group.columns.push_back(index);
        }
        for (const int index : group.columns)
            used[static_cast<std::size_t>(index)] = true;
        groups.push_back(std::move(group));
    };
    take("x", {"x", "y", "z"});
    take("v", {"vx", "vy", "vz"});
    for (std::size_t i = 0; i < element.properties.size(); ++i) {
        const PlyProperty& property = element.properties[i];
        if (used[i] || property.listCount || !isName(property.name))
            continue;
        used[i] = true;
        Group group{property.name, elementFor(property.type), {static_cast<int>(i)}};
        const int high = element.find(property.name + std::string(kHigh));
        std::string base;
        int number = 0;
        if (group.element == Element::uint32 && high >= 0 &&
            !used[static_cast<std::size_t>(high)]) {
            group.element = Element::uint64;
            group.columns.push_back(high);
            used[static_cast<std::size_t>(high)] = true;
        } else if (group.name == "id" && group.element != Element::float32) {
            group.element = Element::uint64;
        } else if (splitNumber(property.name, base, number) && number == 0) {
            for (int next = 1;; ++next) {
                const int index = element.find(base + "_" + std::to_string(next));
                if (index < 0 || used[static_cast<std::size_t>(index)] ||
                    element.properties[static_cast<std::size_t>(index)].type != property.type)
                    break;
                used[static_cast<std::size_t>(index)] = true;
                group.columns.push_back(index);
            }
            if (group.columns.size() > 1)
                group.name = base;
        }
        groups.push_back(std::move(group));
    }
    return groups;
}

const char* plyTypeOf(Element element)
{
    switch (element) {
    case Element::float32:
        return "float";
    case Element::int32:
        return "int";
    case Element::uint8:
        return "uchar";
    default:
        return "uint";
    }
}

std::string columnName(std::string_view name)
{
    std::string result(name);
    for (char& c : result)
        if (c == ' ')
            c = '_';
    return result;
}

} // namespace

Ref<const ParticlesValue> parsePlyParticles(std::string_view bytes, const std::string& file,
                                            Cancellation& stop)
{
    PlyReader reader(bytes, file, stop);
    std::size_t vertex = 0;
    const auto& elements = reader.elements();
    while (vertex < elements.size() && elements[vertex].name != "vertex")
        ++vertex;
    std::vector<Group> groups;
    if (vertex < elements.size())
        groups = groupsOf(elements[vertex]);
    if (groups.empty() || groups.front().name != "x")
        throw IoError({.file = file}, "has no points with x, y and z");
    if (groups.size() > ParticlesValue::kMaxAttributes)
        throw IoError({.file = file}, "has more than 256 attributes");

    Ref<ParticlesValue> particles;
    std::uint64_t i = 0;
    const auto start = [&] {
        particles = make<ParticlesValue>(elements[vertex].count);
        for (Group& group : groups)
            group.data = particles->add(group.name, group.element, group.components());
    };
    reader.read([&](std::size_t e, const PlyRow& row) {
        if (e != vertex)
            return;
        if (i == 0)
            start(); // the count is now known to fit the file
        for (const Group& group : groups)
            visitElement(group.element, [&]<class T>(T*) {
                T* to = static_cast<T*>(group.data) + i * group.components();
                if constexpr (std::is_same_v<T, std::uint64_t>) {
                    const auto part = [&](std::size_t c) {
                        const double value = row.values[static_cast<std::size_t>(group.columns[c])];
                        return value >= 0 && value < 1.9e19 ? static_cast<std::uint64_t>(value) : 0;
                    };
                    *to = part(0) | (group.columns.size() > 1 ? part(1) << 32 : 0);
                } else {
                    for (const int column : group.columns) {
                        const double value = row.values[static_cast<std::size_t>(column)];
                        if constexpr (std::is_same_v<T, float>)
                            *to++ = static_cast<float>(value);
                        else // text may hold any number; values outside the type's range become 0
                            *to++ = value >= std::numeric_limits<T>::min() &&
                                            value <= std::numeric_limits<T>::max()
                                        ? static_cast<T>(value)
                                        : T(0);
                    }
                }
            });
        ++i;
    });
    if (!particles)
        start();
    for (const float value : particles->get<float>("x", 3))
        if (!std::isfinite(value))
            throw IoError({.file = file}, "has a point whose position is not finite");
    particles->seal();
    return particles;
}

void writePlyParticles(const std::filesystem::path& path, const ParticlesValue& particles)
{
    positionsOf(particles, path);
    FileWriter::replace(path, [&](FileWriter& file) {
        file.text("ply\nformat binary_little_endian 1.0\ncomment written by Floe\n"
                  "element vertex " +
                  std::to_string(particles.count()) + "\n");
        const auto declare = [&](Element element, const std::string& name) {
            file.text(std::string("property ") + plyTypeOf(element) + " " + name + "\n");
        };
        for (const Attribute& attribute : particles.attributes()) {
            const std::string name = columnName(attribute.name);
            const bool isVector =
                attribute.element == Element::float32 && attribute.components == 3;
            for (std::uint32_t c = 0; c < attribute.components; ++c) {
                std::string column = name;
                if (isVector && name == "x")
                    column = std::string(1, "xyz"[c]);
                else if (isVector && name == "v")
                    column = std::string("v") + "xyz"[c];
                else if (attribute.components > 1)
                    column += "_" + std::to_string(c);
                declare(attribute.element, column);
                if (attribute.element == Element::uint64)
                    declare(attribute.element, column + std::string(kHigh));
            }
        }
        file.text("end_header\n");
        for (std::uint64_t i = 0; i < particles.count(); ++i)
            for (const Attribute& attribute : particles.attributes()) {
                const std::size_t size = elementBytes(attribute.element) * attribute.components;
                file.bytes(static_cast<const char*>(attribute.data.data()) + i * size, size);
            }
    });
}

} // namespace floe::io
