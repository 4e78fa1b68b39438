#pragma once

/// Names of numbered files: "snow.%04d.vdb" or "snow.####.vdb" with the frame number inserted.

#include <cstdint>
#include <string>

namespace floe::sdk {

/// Replaces the first "%d", "%4d", "%04d" (any width up to 32) or row of '#' in the file's name by
/// `number`; names of folders stay. A pattern with neither comes back unchanged; nothing else in it
/// has a meaning.
inline std::string numberedPath(const std::string& pattern, int64_t number)
{
    std::size_t begin = std::string::npos, end = 0, width = 0;
    const std::size_t slash = pattern.rfind('/');
    for (std::size_t i = slash == std::string::npos ? 0 : slash + 1;
         i < pattern.size() && begin == std::string::npos; ++i) {
        if (pattern[i] == '#') {
            for (begin = i, end = i; end < pattern.size() && pattern[end] == '#'; ++end) {
            }
            width = end - begin;
        } else if (pattern[i] == '%') {
            std::size_t at = i + 1, digits = 0;
            while (at < pattern.size() && pattern[at] >= '0' && pattern[at] <= '9' && digits < 100)
                digits = digits * 10 + static_cast<std::size_t>(pattern[at++] - '0');
            if (at < pattern.size() && pattern[at] == 'd' && digits <= 32)
                begin = i, end = at + 1, width = digits;
        }
    }
    if (begin == std::string::npos)
        return pattern;
    const bool negative = number < 0;
    std::string digits = std::to_string(number);
    if (negative)
        digits.erase(0, 1);
    const std::size_t sign = negative ? 1 : 0;
    while (digits.size() + sign < width && digits.size() < 64)
        digits.insert(digits.begin(), '0');
    return pattern.substr(0, begin) + (negative ? "-" : "") + digits + pattern.substr(end);
}

} // namespace floe::sdk
