#pragma once

#include "progress.hpp"

#include "floe/serve/server.hpp"
#include "floe/session/session.hpp"

#include <string>
#include <vector>

namespace floe::app {

// The commands of `floe`. Each prints to standard output, what went wrong to standard error, and
// returns a session::ExitCode; exceptions of floe::Error are left to main.

int runCommand(const session::RunSettings& settings, ProgressStyle progress);
int renderCommand(session::RunSettings settings, ProgressStyle progress);
/// Fills in the machine's plugins and what is printed when clients may come.
int serveCommand(serve::ServeSettings settings);
/// @param overrides as `--set` of `floe run`; put into every file before it is checked
int validateCommand(const std::vector<std::string>& files,
                    const std::vector<std::string>& overrides, bool json);
int formatCommand(const std::vector<std::string>& files, bool checkOnly);
int diffCommand(const std::string& before, const std::string& after, bool json);
int nodesCommand();
int devicesCommand();
int pluginListCommand(bool rescan, bool json);
int pluginCheckCommand(const std::string& folderOrId);
int pluginNewCommand(const std::string& name, const std::string& folder, bool plainC);
/// What `plugin check` runs in a child process for each node type and device; sinks write into the
/// folder `output`. Not for people.
int pluginCookCommand(const std::string& folder, const std::string& type, const std::string& device,
                      const std::string& output);

} // namespace floe::app
