#include "animation.hpp"

#include "floe/base/error.hpp"

#include "floe/graph/text.hpp"

#include <algorithm>
#include <cmath>

namespace floe::graph {

double interpolate(std::span<const Key> keys, double frame)
{
    const auto next = std::upper_bound(keys.begin(), keys.end(), frame,
                                       [](double f, const Key& key) { return f < key.frame; });
    if (next == keys.begin())
        return keys.front().value;
    const Key& a = *(next - 1);
    if (next == keys.end() || a.interpolation == Key::Interpolation::Step)
        return a.value;
    const Key& b = *next;
    const double span = b.frame - a.frame;
    const double x = (frame - a.frame) / span;
    if (a.interpolation == Key::Interpolation::Linear)
        return std::lerp(a.value, b.value, x);

    // A cubic Bezier curve in (frame, value). Handles stay inside the segment, so that time
    // increases with the curve's parameter t and bisection finds the t of this frame.
    const double x1 = std::clamp(a.outFrames / span, 0.0, 1.0);
    const double x2 = std::clamp(1 + b.inFrames / span, 0.0, 1.0);
    const auto cubic = [](double p1, double p2, double p3, double t) {
        const double u = 1 - t;
        return 3 * u * u * t * p1 + 3 * u * t * t * p2 + t * t * t * p3;
    };
    double low = 0, high = 1;
    for (int i = 0; i < 52; ++i) { // every bit of a double's fraction
        const double middle = 0.5 * (low + high);
        (cubic(x1, x2, 1, middle) < x ? low : high) = middle;
    }
    const double t = 0.5 * (low + high);
    const double rise = b.value - a.value;
    return a.value + cubic(a.outValue, rise + b.inValue, rise, t);
}

namespace {

bool isNumeric(ValueType type)
{
    return type == ValueType::Float || type == ValueType::Int;
}

bool isTriple(ValueType type)
{
    return type == ValueType::Vector || type == ValueType::Colour;
}

TranslatableText rangeOf(const ParameterSpec& spec)
{
    const auto withUnit = [&](double value) {
        return TranslatableText::verbatim(number(value) +
                                          (spec.unit.empty() ? "" : " " + spec.unit));
    };
    if (spec.min && spec.max)
        return TranslatableText::of("must be between {low} and {high}", *spec.min,
                                    withUnit(*spec.max));
    if (spec.min)
        return TranslatableText::of("must be at least {low}", withUnit(*spec.min));
    return TranslatableText::of("must be at most {high}", withUnit(*spec.max));
}

bool inRange(const ParameterSpec& spec, double value)
{
    return std::isfinite(value) && !(spec.min && value < *spec.min) &&
           !(spec.max && value > *spec.max);
}

TranslatableText placeOf(const std::string& field)
{
    return TranslatableText::of("parameter '{name}'", field);
}

/// Checks range and integers. @param key counted from 1; 0: the value is a constant
bool checkNumber(const ParameterSpec& spec, double value, const std::string& field, std::size_t key,
                 const FaultSink& sink)
{
    const auto is = [&] {
        return key == 0 ? TranslatableText::of("parameter '{name}' is {value}", field, value)
                        : within(placeOf(field),
                                 TranslatableText::of("key {key} is {value}", key, value));
    };
    constexpr double kLargestWhole = 9007199254740992.0; // 2^53: beyond, doubles skip integers
    if (!std::isfinite(value)) {
        sink.add("not-finite", field,
                 key == 0 ? TranslatableText::of("parameter '{name}' is not a finite number", field)
                          : within(placeOf(field),
                                   TranslatableText::of("key {key} is not a finite number", key)));
        return false;
    }
    if (spec.type == ValueType::Int &&
        (value != std::floor(value) || std::abs(value) > kLargestWhole)) {
        sink.add("wrong-type", field, is(), TranslatableText::of("must be a whole number"));
        return false;
    }
    if (!inRange(spec, value)) {
        sink.add("out-of-range", field, is(), rangeOf(spec));
        return false;
    }
    return true;
}

TranslatableText mustBe(ValueType type)
{
    switch (type) {
    case ValueType::Float:
        return TranslatableText::of("must be a number");
    case ValueType::Int:
        return TranslatableText::of("must be a whole number");
    case ValueType::Bool:
        return TranslatableText::of("must be true or false");
    case ValueType::Vector:
        return TranslatableText::of("must be three numbers");
    case ValueType::Colour:
        return TranslatableText::of("must be three numbers (linear red, green, blue)");
    default:
        return TranslatableText::of("must be a text");
    }
}

/// Reads {"keys": [...]}: one key after another, checks order and shape.
class KeyReader {
public:
    KeyReader(const ParameterSpec& spec, const std::string& field, std::size_t width,
              const FaultSink& sink)
        : spec_(spec), field_(field), width_(width), sink_(sink)
    {}

