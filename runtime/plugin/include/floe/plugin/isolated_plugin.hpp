#pragma once

#include "floe/base/error.hpp"
#include "floe/base/json.hpp"
#include "floe/plugin/manifest.hpp"
#include "floe/plugin/node_instance.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace floe::plugin {

/// A plugin whose code runs in a process of its own: if it crashes, hangs or ends its process, the
/// call of the node fails, and nothing else. Values on sockets and states cross as bytes, so nodes
/// cost the time of copying them; they compute on the CPU. What consists of functions cannot cross:
/// emitters, materials, colliders and all other interfaces. A node that takes or gives one fails
/// with a message that says so.
///
/// Thread-safe; one call of the plugin is at work at a time.
class IsolatedPlugin : public std::enable_shared_from_this<IsolatedPlugin> {
public:
    /// Starts the process when it is first needed.
    /// @param command  program and arguments that run isolatedMain(); empty: this program's
    static std::shared_ptr<IsolatedPlugin> make(Manifest manifest,
                                                std::vector<std::string> command = {});
    ~IsolatedPlugin();

    /// As NodeInstance. @throws PluginError
    std::unique_ptr<Node> makeNode(const std::string& type, const std::string& node);
    /// As plugin::migrate.
    std::string migrate(const std::string& type, std::uint32_t fromVersion,
                        const std::string& json);

private:
    class Process;
    class RemoteNode;
    IsolatedPlugin(Manifest manifest, std::vector<std::string> command);

    /// Does a request in the process and answers what it asks meanwhile. @return the bytes it gave
    std::string call(Json request, std::string_view bytes, const Place& place,
                     CookContext* context);
    /// Starts the process unless it runs. @pre mutex_ is held
    void start();
    [[noreturn]] void sayHowItEnded(const Place& place);

    Manifest manifest_;
    std::vector<std::string> command_;
    std::mutex mutex_;
    std::unique_ptr<Process> process_; ///< null: not started, or it has ended
    int started_ = 0;                  ///< processes so far
    int nodes_ = 0;                    ///< numbers given to nodes
};

/// In the process: serves the plugin of this folder to the program that started it, until that
/// ends. @return an exit code
int isolatedMain(const std::filesystem::path& folder);

} // namespace floe::plugin
