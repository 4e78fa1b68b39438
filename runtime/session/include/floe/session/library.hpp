#pragma once

#include "floe/graph/node_type.hpp"
#include "floe/plugin/isolated_plugin.hpp"
#include "floe/plugin/loaded_plugin.hpp"
#include "floe/plugin/node_instance.hpp"
#include "floe/plugin/scan.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace floe::session {

/// The plugins of this machine: found, probed in a child process, their manifests read. Code is
/// loaded into this process when a graph first needs it.
///
/// A library also offers files (floe/sdk/io.h) to plugins; make one per process. Its owner may
/// offer pictures with view::NodePictures.
class Library {
public:
    /// @param folders search path; see plugin::searchFolders()
    /// @throws PluginError child processes for probing cannot be started
    explicit Library(const std::vector<std::filesystem::path>& folders,
                     const plugin::ScanSettings& scan);
    ~Library();
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    const graph::TypeLibrary& types() const { return types_; }
    const plugin::Discovery& discovery() const { return discovery_; }
    const plugin::ScanReport& scanReport() const { return scan_; }

    /// Broken manifests, ids found twice, plugins that crash or hang: sentences for the user.
    const std::vector<std::string>& warnings() const { return warnings_; }

    /// Returns the version of a plugin; empty when there is none of that id.
    std::string pluginVersion(const std::string& id) const;
    static std::string programVersion();

    /// Runs a plugin's code in a process of its own from now on (plugin/isolated_plugin.hpp).
    /// @throws InputError  there is no such plugin
    void isolate(const std::string& id);

    /// Makes a node object of a type. @throws PluginError
    std::unique_ptr<plugin::Node> makeNode(const graph::NodeType& type, const std::string& name);

private:
    /// @throws PluginError
    nlohmann::ordered_json migrated(const graph::NodeType& type, int from,
                                    const nlohmann::ordered_json& parameters);

    plugin::Discovery discovery_;
    plugin::ScanReport scan_;
    graph::TypeLibrary types_;
    plugin::PluginHost host_;
    std::map<std::string, std::filesystem::path> folders_; ///< by plugin id
    std::map<std::string, std::shared_ptr<plugin::IsolatedPlugin>> isolated_;
    std::vector<std::string> warnings_;
};

/// plugin::isolatedMain() with the services that a library offers to plugins.
int isolatedMain(const std::filesystem::path& folder);

} // namespace floe::session
