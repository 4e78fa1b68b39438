#pragma once

#include "progress.hpp"

#include "floe/graph/merge.hpp"
#include "floe/serve/server.hpp"
#include "floe/session/session.hpp"

#include <optional>
#include <string>
#include <vector>

namespace floe::app {

// The commands of `floe`. Each prints to standard output, errors to standard error, and returns a
// session::ExitCode; main handles exceptions of floe::Error.

/// @param isolated   plugins that get a process of their own
/// @param watch      serve a page of the run meanwhile, whose address is printed on standard error
/// @param partition  how several ranks divide space: floe_ranks::partition
int runCommand(const session::RunSettings& settings, ProgressStyle progress,
               const std::vector<std::string>& isolated, bool watch, const std::string& partition);
int renderCommand(session::RunSettings settings, ProgressStyle progress,
                  const std::vector<std::string>& isolated);
/// Sets the machine's plugins, and prints the address when clients may connect.
int serveCommand(serve::ServeSettings settings, const std::vector<std::string>& isolated);
/// @param overrides like `--set` of `floe run`; applied to every file before it is checked
/// @param cost      of graphs without errors, say what a run takes
int validateCommand(const std::vector<std::string>& files,
                    const std::vector<std::string>& overrides, bool json, bool cost);
int formatCommand(const std::vector<std::string>& files, bool checkOnly);
int diffCommand(const std::string& before, const std::string& after, bool json);
/// @param files   base, mine, theirs
/// @param output  the file that gets the result; empty: standard output
/// @param side    that conflicts take; none: mine, and the exit code says that there are some
int mergeCommand(const std::vector<std::string>& files, const std::string& output,
                 std::optional<graph::Side> side, bool json);
int nodesCommand();
int devicesCommand();
int pluginListCommand(bool rescan, bool json);
int pluginCheckCommand(const std::string& folderOrId);
/// @param package  an archive or a folder; put in place only when its plugin loads
int pluginInstallCommand(const std::string& package);
/// Takes away a plugin of the user's folder.
int pluginRemoveCommand(const std::string& id);
int pluginInfoCommand(const std::string& folderOrId, bool json);
int pluginNewCommand(const std::string& name, const std::string& folder, bool plainC);
/// The command that `plugin check` runs in a child process for each node type and device; sinks
/// write into the folder `output`. Not for users.
int pluginCookCommand(const std::string& folder, const std::string& type, const std::string& device,
                      const std::string& output);

} // namespace floe::app
