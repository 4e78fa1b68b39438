#include "expression.hpp"

#include "attributes.hpp"

#include "floe/sdk/node.hpp"
#include "floe/sdk/sampling.hpp"

#include <muParser.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

namespace floe::particles {

namespace {

double fract(double x)
{
    return x - std::floor(x);
}
double modulo(double a, double b)
{
    return a - b * std::floor(a / b); // with the sign of b: periodic below zero too
}
double signOf(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}
double radians(double x)
{
    return x * std::numbers::pi / 180;
}
double degrees(double x)
{
    return x * 180 / std::numbers::pi;
}
double clampTo(double x, double low, double high)
{
    return std::min(std::max(x, low), high);
}
double lerp(double a, double b, double t)
{
    return a + (b - a) * t;
}
double stepAt(double edge, double x)
{
    return x < edge ? 0 : 1;
}
double smoothstep(double low, double high, double x)
{
    const double t = low == high ? stepAt(low, x) : clampTo((x - low) / (high - low), 0, 1);
    return t * t * (3 - 2 * t);
}
double randomOf(double n)
{
    return sdk::RandomSequence(std::bit_cast<uint64_t>(n + 0.0)).uniform(); // -0 is 0
}
double least(const double* x, int count)
{
    return *std::min_element(x, x + count);
}
double greatest(const double* x, int count)
{
    return *std::max_element(x, x + count);
}
double noiseOf(const double* x, int count)
{
    if (count > 3)
        throw mu::ParserError("noise takes one to three numbers");
    return sdk::gradientNoise(x[0], count > 1 ? x[1] : 0, count > 2 ? x[2] : 0, 0);
}
double lengthOf(const double* x, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += x[i] * x[i];
    return std::sqrt(sum);
}

using F1 = double (*)(double);
using F2 = double (*)(double, double);
using F3 = double (*)(double, double, double);
using FN = double (*)(const double*, int);

constexpr std::pair<const char*, F1> kUnary[] = {
    {"sin", std::sin},     {"cos", std::cos},     {"tan", std::tan},     {"asin", std::asin},
    {"acos", std::acos},   {"atan", std::atan},   {"sinh", std::sinh},   {"cosh", std::cosh},
    {"tanh", std::tanh},   {"sqrt", std::sqrt},   {"exp", std::exp},     {"log", std::log},
    {"log2", std::log2},   {"log10", std::log10}, {"abs", std::fabs},    {"sign", signOf},
    {"floor", std::floor}, {"ceil", std::ceil},   {"round", std::round}, {"trunc", std::trunc},
    {"fract", fract},      {"radians", radians},  {"degrees", degrees},  {"rand", randomOf}};
constexpr std::pair<const char*, F2> kBinary[] = {
    {"atan2", std::atan2}, {"pow", std::pow}, {"mod", modulo}, {"step", stepAt}};
constexpr std::pair<const char*, F3> kTernary[] = {
    {"clamp", clampTo}, {"lerp", lerp}, {"smoothstep", smoothstep}};
constexpr std::pair<const char*, FN> kVariadic[] = {
    {"min", least}, {"max", greatest}, {"noise", noiseOf}, {"length", lengthOf}};

constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";

constexpr uint32_t kMaximumResults = 64;

[[noreturn]] void refuse(const std::string& text, const std::string& why)
{
    throw sdk::Failure("expression '" + text.substr(0, 200) + "' " + why, FLOE_BAD_ARGUMENT);
}

void checkCharacters(const std::string& text)
{
    constexpr std::size_t kLongest = 4000;
    constexpr int kDeepest = 64;
    if (text.size() > kLongest)
        refuse(text, "is longer than " + std::to_string(kLongest) + " characters");
    if (text.find_first_not_of(" \t\n") == std::string::npos)
        refuse(text, "is empty");
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool known =
            std::isalnum(static_cast<unsigned char>(c)) ||
            std::string_view("_.,()+-*/^<>=!&|?: \t\n").find(c) != std::string_view::npos;
        if (!known)
            refuse(text, std::string("has the unexpected character '") + c + "'");
        const auto near = [&](std::size_t at, std::string_view any) {
            return at < text.size() && any.find(text[at]) != std::string_view::npos;
        };
        if (c == '=' && !near(i + 1, "=") && !(i > 0 && near(i - 1, "=<>!")))
            refuse(text, "assigns a value with '='; compare with '=='");
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (depth > kDeepest)
            refuse(text, "is nested deeper than " + std::to_string(kDeepest) + " parentheses");
    }
}

/// muParser takes an unknown function for a variable and complains about its parenthesis.
void checkFunctions(const std::string& text)
{
    const auto isKnown = [](const std::string& name) {
        const auto in = [&name](const auto& table) {
            return std::ranges::any_of(table,
                                       [&name](const auto& entry) { return name == entry.first; });
        };
        return in(kUnary) || in(kBinary) || in(kTernary) || in(kVariadic);
    };
    for (std::size_t at = text.find('('); at != std::string::npos; at = text.find('(', at + 1)) {
        const std::size_t end = text.find_last_not_of(" \t\n", at == 0 ? 0 : at - 1) + 1;
        std::size_t begin = at == 0 ? 0 : end;
        while (begin > 0 && kNameCharacters.find(text[begin - 1]) != std::string_view::npos)
            --begin;
        const std::string name = at == 0 ? "" : text.substr(begin, end - begin);
        if (!name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
            !isKnown(name))
            refuse(text, "uses the unknown function '" + name + "'");
    }
}

std::string reasonOf(const mu::ParserError& error)
{
    std::string reason = error.GetMsg();
    while (!reason.empty() && (reason.back() == '.' || reason.back() == '\n'))
        reason.pop_back();
    return reason;
}

} // namespace

