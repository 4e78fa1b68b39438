#include "floe/base/error.hpp"

namespace floe {

std::string describe(const Place& place)
{
    std::string text;
    const auto append = [&text](const std::string& part) {
        if (!text.empty())
            text += ": ";
        text += part;
    };
    if (!place.file.empty())
        append(place.file);
    if (!place.node.empty())
        append("node '" + place.node + "'");
    if (!place.parameter.empty())
        append("'" + place.parameter + "'");
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
