#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace floe::plugin {

/// The parts of a manifest's node type that the loader needs. floe::graph reads the rest.
struct ManifestNode {
    std::string type;
    bool hasCode = true; ///< false: made of a subgraph alone
    bool isSolver = false;
    bool knowsCuda = false; ///< its functions work in a CUDA device's memory
};

/// A plugin.json, as needed to find and load a plugin. Reading it loads no code.
struct Manifest {
    std::filesystem::path folder;
    std::string id;
    std::string version;
    std::string label;
    int abiMajor = 0;
    int abiMinor = 0;
    std::string library; ///< file name without "lib" and ".so"; empty: no code
    std::vector<ManifestNode> nodes;

    std::filesystem::path path() const { return folder / "plugin.json"; }
    /// Path of the shared library; empty when there is no code.
    std::filesystem::path libraryPath() const;
    const ManifestNode* find(const std::string& type) const;
};

/// Reads folder/plugin.json.
/// @throws PluginError  it is missing, cannot be parsed, or lacks or misstates a part of Manifest;
///                      names the file and the entry
Manifest readManifest(const std::filesystem::path& folder);

/// The user's own plugins: $XDG_DATA_HOME/floe/plugins, else ~/.local/share/floe/plugins. Empty:
/// there is no such folder, for neither is set.
std::filesystem::path userFolder();

/// Where plugins are looked for, in this order: the entries of FLOE_PLUGIN_PATH (separated by ':'),
/// the user's folder, and the program's (../lib/floe/plugins beside its own folder). Folders need
/// not exist.
std::vector<std::filesystem::path> searchFolders();

/// Results of a search.
struct Discovery {
    std::vector<Manifest> plugins;     ///< one for each id: the first found
    std::vector<std::string> warnings; ///< sentences: broken manifests, ids found twice
};

/// Finds folders with a plugin.json: those in `folders` and those directly inside them, by name.
Discovery discover(std::span<const std::filesystem::path> folders);

} // namespace floe::plugin
