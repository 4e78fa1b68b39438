#pragma once

#include "floe/plugin/manifest.hpp"
#include "floe/plugin/plugin_host.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace floe::plugin {

/// A plugin whose code is in this process, checked against its manifest and initialised. Shut down
/// with its last reference; nodes and interfaces that it made hold one. The code stays mapped until
/// the program ends, so that no call can return into unmapped memory.
class LoadedPlugin {
public:
    ~LoadedPlugin();
    LoadedPlugin(const LoadedPlugin&) = delete;
    LoadedPlugin& operator=(const LoadedPlugin&) = delete;

    const Manifest& manifest() const { return manifest_; }
    /// Returns null when the plugin's code has no such type.
    const floe_node_class* find(const std::string& type) const;

private:
    friend std::shared_ptr<const LoadedPlugin> load(const std::filesystem::path& folder);
    explicit LoadedPlugin(Manifest manifest) : manifest_(std::move(manifest)) {}
    void open();
    void checkEntry() const;
    void checkClasses();

    Manifest manifest_;
    const floe_plugin* entry_ = nullptr; ///< null: the plugin has no code
    bool initialised_ = false;
    std::map<std::string, const floe_node_class*, std::less<>> classes_;
};

/// Loads the plugin of a folder into this process: reads the manifest, opens the library, checks
/// them against each other, initialises it. Loading a folder again returns the same object while it
/// lives. Thread-safe.
///
/// A crash or hang in the plugin's code affects this process: see scan.hpp for a test beforehand.
/// @throws PluginError  names the plugin's file and what is wrong
std::shared_ptr<const LoadedPlugin> load(const std::filesystem::path& folder);

/// Returns the loaded plugin whose library contains this address of code or data; null for none.
std::shared_ptr<const LoadedPlugin> pluginHolding(const void* address);

/// The plugins that a program uses; they stay loaded during its lifetime.
class PluginHost {
public:
    /// Loads a plugin, or returns the one already loaded. Thread-safe. @throws PluginError
    std::shared_ptr<const LoadedPlugin> load(const std::filesystem::path& folder);

private:
    std::mutex mutex_;
    std::map<std::filesystem::path, std::shared_ptr<const LoadedPlugin>> plugins_;
};

} // namespace floe::plugin
