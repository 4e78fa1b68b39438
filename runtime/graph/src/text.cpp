#include "floe/graph/text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numeric>

namespace floe::graph {

std::string shortened(std::string_view text)
{
    constexpr std::size_t kLongest = 80;
    std::size_t length = std::min(text.size(), kLongest);
    // Never cut a UTF-8 character in two.
    while (length < text.size() && length > 0 && (text[length] & 0xC0) == 0x80)
        --length;
    std::string result;
    for (const char c : text.substr(0, length))
        result += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
    return result + (length < text.size() ? "..." : "");
}

std::string quote(std::string_view text)
{
    return "'" + shortened(text) + "'";
}

static std::size_t distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = std::tolower(static_cast<unsigned char>(a[i - 1])) ==
                              std::tolower(static_cast<unsigned char>(b[j - 1]));
            const std::size_t replaced = diagonal + (same ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row[b.size()];
}

std::string nearest(std::string_view text, const std::vector<std::string>& candidates)
{
    constexpr std::size_t kLongest = 100;
    if (text.empty() || text.size() > kLongest)
        return {};
    std::size_t best =
        text.size() / 3 + 1; // with a third of the letters wrong it is still the same word
    best = std::min<std::size_t>(best, 4);
    std::string found;
    for (const std::string& candidate : candidates) {
        const std::size_t longer = std::max(candidate.size(), text.size());
        if (candidate.size() > kLongest || longer - std::min(candidate.size(), text.size()) > best)
            continue;
        const std::size_t d = distance(text, candidate);
        if (d < best || (d == best && found.empty() && d < candidate.size())) {
            best = d;
            found = candidate;
        }
    }
    return found;
}

std::string nearestDotted(std::string_view text, const std::vector<std::string>& candidates)
{
    constexpr std::size_t kLongest = 100;
    std::string found;
    std::size_t best = kLongest;
    for (const std::string& candidate : candidates) {
        if (candidate.size() > kLongest || text.size() > kLongest)
            continue;
        std::size_t shared = 0; // whole words, including their dot
        for (std::size_t i = 0; i < std::min(text.size(), candidate.size()); ++i) {
            if (text[i] != candidate[i])
                break;
            shared = text[i] == '.' ? i + 1 : shared;
        }
        const std::string_view a = text.substr(shared);
        const std::string_view b = std::string_view(candidate).substr(shared);
        const std::size_t d = distance(a, b);
        if (d < best && d <= (std::min(a.size(), b.size()) < 4 ? 1 : 2)) {
            best = d;
            found = candidate;
        }
    }
    return found;
}

std::string number(double value)
{
    const double size = std::abs(value);
    const bool plain = size == 0 || (size >= 1e-4 && size < 1e15);
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value,
                                   plain ? std::chars_format::fixed : std::chars_format::scientific)
                         .ptr;
    return std::string(buffer, end);
}

} // namespace floe::graph