    /// @return false after any fault
    bool read(const Json& list, CompiledParameter& into, std::size_t firstChannel)
    {
        if (!list.is_array() || list.empty()) {
            sink_.add(
                "bad-keys", field_, TranslatableText::of("parameter '{name}' has no keys", field_),
                TranslatableText::of("\"keys\" must be an array of [frame, value, \"linear\"]"));
            return false;
        }
        bool good = true;
        double last = -INFINITY;
        for (std::size_t i = 0; i < list.size(); ++i) {
            const Json& key = list[i];
            which_ = i + 1;
            if (!key.is_array() || key.size() < 2 || key.size() > 5 || !key[0].is_number()) {
                good = fail(TranslatableText::of("key {key} is malformed", which_),
                            TranslatableText::of(
                                "must be [frame, value, \"step\", \"linear\" or \"bezier\"]"));
                continue;
            }
            const double frame = key[0].get<double>();
            if (!(frame > last))
                good = fail(TranslatableText::of(
                                "key {key} is at frame {frame}, not after the one before it",
                                which_, frame),
                            TranslatableText::of("keys must be in order of frames"));
            last = frame;
            good = one(key, frame, into, firstChannel) && good;
        }
        return good;
    }

private:
    bool fail(const TranslatableText& cause, const TranslatableText& cure)
    {
        sink_.add("bad-keys", field_, within(placeOf(field_), cause), cure);
        return false;
    }

    bool one(const Json& key, double frame, CompiledParameter& into, std::size_t firstChannel)
    {
        const std::vector<std::string> kModes = {"step", "linear", "bezier"};
        const bool blends = isNumeric(spec_.type) || isTriple(spec_.type);
        std::size_t mode = blends ? 1 : 0;
        if (key.size() > 2) {
            const std::string text = key[2].is_string() ? key[2].get<std::string>() : "";
            mode = static_cast<std::size_t>(std::find(kModes.begin(), kModes.end(), text) -
                                            kModes.begin());
            if (mode == kModes.size())
                return fail(text.empty()
                                ? TranslatableText::of("key {key} has the interpolation {kind}",
                                                       which_, kindOf(key[2]))
                                : TranslatableText::of("key {key} has the interpolation '{name}'",
                                                       which_, text),
                            didYouMean(text, kModes,
                                       TranslatableText::of("must be step, linear or bezier")));
        }
        if (!blends) {
            if (mode != 0)
                return fail(TranslatableText::of("key {key} blends", which_),
                            TranslatableText::of("values of type {type} can only \"step\"",
                                                 name(spec_.type)));
            const auto value = readConstant(spec_, key[1], field_, sink_);
            if (value)
                into.steps.push_back({frame, *value});
            return value.has_value();
        }
        if (key.size() > 3 && mode != 2)
            return fail(TranslatableText::of("key {key} has handles", which_),
                        TranslatableText::of("only bezier keys have them"));
        double values[3] = {}, in[4] = {}, out[4] = {};
        if (!numbers(key[1], values))
            return fail(
                TranslatableText::of("key {key} has the value {kind}", which_, kindOf(key[1])),
                mustBe(spec_.type));
        if ((key.size() > 3 && !handle(key[3], in)) || (key.size() > 4 && !handle(key[4], out)))
            return fail(TranslatableText::of("key {key} has a malformed handle", which_),
                        TranslatableText::of("handles must be [frames, value]"));
        if (in[0] > 0 || out[0] < 0)
            return fail(TranslatableText::of("key {key} has a handle on the wrong side", which_),
                        TranslatableText::of(
                            "the first handle must point back and the second forward in time"));
        bool good = true;
        for (std::size_t c = 0; c < width_; ++c) {
            good = checkNumber(spec_, values[c], field_, which_, sink_) && good;
            into.channels[firstChannel + c].keys.push_back({frame, values[c],
                                                            static_cast<Key::Interpolation>(mode),
                                                            in[0], in[1 + c], out[0], out[1 + c]});
        }
        return good;
    }

