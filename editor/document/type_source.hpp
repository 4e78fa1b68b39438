#pragma once

#include "document/document.hpp"

#include <QStringList>

namespace floe::editor {

/// Folders that hold plugins, in the order the runtime searches them: FLOE_PLUGIN_PATH, the user's,
/// the ones of the installation.
QStringList pluginFolders();

/// Reads FOLDER/*/plugin.json. Manifests with faults are left out.
/// @param faults  says why; may be null
Types typesFromFolders(const QStringList& folders, std::vector<graph::Fault>* faults = nullptr);

} // namespace floe::editor
