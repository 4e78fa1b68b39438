#include "expression.hpp"

#include "attributes.hpp"

#include "floe/sdk/formula.hpp"
#include "floe/sdk/node.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace floe::particles {

namespace {

using Functions = sdk::formula::NodeFunctions;

constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";

constexpr uint32_t kMaximumResults = 64;

[[noreturn]] void refuse(const std::string& text, const std::string& why)
{
    throw sdk::Failure("expression '" + text.substr(0, 200) + "' " + why, FLOE_BAD_ARGUMENT);
}

void checkCharacters(const std::string& text)
{
    if (const auto fault = sdk::formula::faultOf(text))
        refuse(text, fault->text());
    if (text.find_first_not_of(" \t\n") == std::string::npos)
        refuse(text, "is empty");
}

/// muParser takes an unknown function for a variable and complains about its parenthesis.
void checkFunctions(const std::string& text)
{
    for (std::size_t at = text.find('('); at != std::string::npos; at = text.find('(', at + 1)) {
        const std::size_t end = text.find_last_not_of(" \t\n", at == 0 ? 0 : at - 1) + 1;
        std::size_t begin = at == 0 ? 0 : end;
        while (begin > 0 && kNameCharacters.find(text[begin - 1]) != std::string_view::npos)
            --begin;
        const std::string name = at == 0 ? "" : text.substr(begin, end - begin);
        if (!name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
            !Functions::has(name))
            refuse(text, "uses the unknown function '" + name + "'");
    }
}

} // namespace

/// One thread's parser: muParser keeps its stack in it.
class Expression::Parser {
public:
    explicit Parser(const std::string& text)
    {
        parser_.DefineNameChars(std::string(kNameCharacters).c_str());
        Functions::define(parser_);
        parser_.SetExpr(sdk::formula::onOneLine(text));
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
        refuse(text, "cannot be read: " + sdk::formula::reasonOf(error));
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
        refuse(text_, "fails: " + sdk::formula::reasonOf(error));
    }
}

} // namespace floe::particles