/// One thread's parser: muParser keeps its stack in it.
class Expression::Parser {
public:
    explicit Parser(const std::string& text)
    {
        parser_.DefineNameChars(std::string(kNameCharacters).c_str());
        parser_.ClearFun();
        parser_.ClearConst();
        const auto define = [this](const auto& table) {
            for (const auto& [name, function] : table)
                parser_.DefineFun(name, function);
        };
        define(kUnary);
        define(kBinary);
        define(kTernary);
        define(kVariadic);
        std::string line = text;
        for (char& c : line)
            c = c == '\n' || c == '\t' ? ' ' : c;
        parser_.SetExpr(line);
    }
    std::vector<std::string> usedNames()
    {
        std::vector<std::string> names;
        for (const auto& [name, variable] : parser_.GetUsedVar())
            names.push_back(name);
        return names;
    }
    void bind(const std::string& name, double* value) { parser_.DefineVar(name, value); }
    const double* evaluate(int& count) { return parser_.Eval(count); }

private:
    mu::Parser parser_;
};

Expression::Expression(const std::string& text, const Names& names, const std::string& known)
    : text_(text)
{
    checkCharacters(text);
    checkFunctions(text);
    try {
        Parser parser(text);
        for (const std::string& name : parser.usedNames()) {
            const std::optional<Variable> variable = names(name);
            if (!variable)
                refuse(text, "uses the unknown name '" + name + "'; known are " + known);
            variables_.emplace_back(name, *variable);
        }
        double any = 1;
        for (const auto& [name, variable] : variables_)
            parser.bind(name, &any);
        int count = 0;
        parser.evaluate(count);
        results_ = static_cast<uint32_t>(count);
        if (results_ > kMaximumResults)
            refuse(text, "gives " + std::to_string(count) + " numbers; at most " +
                             std::to_string(kMaximumResults) + " fit into an attribute");
    } catch (const mu::ParserError& error) {
        refuse(text, "cannot be read: " + reasonOf(error));
    }
}

void Expression::evaluate(uint64_t begin, uint64_t end, std::span<double> results) const
{
    try {
        Parser parser(text_);
        std::vector<double> values(variables_.size());
        for (std::size_t i = 0; i < variables_.size(); ++i)
            parser.bind(variables_[i].first, &values[i]);
        for (uint64_t particle = begin; particle < end; ++particle) {
            for (std::size_t i = 0; i < variables_.size(); ++i) {
                const Variable& from = variables_[i].second;
                values[i] = from.data      ? numberAt(from.data, from.element,
                                                      particle * from.components + from.component)
                            : from.isIndex ? static_cast<double>(particle)
                                           : from.constant;
            }
            int count = 0;
            const double* found = parser.evaluate(count);
            std::copy(found, found + results_, results.begin() + (particle - begin) * results_);
        }
    } catch (const mu::ParserError& error) {
        refuse(text_, "fails: " + reasonOf(error));
    }
}

} // namespace floe::particles
