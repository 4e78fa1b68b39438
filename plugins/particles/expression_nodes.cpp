#include "nodes.hpp"

#include "attributes.hpp"
#include "expression.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <mutex>
#include <numbers>
#include <string_view>

namespace floe::particles {

namespace {

constexpr uint64_t kBatch = 8192; // particles that one thread's parser evaluates

/// The names that an expression over particles may use.
class Names {
public:
    Names(const sdk::Context& context, const sdk::Value& particles)
        : attributes_(attributesOf(particles))
    {
        const double frame = context.frame(), fps = context.fps();
        constants_ = {{"frame", frame},
                      {"time", (frame - context.raw()->range_start) / fps},
                      {"fps", fps},
                      {"count", static_cast<double>(particles.particleCount())},
                      {"pi", std::numbers::pi}};
        for (const char* name : {"a", "b", "c"})
            if (const sdk::Value linked = context.input(name))
                addLinked(name, linked);
    }

    std::optional<Variable> find(const std::string& name) const
    {
        for (const auto& [known, value] : constants_)
            if (name == known)
                return Variable{.constant = value};
        if (name == "index")
            return Variable{.isIndex = true};
        if (name == "x" || name == "y" || name == "z")
            return component("x", 3, static_cast<uint32_t>(name[0] - 'x'));
        const std::size_t dot = name.find('.');
        const std::string own = name.substr(0, dot);
        for (const floe_attribute& attribute : attributes_)
            if (own == attribute.name) {
                const auto at =
                    dot == std::string::npos
                        ? (attribute.components == 1 ? std::optional<uint32_t>(0) : std::nullopt)
                        : componentNamed(name.substr(dot + 1), attribute.components);
                if (!at)
                    return {};
                return Variable{attribute.data, attribute.element, attribute.components, *at};
            }
        return {};
    }

    /// "x, y, z, v.x, ..., frame, time"
    std::string all() const
    {
        std::string text = "x, y, z, index";
        for (const auto& [name, value] : constants_)
            text += ", " + name;
        for (const floe_attribute& attribute : attributes_)
            if (std::string_view(attribute.name) != "x")
                text += std::string(", ") + attribute.name +
                        (attribute.components == 1   ? ""
                         : attribute.components == 3 ? ".x .y .z"
                         : attribute.components == 9 ? ".xx .xy ... .zz"
                                                     : ".0 .1 ...");
        return text;
    }

private:
    void addLinked(const std::string& name, const sdk::Value& linked)
    {
        if (linked.kind() == FLOE_KIND_VECTOR) {
            const sdk::Vector vector = linked.vector();
            for (std::size_t i = 0; i < 3; ++i)
                constants_.emplace_back(name + "." + "xyz"[i], vector[i]);
        } else {
            constants_.emplace_back(name, linked.number());
        }
    }

    std::optional<Variable> component(const char* name, uint32_t components, uint32_t at) const
    {
        for (const floe_attribute& attribute : attributes_)
            if (std::string_view(attribute.name) == name && attribute.components == components)
                return Variable{attribute.data, attribute.element, components, at};
        return {};
    }

    /// "y" of three, "xy" of nine, or "4" of any number.
    static std::optional<uint32_t> componentNamed(const std::string& text, uint32_t components)
    {
        const auto axis = [](char letter) {
            return static_cast<uint32_t>(std::string_view("xyz").find(letter));
        };
        const bool letters = !text.empty() && text.find_first_not_of("xyz") == std::string::npos;
        if (letters && text.size() == 1 && components == 3)
            return axis(text[0]);
        if (letters && text.size() == 2 && components == 9)
            return 3 * axis(text[0]) + axis(text[1]);
        if (text.empty() || text.size() > 2 ||
            text.find_first_not_of("0123456789") != std::string::npos)
            return {};
        const auto number = static_cast<uint32_t>(std::stoul(text));
        return number < components ? std::optional(number) : std::nullopt;
    }

