#include "floe/graph/expression.hpp"

#include "floe/graph/check.hpp"
#include "floe/graph/translatable_text.hpp"

#include "floe/graph/text.hpp"
#include "noise.hpp"

#include "floe/sdk/formula.hpp"

#include <algorithm>
#include <cctype>
#include <mutex>
#include <numbers>
#include <optional>
#include <utility>

namespace floe::graph {

namespace {

namespace formula = sdk::formula;
using Functions = formula::Functions<gradientNoise, randomOf>;

constexpr const char* kVariables[] = {"frame", "time", "fps", "pi"};

std::vector<std::string> functionNames()
{
    std::vector<std::string> names;
    Functions::forEach([&names](const char* name, auto) { names.emplace_back(name); });
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
    const std::optional<formula::Fault> fault = formula::faultOf(text);
    if (!fault)
        return;
    using Kind = formula::Fault::Kind;
    switch (fault->kind) {
    case Kind::tooLong:
        refuse(TranslatableText::of("expression '{text}' is longer than {limit} characters", text,
                                    kMaxExpressionLength));
    case Kind::unexpected:
        refuse(
            TranslatableText::of("expression '{text}' has the unexpected character '{character}'",
                                 text, std::string_view(&fault->character, 1)));
    case Kind::assigns:
        refuse(TranslatableText::of("expression '{text}' assigns a value with '='", text),
               TranslatableText::of("compare with '=='"));
    case Kind::tooDeep:
        refuse(TranslatableText::of("expression '{text}' is nested deeper than {limit} parentheses",
                                    text, formula::kMaxDepth));
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

    Parser& p = *parser_;
    p.values.resize(references_.size());
    try {
        Functions::define(p.parser);
        p.parser.DefineConst("pi", std::numbers::pi);
        p.parser.DefineVar("frame", &p.frame);
        p.parser.DefineVar("time", &p.time);
        p.parser.DefineVar("fps", &p.fps);
        for (std::size_t i = 0; i < p.values.size(); ++i)
            p.parser.DefineVar("_r" + std::to_string(i), &p.values[i]);
        p.parser.SetExpr(formula::onOneLine(translated));
        int results = 0;
        p.parser.Eval(results); // builds the bytecode
        if (results != 1)
            refuse(
                TranslatableText::of("expression '{text}' gives {count} values", source, results),
                TranslatableText::of("it must give one"));
    } catch (const mu::ParserError& error) {
        refuse(TranslatableText::of("expression '{text}' cannot be read: {reason}", source,
                                    TranslatableText::verbatim(formula::reasonOf(error))));
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
                                    TranslatableText::verbatim(formula::reasonOf(error))));
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
