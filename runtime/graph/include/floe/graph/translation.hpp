#pragma once

#include "floe/graph/fault.hpp"
#include "floe/graph/node_type.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace floe::graph {

/// The texts of one plugin in another language: the file translations/LANGUAGE.json beside its
/// plugin.json.
///
/// The English text is the key, as in gettext: what is said twice is translated once, and a text
/// that has no translation is shown in English. Names, types, units and values stay as they are.
struct Translation {
    using Texts = std::map<std::string, std::string, std::less<>>; ///< English: translated

    struct Node {
        std::vector<std::string> aliases; ///< more words that find it in a search
        Texts texts;                      ///< go before those of the plugin
    };

    std::string language; ///< "fr", "pt_BR": the file's name without ".json"
    std::string plugin;   ///< id
    Texts texts;
    std::map<std::string, Node, std::less<>> nodes; ///< by node type
};

/// Bounds on a translation: the file, and one text of it.
inline constexpr std::size_t kMaxTranslationBytes = 1u << 20, kMaxTextBytes = 8192;

/// Reads a translation. It is data from outside: size, depth and every entry are checked, and a
/// file that is not an ordinary one is refused.
/// @param  faults  everything that is wrong is added to it
/// @return nothing when an error is among that
std::optional<Translation> readTranslation(const std::string& path, std::vector<Fault>& faults);

/// Holds a translation against the plugin that it is for.
/// @param  types   of that plugin, in English
/// @param  path    of the file, for the faults
/// @return warnings: "stale", the plugin has no such text or type (any more); "untranslated", a
///         text has no line, or a node type with aliases none of this language. An error: it is
///         for another plugin.
std::vector<Fault> checkTranslation(const Translation& translation, const PluginInfo& plugin,
                                    const std::vector<const NodeType*>& types,
                                    const std::string& path);

} // namespace floe::graph
