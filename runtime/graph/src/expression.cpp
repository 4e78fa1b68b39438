#include "floe/graph/expression.hpp"

#include "floe/graph/check.hpp"
#include "floe/graph/translatable_text.hpp"

#include "floe/graph/text.hpp"
#include "noise.hpp"

#include <muParser.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <mutex>
#include <numbers>
#include <utility>

namespace floe::graph {

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
    return gradientNoise(x[0], count > 1 ? x[1] : 0, count > 2 ? x[2] : 0);
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

constexpr const char* kVariables[] = {"frame", "time", "fps", "pi"};

std::vector<std::string> functionNames()
{
    std::vector<std::string> names;
    const auto append = [&names](const auto& table) {
        for (const auto& entry : table)
            names.emplace_back(entry.first);
    };
    append(kUnary);
    append(kBinary);
    append(kTernary);
    append(kVariadic);
    return names;
}

struct Word {
    std::size_t begin, end;
    bool called; ///< an opening parenthesis follows
};

/// Returns the names in an expression, including dots ("ball.center.x").
std::vector<Word> wordsOf(std::string_view text)
{
    const auto starts = [](char c) {
        return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
    };
    const auto goesOn = [&](char c) {
        return starts(c) || (c >= '0' && c <= '9');
    };
    std::vector<Word> words;
    for (std::size_t i = 0; i < text.size();) {
        if ((text[i] >= '0' && text[i] <= '9') || text[i] == '.') {
            // A number; the e of 1e5 is not a name.
            while (i < text.size() && ((text[i] >= '0' && text[i] <= '9') || text[i] == '.'))
                ++i;
            if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
                std::size_t j = i + 1;
                if (j < text.size() && (text[j] == '+' || text[j] == '-'))
                    ++j;
                if (j < text.size() && text[j] >= '0' && text[j] <= '9')
                    i = j;
            }
            while (i < text.size() && text[i] >= '0' && text[i] <= '9')
                ++i;
            continue;
        }
        if (!starts(text[i])) {
            ++i;
            continue;
        }
        const std::size_t begin = i;
        while (i < text.size() &&
               (goesOn(text[i]) || (text[i] == '.' && i + 1 < text.size() && starts(text[i + 1]))))
            ++i;
        std::size_t after = i;
        while (after < text.size() && text[after] == ' ')
            ++after;
        words.push_back({begin, i, after < text.size() && text[after] == '('});
    }
    return words;
}

[[noreturn]] void refuse(TranslatableText cause, TranslatableText cure = {})
{
    throw WordedError({}, std::move(cause), std::move(cure));
}

void checkCharacters(std::string_view text)
{
    constexpr int kDeepest = 64;
    if (text.size() > kMaxExpressionLength)
        refuse(TranslatableText::of("expression '{text}' is longer than {limit} characters", text,
                                    kMaxExpressionLength));
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool known =
            std::isalnum(static_cast<unsigned char>(c)) ||
            std::string_view("_.,()+-*/^<>=!&|?: \t\n").find(c) != std::string_view::npos;
        if (!known)
            refuse(TranslatableText::of(
                "expression '{text}' has the unexpected character '{character}'", text,
                std::string_view(&c, 1)));
        const auto near = [&](std::size_t at, const char* any) {
            return at < text.size() &&
                   std::string_view(any).find(text[at]) != std::string_view::npos;
        };
        if (c == '=' && !near(i + 1, "=") && !(i > 0 && near(i - 1, "=<>!")))
            refuse(TranslatableText::of("expression '{text}' assigns a value with '='", text),
                   TranslatableText::of("compare with '=='"));
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (depth > kDeepest)
            refuse(TranslatableText::of(
                "expression '{text}' is nested deeper than {limit} parentheses", text, kDeepest));
    }
}

} // namespace

struct Expression::Parser {
    mutable std::mutex mutex; ///< muParser keeps its stack and variables in the parser
    mu::Parser parser;
    double frame = 0, time = 0, fps = 24;
    std::vector<double> values;
};

