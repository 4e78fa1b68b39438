#pragma once

#include "document/document.hpp"

#include <optional>
#include <utility>

namespace floe::editor {

/// The format of what is dragged out of the library: the id of an entry (canvas/fuzzy.hpp), UTF-8.
inline const QString kLibraryFormat = QStringLiteral("application/x-floe-library-entry");

/// A preset and the type it belongs to. Valid as long as the type library.
struct PresetOf {
    const graph::NodeType* type = nullptr;
    const graph::Preset* preset = nullptr;

    /// "preset:floe.material/snow"
    QString id() const;
    QString label() const { return QString::fromStdString(preset->label); }
};

/// @return nothing when there is no such preset
std::optional<PresetOf> findPreset(const graph::TypeLibrary& types, const QString& id);

Json jsonOf(const graph::ParameterValue& value);

/// Gives nodes of its type the preset's values, in one step; what only other presets of the type
/// set goes back to its default: sand after water is not clear.
void applyPreset(Document& document, const std::string& scope,
                 const std::vector<std::string>& nodes, const PresetOf& chosen);

/// A new node with the preset's values, under the preset's name where that is free.
std::string addPreset(Document& document, const std::string& scope, const PresetOf& chosen,
                      QPointF place);

/// The nodes that a preset can be given to by givePreset() when it is dropped on one: that node, or
/// the nearest before it, such as the emitters of a solver. In the order of links.
std::vector<std::string> takersOf(const Document& document, const std::string& scope,
                                  const std::string& node, const PresetOf& chosen);

/// Makes a node what the preset says: of its own type with its values, else by an input that takes
/// what nodes of that type give. A node that feeds this input alone gets the values, else a new one
/// takes its place.
/// @return the node that has the values now; empty when the node has no such input
std::string givePreset(Document& document, const std::string& scope, const std::string& node,
                       const PresetOf& chosen);

} // namespace floe::editor
