#pragma once

#include "floe/base/error.hpp"

#include <nlohmann/json_fwd.hpp>

#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace floe::graph {

/// What is said to a person, kept as a pattern and its values, so that it can be said in other
/// languages too.
///
///     Wording::of("parameter '{name}' is {value}", spec.name, 0.62)
///
/// is "parameter 'radius' is 0.62" in English, and "le paramètre « radius » est 0.62" where the
/// pattern has the French line "le paramètre « {name} » est {value}".
///
/// A pattern is one literal, so that the tools that gather texts for translators find it; it is
/// also what its translation is found by. Values go into its {places} in their order; a translation
/// has the same places in any order. Other braces are text.
class Wording {
public:
    /// Says nothing.
    Wording() = default;

    /// Text from elsewhere (another library, the operating system, a file): said as it is, in every
    /// language.
    static Wording given(std::string text);

    /// @param pattern  English, one literal
    /// @param values   numbers; texts, which are shortened and freed of control characters;
    /// wordings.
    ///                 Never a literal: those belong into the pattern
    template <class... Values>
    static Wording of(const char* pattern, const Values&... values)
    {
        return Wording(pattern, {value(values)...});
    }

    bool empty() const { return pattern_.empty(); }
    /// False for what was given, and for nothing.
    bool translatable() const { return !given_; }

    /// In English.
    std::string text() const;

    /// In another language. What has no line there, or one with other places, is said in English.
    /// @param lineOf  the translation of a pattern; empty: there is none
    std::string text(const std::function<std::string(const std::string& pattern)>& lineOf) const;

    bool operator==(const Wording&) const = default;

private:
    friend nlohmann::ordered_json toJson(const Wording& wording);
    friend Wording wordingFrom(const nlohmann::ordered_json& json);

    Wording(std::string pattern, std::vector<Wording> values);

    static Wording value(const Wording& wording) { return wording; }
    static Wording value(std::string_view text);
    static Wording value(double number);
    static Wording value(std::integral auto number) { return given(std::to_string(number)); }

    std::string pattern_; ///< or the text, when it was given
    std::vector<Wording> values_;
    bool given_ = true;
};

/// "PLACE: FAULT"; the fault alone when the place is empty.
Wording within(const Wording& place, const Wording& fault);

/// "did you mean 'radius'?" or, when nothing is near, `otherwise`.
Wording didYouMean(std::string_view text, const std::vector<std::string>& candidates,
                   const Wording& otherwise = {});

/// "a, b or c"; at most `limit` of them.
Wording alternatives(const std::vector<std::string>& words, std::size_t limit = 12);

/// A text that was given is a string, any other {"pattern": "..", "values": [..]}.
nlohmann::ordered_json toJson(const Wording& wording);

/// Reads what toJson() wrote. Never throws: what is malformed says nothing.
Wording wordingFrom(const nlohmann::ordered_json& json);

/// A GraphError that can be said in other languages.
class WordedError : public GraphError {
public:
    WordedError(Place place, Wording cause, Wording cure = {});

    const Wording& causeWording() const { return causeWording_; }
    const Wording& cureWording() const { return cureWording_; }

private:
    Wording causeWording_, cureWording_;
};

/// Cause and cure of any error; as given, unless it is a WordedError.
Wording causeOf(const Error& error);
Wording cureOf(const Error& error);
/// The whole of what it says, what() in English: "PLACE: CAUSE; CURE".
Wording sentenceOf(const Error& error);

} // namespace floe::graph
