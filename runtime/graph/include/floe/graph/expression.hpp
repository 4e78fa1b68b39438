#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace floe::graph {

/// A compiled arithmetic expression.
///
/// Numbers, + - * / ^, comparisons, && || !, `condition ? a : b`; the variables frame, time [s],
/// fps, pi; other parameters as `node.parameter` and, of vectors, `node.parameter.x` (.y, .z).
/// Functions (angles in radians): sin cos tan asin acos atan atan2 sinh cosh tanh, sqrt exp log
/// log2 log10 pow, abs sign floor ceil round trunc fract mod, min max length (of any number),
/// radians degrees, clamp(x, low, high), lerp(a, b, t), step(edge, x), smoothstep(low, high, x),
/// noise(x[, y[, z]]) (gradient noise, about -1 to 1, Perlin 2002), rand(n) (the same number from 0
/// to 1 for the same n, on every machine).
class Expression {
public:
    /// @throws GraphError (without a place) with the cause and, if possible, the intended name
    explicit Expression(std::string_view text);
    ~Expression();
    Expression(Expression&&) noexcept;
    Expression& operator=(Expression&&) noexcept;

    const std::string& text() const { return text_; }

    /// Other parameters that it uses, as written ("ball.center.x"), each once.
    const std::vector<std::string>& references() const { return references_; }

    /// Returns true when it uses frame or time directly.
    bool usesTime() const { return usesTime_; }

    /// Evaluates it. Thread-safe. @param values of references(), in that order
    /// @return may be infinite or NaN
    double evaluate(double frame, double time, double fps, std::span<const double> values) const;

private:
    struct Parser;
    std::string text_;
    std::vector<std::string> references_;
    bool usesTime_ = false;
    std::unique_ptr<Parser> parser_;
};

/// Renames the references of an expression: replaces each ("ball.r") by the result of `rename`. In
/// an invalid expression, renames what can be recognised.
std::string
renameReferences(std::string_view expression,
                 const std::function<std::string(const std::string& reference)>& rename);

} // namespace floe::graph
