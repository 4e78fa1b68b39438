#pragma once

#include "floe/base/error.hpp"

#include <nlohmann/json_fwd.hpp>

#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace floe::graph {

/// A message to the user, stored as a pattern and its values, so that it can be translated.
///
///     TranslatableText::of("parameter '{name}' is {value}", spec.name, 0.62)
///
/// is "parameter 'radius' is 0.62" in English, and "le paramètre « radius » est 0.62" where the
/// pattern has the French line "le paramètre « {name} » est {value}".
///
/// A pattern is a single literal, so that tools that collect texts for translators find it; it is
/// also the key of its translation. Values replace its {places} in order; a translation has the
/// same places in any order. Other braces are text.
class TranslatableText {
public:
    /// An empty message.
    TranslatableText() = default;

    /// Wraps text from elsewhere (a library, the system, a file), shown as is in every language.
    static TranslatableText verbatim(std::string text);

    /// @param pattern  English, one literal
    /// @param values   numbers; texts, which are shortened and stripped of control characters;
    ///                 translatable texts. Never a literal: literals belong in the pattern
    template <class... Values>
    static TranslatableText of(const char* pattern, const Values&... values)
    {
        return TranslatableText(pattern, {value(values)...});
    }

    bool empty() const { return pattern_.empty(); }
    /// Returns false for verbatim and empty text.
    bool translatable() const { return !verbatim_; }

    /// In English.
    std::string text() const;

    /// Returns the text in another language; in English without a translation that fits.
    /// @param lineOf  returns the translation of a pattern; empty: none
    std::string text(const std::function<std::string(const std::string& pattern)>& lineOf) const;

    bool operator==(const TranslatableText&) const = default;

private:
    friend nlohmann::ordered_json toJson(const TranslatableText& message);
    friend TranslatableText translatableTextFrom(const nlohmann::ordered_json& json);

    TranslatableText(std::string pattern, std::vector<TranslatableText> values);

    static TranslatableText value(const TranslatableText& message) { return message; }
    static TranslatableText value(std::string_view text);
    static TranslatableText value(double number);
    static TranslatableText value(std::integral auto number)
    {
        return verbatim(std::to_string(number));
    }

    std::string pattern_; ///< or the verbatim text
    std::vector<TranslatableText> values_;
    bool verbatim_ = true;
};

/// "PLACE: FAULT"; the fault alone when the place is empty.
TranslatableText within(const TranslatableText& place, const TranslatableText& fault);

/// "did you mean 'radius'?" or, when nothing is near, `otherwise`.
TranslatableText didYouMean(std::string_view text, const std::vector<std::string>& candidates,
                            const TranslatableText& otherwise = {});

/// "a, b or c"; at most `limit` of them.
TranslatableText alternatives(const std::vector<std::string>& words, std::size_t limit = 12);

/// Writes verbatim text as a string, any other as {"pattern": "..", "values": [..]}.
nlohmann::ordered_json toJson(const TranslatableText& message);

/// Reads what toJson() wrote. Never throws: malformed input gives empty text.
TranslatableText translatableTextFrom(const nlohmann::ordered_json& json);

/// A GraphError with a translatable message.
class WordedError : public GraphError {
public:
    WordedError(Place place, TranslatableText cause, TranslatableText cure = {});

    const TranslatableText& causeText() const { return causeText_; }
    const TranslatableText& cureText() const { return cureText_; }

private:
    TranslatableText causeText_, cureText_;
};

/// Cause and cure of any error; verbatim, unless it is a WordedError.
TranslatableText causeOf(const Error& error);
TranslatableText cureOf(const Error& error);
/// Returns the full message, what() in English: "PLACE: CAUSE; CURE".
TranslatableText sentenceOf(const Error& error);

} // namespace floe::graph
