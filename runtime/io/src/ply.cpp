#include "ply.hpp"

#include <array>
#include <cmath>

namespace floe::io {

namespace {

struct TypeName {
    std::string_view name;
    PlyType type;
};
constexpr std::array<TypeName, 16> kTypeNames = {{{"char", PlyType::kInt8},
                                                  {"int8", PlyType::kInt8},
                                                  {"uchar", PlyType::kUint8},
                                                  {"uint8", PlyType::kUint8},
                                                  {"short", PlyType::kInt16},
                                                  {"int16", PlyType::kInt16},
                                                  {"ushort", PlyType::kUint16},
                                                  {"uint16", PlyType::kUint16},
                                                  {"int", PlyType::kInt32},
                                                  {"int32", PlyType::kInt32},
                                                  {"uint", PlyType::kUint32},
                                                  {"uint32", PlyType::kUint32},
                                                  {"float", PlyType::kFloat},
                                                  {"float32", PlyType::kFloat},
                                                  {"double", PlyType::kDouble},
                                                  {"float64", PlyType::kDouble}}};

constexpr std::size_t kMaxProperties = 1000;

PlyType typeNamed(TextReader& text)
{
    const std::string_view name = text.word();
    for (const TypeName& entry : kTypeNames)
        if (entry.name == name)
            return entry.type;
    text.fail("expected a type such as 'float' or 'uchar', found " + inQuotes(name));
}

/// Returns the byte order of the body; little for text. Reads only the format line.
std::endian orderOf(std::string_view bytes)
{
    const std::string_view head = bytes.substr(0, 1000);
    return head.find("binary_big_endian") < head.find("end_header") ? std::endian::big
                                                                    : std::endian::little;
}

bool isWhole(PlyType type)
{
    return type != PlyType::kFloat && type != PlyType::kDouble;
}

} // namespace

std::size_t sizeOf(PlyType type)
{
    switch (type) {
    case PlyType::kInt8:
    case PlyType::kUint8:
        return 1;
    case PlyType::kInt16:
    case PlyType::kUint16:
        return 2;
    case PlyType::kDouble:
        return 8;
    default:
        return 4;
    }
}

int PlyElement::find(std::string_view property) const
{
    for (std::size_t i = 0; i < properties.size(); ++i)
        if (properties[i].name == property && !properties[i].listCount)
            return static_cast<int>(i);
    return -1;
}

PlyReader::PlyReader(std::string_view bytes, const std::string& file, Cancellation& stop)
    : file_(file), stop_(stop), text_(bytes, file, stop), binary_(bytes, file, orderOf(bytes)),
      bytes_(bytes)
{
    readHeader();
}

void PlyReader::fail(const std::string& cause) const
{
    if (isText_)
        text_.fail(cause);
    binary_.fail(cause);
}

void PlyReader::readHeader()
{
    if (!text_.nextLine() || text_.word() != "ply")
        throw IoError({.file = file_}, "is not a PLY file");
    bool formatKnown = false;
    for (;;) {
        if (!text_.nextLine())
            text_.fail("the header has no end");
        const std::string_view key = text_.word();
        if (key == "end_header") {
            break;
        } else if (key == "format") {
            const std::string_view format = text_.word();
            isText_ = format == "ascii";
            if (!isText_ && format != "binary_little_endian" && format != "binary_big_endian")
                text_.fail("unknown format " + inQuotes(format));
            formatKnown = true;
        } else if (key == "element") {
            PlyElement element;
            element.name = text_.word();
            std::int64_t count = 0;
            const std::string_view number = text_.word();
            if (!parseInteger(number, count) || count < 0)
                text_.fail("expected the number of elements, found " + inQuotes(number));
            element.count = static_cast<std::uint64_t>(count);
            elements_.push_back(std::move(element));
        } else if (key == "property") {
            if (elements_.empty())
                text_.fail("a property comes before the first element");
            PlyElement& element = elements_.back();
            if (element.properties.size() >= kMaxProperties)
                text_.fail("an element has more than 1000 properties");
            PlyProperty property;
            TextReader ahead = text_;
            if (ahead.word() == "list") {
                text_ = ahead;
                property.listCount = typeNamed(text_);
                if (!isWhole(*property.listCount))
                    text_.fail("the length of a list is a whole number");
            }
            property.type = typeNamed(text_);
            property.name = text_.word();
            if (property.name.empty())
                text_.fail("a property has no name");
            element.properties.push_back(std::move(property));
        } else if (key != "comment" && key != "obj_info" && !key.empty()) {
            text_.fail("expected 'element', 'property' or 'end_header', found " + inQuotes(key));
        }
    }
    if (!formatKnown)
        text_.fail("the header names no format");
    binary_.skip(text_.position());
}

void PlyReader::checkCount(const PlyElement& element) const
{
    std::uint64_t smallest = 0; // minimum size of a row
    for (const PlyProperty& property : element.properties)
        smallest += isText_ ? 2 : sizeOf(property.listCount.value_or(property.type));
    const std::uint64_t left = isText_ ? bytes_.size() - text_.position() + 1 : binary_.remaining();
    if (smallest != 0 && element.count > left / smallest)
        fail("says it holds " + std::to_string(element.count) + " entries of '" + element.name +
             "' but ends before them: it is damaged or was cut off");
}

double PlyReader::scalar(PlyType type)
{
    if (isText_) {
        const std::string_view word = text_.wordOnAnyLine();
        double number = 0;
        if (word.empty())
            text_.fail("ends too early: it is damaged or was cut off");
        if (!parseNumber(word, number))
            text_.fail("expected a number, found " + inQuotes(word));
        return number;
    }
    switch (type) {
    case PlyType::kInt8:
        return binary_.value<std::int8_t>();
    case PlyType::kUint8:
        return binary_.value<std::uint8_t>();
    case PlyType::kInt16:
        return binary_.value<std::int16_t>();
    case PlyType::kUint16:
        return binary_.value<std::uint16_t>();
    case PlyType::kInt32:
        return binary_.value<std::int32_t>();
    case PlyType::kUint32:
        return binary_.value<std::uint32_t>();
    case PlyType::kFloat:
        return static_cast<double>(binary_.value<float>());
    case PlyType::kDouble:
        break;
    }
    return binary_.value<double>();
}

std::uint64_t PlyReader::listLength(const PlyProperty& property)
{
    const double length = scalar(*property.listCount);
    const std::uint64_t size = isText_ ? 2 : sizeOf(property.type);
    const std::uint64_t left =
        isText_ ? bytes_.size() - text_.position() + text_.restOfLine().size() + 1
                : binary_.remaining();
    if (!(length >= 0) || length != std::floor(length) || length > static_cast<double>(left / size))
        fail("a list of '" + property.name +
             "' is longer than the file: it is damaged or was cut off");
    return static_cast<std::uint64_t>(length);
}

void PlyReader::read(const std::function<void(std::size_t, const PlyRow&)>& row)
{
    for (std::size_t e = 0; e < elements_.size(); ++e) {
        const PlyElement& element = elements_[e];
        if (element.properties.empty())
            continue;
        checkCount(element);
        PlyRow values;
        values.values.resize(element.properties.size());
        values.lists.resize(element.properties.size());
        for (std::uint64_t i = 0; i < element.count; ++i) {
            for (std::size_t p = 0; p < element.properties.size(); ++p) {
                const PlyProperty& property = element.properties[p];
                if (!property.listCount) {
                    values.values[p] = scalar(property.type);
                    continue;
                }
                const std::uint64_t length = listLength(property);
                values.values[p] = static_cast<double>(length);
                values.lists[p].resize(length);
                for (double& entry : values.lists[p]) {
                    entry = scalar(property.type);
                    stop_.after(1);
                }
            }
            stop_.after(element.properties.size());
            row(e, values);
        }
    }
}

} // namespace floe::io
