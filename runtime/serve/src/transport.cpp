#include "transport.hpp"

#include <asio/post.hpp>
#include <asio/read_until.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace floe::serve {

namespace {

using std::error_code;

constexpr std::chrono::milliseconds kFarewell{1000}; // to read why one is turned away
constexpr std::chrono::milliseconds kPause{100};     // when the system has no descriptor left
constexpr std::chrono::seconds kBetweenReports{1};
constexpr std::size_t kMaxReported = 200; // of what may have come from outside [bytes]
constexpr std::size_t kMaxKeptInput = std::size_t(1) << 20; // capacity of an empty buffer [bytes]

/// What tells an open file from others; 0: it is not open.
std::uint64_t fileOf(int descriptor)
{
    struct stat about {};
    return ::fstat(descriptor, &about) == 0 ? about.st_ino : 0;
}

/// True when nothing more will come from the other side than what lies there already.
bool hasHungUp(Socket& socket)
{
    pollfd wait{socket.native_handle(), POLLRDHUP, 0};
    return ::poll(&wait, 1, 0) == 1;
}

} // namespace

struct Transport::Connection {
    explicit Connection(Socket accepted)
        : socket(std::move(accepted)), deadline(socket.get_executor())
    {}

    Socket socket;
    asio::steady_timer deadline; ///< of a stranger
    std::string from;            ///< the other side's address; empty: this machine
    std::string input;
    bool dismissed = false; ///< it has time to read why; what it sends is not looked at

    // Guarded by mutex_
    std::deque<std::string> output;
    std::size_t unsent = 0;   ///< of all output [bytes]
    std::size_t sent = 0;     ///< of output.front() [bytes]
    bool waitsToSend = false; ///< run() goes on when the socket takes more
    bool broken = false;      ///< run() ends it
};