    bool numbers(const Json& value, double* result) const
    {
        if (width_ == 1 && value.is_number()) {
            result[0] = value.get<double>();
            return true;
        }
        if (width_ == 1 || !value.is_array() || value.size() != width_)
            return false;
        for (std::size_t c = 0; c < width_; ++c) {
            if (!value[c].is_number())
                return false;
            result[c] = value[c].get<double>();
        }
        return true;
    }

    bool handle(const Json& value, double* result) const
    {
        if (!value.is_array() || value.size() != 2 || !value[0].is_number())
            return false;
        result[0] = value[0].get<double>();
        if (value[1].is_number()) { // one offset for every component
            std::fill_n(result + 1, width_, value[1].get<double>());
            return true;
        }
        return numbers(value[1], result + 1);
    }

    const ParameterSpec& spec_;
    const std::string& field_;
    std::size_t width_;
    const FaultSink& sink_;
    std::size_t which_ = 0; ///< key being read, from 1
};

/// Default handles: flat, a third of the way to the neighbour (ease in and out).
void completeHandles(const Json& list, std::span<Key> keys)
{
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (list[i].size() <= 4 && i + 1 < keys.size())
            keys[i].outFrames = (keys[i + 1].frame - keys[i].frame) / 3;
        if (list[i].size() <= 3 && i > 0)
            keys[i].inFrames = -(keys[i].frame - keys[i - 1].frame) / 3;
    }
}

/// Reads {"keys": ..} or {"expr": ..} into the channels from firstChannel on.
bool readAnimation(const ParameterSpec& spec, const Json& value, const std::string& field,
                   std::size_t firstChannel, std::size_t width, const FaultSink& sink,
                   CompiledParameter& into)
{
    const auto keys = value.find("keys");
    const auto expression = value.find("expr");
    if (value.size() != 1 || (keys == value.end() && expression == value.end())) {
        sink.add("wrong-type", field,
                 TranslatableText::of("parameter '{name}' is an unknown object", field),
                 TranslatableText::of("{constant}, {\"keys\": [...]} or {\"expr\": \"...\"}",
                                      mustBe(spec.type)));
        return false;
    }
    if (!spec.animatable) {
        sink.add("not-animatable", field,
                 TranslatableText::of("parameter '{name}' cannot change over time", field),
                 TranslatableText::of("must be a constant"));
        return false;
    }
    if (keys != value.end()) {
        if (!KeyReader(spec, field, width, sink).read(*keys, into, firstChannel))
            return false;
        for (std::size_t c = 0; c < width && into.steps.empty(); ++c)
            completeHandles(*keys, into.channels[firstChannel + c].keys);
        into.usesTime = into.usesTime || keys->size() > 1;
        return true;
    }
    const bool numeric =
        isNumeric(spec.type) || isTriple(spec.type) || spec.type == ValueType::Bool;
    if (!expression->is_string() || !numeric || width != 1) {
        sink.add("bad-expression", field,
                 expression->is_string()
                     ? TranslatableText::of("parameter '{name}' cannot be one expression", field)
                     : TranslatableText::of(
                           "parameter '{name}' has an expression that is not a text", field),
                 width != 1 ? TranslatableText::of(
                                  "give each component its own: [{\"expr\": \"...\"}, 0, 0]")
                            : mustBe(spec.type));
        return false;
    }
    try {
        Channel& channel = into.channels[firstChannel];
        channel.expression = std::make_shared<Expression>(expression->get<std::string>());
        channel.firstReference = into.references.size();
        const auto& references = channel.expression->references();
        into.references.insert(into.references.end(), references.begin(), references.end());
        into.usesTime = into.usesTime || channel.expression->usesTime();
    } catch (const GraphError& error) {
        sink.add("bad-expression", field, within(placeOf(field), causeOf(error)), cureOf(error));
        return false;
    }
    return true;
}

} // namespace

