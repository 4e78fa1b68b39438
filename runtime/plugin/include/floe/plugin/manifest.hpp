#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace floe::plugin {

/// What the loader needs to know of one node type in a manifest. Sockets, parameters and the rest
/// are floe::graph's business.
struct ManifestNode {
    std::string type;
    bool hasCode = true; ///< false: made of a subgraph alone
    bool isSolver = false;
};

/// A plugin.json, as far as finding and loading a plugin goes. No code is loaded to read it.
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
    /// Of the shared library; empty when there is no code.
    std::filesystem::path libraryPath() const;
    const ManifestNode* find(const std::string& type) const;
};

/// Reads folder/plugin.json.
/// @throws PluginError  it is missing, cannot be parsed, or lacks or misstates something that
///                      Manifest holds; names the file and the entry
Manifest readManifest(const std::filesystem::path& folder);

/// Where plugins are looked for, in this order: the entries of FLOE_PLUGIN_PATH (separated by ':'),
/// the user's folder ($XDG_DATA_HOME/floe/plugins, else ~/.local/share/floe/plugins), and the
/// program's (../lib/floe/plugins beside its own folder). Folders need not exist.
std::vector<std::filesystem::path> searchFolders();

/// What a search found.
struct Discovery {
    std::vector<Manifest> plugins;     ///< one for each id: the first found
    std::vector<std::string> warnings; ///< sentences: broken manifests, ids found twice
};

/// Finds every folder with a plugin.json directly inside `folders`, or that is one of them; within
/// one of them in order of name.
Discovery discover(std::span<const std::filesystem::path> folders);

} // namespace floe::plugin
