#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace floe::session {
class Library;
}

namespace floe::serve {

/// Settings for serving a client (an editor). The protocol is described in PROTOCOL.md.
struct ServeSettings {
    std::filesystem::path socket;      ///< Unix socket; empty: a new one in the user's own folder
    std::optional<std::string> listen; ///< "HOST:PORT" for TCP with a token; none: only the socket
    bool keep = false; ///< wait for another client when one disconnects, instead of ending
    std::uint64_t cacheBytes = 0;  ///< of simulated frames on disk; 0: depends on the free space
    std::uint64_t cacheMemory = 0; ///< of simulated frames in memory [bytes]; 0: an eighth of it
    int threads = 0;               ///< CPU threads; 0: all cores
    int predecessor = 0;           ///< process of a dead server whose frames are taken over
    /// Opens the plugins of this machine; called again for `types.rescan`.
    std::function<std::unique_ptr<session::Library>(bool rescan)> openLibrary;
    /// Called once when the server is ready: a socket path or "host:port" and, for TCP, the token
    /// that the client must present.
    std::function<void(const std::string& address, const std::string& token)> ready;
    /// Told of what may matter to whoever runs the server, at most once a second: a sentence about
    /// connections that were turned away. On the thread of run().
    std::function<void(const std::string& text)> warn;
    /// Told why the server can reach nobody any more, and nobody it; run() would not come back. May
    /// end the process. On any thread.
    std::function<void(const std::string& text)> lost;
};

/// An interactive session: one client edits a document, simulates it, and views the frames.
class Server {
public:
    static constexpr int kProtocol = 1;

    /// @throws InputError  `listen` is no address
    /// @throws IoError  the address or the cache folder is unusable
    /// @throws whatever openLibrary throws
    explicit Server(ServeSettings settings);
    ~Server(); ///< removes the socket, the shared memory and the session's frames
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Serves until the client that was accepted disconnects, requests `shutdown`, or stop() is
    /// called.
    /// @return false when a node ignores cancellation: the session's files and shared memory are
    ///         removed, and the process should end without destructors
    bool run();
    /// Ends run() soon; also from a signal handler.
    void stop() noexcept;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace floe::serve
