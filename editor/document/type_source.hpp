#pragma once

#include "document/document.hpp"

#include <QStringList>

namespace floe::editor {

/// Folders that hold plugins, in the order the runtime searches them: FLOE_PLUGIN_PATH, the user's,
/// the ones of the installation.
QStringList pluginFolders();

/// Reads FOLDER/*/plugin.json, and the translations beside it into the language of the editor: all
/// that shows texts of node types takes them from here. Manifests with faults are left out, broken
/// translations leave a plugin in English.
/// @param faults  what is wrong with translations; what is wrong with manifests the runtime says,
///                which reads them too. May be null
Types typesFromFolders(const QStringList& folders, std::vector<graph::Fault>* faults = nullptr);

} // namespace floe::editor
