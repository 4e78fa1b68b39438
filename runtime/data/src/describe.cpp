#include "floe/data/describe.hpp"

#include "floe/data/curve.hpp"
#include "floe/data/image.hpp"
#include "floe/data/mesh.hpp"
#include "floe/data/particles.hpp"
#include "floe/data/record.hpp"
#include "floe/data/scalars.hpp"
#include "floe/data/transform.hpp"
#include "floe/data/volume.hpp"

#include <cstdio>

namespace floe {

namespace {

std::string grouped(std::uint64_t number)
{
    std::string digits = std::to_string(number);
    for (std::size_t i = digits.size(); i > 3; i -= 3)
        digits.insert(i - 3, ",");
    return digits;
}

std::string counted(std::uint64_t number, const char* one)
{
    return grouped(number) + " " + one + (number == 1 ? "" : "s");
}

std::string shortNumber(double number)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", number);
    return text;
}

/// At most about 60 bytes, never half a UTF-8 character.
std::string shortened(const std::string& text)
{
    constexpr std::size_t kMaxLength = 60;
    if (text.size() <= kMaxLength)
        return text;
    std::size_t end = kMaxLength;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
        --end;
    return text.substr(0, end) + "...";
}

template <class List, class Name>
std::string names(const List& list, const char* separator, Name&& name)
{
    constexpr std::size_t kMaxListed = 12;
    std::string text;
    std::size_t count = 0;
    for (const auto& entry : list) {
        if (count++ == kMaxListed)
            return text + separator + "and " + std::to_string(list.size() - kMaxListed) + " more";
        text += (text.empty() ? "" : separator) + shortened(name(entry));
    }
    return text;
}

std::string describeVolume(const VolumeValue& volume)
{
    const VolumeInfo& info = volume.info();
    std::string text = info.isLevelSet ? "level set" : info.isVector ? "vector volume" : "volume";
    if (!info.name.empty())
        text += " '" + shortened(info.name) + "'";
    text += " of " + counted(info.activeVoxels, "voxel") + ", " + shortNumber(info.voxelSize) +
            " m each";
    return text;
}

} // namespace

std::string describe(const Value& value)
{
    switch (value.kind()) {
    case Kind::number:
        return shortNumber(expect<NumberValue>(&value).number());
    case Kind::vector: {
        const auto& v = expect<VectorValue>(&value).vector();
        return "(" + shortNumber(v[0]) + ", " + shortNumber(v[1]) + ", " + shortNumber(v[2]) + ")";
    }
    case Kind::string:
        return "'" + shortened(expect<StringValue>(&value).string()) + "'";
    case Kind::boolean:
        return expect<BooleanValue>(&value).boolean() ? "true" : "false";
    case Kind::transform:
        return "transform of " + counted(expect<TransformValue>(&value).keys().size(), "key");
    case Kind::curve:
        return "curve of " + counted(expect<CurveValue>(&value).count(), "point");
    case Kind::mesh: {
        const auto& mesh = expect<MeshValue>(&value);
        return "mesh of " + counted(mesh.pointCount(), "point") + ", " +
               counted(mesh.triangleCount(), "triangle") +
               (mesh.velocities().empty() ? "" : ", moving");
    }
    case Kind::volume:
        return describeVolume(expect<VolumeValue>(&value));
    case Kind::image: {
        const auto& image = expect<ImageValue>(&value);
        return "image of " + std::to_string(image.width()) + " x " +
               std::to_string(image.height()) + " pixels, " + counted(image.channels(), "channel");
    }
    case Kind::particles: {
        const auto& particles = expect<ParticlesValue>(&value);
        std::string text = counted(particles.count(), "particle");
        if (!particles.attributes().empty())
            text += ": " + names(particles.attributes(), " ",
                                 [](const Attribute& attribute) { return attribute.name; });
        if (particles.space() == compute::Space::cuda)
            text += " (on " + particles.device()->id() + ")";
        return text;
    }
    case Kind::record: {
        const auto& record = expect<RecordValue>(&value);
        std::string text = "record '" + shortened(record.schema()) + "'";
        const auto list = record.fields().list();
        if (!list.empty())
            text += ": " + names(list, ", ", [](const Field& field) { return field.name; });
        return text;
    }
    case Kind::interface:
        return "interface '" + shortened(expect<InterfaceValue>(&value).id()) + "'";
    }
    return "value of an unknown kind";
}

} // namespace floe
