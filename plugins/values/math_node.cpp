#include "nodes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>

namespace floe::values {

namespace {

/// A number, or a vector; a number stands for three equal components.
struct Operand {
    sdk::Vector parts{};
    bool isVector = false;
};

using Operands = std::array<Operand, 3>;

/// An operation on each component by itself.
struct Componentwise {
    const char* name;
    std::size_t operands; ///< how many it takes: a, then b, then c
    double (*apply)(double a, double b, double c);
};

// clang-format off
constexpr Componentwise kComponentwise[] = {
    {"add",         2, [](double a, double b, double) { return a + b; }},
    {"subtract",    2, [](double a, double b, double) { return a - b; }},
    {"multiply",    2, [](double a, double b, double) { return a * b; }},
    {"divide",      2, [](double a, double b, double) { return a / b; }},
    {"multiplyAdd", 3, [](double a, double b, double c) { return a * b + c; }},
    {"power",       2, [](double a, double b, double) { return std::pow(a, b); }},
    {"modulo",      2, [](double a, double b, double) { return a - b * std::floor(a / b); }},
    {"minimum",     2, [](double a, double b, double) { return std::min(a, b); }},
    {"maximum",     2, [](double a, double b, double) { return std::max(a, b); }},
    {"clamp",       3, [](double a, double b, double c) { return std::min(std::max(a, b), c); }},
    {"mix",         3, [](double a, double b, double c) { return a + (b - a) * c; }},
    {"greater",     2, [](double a, double b, double) { return a > b ? 1.0 : 0.0; }},
    {"less",        2, [](double a, double b, double) { return a < b ? 1.0 : 0.0; }},
    {"absolute",    1, [](double a, double, double) { return std::fabs(a); }},
    {"floor",       1, [](double a, double, double) { return std::floor(a); }},
    {"round",       1, [](double a, double, double) { return std::round(a); }},
    {"squareRoot",  1, [](double a, double, double) { return std::sqrt(a); }},
    {"sine",        1, [](double a, double, double) { return std::sin(a); }},
    {"cosine",      1, [](double a, double, double) { return std::cos(a); }}};
// clang-format on

double dot(const sdk::Vector& a, const sdk::Vector& b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Operand number(double value)
{
    return {{value, value, value}, false};
}

/// Reads input `name`, or the parameter of that name when nothing is linked.
Operand operandOf(const sdk::Context& context, const char* name)
{
    const double stored = context.number(name);
    const sdk::Value linked = context.input(name);
    if (!linked)
        return number(stored);
    if (linked.kind() == FLOE_KIND_VECTOR)
        return {linked.vector(), true};
    return number(linked.number());
}

Operand evaluate(const std::string& operation, const Operands& given)
{
    const auto& [a, b, c] = given;
    for (const Componentwise& known : kComponentwise)
        if (operation == known.name) {
            Operand result;
            for (std::size_t i = 0; i < known.operands; ++i)
                result.isVector = result.isVector || given[i].isVector;
            for (std::size_t i = 0; i < 3; ++i)
                result.parts[i] = known.apply(a.parts[i], b.parts[i], c.parts[i]);
            return result;
        }
    if (operation == "vector") // the first component of each, should one be a vector
        return {{a.parts[0], b.parts[0], c.parts[0]}, true};
    if (operation == "x" || operation == "y" || operation == "z")
        return number(a.parts[static_cast<std::size_t>(operation[0] - 'x')]);
    if (operation == "length")
        return number(a.isVector ? std::sqrt(dot(a.parts, a.parts)) : std::fabs(a.parts[0]));
    if (operation == "normalize") {
        const double length = std::sqrt(dot(a.parts, a.parts));
        Operand result{{}, true}; // a vector without direction stays zero
        if (length > 0)
            for (std::size_t i = 0; i < 3; ++i)
                result.parts[i] = a.parts[i] / length;
        return result;
    }
    if (operation == "dot")
        return number(dot(a.parts, b.parts));
    if (operation == "cross") {
        Operand result{{}, true};
        for (std::size_t i = 0; i < 3; ++i) {
            const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
            result.parts[i] = a.parts[j] * b.parts[k] - a.parts[k] * b.parts[j];
        }
        return result;
    }
    throw sdk::Failure("parameter 'operation' is '" + operation + "', which is no operation",
                       FLOE_BAD_ARGUMENT);
}

} // namespace

void MathNode::cook(sdk::Context& context)
{
    const std::string operation = context.string("operation");
    const Operand result = evaluate(
        operation, {operandOf(context, "a"), operandOf(context, "b"), operandOf(context, "c")});
    for (const double part : result.parts)
        if (!std::isfinite(part))
            throw sdk::Failure("'" + operation +
                                   "' has no finite result for these operands; divide by something "
                                   "other than 0, or clamp what is linked first",
                               FLOE_BAD_ARGUMENT);
    context.setOutput("result", result.isVector ? sdk::makeVector(result.parts)
                                                : sdk::makeNumber(result.parts[0]));
}

} // namespace floe::values
