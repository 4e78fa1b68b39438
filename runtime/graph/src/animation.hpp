#pragma once

#include "object_reader.hpp"

#include "floe/graph/expression.hpp"
#include "floe/graph/node_type.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace floe::graph {

/// A keyframe of one number. Its interpolation holds until the next key.
struct Key {
    enum class Interpolation { Step, Linear, Bezier };
    double frame;
    double value;
    Interpolation interpolation;
    double inFrames, inValue;   ///< handle before the key, relative to it; inFrames <= 0
    double outFrames, outValue; ///< handle after the key; outFrames >= 0
};

/// Value of a key curve; before the first and after the last key it is constant. `keys` is not
/// empty and its frames increase.
double interpolate(std::span<const Key> keys, double frame);

/// One number of a parameter over time: keys, an expression, or a constant when it has neither.
struct Channel {
    double constant = 0;
    std::vector<Key> keys;
    std::shared_ptr<const Expression> expression;
    std::size_t firstReference = 0; ///< of the expression's, among the whole parameter's
};

/// A key of a value that cannot be interpolated: text, choices, booleans, paths.
struct ValueKey {
    double frame;
    ParameterValue value;
};

/// A stored parameter value, ready to be evaluated. Immutable; shared.
struct CompiledParameter {
    ParameterValue constant;       ///< without channels and steps
    std::vector<Channel> channels; ///< one, or three for vectors
    std::vector<ValueKey> steps;
    std::vector<std::string> references; ///< of all expressions, in channel order
    bool usesTime = false;               ///< directly; references may add to it

    bool isConstant() const { return channels.empty() && steps.empty(); }
};

/// Reads a constant. @param field name for messages: "radius", "center.y"
/// @return nothing when it is faulty; the faults are in the sink
std::optional<ParameterValue> readConstant(const ParameterSpec& spec, const Json& value,
                                           const std::string& field, const FaultSink& sink);

/// Reads a constant, keys or an expression. @return null when it is faulty
std::shared_ptr<const CompiledParameter> compileParameter(const ParameterSpec& spec,
                                                          const Json& value, const FaultSink& sink);

/// Evaluates a parameter. @param references values of CompiledParameter::references
/// @throws GraphError (without a place) no finite value, or out of the parameter's range
ParameterValue evaluateCompiled(const CompiledParameter& parameter, const ParameterSpec& spec,
                                double frame, double time, double fps,
                                std::span<const double> references);

} // namespace floe::graph
