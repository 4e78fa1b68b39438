#include "json_entries.hpp"

#include "floe/base/json.hpp"

namespace floe::graph {

namespace {

std::size_t skipSpace(std::string_view text, std::size_t i)
{
    while (i < text.size() &&
           (text[i] == ' ' || text[i] == '\n' || text[i] == '\r' || text[i] == '\t'))
        ++i;
    return i;
}

/// @param i position of the opening quote @return the position after the closing one
std::size_t skipString(std::string_view text, std::size_t i)
{
    for (++i; i < text.size() && text[i] != '"'; ++i)
        i += text[i] == '\\' ? 1 : 0;
    return i + 1;
}

std::size_t skipValue(std::string_view text, std::size_t i)
{
    int depth = 0;
    while (i < text.size()) {
        const char c = text[i];
        if (c == '"') {
            i = skipString(text, i);
        } else if (c == '{' || c == '[') {
            ++depth;
            ++i;
        } else if ((c == '}' || c == ']' || c == ',') && depth == 0) {
            return i;
        } else {
            depth -= c == '}' || c == ']' ? 1 : 0;
            ++i;
            if (depth == 0 && (c == '}' || c == ']'))
                return i;
            continue;
        }
        if (depth == 0 && c == '"')
            return i;
    }
    return i;
}

} // namespace

void forEachEntry(std::string_view object,
                  const std::function<void(const std::string&, std::string_view)>& take)
{
    std::size_t i = skipSpace(object, 0);
    if (i < object.size() && static_cast<unsigned char>(object[i]) == 0xEF)
        i = skipSpace(object, i + 3); // byte order mark
    if (i >= object.size() || object[i] != '{')
        return;
    i = skipSpace(object, i + 1);
    while (i < object.size() && object[i] == '"') {
        const std::size_t keyEnd = skipString(object, i);
        const auto key = Json::parse(object.substr(i, keyEnd - i)).get<std::string>();
        i = skipSpace(object, skipSpace(object, keyEnd) + 1); // behind the colon
        std::size_t end = skipValue(object, i);
        std::size_t trimmed = end;
        while (trimmed > i && (object[trimmed - 1] == ' ' || object[trimmed - 1] == '\n' ||
                               object[trimmed - 1] == '\r' || object[trimmed - 1] == '\t'))
            --trimmed;
        take(key, object.substr(i, trimmed - i));
        end = skipSpace(object, end);
        i = end < object.size() && object[end] == ',' ? skipSpace(object, end + 1) : object.size();
    }
}

} // namespace floe::graph