/// Whether a name of a file, put behind a folder, lies within it.
static bool staysInside(const std::string& name)
{
    const std::filesystem::path path = std::filesystem::path(name).lexically_normal();
    return !name.empty() && name.find('\0') == std::string::npos && path.is_relative() &&
           *path.begin() != ".." && path.has_filename();
}

std::optional<ParameterValue> readConstant(const ParameterSpec& spec, const Json& value,
                                           const std::string& field, const FaultSink& sink)
{
    const auto wrong = [&]() -> std::optional<ParameterValue> {
        sink.add("wrong-type", field,
                 TranslatableText::of("parameter '{name}' is {kind}", field, kindOf(value)),
                 mustBe(spec.type));
        return std::nullopt;
    };
    switch (spec.type) {
    case ValueType::Float:
    case ValueType::Int: {
        if (!value.is_number())
            return wrong();
        const double v = value.get<double>();
        if (!checkNumber(spec, v, field, 0, sink))
            return std::nullopt;
        return spec.type == ValueType::Float ? ParameterValue(v)
                                             : ParameterValue(static_cast<std::int64_t>(v));
    }
    case ValueType::Bool:
        return value.is_boolean() ? std::optional<ParameterValue>(value.get<bool>()) : wrong();
    case ValueType::Vector:
    case ValueType::Colour: {
        if (!value.is_array() || value.size() != 3)
            return wrong();
        std::array<double, 3> result{};
        bool good = true;
        for (std::size_t i = 0; i < 3; ++i) {
            if (!value[i].is_number())
                return wrong();
            result[i] = value[i].get<double>();
            const std::string component = field + "." + "xyz"[i];
            good = checkNumber(spec, result[i], component, 0, sink) && good;
        }
        return good ? std::optional<ParameterValue>(result) : std::nullopt;
    }
    case ValueType::String:
    case ValueType::Path:
    case ValueType::Choice: {
        if (!value.is_string())
            return wrong();
        std::string text = value.get<std::string>();
        if (spec.type == ValueType::Path && text.find('\0') != std::string::npos) {
            sink.add("wrong-type", field,
                     TranslatableText::of("parameter '{name}' holds a zero character", field));
            return std::nullopt;
        }
        if (spec.type == ValueType::String && spec.widget == "output" && !staysInside(text)) {
            sink.add("wrong-type", field,
                     TranslatableText::of("parameter '{name}' is '{value}'", field, text),
                     TranslatableText::of("must be a name within the output folder, such as "
                                          "particles/snow.%04d.vdb"));
            return std::nullopt;
        }
        if (spec.type == ValueType::Choice) {
            std::vector<std::string> known;
            for (const Choice& choice : spec.choices)
                known.push_back(choice.value);
            if (std::find(known.begin(), known.end(), text) == known.end()) {
                sink.add("unknown-choice", field,
                         TranslatableText::of("parameter '{name}' is '{value}'", field, text),
                         didYouMean(text, known,
                                    TranslatableText::of("must be {values}", alternatives(known))));
                return std::nullopt;
            }
        }
        return text;
    }
    }
    return wrong();
}

