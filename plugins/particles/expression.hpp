#pragma once

#include "floe/sdk/floe.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace floe::particles {

/// What a name in an expression stands for: one number, an entry of an array for each particle, or
/// the particle's index.
struct Variable {
    const void* data = nullptr; ///< null: `constant`, or the index
    floe_element element = FLOE_FLOAT32;
    uint32_t components = 1; ///< entries of a particle: particle i has its at i * components
    uint32_t component = 0;
    bool isIndex = false;
    double constant = 0;
};

/// A formula over variables, parsed by muParser, with the operators and functions that expressions
/// of parameters have. Several results are separated by commas.
///
/// Text of any origin is safe: it is at most 4096 characters and 64 parentheses deep, cannot
/// assign, and cannot loop.
class Expression {
public:
    /// Finds a variable by name; empty: there is none.
    using Names = std::function<std::optional<Variable>(const std::string& name)>;

    /// @param known   for the message about an unknown name: the names that there are
    /// @throws Failure  it cannot be read, or uses an unknown name
    Expression(const std::string& text, const Names& names, const std::string& known);

    uint32_t resultCount() const { return results_; }

    /// Evaluates for the particles [begin, end). Thread-safe; each call parses anew, so give it
    /// some thousand particles. Numbers that do not exist (0/0) come out as NaN or infinity.
    /// @param results  resultCount() for each particle
    void evaluate(uint64_t begin, uint64_t end, std::span<double> results) const;

private:
    class Parser;

    std::string text_;
    std::vector<std::pair<std::string, Variable>> variables_; ///< that the text uses
    uint32_t results_ = 1;
};

} // namespace floe::particles
