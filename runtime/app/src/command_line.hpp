/// Help texts of the command line, and messages on mistakes in it.
#pragma once

#include "floe/graph/text.hpp"
#include "floe/graph/translatable_text.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace floe::app {

/// For an option whose value is one of a few words: checks it, and lists them in help and errors.
template <class Enum>
CLI::Validator oneOf(const std::vector<std::pair<std::string, Enum>>& choices)
{
    std::vector<std::string> words;
    for (const auto& [word, value] : choices)
        words.push_back(word);
    CLI::Validator validator(
        [choices, words](std::string& text) -> std::string {
            for (const auto& [word, value] : choices)
                if (CLI::detail::to_lower(text) == word) {
                    text = std::to_string(static_cast<std::underlying_type_t<Enum>>(value));
                    return {};
                }
            return graph::quote(text) + " is not one of its values; " +
                   graph::didYouMean(
                       text, words,
                       graph::TranslatableText::of("use {words}", graph::alternatives(words)))
                       .text();
        },
        "");
    return validator;
}

/// Returns one sentence on the mistake in the command line, and what was probably meant.
std::string explain(const CLI::App& app, const CLI::ParseError& error, int argc,
                    const char* const* argv);

} // namespace floe::app
