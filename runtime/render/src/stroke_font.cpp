#include "stroke_font.hpp"

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>

namespace floe::render {
namespace {

/// A drawing: its width, then strokes: points one after the other, a semicolon between strokes, a
/// tilde before smooth ones. Capitals are 7 high, small letters 5, descenders reach to -2.
struct Drawing {
    std::uint32_t character;
    float width;
    const char* strokes;
};

// Bowls of a and b.
#define FLOE_BOWL_LEFT "~3.6 2.5 3 .6 1.7 0 .5 .6 0 2.5 .5 4.4 1.7 5 3 4.4 3.6 2.5"
#define FLOE_BOWL_RIGHT "~0 2.5 .6 4.4 1.9 5 3.1 4.4 3.6 2.5 3.1 .6 1.9 0 .6 .6 0 2.5"

const Drawing kDrawings[] = {
    {' ', 1.6f, ""},
    {'!', 0, "0 7 0 2;0 .1 0 0"},
    {'"', 1.2f, "0 7 0 5.2;1.2 7 1.2 5.2"},
    {'#', 4, "1.2 0 1.8 7;2.6 0 3.2 7;.3 2.3 4 2.3;.2 4.7 3.9 4.7"},
    {'$', 4,
     "~3.8 5.4 3 6.2 2 6.4 .7 6 .3 5 .9 4 2 3.5 3.3 3 3.9 1.9 3.4 .9 2 .5 .8 .8 .1 1.6;2 7.4 2 "
     "-.5"},
    {'%', 5.4f,
     "5 7 .4 0;~1.2 7 .2 6.4 .2 4.4 1.2 3.8 2.2 4.4 2.2 6.4 1.2 7;~4.2 3.2 3.2 2.6 3.2 .6 4.2 0 "
     "5.2 .6 5.2 2.6 4.2 3.2"},
    {'&', 4.8f,
     "~4.8 0 2.8 2.2 .9 4.6 .6 5.9 1.1 6.8 1.9 7 2.8 6.6 2.9 5.6 2.3 4.6 .7 3.2 0 1.8 .5 .5 1.8 0 "
     "3.2 .5 4.1 1.7 4.5 3.1"},
    {'\'', 0, "0 7 0 5.2"},
    {'(', 1.4f, "~1.4 7.6 .4 5.6 0 3.2 .4 .8 1.4 -1.2"},
    {')', 1.4f, "~0 7.6 1 5.6 1.4 3.2 1 .8 0 -1.2"},
    {'*', 3, "1.5 6.8 1.5 3.4;0 6 3 4.2;0 4.2 3 6"},
    {'+', 3.6f, "0 3 3.6 3;1.8 4.8 1.8 1.2"},
    {',', .5f, ".4 .2 0 -1.2"},
    {'-', 2.4f, "0 3 2.4 3"},
    {'.', 0, "0 .1 0 0"},
    {'/', 2.8f, "0 -1 2.8 7.6"},
    {'0', 4, "~2 7 .6 6.2 0 3.5 .6 .8 2 0 3.4 .8 4 3.5 3.4 6.2 2 7"},
    {'1', 4, ".8 5.6 2.4 7 2.4 0"},
    {'2', 4, "~.1 5.4 .7 6.6 2 7 3.3 6.6 3.8 5.3 3.3 3.9 1.7 2 0 0;0 0 4 0"},
    {'3', 4,
     "~.2 5.9 1 6.8 2.1 7 3.3 6.5 3.6 5.3 3 4.1 1.6 3.7;~1.6 3.7 3.3 3.2 4 1.9 3.3 .5 1.9 0 .7 .3 "
     "0 1.3"},
    {'4', 4, "3 0 3 7 0 2.1 4.2 2.1"},
    {'5', 4, "3.7 7 .6 7 .3 3.8;~.3 3.8 1.1 4.4 2.1 4.5 3.5 3.9 4 2.3 3.4 .6 1.9 0 .7 .3 0 1.2"},
    {'6', 4,
     "~3.5 6.4 2.6 7 1.4 6.7 .4 5.2 0 2.8 .2 1.4;~0 2.3 .5 3.8 2 4.5 3.4 3.9 4 2.3 3.4 .6 2 0 .6 "
     ".7 0 2.3"},
    {'7', 4, "0 7 4 7 1.4 0"},
    {'8', 4,
     "~2 3.8 .6 4.4 .3 5.5 .8 6.6 2 7 3.2 6.6 3.7 5.5 3.4 4.4 2 3.8 .5 3.1 0 1.9 .6 .5 2 0 3.4 .5 "
     "4 1.9 3.5 3.1 2 3.8"},
    {'9', 4,
     "~.5 .6 1.4 0 2.6 .3 3.6 1.8 4 4.2 3.8 5.6;~4 4.7 3.5 3.2 2 2.5 .6 3.1 0 4.7 .6 6.4 2 7 3.4 "
     "6.3 4 4.7"},
    {':', 0, "0 4.2 0 4.1;0 .1 0 0"},
    {';', .5f, ".4 4.2 .4 4.1;.4 .2 0 -1.2"},
    {'<', 3.4f, "3.4 5.2 0 3 3.4 .8"},
    {'=', 3.6f, "0 3.9 3.6 3.9;0 2.1 3.6 2.1"},
    {'>', 3.4f, "0 5.2 3.4 3 0 .8"},
    {'?', 3.4f, "~0 5.6 .7 6.7 1.8 7 3 6.5 3.4 5.3 2.8 4.2 1.9 3.3 1.7 2;1.7 .1 1.7 0"},
    {'@', 6.4f,
     "~4.4 2.2 3.4 1.6 2.3 2 2 3.3 2.6 4.6 3.7 4.9 4.5 4.2 4.4 2.2 5.2 1.8 6 2.6 6.3 4 5.7 5.8 4.2 "
     "6.9 2.4 6.8 .8 5.6 0 3.4 .5 1.2 1.9 -.2 3.8 -.6 5 -.2"},
    {'A', 5, "0 0 2.5 7 5 0;.9 2.4 4.1 2.4"},
    {'B', 4.4f,
     "2.3 7 0 7 0 0 2.4 0;0 3.7 2.4 3.7;~2.3 7 3.7 6.5 4 5.4 3.7 4.2 2.4 3.7;~2.4 3.7 4 3.1 4.4 "
     "1.9 4 .6 2.4 0"},
    {'C', 4.6f, "~4.6 5.6 3.7 6.7 2.5 7 .9 6.2 0 3.5 .9 .8 2.5 0 3.7 .3 4.6 1.4"},
    {'D', 4.7f, "2 7 0 7 0 0 2 0;~2 7 3.9 6.2 4.7 3.5 3.9 .8 2 0"},
    {'E', 4, "4 0 0 0 0 7 4 7;0 3.7 3.3 3.7"},
    {'F', 3.8f, "0 0 0 7 3.9 7;0 3.6 3.2 3.6"},
    {'G', 4.8f,
     "~4.6 5.6 3.7 6.7 2.5 7 .9 6.2 0 3.5 .9 .8 2.5 0 3.9 .4 4.8 1.6;4.8 1.6 4.8 3.2 2.9 3.2"},
    {'H', 4.6f, "0 0 0 7;4.6 0 4.6 7;0 3.6 4.6 3.6"},
    {'I', 0, "0 0 0 7"},
    {'J', 3, "3 7 3 2;~3 2 2.6 .5 1.4 0 .3 .5 0 1.8"},
    {'K', 4.4f, "0 0 0 7;4.2 7 0 2.6;1.5 4.1 4.4 0"},
    {'L', 3.7f, "0 7 0 0 3.7 0"},
    {'M', 5.6f, "0 0 0 7 2.8 2 5.6 7 5.6 0"},
    {'N', 4.6f, "0 0 0 7 4.6 0 4.6 7"},
    {'O', 5, "~2.5 7 .8 6.2 0 3.5 .8 .8 2.5 0 4.2 .8 5 3.5 4.2 6.2 2.5 7"},
    {'P', 4.3f, "2.5 3.3 0 3.3;0 0 0 7 2.5 7;~2.5 7 3.9 6.5 4.3 5.15 3.9 3.8 2.5 3.3"},
    {'Q', 5, "~2.5 7 .8 6.2 0 3.5 .8 .8 2.5 0 4.2 .8 5 3.5 4.2 6.2 2.5 7;3 1.7 5 -.5"},
    {'R', 4.5f,
     "2.5 3.3 0 3.3;0 0 0 7 2.5 7;~2.5 7 3.9 6.5 4.3 5.15 3.9 3.8 2.5 3.3;2.3 3.3 4.5 0"},
    {'S', 4.3f,
     "~4.1 5.7 3.4 6.7 2.1 7 .7 6.5 .3 5.3 .9 4.2 2.2 3.6 3.7 2.9 4.3 1.8 3.8 .5 2.2 0 .7 .4 0 "
     "1.4"},
    {'T', 4.8f, "0 7 4.8 7;2.4 7 2.4 0"},
    {'U', 4.6f, "0 7 0 2.4;~0 2.4 .6 .6 2.3 0 4 .6 4.6 2.4;4.6 2.4 4.6 7"},
    {'V', 4.8f, "0 7 2.4 0 4.8 7"},
    {'W', 6.8f, "0 7 1.6 0 3.4 6 5.2 0 6.8 7"},
    {'X', 4.6f, "0 0 4.6 7;0 7 4.6 0"},
    {'Y', 4.8f, "0 7 2.4 3.4 4.8 7;2.4 3.4 2.4 0"},
    {'Z', 4.4f, "0 7 4.4 7 0 0 4.4 0"},
    {'[', 1.3f, "1.3 7.6 0 7.6 0 -1.2 1.3 -1.2"},
    {'\\', 2.8f, "0 7.6 2.8 -1"},
    {']', 1.3f, "0 7.6 1.3 7.6 1.3 -1.2 0 -1.2"},
    {'^', 3, "0 4.8 1.5 7 3 4.8"},
    {'_', 4, "0 -1 4 -1"},
    {'`', 1, "0 7 1 5.8"},
    {'a', 3.6f, FLOE_BOWL_LEFT ";3.6 5 3.6 0"},
    {'b', 3.6f, "0 7 0 0;" FLOE_BOWL_RIGHT},
    {'c', 3.3f, "~3.3 4.1 2.6 4.8 1.8 5 .6 4.4 0 2.5 .6 .6 1.8 0 2.6 .2 3.3 .9"},
    {'d', 3.6f, FLOE_BOWL_LEFT ";3.6 7 3.6 0"},
    {'e', 3.6f, "0 2.6 3.6 2.6;~3.6 2.6 3.1 4.4 1.8 5 .5 4.4 0 2.5 .5 .6 1.9 0 2.8 .2 3.4 1"},
    {'f', 2.3f, "~2.5 6.8 1.7 7 1.1 6.6 .9 5.6;.9 5.6 .9 0;0 5 2.2 5"},
    {'g', 3.6f, FLOE_BOWL_LEFT ";3.6 5 3.6 -.4;~3.6 -.4 3.1 -1.7 1.8 -2.1 .9 -1.9 .3 -1.3"},
    {'h', 3.3f, "0 7 0 0;~0 3.2 .8 4.6 2 5 3 4.6 3.3 3.4;3.3 3.4 3.3 0"},
    {'i', 0, "0 5 0 0;0 6.8 0 6.7"},
    {'j', 1, "~0 -2 .7 -1.8 1 -.8;1 -.8 1 5;1 6.8 1 6.7"},
    {'k', 3.3f, "0 7 0 0;3.1 5 0 1.9;1.1 3 3.3 0"},
    {'l', .8f, "0 7 0 1;~0 1 .2 .2 .9 0"},
    {'m', 5.6f,
     "0 5 0 0;~0 3.3 .7 4.6 1.6 5 2.5 4.6 2.8 3.5;2.8 3.5 2.8 0;~2.8 3.3 3.5 4.6 4.4 5 5.3 4.6 5.6 "
     "3.5;5.6 3.5 5.6 0"},
    {'n', 3.3f, "0 5 0 0;~0 3.2 .8 4.6 2 5 3 4.6 3.3 3.4;3.3 3.4 3.3 0"},
    {'o', 3.6f, "~1.8 5 .55 4.4 0 2.5 .55 .6 1.8 0 3.05 .6 3.6 2.5 3.05 4.4 1.8 5"},
    {'p', 3.6f, "0 5 0 -2;" FLOE_BOWL_RIGHT},
    {'q', 3.6f, "3.6 5 3.6 -2;" FLOE_BOWL_LEFT},
    {'r', 2.2f, "0 5 0 0;~0 3 .6 4.4 1.5 5 2.2 4.9"},
    {'s', 3.1f,
     "~3 4.1 2.5 4.8 1.6 5 .6 4.7 .2 3.8 .6 3 1.6 2.6 2.7 2.1 3.1 1.2 2.7 .3 1.6 0 .5 .3 0 1"},
    {'t', 2.3f, ".9 6.6 .9 1.2;~.9 1.2 1.2 .2 2.3 .1;0 5 2.3 5"},
    {'u', 3.4f, "0 5 0 1.7;~0 1.7 .4 .4 1.5 0 2.6 .5 3.4 1.8;3.4 5 3.4 0"},
    {'v', 3.6f, "0 5 1.8 0 3.6 5"},
    {'w', 5.4f, "0 5 1.3 0 2.7 4.4 4.1 0 5.4 5"},
    {'x', 3.4f, "0 5 3.4 0;0 0 3.4 5"},
    {'y', 3.6f, "0 5 1.8 0;3.6 5 1.8 0;~1.8 0 1.1 -1.6 0 -2"},
    {'z', 3.3f, "0 5 3.3 5 0 0 3.3 0"},
    {'{', 1.8f, "~1.8 7.6 .9 7 .9 4.2 0 3.2 .9 2.2 .9 -.6 1.8 -1.2"},
    {'|', 0, "0 7.6 0 -1.2"},
    {'}', 1.8f, "~0 7.6 .9 7 .9 4.2 1.8 3.2 .9 2.2 .9 -.6 0 -1.2"},
    {'~', 3.6f, "~0 2.5 .9 3.6 1.8 3 2.7 2.4 3.6 3.5"},
    {0xB0, 1.8f, "~.9 7 0 6.1 .9 5.2 1.8 6.1 .9 7"},
    {0xB2, 2, "~.1 6.4 1 7.2 1.9 6.4 1.2 5.2 0 3.8;0 3.8 2 3.8"},
    {0xB3, 2, "~.1 6.9 1 7.3 1.8 6.5 .8 5.7;~.8 5.7 1.9 4.9 1 3.7 0 4.1"},
    {0xB5, 3.4f, "0 5 0 -2;0 1.7 0 1.7;~0 1.7 .4 .4 1.5 0 2.6 .5 3.4 1.8;3.4 5 3.4 0"},
    {0xB7, 0, "0 3.1 0 3"},
    {0xD7, 3, "0 4.5 3 1.5;0 1.5 3 4.5"},
};
#undef FLOE_BOWL_LEFT
#undef FLOE_BOWL_RIGHT

const Drawing kUnknown = {0, 3.6f, "0 0 0 7 3.6 7 3.6 0 0 0"};
constexpr float kCapital = 7;
constexpr float kGap = 1.35f;          // between letters
constexpr std::size_t kLongest = 1000; // characters

const Drawing& drawingOf(std::uint32_t character)
{
    static const auto* const kByCharacter = [] {
        auto* map = new std::map<std::uint32_t, const Drawing*>;
        for (const Drawing& drawing : kDrawings)
            (*map)[drawing.character] = &drawing;
        return map;
    }();
    const auto place = kByCharacter->find(character);
    return place != kByCharacter->end() ? *place->second : kUnknown;
}

/// Calls `use` with each character; broken UTF-8 gives unknown ones.
void eachCharacter(std::string_view text, const std::function<void(std::uint32_t)>& use)
{
    std::size_t count = 0;
    for (std::size_t i = 0; i < text.size() && count < kLongest; ++count) {
        const auto first = static_cast<unsigned char>(text[i++]);
        int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
        std::uint32_t character = more == 0 ? first : first & (0x3Fu >> more);
        for (; more > 0 && i < text.size() && (text[i] & 0xC0) == 0x80; --more)
            character = character << 6 | (static_cast<unsigned char>(text[i++]) & 0x3Fu);
        use(first >= 0x80 && first < 0xC0 ? 0 : character);
    }
}

using Points = std::vector<std::array<float, 2>>;

/// Catmull-Rom spline through the points.
Points smoothed(const Points& points)
{
    const bool closed = points.front() == points.back();
    const auto at = [&](std::ptrdiff_t i) {
        const auto n = static_cast<std::ptrdiff_t>(points.size());
        if (closed)
            return points[static_cast<std::size_t>((i + n - 1) % (n - 1))];
        return points[static_cast<std::size_t>(i < 0 ? 0 : i >= n ? n - 1 : i)];
    };
    Points result = {points.front()};
    constexpr int kSteps = 6;
    for (std::ptrdiff_t i = 0; i + 1 < static_cast<std::ptrdiff_t>(points.size()); ++i)
        for (int k = 1; k <= kSteps; ++k) {
            const float t = static_cast<float>(k) / kSteps;
            std::array<float, 2> p;
            for (int c = 0; c < 2; ++c) {
                const float a = at(i - 1)[c], b = at(i)[c], d = at(i + 1)[c], e = at(i + 2)[c];
                p[c] = 0.5f * (2 * b + (d - a) * t + (2 * a - 5 * b + 4 * d - e) * t * t +
                               (3 * b - a - 3 * d + e) * t * t * t);
            }
            result.push_back(p);
        }
    return result;
}

void addStrokes(const Drawing& drawing, float x, std::vector<StrokeSegment>& segments)
{
    const char* at = drawing.strokes;
    while (*at != '\0') {
        const bool smooth = *at == '~';
        if (smooth)
            ++at;
        Points points;
        while (*at != ';' && *at != '\0') {
            char* end;
            const float px = std::strtof(at, &end);
            const float py = std::strtof(end, &end);
            points.push_back({px, py});
            at = end;
        }
        if (*at == ';')
            ++at;
        if (smooth)
            points = smoothed(points);
        for (std::size_t i = 0; i + 1 < points.size(); ++i)
            segments.push_back({x + points[i][0] / kCapital, points[i][1] / kCapital,
                                x + points[i + 1][0] / kCapital, points[i + 1][1] / kCapital});
    }
}

} // namespace

std::vector<StrokeSegment> strokesOf(std::string_view text)
{
    std::vector<StrokeSegment> segments;
    float x = 0;
    eachCharacter(text, [&](std::uint32_t character) {
        const Drawing& drawing = drawingOf(character);
        addStrokes(drawing, x, segments);
        x += (drawing.width + kGap) / kCapital;
    });
    return segments;
}

float textWidth(std::string_view text)
{
    float x = 0;
    eachCharacter(text, [&](std::uint32_t character) {
        x += (drawingOf(character).width + kGap) / kCapital;
    });
    return x > 0 ? x - kGap / kCapital : 0;
}

} // namespace floe::render
