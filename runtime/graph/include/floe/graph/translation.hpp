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
/// The English text is the key, as in gettext: repeated text is translated once, and text without a
/// translation is shown in English. Names, types, units and values are unchanged.
struct Translation {
    using Texts = std::map<std::string, std::string, std::less<>>; ///< English: translated

    struct Node {
        std::vector<std::string> aliases; ///< more words that find it in a search
        Texts texts;                      ///< take precedence over those of the plugin
    };

    std::string language; ///< "fr", "pt_BR": the file's name without ".json"
    std::string plugin;   ///< id
    Texts texts;
    std::map<std::string, Node, std::less<>> nodes; ///< by node type
};

/// Bounds on a translation file and on one text.
inline constexpr std::size_t kMaxTranslationBytes = 1u << 20, kMaxTextBytes = 8192;

/// Reads a translation. It is untrusted: size, depth, entries and the kind of file are checked.
/// @param  faults  receives all faults
/// @return nothing when one of them is an error
std::optional<Translation> readTranslation(const std::string& path, std::vector<Fault>& faults);

/// Checks a translation against its plugin.
/// @param  types   of that plugin, in English
/// @param  path    of the file, for the faults
/// @return warnings: "stale", the plugin has no such text or type (any more); "untranslated", a
/// text has no translation, or a node type with aliases has none in this language. An error: it
/// belongs to another plugin.
std::vector<Fault> checkTranslation(const Translation& translation, const PluginInfo& plugin,
                                    const std::vector<const NodeType*>& types,
                                    const std::string& path);

} // namespace floe::graph
