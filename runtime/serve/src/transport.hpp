#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>

namespace floe::serve {

/// Where to wait for a client.
struct TransportSettings {
    std::filesystem::path socket; ///< Unix socket; empty when listening on TCP
    std::string listen;           ///< "HOST:PORT" (port 0: any); empty: no TCP
    bool keep = false;            ///< wait for the next client when one goes
};

/// Lines of text to and from one client at a time, over a Unix socket that only its owner may open,
/// or over TCP.
///
/// run() reads on its thread and hands each line on; send() is for every thread and never waits:
/// what the client does not read is kept up to a bound, then the client is cut off.
class Transport {
public:
    static constexpr std::size_t kMaxLine = std::size_t(64) << 20;    ///< of a line read [bytes]
    static constexpr std::size_t kMaxUnsent = std::size_t(128) << 20; ///< [bytes]
    static constexpr std::size_t kCongested = std::size_t(1) << 20;   ///< unsent [bytes]

    /// Hears of the client, on the thread of run().
    class Handler {
    public:
        virtual ~Handler() = default;
        virtual void connected() = 0;
        virtual void received(std::string_view line) = 0;
        /// A line is longer than kMaxLine; the client is cut off after it was told.
        virtual void overflowed() = 0;
        virtual void disconnected() = 0;
        /// What a client is told that comes while another is there.
        virtual std::string refusal() = 0;
    };

    /// Binds and listens. A socket file left behind by a dead server is replaced.
    /// @throws IoError the address is in use or unusable
    explicit Transport(TransportSettings settings);
    ~Transport(); ///< removes the socket file
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;

    /// "unix path" or "host:port", as it came out.
    const std::string& address() const { return address_; }
    bool remote() const { return !settings_.listen.empty(); }

    /// Serves until stop(), or until the client goes and `keep` is off.
    void run(Handler& handler);

    /// Queues one line (without its newline) for the present client; nothing without one.
    void send(std::string line);
    /// True while the client reads more slowly than is sent; what can be left out should be.
    bool congested() const;
    /// Ends the connection once everything queued was sent, at most a second later.
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
    std::size_t searched_ = 0; ///< bytes of input_ known to hold no newline

    mutable std::mutex mutex_; ///< guards the rest
    bool connected_ = false;
    bool overrun_ = false;
    bool hangingUp_ = false;
    std::deque<std::string> output_;
    std::size_t outputBytes_ = 0;
    std::size_t sent_ = 0; ///< of output_.front()
};

/// Folder for the sockets of this user, made with mode 0700 when missing.
/// @throws IoError it belongs to someone else, or others may enter
std::filesystem::path socketFolder();

} // namespace floe::serve
