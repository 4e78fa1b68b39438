#include "formula.hpp"

#include "floe/sdk/sampling.hpp"

#include <muParser.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

namespace floe::fields {

namespace {

// The functions of the graph's expressions; formula_test.cpp compares the two. noise and rand give
// other numbers.

double fract(double x)
{
    return x - std::floor(x);
}
double modulo(double a, double b)
{
    return a - b * std::floor(a / b); // with the sign of b
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
double randomOf(double n)
{
    return sdk::RandomSequence(std::bit_cast<uint64_t>(n + 0.0)).uniform(); // -0 as 0
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
    {"min", least}, {"max", greatest}, {"noise", noiseOf}};

constexpr std::size_t kMaximumLength = 4096; // characters

[[noreturn]] void refuse(const Formulas::Text& text, const std::string& why)
{
    constexpr std::size_t kShown = 80;
    const std::string shown =
        text.formula.size() <= kShown ? text.formula : text.formula.substr(0, kShown) + "...";
    throw sdk::Failure("parameter '" + text.parameter + "' is the formula '" + shown + "', " + why,
                       FLOE_BAD_ARGUMENT);
}

/// Refuses what muParser would take for something else: text, assignments, deep nesting.
void checkCharacters(const Formulas::Text& text)
{
    constexpr int kDeepest = 64; // parentheses
    const std::string& formula = text.formula;
    if (formula.find_first_not_of(" \t\n") == std::string::npos)
        refuse(text, "which is empty; write 0 for none");
    if (formula.size() > kMaximumLength)
        refuse(text, "which is longer than " + std::to_string(kMaximumLength) + " characters");
    int depth = 0;
    for (std::size_t i = 0; i < formula.size(); ++i) {
        const char c = formula[i];
        if (!std::isalnum(static_cast<unsigned char>(c)) &&
            std::string_view("_.,()+-*/^<>=!&|?: \t\n").find(c) == std::string_view::npos)
            refuse(text, std::string("which has the unexpected character '") + c + "'");
        const char next = i + 1 < formula.size() ? formula[i + 1] : ' ';
        const char before = i > 0 ? formula[i - 1] : ' ';
        if (c == '=' && next != '=' && std::string_view("=<>!").find(before) == std::string::npos)
            refuse(text, "which assigns a value with '='; compare with '=='");
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (depth > kDeepest)
            refuse(text,
                   "which is nested deeper than " + std::to_string(kDeepest) + " parentheses");
    }
}

/// One parser for each formula, which all read the same variables.
class MuEvaluator final : public Formulas::Evaluator {
public:
    MuEvaluator(const std::vector<Formulas::Text>& texts, const Constants& constants,
                Formulas::Velocity velocity)
        : parsers_(texts.size())
    {
        for (std::size_t i = 0; i < texts.size(); ++i)
            prepare(parsers_[i], texts[i], constants, velocity);
    }

    double value(std::size_t formula) override { return parsers_[formula].Eval(); }

private:
    void prepare(mu::Parser& parser, const Formulas::Text& text, const Constants& constants,
                 Formulas::Velocity velocity)
    {
        checkCharacters(text);
        std::string formula = text.formula;
        std::replace_if(
            formula.begin(), formula.end(), [](char c) { return c == '\t' || c == '\n'; }, ' ');
        std::string known = "x, y, z, t, a, b, c, d, pi";
        try {
            parser.ClearFun();
            parser.ClearConst();
            for (const auto& [name, function] : kUnary)
                parser.DefineFun(name, function);
            for (const auto& [name, function] : kBinary)
                parser.DefineFun(name, function);
            for (const auto& [name, function] : kTernary)
                parser.DefineFun(name, function);
            for (const auto& [name, function] : kVariadic)
                parser.DefineFun(name, function);
            parser.DefineVar("x", &variables.x);
            parser.DefineVar("y", &variables.y);
            parser.DefineVar("z", &variables.z);
            parser.DefineVar("t", &variables.t);
            if (velocity == Formulas::Velocity::known) {
                parser.DefineVar("vx", &variables.vx);
                parser.DefineVar("vy", &variables.vy);
                parser.DefineVar("vz", &variables.vz);
                known = "x, y, z, t, vx, vy, vz, a, b, c, d, pi";
            }
            const char* const names[] = {"a", "b", "c", "d"};
            for (std::size_t n = 0; n < constants.size(); ++n)
                parser.DefineConst(names[n], constants[n]);
            parser.DefineConst("pi", std::numbers::pi);
            parser.SetExpr(formula);
            int results = 0;
            parser.Eval(results); // builds the bytecode
            if (results != 1)
                refuse(text, "which gives " + std::to_string(results) + " values instead of one");
        } catch (const mu::ParserError& error) {
            std::string why = error.GetMsg();
            while (!why.empty() && (why.back() == '.' || why.back() == '\n'))
                why.pop_back();
            why = "which cannot be read: " + why;
            if (error.GetCode() == mu::ecUNASSIGNABLE_TOKEN)
                why += "; known names are " + known + " and the functions of expressions";
            refuse(text, why);
        }
    }

    std::vector<mu::Parser> parsers_;
};

} // namespace

Formulas::Formulas(std::vector<Text> texts, const Constants& constants, Velocity velocity)
    : texts_(std::move(texts)), constants_(constants), velocity_(velocity)
{
    giveBack(take()); // finds what is wrong with them
}

Formulas::~Formulas() = default;

std::unique_ptr<Formulas::Evaluator> Formulas::take() const
{
    {
        const std::lock_guard lock(mutex_);
        if (!idle_.empty()) {
            auto evaluator = std::move(idle_.back());
            idle_.pop_back();
            return evaluator;
        }
    }
    return std::make_unique<MuEvaluator>(texts_, constants_, velocity_);
}

void Formulas::giveBack(std::unique_ptr<Evaluator> evaluator) const
{
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(evaluator));
}

Constants constantsOf(const sdk::Context& context)
{
    return {context.number("a"), context.number("b"), context.number("c"), context.number("d")};
}

} // namespace floe::fields