Transport::Transport(TransportSettings settings)
    : settings_(std::move(settings)),
      listener_(settings_.listen ? listenTcp(io_, *settings_.listen)
                                 : listenLocal(io_, settings_.socket)),
      listening_(listener_.acceptor.native_handle()), listeningFile_(fileOf(listening_)),
      pause_(io_), wake_(io_, ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
{}

Transport::~Transport()
{
    if (!remote())
        ::unlink(settings_.socket.c_str());
}

void Transport::run(Handler& handler)
{
    handler_ = &handler;
    wake_.async_wait(wake_.wait_read, [this](error_code) { io_.stop(); });
    accept();
    io_.run();
    stoppedWithClient_ = stop_ && client_ && !hasHungUp(client_->socket);
    while (!watchers_.empty())
        end(watchers_.back());
    if (client_)
        end(client_);
}

bool Transport::isWatcher(const ConnectionPointer& connection) const
{
    return std::find(watchers_.begin(), watchers_.end(), connection) != watchers_.end();
}

void Transport::accept()
{
    listener_.acceptor.async_accept([this](error_code error, Socket socket) {
        if (!error) {
            meet(std::move(socket));
            return accept();
        }
        report({}, error.message());
        pause_.expires_after(kPause);
        pause_.async_wait([this](error_code) { accept(); });
    });
}

void Transport::meet(Socket socket)
{
    std::string from;
    if (!prepareSocket(socket, from))
        return;
    const auto connection = std::make_shared<Connection>(std::move(socket));
    connection->from = std::move(from);
    // Who comes back at once may be heard of before its old connection's end.
    if (client_ && hasHungUp(client_->socket))
        end(client_);
    if (strangers_.size() >= kMaxStrangers) {
        report(strangers_.front()->from, "too many came at once");
        end(strangers_.front());
    }
    strangers_.push_back(connection);
    setDeadline(connection, settings_.helloTime);
    read(connection);
}

void Transport::setDeadline(const ConnectionPointer& connection, std::chrono::milliseconds time)
{
    connection->deadline.expires_after(time);
    connection->deadline.async_wait([this, connection](error_code error) {
        if (error || connection == client_ || isWatcher(connection))
            return;
        if (connection->dismissed)
            end(connection);
        else
            turnAway(connection, handler_->refused(Refusal::Late));
    });
}

void Transport::read(const ConnectionPointer& connection)
{
    const std::size_t limit = connection == client_ ? kMaxLine : kMaxHello;
    asio::async_read_until(connection->socket, asio::dynamic_buffer(connection->input, limit + 1),
                           '\n', [this, connection](error_code error, std::size_t) {
                               if (!connection->socket.is_open())
                                   return;
                               if (error)
                                   handleReadError(connection, error);
                               else
                                   handleLines(connection);
                               if (connection->socket.is_open())
                                   read(connection);
                           });
}

void Transport::handleReadError(const ConnectionPointer& connection, error_code error)
{
    const bool tooLong = error == asio::error::not_found;
    if (connection == client_) {
        if (tooLong)
            send(handler_->refused(Refusal::TooLong).line);
        end(connection);
    } else if (isWatcher(connection)) {
        if (tooLong)
            send(connection, handler_->refused(Refusal::TooLong).line);
        end(connection);
    } else if (tooLong && !connection->dismissed) {
        turnAway(connection, handler_->refused(Refusal::TooLong));
        connection->input.clear();
    } else {
        if (!connection->dismissed)
            report(connection->from, "it went without a hello");
        end(connection);
    }
}

void Transport::handleLines(const ConnectionPointer& connection)
{
    std::string& input = connection->input;
    std::size_t start = 0;
    for (std::size_t newline; (newline = input.find('\n', start)) != std::string::npos;
         start = newline + 1) {
        if (connection->dismissed || stop_)
            return input.clear();
        const std::string_view line(input.data() + start, newline - start);
        if (line.empty())
            continue;
        if (connection == client_)
            handler_->received(line);
        else if (isWatcher(connection))
            handler_->asked(connection, line);
        else
            greet(connection, line);
    }
    input.erase(0, start);
    if (input.empty() && input.capacity() > kMaxKeptInput)
        input = {};
}

void Transport::greet(const ConnectionPointer& connection, std::string_view line)
{
    Reply reply =
        handler_->greeted(line, {.client = !client_, .watcher = watchers_.size() < kMaxWatchers});
    if (!reply.fault.empty())
        return turnAway(connection, std::move(reply));
    connection->deadline.cancel();
    std::erase(strangers_, connection);
    const std::lock_guard lock(mutex_);
    if (reply.watches)
        watchers_.push_back(connection);
    else
        client_ = connection;
    if (!reply.line.empty())
        queue(connection, std::move(reply.line)); // before what other threads send
}

/// Tells a stranger why it is closed, and gives it time to read that: closed at once, with
/// something of its own unread, it would hear of a broken connection instead.
void Transport::turnAway(const ConnectionPointer& connection, Reply reply)
{
    connection->dismissed = true;
    reply.line += '\n';
    error_code ignored;
    connection->socket.write_some(asio::buffer(reply.line), ignored);
    connection->socket.shutdown(Socket::shutdown_send, ignored);
    report(connection->from, reply.fault);
    setDeadline(connection, kFarewell);
}

void Transport::report(const std::string& from, const std::string& fault)
{
    ++unreported_;
    const auto now = std::chrono::steady_clock::now();
    if (now - reported_ < kBetweenReports)
        return;
    reported_ = now;
    const unsigned count = std::exchange(unreported_, 0);
    handler_->turnedAway(
        (count == 1 ? "a connection was closed"
                    : std::to_string(count) + " connections were closed, the last") +
        (from.empty() ? "" : " from " + from) + ": " + fault.substr(0, kMaxReported));
}

void Transport::end(ConnectionPointer connection)
{
    const bool wasClient = connection == client_;
    {
        const std::lock_guard lock(mutex_);
        if (wasClient)
            client_.reset();
        std::erase(watchers_, connection);
    }
    std::erase(strangers_, connection);
    connection->deadline.cancel();
    error_code ignored;
    connection->socket.close(ignored);
    if (!wasClient)
        return;
    handler_->disconnected();
    if (!settings_.keep)
        io_.stop();
}

void Transport::send(std::string line)
{
    const std::lock_guard lock(mutex_);
    if (client_)
        queue(client_, std::move(line));
}

void Transport::send(const Peer& watcher, std::string line)
{
    const std::lock_guard lock(mutex_);
    if (const ConnectionPointer connection = watcher.lock(); connection && isWatcher(connection))
        queue(connection, std::move(line));
}

void Transport::tell(const std::string& line, bool transient)
{
    const std::lock_guard lock(mutex_);
    const auto one = [&](const ConnectionPointer& connection) {
        if (!transient || connection->unsent <= kCongested)
            queue(connection, line);
    };
    if (client_)
        one(client_);
    for (const ConnectionPointer& watcher : watchers_)
        one(watcher);
}

void Transport::queue(const ConnectionPointer& connection, std::string line)
{
    if (connection->broken)
        return;
    line += '\n';
    connection->unsent += line.size();
    connection->output.push_back(std::move(line));
    // At once where it can be: what is said before a plugin crashes must not die with it.
    if (!connection->waitsToSend)
        write(connection);
    if (connection->unsent > kMaxUnsent)
        cutOff(connection);
}

void Transport::write(const ConnectionPointer& connection)
{
    Connection& c = *connection;
    error_code error;
    while (!c.output.empty() && !error) {
        const std::string& line = c.output.front();
        const std::size_t wrote = c.socket.write_some(asio::buffer(line) + c.sent, error);
        c.sent += wrote;
        c.unsent -= wrote;
        if (c.sent == line.size()) {
            c.output.pop_front();
            c.sent = 0;
        }
    }
    if (error == asio::error::would_block || error == asio::error::interrupted) {
        c.waitsToSend = true;
        asio::post(io_, [this, connection] {
            connection->socket.async_wait(Socket::wait_write, [this, connection](error_code) {
                const std::lock_guard lock(mutex_);
                connection->waitsToSend = false;
                write(connection);
            });
        });
    } else if (error) {
        cutOff(connection);
    }
}

/// Its end comes on the thread of run().
void Transport::cutOff(const ConnectionPointer& connection)
{
    connection->broken = true;
    connection->output.clear();
    connection->unsent = connection->sent = 0;
    asio::post(io_, [this, connection] { end(connection); });
}

bool Transport::intact() const
{
    return fileOf(listening_) == listeningFile_;
}

bool Transport::congested() const
{
    const std::lock_guard lock(mutex_);
    return client_ && client_->unsent > kCongested;
}

void Transport::stop() noexcept
{
    stop_ = true;
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t wrote = ::write(wake_.native_handle(), &one, sizeof one);
}

} // namespace floe::serve
