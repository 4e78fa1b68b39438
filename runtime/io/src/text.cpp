#include "text.hpp"

#include "floe/base/error.hpp"

#include <charconv>
#include <limits>

namespace floe::io {

namespace {

/// Longer lines are not text, and would take long to be found so.
constexpr std::size_t kLongestLine = 64u << 20;

bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

} // namespace

bool TextReader::nextLine()
{
    if (position_ >= text_.size())
        return false;
    const std::string_view ahead = text_.substr(position_, kLongestLine + 1);
    const std::size_t length = std::min(ahead.find_first_of("\r\n"), ahead.size());
    if (length > kLongestLine)
        fail("the next line has more than 64 MiB: this is not a text file");
    line_ = ahead.substr(0, length);
    position_ += length;
    stop_->after(length + 1);
    if (position_ < text_.size())
        position_ += text_.substr(position_, 2) == "\r\n" ? 2 : 1;
    ++lineNumber_;
    return true;
}

std::string_view TextReader::word()
{
    for (;;) {
        std::size_t begin = 0;
        while (begin < line_.size() && isBlank(line_[begin]))
            ++begin;
        std::size_t end = begin;
        while (end < line_.size() && !isBlank(line_[end]))
            ++end;
        const std::string_view result = line_.substr(begin, end - begin);
        line_.remove_prefix(end);
        if (result == "\\" && line_.find_first_not_of(" \t\v\f") == std::string_view::npos) {
            if (!nextLine())
                return {};
            continue;
        }
        if (result.size() > 1 && result.back() == '\\' && line_.empty()) {
            // "f 1 2 3\" continues on the next line without a blank before the backslash.
            nextLine();
            return result.substr(0, result.size() - 1);
        }
        return result;
    }
}

std::string_view TextReader::wordOnAnyLine()
{
    for (;;) {
        const std::string_view result = word();
        if (!result.empty() || !nextLine())
            return result;
    }
}

double TextReader::number(const char* what)
{
    const std::string_view found = word();
    double result = 0;
    if (found.empty())
        fail(std::string("expected ") + what + ", found the end of the line");
    if (!parseNumber(found, result))
        fail(std::string("expected ") + what + ", found " + inQuotes(found));
    return result;
}

void TextReader::fail(const std::string& cause) const
{
    throw IoError({.file = file_}, "line " + std::to_string(lineNumber_) + ": " + cause);
}

bool parseNumber(std::string_view word, double& number)
{
    if (word.starts_with('+'))
        word.remove_prefix(1);
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (end != word.data() + word.size() || word.empty())
        return false;
    if (error == std::errc::result_out_of_range) {
        const bool tiny =
            word.find("e-") != std::string_view::npos || word.find("E-") != std::string_view::npos;
        number = tiny ? 0 : std::numeric_limits<double>::infinity();
        return true;
    }
    return error == std::errc();
}

bool parseInteger(std::string_view word, std::int64_t& number)
{
    if (word.starts_with('+'))
        word.remove_prefix(1);
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    return error == std::errc() && end == word.data() + word.size();
}

std::string inQuotes(std::string_view word)
{
    constexpr std::size_t kLongest = 40;
    std::string result = "'";
    for (const char c : word.substr(0, kLongest))
        result += c >= 0x20 && c < 0x7f ? c : '?';
    return result + (word.size() > kLongest ? "...'" : "'");
}

} // namespace floe::io
