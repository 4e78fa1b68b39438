#include "floe/base/json.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace floe {

namespace {

/// @param index of a character of the text
std::string lineAndColumn(std::string_view text, std::size_t index)
{
    const std::string_view before = text.substr(0, std::min(index, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t lineStart = before.rfind('\n');
    const std::size_t column =
        lineStart == std::string_view::npos ? before.size() + 1 : before.size() - lineStart;
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

/// Index of the opening quote of the n-th key (from 1) of a text that is sound up to there.
std::size_t indexOfKey(std::string_view text, std::size_t n)
{
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '"')
            continue;
        const std::size_t start = i;
        for (++i; i < text.size() && text[i] != '"'; ++i)
            i += text[i] == '\\' ? 1 : 0;
        const std::size_t next = text.find_first_not_of(" \t\r\n", std::min(i + 1, text.size()));
        if (next != std::string_view::npos && text[next] == ':' && --n == 0)
            return start;
    }
    return text.size();
}

/// Walks the text once without building anything: finds what the parser would let through or
/// would recurse on.
class Scan final : public nlohmann::json_sax<Json> {
public:
    Scan(std::string_view text, const std::string& name, const JsonLimits& limits)
        : text_(text), name_(name), limits_(limits)
    {}

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t value, const string_t& token) override
    {
        if (!std::isfinite(value))
            throw GraphError({.file = name_}, "number " + token.substr(0, 40) + " is out of range",
                             "use a finite number");
        return true;
    }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override
    {
        keys_.emplace_back();
        return enter();
    }
    bool key(string_t& value) override
    {
        ++keyCount_;
        if (!keys_.back().insert(value).second)
            throw GraphError({.file = name_},
                             "key '" + value.substr(0, 80) + "' appears twice in one object, at " +
                                 lineAndColumn(text_, indexOfKey(text_, keyCount_)),
                             "keep one of them");
        if (keys_.back().size() > limits_.keys)
            throw GraphError({.file = name_}, "has an object with more than " +
                                                  std::to_string(limits_.keys) + " keys");
        return true;
    }
    bool end_object() override
    {
        keys_.pop_back();
        --depth_;
        return true;
    }
    bool start_array(std::size_t) override { return enter(); }
    bool end_array() override
    {
        --depth_;
        return true;
    }
    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::detail::exception& error) override
    {
        std::string cause = error.what();
        if (const auto at = cause.find(": "); at != std::string::npos)
            cause = cause.substr(at + 2);
        if (cause.size() > 300)
            cause = cause.substr(0, 300) + "...";
        throw GraphError({.file = name_},
                         "is not valid JSON at " +
                             lineAndColumn(text_, position > 0 ? position - 1 : 0) + ": " + cause);
    }

private:
    bool enter()
    {
        if (++depth_ > limits_.depth)
            throw GraphError({.file = name_},
                             "is nested deeper than " + std::to_string(limits_.depth) + " levels");
        return true;
    }

    std::string_view text_;
    const std::string& name_;
    const JsonLimits& limits_;
    int depth_ = 0;
    std::size_t keyCount_ = 0;
    std::vector<std::unordered_set<std::string>> keys_;
};

std::string oneLine(const Json& value)
{
    // dump() puts no space after ':' and ','; people read these lines.
    if (value.is_array()) {
        std::string text = "[";
        for (const auto& entry : value)
            text += (text.size() > 1 ? ", " : "") + oneLine(entry);
        return text + "]";
    }
    if (value.is_object()) {
        std::string text = "{";
        for (const auto& [key, entry] : value.items())
            text += (text.size() > 1 ? ", " : "") + dumpJson(key) + ": " + oneLine(entry);
        return text + "}";
    }
    return dumpJson(value);
}

void write(const Json& value, std::size_t indent, std::size_t column, std::size_t width, bool root,
           std::string& out)
{
    const bool nested = (value.is_array() || value.is_object()) && !value.empty();
    std::string line = nested && root ? std::string() : oneLine(value);
    if (!nested || (!root && column + line.size() <= width)) {
        out += line;
        return;
    }
    const std::string inner(indent + 2, ' ');
    out += value.is_array() ? "[\n" : "{\n";
    std::size_t index = 0;
    for (auto entry = value.begin(); entry != value.end(); ++entry, ++index) {
        std::string key = value.is_object() ? dumpJson(entry.key()) + ": " : "";
        out += inner + key;
        write(*entry, indent + 2, inner.size() + key.size() + 1, width, false, out);
        out += index + 1 < value.size() ? ",\n" : "\n";
    }
    out += std::string(indent, ' ') + (value.is_array() ? "]" : "}");
}

} // namespace

Json parseJson(std::string_view text, const std::string& name, const JsonLimits& limits)
{
    if (text.size() > limits.bytes)
        throw GraphError({.file = name},
                         "is longer than " + std::to_string(limits.bytes) + " bytes");
    Scan scan(text, name, limits);
    Json::sax_parse(text, &scan);
    return Json::parse(text);
}

Json loadJson(const std::string& path, const JsonLimits& limits)
{
    return parseJson(readFile(path, limits.bytes), path, limits);
}

std::string dumpJson(const Json& value)
{
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string formatJson(const Json& value, std::size_t width)
{
    std::string out;
    write(value, 0, 0, width, true, out);
    return out + "\n";
}

} // namespace floe
