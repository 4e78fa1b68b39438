#pragma once

#include "floe/sdk/sampling.hpp"

#include <muParser.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// What formulas that users write have in common, wherever they stand: the functions, what is
/// refused before muParser (2.3 or later, libmuparser-dev) reads it, and its reasons.
namespace floe::sdk::formula {

inline constexpr std::size_t kMaxLength = 4096; ///< characters
inline constexpr int kMaxDepth = 64;            ///< of parentheses

inline double fract(double x)
{
    return x - std::floor(x);
}
inline double modulo(double a, double b)
{
    return a - b * std::floor(a / b); // with the sign of b: periodic below zero too
}
inline double signOf(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}
inline double radians(double x)
{
    return x * std::numbers::pi / 180;
}
inline double degrees(double x)
{
    return x * 180 / std::numbers::pi;
}
inline double clampTo(double x, double low, double high)
{
    return std::min(std::max(x, low), high);
}
inline double lerp(double a, double b, double t)
{
    return a + (b - a) * t;
}
inline double stepAt(double edge, double x)
{
    return x < edge ? 0 : 1;
}
inline double smoothstep(double low, double high, double x)
{
    const double t = low == high ? stepAt(low, x) : clampTo((x - low) / (high - low), 0, 1);
    return t * t * (3 - 2 * t);
}
inline double least(const double* x, int count)
{
    return *std::min_element(x, x + count);
}
inline double greatest(const double* x, int count)
{
    return *std::max_element(x, x + count);
}
inline double lengthOf(const double* x, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += x[i] * x[i];
    return std::sqrt(sum);
}
/// noise(x[, y[, z]])
template <auto noise>
double noiseOf(const double* x, int count)
{
    if (count > 3)
        throw mu::ParserError("noise takes one to three numbers");
    return noise(x[0], count > 1 ? x[1] : 0, count > 2 ? x[2] : 0);
}

/// The functions by name. Angles are in radians.
/// @tparam noise   double (double x, double y, double z): smooth, about -1 to 1
/// @tparam random  double (double n): from 0 to 1, the same for the same n
template <auto noise, auto random>
struct Functions {
    using F1 = double (*)(double);
    using F2 = double (*)(double, double);
    using F3 = double (*)(double, double, double);
    using FN = double (*)(const double*, int);
    template <typename F, std::size_t n>
    using Table = std::array<std::pair<const char*, F>, n>;

    static constexpr Table<F1, 24> unary{
        {{"sin", std::sin},     {"cos", std::cos},     {"tan", std::tan},     {"asin", std::asin},
         {"acos", std::acos},   {"atan", std::atan},   {"sinh", std::sinh},   {"cosh", std::cosh},
         {"tanh", std::tanh},   {"sqrt", std::sqrt},   {"exp", std::exp},     {"log", std::log},
         {"log2", std::log2},   {"log10", std::log10}, {"abs", std::fabs},    {"sign", signOf},
         {"floor", std::floor}, {"ceil", std::ceil},   {"round", std::round}, {"trunc", std::trunc},
         {"fract", fract},      {"radians", radians},  {"degrees", degrees},  {"rand", random}}};
    static constexpr Table<F2, 4> binary{
        {{"atan2", std::atan2}, {"pow", std::pow}, {"mod", modulo}, {"step", stepAt}}};
    static constexpr Table<F3, 3> ternary{
        {{"clamp", clampTo}, {"lerp", lerp}, {"smoothstep", smoothstep}}};
    static constexpr Table<FN, 4> variadic{
        {{"min", least}, {"max", greatest}, {"noise", noiseOf<noise>}, {"length", lengthOf}}};

    /// Calls visit(name, function) for each.
    template <typename Visit>
    static void forEach(Visit visit)
    {
        const auto all = [&visit](const auto& table) {
            for (const auto& [name, function] : table)
                visit(name, function);
        };
        all(unary);
        all(binary);
        all(ternary);
        all(variadic);
    }

    static bool has(std::string_view name)
    {
        bool found = false;
        forEach([&](const char* known, auto) { found = found || name == known; });
        return found;
    }

    /// Makes these the parser's only functions, and takes its constants away.
    static void define(mu::Parser& parser)
    {
        parser.ClearFun();
        parser.ClearConst();
        forEach([&parser](const char* name, auto function) { parser.DefineFun(name, function); });
    }
};

inline double gradientNoiseOf(double x, double y, double z)
{
    return gradientNoise(x, y, z, 0);
}
inline double randomOf(double n)
{
    return RandomSequence(std::bit_cast<uint64_t>(n + 0.0)).uniform(); // -0 as 0
}
/// Those of nodes, with the noise and the random numbers of sampling.hpp.
using NodeFunctions = Functions<gradientNoiseOf, randomOf>;

/// Why a text is not given to muParser, which would take it for something else.
struct Fault {
    enum class Kind { tooLong, unexpected, assigns, tooDeep } kind;
    char character = ' '; ///< the unexpected one

    /// The fault as a verb phrase: "is longer than 4096 characters".
    std::string text() const
    {
        switch (kind) {
        case Kind::tooLong:
            return "is longer than " + std::to_string(kMaxLength) + " characters";
        case Kind::unexpected:
            return std::string("has the unexpected character '") + character + "'";
        case Kind::assigns:
            return "assigns a value with '='; compare with '=='";
        case Kind::tooDeep:
            break;
        }
        return "is nested deeper than " + std::to_string(kMaxDepth) + " parentheses";
    }
};

/// Finds quotes, assignments, deep nesting and whatever else a formula has no use for.
inline std::optional<Fault> faultOf(std::string_view text)
{
    if (text.size() > kMaxLength)
        return Fault{Fault::Kind::tooLong};
    const auto isAt = [text](std::size_t at, std::string_view any) {
        return at < text.size() && any.find(text[at]) != std::string_view::npos;
    };
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && !isAt(i, "_.,()+-*/^<>=!&|?: \t\n"))
            return Fault{Fault::Kind::unexpected, c};
        if (c == '=' && !isAt(i + 1, "=") && !(i > 0 && isAt(i - 1, "=<>!")))
            return Fault{Fault::Kind::assigns};
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (depth > kMaxDepth)
            return Fault{Fault::Kind::tooDeep};
    }
    return {};
}

/// The text with tabs and line ends as spaces: what muParser reads.
inline std::string onOneLine(std::string text)
{
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n'; }, ' ');
    return text;
}

/// muParser's message without its final stop.
inline std::string reasonOf(const mu::ParserError& error)
{
    std::string reason = error.GetMsg();
    while (!reason.empty() && (reason.back() == '.' || reason.back() == '\n'))
        reason.pop_back();
    return reason;
}

} // namespace floe::sdk::formula
