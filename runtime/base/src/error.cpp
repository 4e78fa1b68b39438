#include "floe/base/error.hpp"

#include <algorithm>

namespace floe {

/// A name as a part of one line, whatever it holds.
static std::string oneLine(std::string name)
{
    std::replace_if(
        name.begin(), name.end(),
        [](char letter) { return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f; },
        '?');
    return name;
}

std::string describe(const Place& place)
{
    std::string text;
    const auto append = [&text](const std::string& part) {
        if (!text.empty())
            text += ": ";
        text += part;
    };
    if (!place.file.empty())
        append(oneLine(place.file));
    if (!place.node.empty())
        append("node '" + oneLine(place.node) + "'");
    if (!place.parameter.empty())
        append("'" + oneLine(place.parameter) + "'");
    if (place.frame != Place::kNoFrame)
        append("frame " + std::to_string(place.frame));
    return text;
}

static std::string sentence(const Place& place, const std::string& cause, const std::string& cure)
{
    std::string text = describe(place);
    if (!text.empty())
        text += ": ";
    text += cause;
    if (!cure.empty())
        text += "; " + cure;
    return text;
}

Error::Error(Place place, std::string cause, std::string cure)
    : std::runtime_error(sentence(place, cause, cure)), place_(std::move(place)),
      cause_(std::move(cause)), cure_(std::move(cure))
{}

} // namespace floe