    std::vector<floe_attribute> attributes_;
    std::vector<std::pair<std::string, double>> constants_;
};

/// Evaluates for all particles; resultCount() numbers for each.
std::vector<double> evaluate(const sdk::Context& context, const Expression& expression,
                             uint64_t count)
{
    std::vector<double> results(count * expression.resultCount());
    std::mutex mutex;
    std::string failure; // any one: all batches fail alike
    context.parallelFor(count, kBatch, [&](uint64_t begin, uint64_t end) {
        if (context.cancelled())
            return;
        try {
            const std::size_t width = expression.resultCount();
            expression.evaluate(begin, end,
                                std::span(results).subspan(begin * width, (end - begin) * width));
        } catch (const std::exception& error) {
            const std::lock_guard lock(mutex);
            failure = error.what();
        }
    });
    context.throwIfCancelled();
    if (!failure.empty())
        throw sdk::Failure(failure, FLOE_BAD_ARGUMENT);
    return results;
}

Expression expressionOf(const sdk::Context& context, const Names& names)
{
    return Expression(
        context.string("expression"), [&](const std::string& name) { return names.find(name); },
        names.all());
}

template <class Element>
void store(std::byte* to, std::span<const double> numbers)
{
    auto* elements = reinterpret_cast<Element*>(to);
    constexpr double low = static_cast<double>(std::numeric_limits<Element>::min());
    constexpr double high = static_cast<double>(std::numeric_limits<Element>::max());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const double number = std::round(numbers[i]);
        elements[i] = number <= low    ? std::numeric_limits<Element>::min()
                      : number >= high ? std::numeric_limits<Element>::max()
                                       : static_cast<Element>(number);
    }
}

/// The type that an attribute gets: that of its name in use, else of the one that it replaces,
/// else 32-bit floats.
floe_attribute typeOf(const std::string& name, uint32_t results,
                      const std::vector<floe_attribute>& existing)
{
    constexpr std::pair<std::string_view, uint32_t> kFixed[] = {
        {"x", 3},      {"v", 3},    {"F", 9},      {"J", 1},       {"material", 1},
        {"volume", 1}, {"mass", 1}, {"pscale", 1}, {"state", 1},   {"stiffnessScale", 1},
        {"stress", 6}, {"id", 1},   {"age", 1},    {"plastic", 1}, {"densityScale", 1}};
    for (const auto& [fixed, components] : kFixed)
        if (name == fixed && results != components)
            throw sdk::Failure("attribute '" + name + "' has " + std::to_string(components) +
                                   " components, but the expression gives " +
                                   std::to_string(results) +
                                   "; separate as many by commas, or choose another name",
                               FLOE_BAD_ARGUMENT);
    floe_attribute type{};
    type.struct_size = sizeof type;
    type.name = name.c_str();
    type.components = results;
    type.element = name == "id"         ? FLOE_UINT64
                   : name == "material" ? FLOE_UINT32
                   : name == "state"    ? FLOE_UINT8
                                        : FLOE_FLOAT32;
    for (const floe_attribute& attribute : existing)
        if (name == attribute.name)
            type.element = attribute.element;
    return type;
}

/// @throws Failure  a number that the attribute cannot hold; whole numbers are clamped instead
void checkRange(std::span<const double> results, uint32_t width, floe_element element)
{
    const double largest = element == FLOE_FLOAT32 ? double{std::numeric_limits<float>::max()}
                                                   : std::numeric_limits<double>::max();
    for (std::size_t i = 0; i < results.size(); ++i)
        if (!(std::fabs(results[i]) <= largest)) {
            char text[240];
            std::snprintf(text, sizeof text,
                          "the expression gives %g for particle %zu, which is no number that an "
                          "attribute holds; guard against division by 0 and roots of negative "
                          "numbers, with max() for example",
                          results[i], i / width);
            throw sdk::Failure(text, FLOE_BAD_ARGUMENT);
        }
}

} // namespace

void FilterNode::cook(sdk::Context& context)
{
    const sdk::Value particles = context.input("particles");
    const Names names(context, particles);
    const Expression expression = expressionOf(context, names);
    if (expression.resultCount() != 1)
        throw sdk::Failure("the expression gives " + std::to_string(expression.resultCount()) +
                               " numbers for a particle, must give one",
                           FLOE_BAD_ARGUMENT);
    const uint64_t count = particles.particleCount();
    if (count > std::numeric_limits<uint32_t>::max())
        throw sdk::Failure("more than 2^32 particles cannot be filtered", FLOE_OUT_OF_MEMORY);
    const std::vector<double> results = evaluate(context, expression, count);
    std::vector<uint32_t> kept, rest;
    for (uint64_t i = 0; i < count; ++i) {
        const bool keeps = results[i] != 0 && !std::isnan(results[i]);
        (keeps ? kept : rest).push_back(static_cast<uint32_t>(i));
    }
    context.statistic("kept", static_cast<double>(kept.size()));
    context.statistic("rest", static_cast<double>(rest.size()));
    context.setOutput("kept", pick(context, particles, kept));
    context.setOutput("rest", pick(context, particles, rest));
}

void AttributeNode::cook(sdk::Context& context)
{
    const sdk::Value particles = context.input("particles");
    const std::string name = context.string("attribute");
    const Names names(context, particles);
    const Expression expression = expressionOf(context, names);
    const floe_attribute type = typeOf(name, expression.resultCount(), attributesOf(particles));
    const uint64_t count = particles.particleCount();
    const std::vector<double> results = evaluate(context, expression, count);
    checkRange(results, expression.resultCount(), type.element);
    sdk::Value changed = without(particles, name);
    std::byte* to = addLike(changed, type);
    switch (type.element) {
    case FLOE_FLOAT32: {
        auto* elements = reinterpret_cast<float*>(to);
        for (std::size_t i = 0; i < results.size(); ++i)
            elements[i] = static_cast<float>(results[i]);
        break;
    }
    case FLOE_INT32:
        store<int32_t>(to, results);
        break;
    case FLOE_UINT32:
        store<uint32_t>(to, results);
        break;
    case FLOE_UINT8:
        store<uint8_t>(to, results);
        break;
    default:
        store<uint64_t>(to, results);
    }
    context.setOutput("particles", changed);
}

} // namespace floe::particles