Expression::Expression(std::string_view source) : text_(source), parser_(std::make_unique<Parser>())
{
    checkCharacters(source);
    const std::vector<std::string> functions = functionNames();
    const std::vector<std::string> variables(std::begin(kVariables), std::end(kVariables));

    // muParser gets plain names instead of references: "_r0" for "ball.radius".
    std::string translated;
    std::size_t done = 0;
    for (const Word& word : wordsOf(source)) {
        std::string text(source.substr(word.begin, word.end - word.begin));
        const auto isOneOf = [&text](const std::vector<std::string>& list) {
            return std::find(list.begin(), list.end(), text) != list.end();
        };
        if (word.called) {
            if (!isOneOf(functions))
                refuse(TranslatableText::of(
                           "expression '{text}' uses the unknown function '{name}'", source, text),
                       didYouMean(text, functions));
        } else if (text.find('.') != std::string::npos) {
            if (std::count(text.begin(), text.end(), '.') > 2)
                refuse(TranslatableText::of("expression '{text}' has the reference '{reference}'",
                                            source, text),
                       TranslatableText::of("references are node.parameter or node.parameter.x"));
            const auto known = std::find(references_.begin(), references_.end(), text);
            const auto index = known - references_.begin();
            if (known == references_.end())
                references_.push_back(text);
            text = "_r" + std::to_string(index);
        } else if (isOneOf(functions)) {
            refuse(TranslatableText::of(
                "expression '{text}' uses the function '{name}' without arguments", source, text));
        } else if (!isOneOf(variables)) {
            refuse(TranslatableText::of("expression '{text}' uses the unknown name '{name}'",
                                        source, text),
                   didYouMean(
                       text, variables,
                       TranslatableText::of("known are frame, time, fps, pi and references like "
                                            "node.parameter")));
        } else {
            usesTime_ = usesTime_ || text == "frame" || text == "time";
        }
        translated += source.substr(done, word.begin - done);
        translated += text;
        done = word.end;
    }
    translated += source.substr(done);
    for (char& c : translated)
        c = c == '\n' || c == '\t' ? ' ' : c;

    Parser& p = *parser_;
    p.values.resize(references_.size());
    try {
        p.parser.ClearFun();
        p.parser.ClearConst();
        for (const auto& [name, function] : kUnary)
            p.parser.DefineFun(name, function);
        for (const auto& [name, function] : kBinary)
            p.parser.DefineFun(name, function);
        for (const auto& [name, function] : kTernary)
            p.parser.DefineFun(name, function);
        for (const auto& [name, function] : kVariadic)
            p.parser.DefineFun(name, function);
        p.parser.DefineConst("pi", std::numbers::pi);
        p.parser.DefineVar("frame", &p.frame);
        p.parser.DefineVar("time", &p.time);
        p.parser.DefineVar("fps", &p.fps);
        for (std::size_t i = 0; i < p.values.size(); ++i)
            p.parser.DefineVar("_r" + std::to_string(i), &p.values[i]);
        p.parser.SetExpr(translated);
        int results = 0;
        p.parser.Eval(results); // builds the bytecode
        if (results != 1)
            refuse(
                TranslatableText::of("expression '{text}' gives {count} values", source, results),
                TranslatableText::of("it must give one"));
    } catch (const mu::ParserError& error) {
        std::string cause = error.GetMsg();
        while (!cause.empty() && (cause.back() == '.' || cause.back() == '\n'))
            cause.pop_back();
        refuse(TranslatableText::of("expression '{text}' cannot be read: {reason}", source,
                                    TranslatableText::verbatim(cause)));
    }
}

Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;

double Expression::evaluate(double frame, double time, double fps,
                            std::span<const double> values) const
{
    Parser& p = *parser_;
    const std::lock_guard lock(p.mutex);
    p.frame = frame;
    p.time = time;
    p.fps = fps;
    std::copy(values.begin(), values.end(), p.values.begin());
    try {
        return p.parser.Eval();
    } catch (const mu::ParserError& error) {
        refuse(TranslatableText::of("expression '{text}' fails: {reason}", text_,
                                    TranslatableText::verbatim(error.GetMsg())));
    }
}

std::string renameReferences(std::string_view expression,
                             const std::function<std::string(const std::string& reference)>& rename)
{
    std::string result;
    std::size_t done = 0;
    for (const Word& word : wordsOf(expression)) {
        const std::string text(expression.substr(word.begin, word.end - word.begin));
        if (word.called || text.find('.') == std::string::npos)
            continue;
        result += expression.substr(done, word.begin - done);
        result += rename(text);
        done = word.end;
    }
    return result + std::string(expression.substr(done));
}

} // namespace floe::graph
