#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>

namespace floe::serve {

/// Where to listen for a client.
struct TransportSettings {
    std::filesystem::path socket; ///< Unix socket; empty when listening on TCP
    std::string listen;           ///< "HOST:PORT" (port 0: any); empty: no TCP
    bool keep = false;            ///< wait for the next client when one disconnects
};

/// Exchanges lines of text with one client at a time, over a Unix socket that only its owner may
/// open, or over TCP.
///
/// run() reads on its thread and passes each line on; send() may be called from any thread and
/// never waits: unread data is kept up to a limit, then the client is disconnected.
class Transport {
public:
    static constexpr std::size_t kMaxLine = std::size_t(64)
                                            << 20; ///< length of a received line [bytes]
    static constexpr std::size_t kMaxUnsent = std::size_t(128) << 20; ///< [bytes]
    static constexpr std::size_t kCongested = std::size_t(1) << 20;   ///< unsent [bytes]

    /// Receives events of the client, on the thread of run().
    class Handler {
    public:
        virtual ~Handler() = default;
        virtual void connected() = 0;
        virtual void received(std::string_view line) = 0;
        /// A line is longer than kMaxLine; the client is disconnected after the message.
        virtual void overflowed() = 0;
        virtual void disconnected() = 0;
        /// Returns the message for a client that connects while another is connected.
        virtual std::string refusal() = 0;
    };

    /// Binds and listens. A socket file left behind by a dead server is replaced.
    /// @throws IoError the address is in use or unusable
    explicit Transport(TransportSettings settings);
    ~Transport(); ///< removes the socket file
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;

    /// "unix path" or "host:port", as bound.
    const std::string& address() const { return address_; }
    bool remote() const { return !settings_.listen.empty(); }

    /// Serves until stop(), or until the client disconnects and `keep` is off.
    void run(Handler& handler);

    /// Queues one line (without its newline) for the present client; no effect without one.
    void send(std::string line);
    /// Returns true while the client reads too slowly; optional messages should be left out.
    bool congested() const;
    /// Closes the connection once everything queued is sent, at most a second later.
    void hangUp();
    /// Ends run() soon; from any thread and from signal handlers.
    void stop() noexcept;

private:
    void listenLocal();
    void listenTcp();
    void accept(Handler& handler);
    bool readSome(Handler& handler);
    bool writeSome();
    bool writeQueued();
    void drop(Handler& handler);

    TransportSettings settings_;
    std::string address_;
    int listener_ = -1;
    int client_ = -1;
    int wake_ = -1; ///< eventfd
    std::atomic<bool> stop_{false};
    std::string input_;
    std::size_t searched_ = 0; ///< bytes of input_ known to contain no newline

    mutable std::mutex mutex_; ///< guards the rest
    bool connected_ = false;
    bool overrun_ = false;
    bool hangingUp_ = false;
    std::deque<std::string> output_;
    std::size_t outputBytes_ = 0;
    std::size_t sent_ = 0; ///< of output_.front()
};

/// Returns the folder for this user's sockets, created with mode 0700 when missing.
/// @throws IoError it belongs to someone else, or others have access
std::filesystem::path socketFolder();

} // namespace floe::serve
