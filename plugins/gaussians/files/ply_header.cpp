#include "files/ply_header.hpp"

#include "floe/sdk/node.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <sstream>

namespace floe::gaussians {

namespace {

constexpr std::size_t kMaxColumns = 1024;
constexpr std::size_t kMaxElements = 16;
constexpr int kMaxLines = 4096;

using Type = PlyProperty::Type;

struct Named {
    const char* name;
    Type type;
    std::size_t bytes;
};
constexpr Named kTypes[] = {
    {"char", Type::Int8, 1},      {"int8", Type::Int8, 1},       {"uchar", Type::Uint8, 1},
    {"uint8", Type::Uint8, 1},    {"short", Type::Int16, 2},     {"int16", Type::Int16, 2},
    {"ushort", Type::Uint16, 2},  {"uint16", Type::Uint16, 2},   {"int", Type::Int32, 4},
    {"int32", Type::Int32, 4},    {"uint", Type::Uint32, 4},     {"uint32", Type::Uint32, 4},
    {"float", Type::Float32, 4},  {"float32", Type::Float32, 4}, {"double", Type::Float64, 8},
    {"float64", Type::Float64, 8}};

template <class T>
double number(const unsigned char* bytes)
{
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return static_cast<double>(value);
}

PlyElement elementOf(const InputFile& file, std::istringstream& words)
{
    PlyElement element;
    std::string count;
    words >> element.name >> count;
    const char* end = count.data() + count.size();
    const auto [stop, error] = std::from_chars(count.data(), end, element.count);
    if (error != std::errc() || stop != end || count.empty())
        file.fail("its header gives '" + count + "' as the number of '" + element.name + "'");
    return element;
}

void addProperty(const InputFile& file, std::istringstream& words, PlyElement& element)
{
    std::string type, name;
    words >> type >> name;
    const auto* known = std::find_if(std::begin(kTypes), std::end(kTypes),
                                     [&](const Named& one) { return type == one.name; });
    if (type == "list") {
        element.hasLists = true;
        return;
    }
    if (known == std::end(kTypes) || name.empty())
        file.fail("property '" + name + "' has the unknown type '" + type + "'");
    if (element.find(name))
        file.fail("property '" + name + "' is there twice");
    if (element.properties.size() == kMaxColumns)
        file.fail("has more than 1024 properties");
    element.properties.push_back({name, known->type, element.rowBytes});
    element.rowBytes += known->bytes;
}

PlyEncoding encodingOf(const InputFile& file, const std::string& format)
{
    if (format == "binary_little_endian")
        return PlyEncoding::LittleEndian;
    if (format == "binary_big_endian")
        return PlyEncoding::BigEndian;
    if (format != "ascii")
        file.fail("is of the unknown format '" + format + "'; save it as binary_little_endian");
    return PlyEncoding::Text;
}

/// Numbers of text have no size: they become doubles.
void asText(PlyElement& element)
{
    element.rowBytes = 0;
    for (PlyProperty& property : element.properties) {
        property.type = Type::Float64;
        property.offset = element.rowBytes;
        element.rowBytes += sizeof(double);
    }
}

/// Faces and the like may follow what is read, as some tools write them.
void refuseLists(const InputFile& file, std::vector<PlyElement>& elements)
{
    const auto isRead = [](const PlyElement& element) {
        return element.name == "chunk" || element.name == "vertex" || element.name == "sh";
    };
    std::size_t read = elements.size();
    while (read > 0 && !isRead(elements[read - 1]))
        --read;
    for (std::size_t i = 0; i < read; ++i)
        if (elements[i].hasLists && (isRead(elements[i]) || elements[i].count > 0))
            file.fail("element '" + elements[i].name +
                      "' has lists: it is a mesh or something else, not Gaussians");
    elements.resize(read);
    std::erase_if(elements, [](const PlyElement& element) { return element.hasLists; });
}

} // namespace

double PlyProperty::in(const unsigned char* row) const
{
    const unsigned char* bytes = row + offset;
    switch (type) {
    case Type::Int8:
        return number<std::int8_t>(bytes);
    case Type::Uint8:
        return number<std::uint8_t>(bytes);
    case Type::Int16:
        return number<std::int16_t>(bytes);
    case Type::Uint16:
        return number<std::uint16_t>(bytes);
    case Type::Int32:
        return number<std::int32_t>(bytes);
    case Type::Uint32:
        return number<std::uint32_t>(bytes);
    case Type::Float32:
        return number<float>(bytes);
    case Type::Float64:
        break;
    }
    return number<double>(bytes);
}

std::size_t PlyProperty::bytes() const
{
    return std::find_if(std::begin(kTypes), std::end(kTypes),
                        [&](const Named& one) { return one.type == type; })
        ->bytes;
}

const PlyProperty* PlyElement::find(std::string_view property) const
{
    const auto found = std::find_if(properties.begin(), properties.end(),
                                    [&](const PlyProperty& one) { return one.name == property; });
    return found == properties.end() ? nullptr : &*found;
}

const PlyProperty& PlyElement::require(const InputFile& file, std::string_view property) const
{
    if (const PlyProperty* found = find(property))
        return *found;
    file.fail("has no property '" + std::string(property) +
              "', so it does not hold Gaussians; a point cloud must be trained first");
}

PlyHeader readPlyHeader(InputFile& file)
{
    if (file.remaining() < 4 || file.line() != "ply")
        file.fail("is not a PLY file: it does not begin with 'ply'");
    PlyHeader header;
    std::vector<PlyElement>& elements = header.elements;
    bool formatGiven = false;
    for (int lines = 0;; ++lines) {
        if (file.remaining() == 0 || lines == kMaxLines)
            file.fail("its header has no end");
        std::istringstream words(file.line());
        std::string key;
        words >> key;
        if (key == "end_header")
            break;
        if (key == "format") {
            std::string format;
            words >> format;
            header.encoding = encodingOf(file, format);
            formatGiven = true;
        } else if (key == "element") {
            if (elements.size() == kMaxElements)
                file.fail("has more than 16 elements");
            elements.push_back(elementOf(file, words));
        } else if (key == "property") {
            if (elements.empty())
                file.fail("has a property before the first element");
            addProperty(file, words, elements.back());
        } // comments, obj_info
    }
    if (!formatGiven)
        file.fail("its header names no format");
    refuseLists(file, elements);
    const bool text = header.encoding == PlyEncoding::Text;
    std::uint64_t left = file.remaining() + (text ? 1 : 0); // the last line need not end
    for (PlyElement& element : elements) {
        if (text)
            asText(element);
        // A number of text takes a digit and a space at least.
        const std::uint64_t rowBytes = text ? 2 * element.properties.size() : element.rowBytes;
        if (rowBytes == 0 ? element.count > 0 : element.count > left / rowBytes)
            file.fail("says that it holds " + std::to_string(element.count) + " of '" +
                      element.name + "', for which it is too short: cut off or damaged");
        left -= element.count * rowBytes;
    }
    return header;
}

} // namespace floe::gaussians