std::shared_ptr<const CompiledParameter> compileParameter(const ParameterSpec& spec,
                                                          const Json& value, const FaultSink& sink)
{
    auto result = std::make_shared<CompiledParameter>();
    const bool mixed = isTriple(spec.type) && value.is_array() && value.size() == 3 &&
                       std::any_of(value.begin(), value.end(),
                                   [](const Json& entry) { return entry.is_object(); });
    if (!value.is_object() && !mixed) {
        auto constant = readConstant(spec, value, spec.name, sink);
        if (!constant)
            return nullptr;
        result->constant = std::move(*constant);
        return result;
    }
    result->channels.resize(isTriple(spec.type) ? 3 : 1);
    bool good = true;
    if (!mixed) {
        good = readAnimation(spec, value, spec.name, 0, result->channels.size(), sink, *result);
        if (!result->steps.empty())
            result->channels.clear();
        return good ? result : nullptr;
    }
    ParameterSpec component = spec;
    component.type = ValueType::Float;
    for (std::size_t i = 0; i < 3; ++i) {
        const std::string field = spec.name + "." + "xyz"[i];
        if (value[i].is_object()) {
            good = readAnimation(component, value[i], field, i, 1, sink, *result) && good;
        } else if (const auto constant = readConstant(component, value[i], field, sink)) {
            result->channels[i].constant = std::get<double>(*constant);
        } else {
            good = false;
        }
    }
    return good ? result : nullptr;
}

ParameterValue evaluateCompiled(const CompiledParameter& parameter, const ParameterSpec& spec,
                                double frame, double time, double fps,
                                std::span<const double> references)
{
    if (!parameter.steps.empty()) {
        const auto next =
            std::upper_bound(parameter.steps.begin(), parameter.steps.end(), frame,
                             [](double f, const ValueKey& key) { return f < key.frame; });
        return next == parameter.steps.begin() ? next->value : (next - 1)->value;
    }
    if (parameter.channels.empty())
        return parameter.constant;

    double values[3] = {};
    for (std::size_t c = 0; c < parameter.channels.size(); ++c) {
        const Channel& channel = parameter.channels[c];
        double& value = values[c];
        if (channel.expression) {
            const auto& expression = *channel.expression;
            value = expression.evaluate(
                frame, time, fps,
                references.subspan(channel.firstReference, expression.references().size()));
            if (!std::isfinite(value))
                throw WordedError(
                    {},
                    std::isnan(value)
                        ? TranslatableText::of(
                              "expression '{text}' gives no number (0/0, or a function "
                              "outside its domain)",
                              expression.text())
                        : TranslatableText::of(
                              "expression '{text}' gives infinity (a division by zero, or "
                              "an overflow)",
                              expression.text()),
                    TranslatableText::of("it must give a finite number"));
        } else if (!channel.keys.empty()) {
            value = interpolate(channel.keys, frame);
        } else {
            value = channel.constant;
        }
        if (spec.type == ValueType::Int)
            value = std::round(value);
        if (spec.type != ValueType::Bool && !inRange(spec, value))
            throw WordedError({}, TranslatableText::of("the value is {value}", value),
                              rangeOf(spec));
    }
    switch (spec.type) {
    case ValueType::Int:
        return static_cast<std::int64_t>(std::clamp(values[0], -9e15, 9e15));
    case ValueType::Bool:
        return values[0] != 0;
    case ValueType::Vector:
    case ValueType::Colour:
        return std::array<double, 3>{values[0], values[1], values[2]};
    default:
        return values[0];
    }
}

} // namespace floe::graph
