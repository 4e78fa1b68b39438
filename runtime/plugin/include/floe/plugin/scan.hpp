#pragma once

#include "floe/base/child_process.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace floe::plugin {

/// Result of loading a plugin in a child process.
struct ProbeResult {
    enum class Outcome {
        usable,
        refused, ///< loading failed in an orderly way: wrong ABI, missing symbol, bad manifest, ...
        crashed, ///< the process ended while the plugin was loading or unloading
        hung,    ///< it was not ready in time
        killed   ///< the process was killed or stopped from outside, each time it was tried
    };
    Outcome outcome = Outcome::usable;
    std::string reason; ///< one sentence without the folder; empty when usable
    double seconds = 0; ///< duration of loading and unloading

    bool usable() const { return outcome == Outcome::usable; }
};

/// How plugins are probed.
struct ProbeSettings {
    /// Program and arguments that run probeMain; the folder is added at the end. Empty: the running
    /// program with the argument `plugin-probe`.
    std::vector<std::string> command;
    ChildLimits limits;
};

/// Loads and unloads the plugin of a folder in a child process. Where that is killed from outside,
/// which says nothing of the plugin, it is tried again, three times in all.
/// @throws IoError      the child process cannot be started
/// @throws PluginError  this process is itself such a child
ProbeResult probe(const std::filesystem::path& folder, const ProbeSettings& settings = {});

/// In the child (`floe plugin-probe FOLDER`): only loads the plugin, unloads it, reports.
/// @return exit code
int probeMain(const std::filesystem::path& folder);

/// How to scan.
struct ScanSettings {
    ProbeSettings probe;
    std::filesystem::path cacheFile; ///< results of earlier scans; empty: no cache
    std::string program;             ///< whose results these are; empty: this version of Floe
    bool rescan = false;             ///< probe everything, ignoring the cache
    int threads = 4;                 ///< plugins probed concurrently
};

/// One plugin of a scan.
struct ScannedPlugin {
    std::filesystem::path given;  ///< as passed by the caller
    std::filesystem::path folder; ///< absolute, without symbolic links
    ProbeResult result;
    bool fromCache = false; ///< the files are unchanged since an earlier scan; nothing was loaded
};

/// Results of a scan.
struct ScanReport {
    std::vector<ScannedPlugin> plugins; ///< one for each given folder, in order
    std::vector<std::string> warnings;  ///< sentences about unusable plugins and the cache

    /// Returns whether the plugin in this folder may be loaded into this process.
    bool usable(const std::filesystem::path& folder) const;
};

/// Determines which plugins may be loaded, without loading one into this process.
///
/// A plugin that passed, crashed or hung is not probed again until one of its files changes (size
/// and time, then content) or `rescan` is set; a refused one, and one whose process was killed, is
/// probed each time, since the cause may lie outside its folder. Several versions of Floe may share
/// the cache file, which keeps the results of each. It is replaced atomically; if it is damaged or
/// cannot be written, that is a warning.
/// @throws IoError, PluginError  like probe()
ScanReport scan(std::span<const std::filesystem::path> folders, const ScanSettings& settings);

/// $XDG_CACHE_HOME/floe/plugins.json, or ~/.cache/floe/plugins.json; empty when neither is known.
std::filesystem::path defaultScanCache();

/// "refused", "crashed", ...
std::string name(ProbeResult::Outcome outcome);

} // namespace floe::plugin
