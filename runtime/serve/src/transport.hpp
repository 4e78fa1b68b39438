#pragma once

#include "listener.hpp"

#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace floe::serve {

/// Where to wait for a client.
struct TransportSettings {
    std::filesystem::path socket;              ///< Unix socket; unused when listening on TCP
    std::optional<std::string> listen;         ///< "HOST:PORT" (port 0: any); none: no TCP
    bool keep = false;                         ///< wait for the next client when one goes
    std::chrono::milliseconds helloTime{5000}; ///< that a connection has for its first line
};

/// Lines of text to and from one client at a time, and some that watch, over a Unix socket that
/// only its owner may open, or over TCP.
///
/// A connection is a stranger until its first line is accepted; then it is the client, or a
/// watcher. Strangers are bounded in number, time and memory: where there are too many, the one
/// that has waited longest goes. Neither they nor watchers end the server.
///
/// run() reads on its thread and hands each line on; send() and tell() are for every thread and
/// never wait: what is not read is kept up to a bound, then the connection is cut off.
class Transport {
public:
    static constexpr std::size_t kMaxLine = std::size_t(64) << 20;    ///< of the client [bytes]
    static constexpr std::size_t kMaxHello = std::size_t(64) << 10;   ///< of a stranger [bytes]
    static constexpr std::size_t kMaxStrangers = 64;                  ///< at a time
    static constexpr std::size_t kMaxWatchers = 8;                    ///< at a time
    static constexpr std::size_t kMaxUnsent = std::size_t(128) << 20; ///< [bytes]
    static constexpr std::size_t kCongested = std::size_t(1) << 20;   ///< unsent [bytes]

    /// Why a connection is closed whatever its line says.
    enum class Refusal {
        TooLong, ///< a line is longer than kMaxLine, or of another than the client than kMaxHello
        Late,    ///< no line came within helloTime
    };
    /// What a stranger is told, or a client that is cut off.
    struct Reply {
        std::string line;     ///< without its newline; may be empty
        std::string fault;    ///< why it is closed, for the log; empty: it stays
        bool watches = false; ///< it is a watcher now, not the client
    };
    /// Whether there is room for another client or watcher.
    struct Places {
        bool client, watcher;
    };
    struct Connection;
    using Peer = std::weak_ptr<Connection>; ///< a watcher, which may be gone

    /// Called on the thread of run().
    class Handler {
    public:
        virtual ~Handler() = default;
        /// The first line of a connection. Who does not fit into the places that there are has to
        /// be refused.
        virtual Reply greeted(std::string_view line, const Places& places) = 0;
        /// A line of the client.
        virtual void received(std::string_view line) = 0;
        /// A line of a watcher.
        virtual void asked(const Peer& watcher, std::string_view line) = 0;
        /// The client is gone.
        virtual void disconnected() = 0;
        virtual Reply refused(Refusal why) = 0;
        /// Strangers were closed; called at most once a second.
        virtual void turnedAway(const std::string& what) = 0;
    };

    /// Binds and listens. @throws as listenLocal() and listenTcp() do
    explicit Transport(TransportSettings settings);
    ~Transport(); ///< removes the socket file
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;

    /// "unix path" or "host:port", as it came out.
    const std::string& address() const { return listener_.address; }
    bool remote() const { return settings_.listen.has_value(); }

    /// Serves until stop(), or until the client goes and `keep` is off. To be called once.
    void run(Handler& handler);

    /// Queues one line (without its newline) for the present client; nothing without one.
    void send(std::string line);
    /// The same for a watcher; nothing when it is gone.
    void send(const Peer& watcher, std::string line);
    /// The same for the client and all watchers.
    /// @param transient  may be left out for who reads more slowly than is sent
    void tell(const std::string& line, bool transient);
    /// Whether the socket that it listens on is still its own. Whatever closes that has closed the
    /// others too (a plugin that closes all descriptors), and run() does not hear of it.
    bool intact() const;
    /// True while the client reads more slowly than is sent; what can be left out should be.
    bool congested() const;
    /// Whether run() was ended by stop() while there was a client.
    bool stoppedWithClient() const { return stoppedWithClient_; }
    /// Ends run() soon; from any thread and from signal handlers.
    void stop() noexcept;

private:
    using ConnectionPointer = std::shared_ptr<Connection>;

    void accept();
    void meet(Socket socket);
    void setDeadline(const ConnectionPointer& connection, std::chrono::milliseconds time);
    void read(const ConnectionPointer& connection);
    void handleLines(const ConnectionPointer& connection);
    void handleReadError(const ConnectionPointer& connection, std::error_code error);
    void greet(const ConnectionPointer& connection, std::string_view line);
    void turnAway(const ConnectionPointer& connection, Reply reply);
    void report(const std::string& from, const std::string& fault);
    void end(ConnectionPointer connection);
    bool isWatcher(const ConnectionPointer& connection) const;
    // With mutex_ held:
    void queue(const ConnectionPointer& connection, std::string line);
    void write(const ConnectionPointer& connection);
    void cutOff(const ConnectionPointer& connection);

    TransportSettings settings_;
    asio::io_context io_{1};
    Listener listener_;
    const int listening_;               ///< descriptor of its socket
    const std::uint64_t listeningFile_; ///< what that is open on
    asio::steady_timer pause_;
    asio::posix::stream_descriptor wake_;
    std::atomic<bool> stop_{false};
    bool stoppedWithClient_ = false;
    Handler* handler_ = nullptr;
    std::vector<ConnectionPointer> strangers_; ///< the oldest first
    std::chrono::steady_clock::time_point reported_{};
    unsigned unreported_ = 0;

    mutable std::mutex mutex_;
    // Changed on the thread of run() alone, with mutex_ held:
    ConnectionPointer client_;
    std::vector<ConnectionPointer> watchers_;
};

} // namespace floe::serve
