#pragma once

#include "floe/base/child_process.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace floe::plugin {

/// What came of loading a plugin in a child process.
struct ProbeResult {
    enum class Outcome {
        usable,
        refused, ///< loading failed in an orderly way: wrong ABI, missing symbol, bad manifest, ...
        crashed, ///< the process ended while the plugin was loading or unloading
        hung     ///< it was not ready in time
    };
    Outcome outcome = Outcome::usable;
    std::string reason; ///< one sentence without the folder; empty when usable
    double seconds = 0; ///< that loading and unloading took

    bool usable() const { return outcome == Outcome::usable; }
};

/// How plugins are probed.
struct ProbeSettings {
    /// Program and arguments that run probeMain; the folder is added at the end. Empty: the running
    /// program with the argument `plugin-probe`.
    std::vector<std::string> command;
    ChildLimits limits;
};

/// Loads and unloads the plugin of a folder in a child process.
/// @throws IoError      the child process cannot be started
/// @throws PluginError  this process is such a child itself
ProbeResult probe(const std::filesystem::path& folder, const ProbeSettings& settings = {});

/// The child's side: loads the plugin, unloads it, reports. Call it as the only thing a program
/// does (`floe plugin-probe FOLDER`).
/// @return exit code
int probeMain(const std::filesystem::path& folder);

/// How to scan.
struct ScanSettings {
    ProbeSettings probe;
    std::filesystem::path cacheFile; ///< results of earlier scans; empty: none is kept
    bool rescan = false;             ///< probe everything, whatever the cache says
    int threads = 4;                 ///< plugins probed at once
};

/// One plugin of a scan.
struct ScannedPlugin {
    std::filesystem::path given;  ///< as asked for
    std::filesystem::path folder; ///< absolute, without symbolic links
    ProbeResult result;
    bool fromCache = false; ///< the files are those of an earlier scan; nothing was loaded
};

/// What a scan found.
struct ScanReport {
    std::vector<ScannedPlugin> plugins; ///< one for each folder given, in their order
    std::vector<std::string> warnings;  ///< sentences about plugins not to be used, and the cache

    /// True when the plugin in this folder may be loaded into the running process.
    bool usable(const std::filesystem::path& folder) const;
};

/// Finds out which plugins may be loaded, without ever loading one into this process.
///
/// A plugin that passed, crashed or hung is not tried again until one of its files changes (size
/// and time, then content) or `rescan` is set; one that was refused is tried each time, since the
/// cause may lie outside its folder. The cache file is replaced whole; a broken one is a warning,
/// and so is one that cannot be written.
/// @throws IoError, PluginError  as probe() does
ScanReport scan(std::span<const std::filesystem::path> folders, const ScanSettings& settings);

/// $XDG_CACHE_HOME/floe/plugins.json, or ~/.cache/floe/plugins.json; empty when neither is known.
std::filesystem::path defaultScanCache();

/// "refused", "crashed", ...
std::string name(ProbeResult::Outcome outcome);

} // namespace floe::plugin
