#include "transport.hpp"

#include "floe/base/error.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace floe::serve {
namespace fs = std::filesystem;

namespace {

[[noreturn]] void failed(const std::string& where, const char* what, const std::string& cure = {})
{
    throw IoError({.file = where}, std::string(what) + ": " + std::strerror(errno), cure);
}

sockaddr_un addressOf(const fs::path& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string text = path.string();
    if (text.empty() || text.size() >= sizeof address.sun_path)
        throw IoError({.file = text}, "is too long for a socket",
                      "choose a path of less than " + std::to_string(sizeof address.sun_path) +
                          " bytes");
    std::memcpy(address.sun_path, text.c_str(), text.size() + 1);
    return address;
}

/// Removes the socket file of a dead server; leaves every other file alone.
void removeDeadSocket(const fs::path& path)
{
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0 || !S_ISSOCK(info.st_mode))
        return;
    const sockaddr_un address = addressOf(path);
    const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool dead =
        ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
        errno == ECONNREFUSED;
    ::close(probe);
    if (dead)
        ::unlink(path.c_str());
}

std::pair<std::string, std::string> splitAddress(const std::string& listen)
{
    const std::size_t colon = listen.rfind(':');
    int port = -1;
    if (colon != std::string::npos)
        std::from_chars(listen.data() + colon + 1, listen.data() + listen.size(), port);
    if (colon == std::string::npos || colon == 0 || port < 0 || port > 65535)
        throw InputError({.parameter = "--listen"}, "'" + listen + "' is no address",
                         "write HOST:PORT, such as 127.0.0.1:7000");
    std::string host = listen.substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']')
        host = host.substr(1, host.size() - 2);
    return {host, std::to_string(port)};
}

/// Returns true when the other side sends nothing more than what is already buffered.
bool hasHungUp(int descriptor)
{
    pollfd wait{descriptor, POLLRDHUP, 0};
    return ::poll(&wait, 1, 0) == 1;
}

} // namespace

fs::path socketFolder()
{
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    fs::path folder = runtime && *runtime
                          ? fs::path(runtime) / "floe"
                          : fs::temp_directory_path() / ("floe-" + std::to_string(::getuid()));
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
        failed(folder.string(), "cannot be created", "name a socket with --socket");
    struct stat info {};
    if (::lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) ||
        info.st_uid != ::getuid() || (info.st_mode & 077) != 0)
        throw IoError({.file = folder.string()}, "is not a folder that only its owner may enter",
                      "remove it, or name a socket elsewhere with --socket");
    return folder;
}

Transport::Transport(TransportSettings settings) : settings_(std::move(settings))
{
    wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    try {
        if (remote())
            listenTcp();
        else
            listenLocal();
    } catch (...) {
        for (const int descriptor : {listener_, wake_})
            if (descriptor >= 0)
                ::close(descriptor);
        throw;
    }
}

Transport::~Transport()
{
    for (const int descriptor : {client_, listener_, wake_})
        if (descriptor >= 0)
            ::close(descriptor);
    if (!remote())
        ::unlink(settings_.socket.c_str());
}

void Transport::listenLocal()
{
    const sockaddr_un address = addressOf(settings_.socket);
    removeDeadSocket(settings_.socket);
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener_ < 0)
        failed(settings_.socket.string(), "no socket can be made");
    const mode_t before = ::umask(0177); // 0600 from the start
    const int bound =
        ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    const int reason = errno;
    ::umask(before);
    errno = reason;
    if (bound != 0)
        failed(settings_.socket.string(), "cannot be made",
               reason == ENOENT       ? "make its folder first, or choose another path"
               : reason == EADDRINUSE ? "end the server that has it, or choose another path"
                                      : "choose a path in a folder that can be written to");
    if (::listen(listener_, 4) != 0)
        failed(settings_.socket.string(), "cannot be listened on");
    address_ = fs::absolute(settings_.socket).string();
}

void Transport::listenTcp()
{
    const auto [host, port] = splitAddress(settings_.listen);
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    if (const int code = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found); code != 0)
        throw IoError({.file = settings_.listen},
                      std::string("is no address of this machine: ") + ::gai_strerror(code));
    listener_ = ::socket(found->ai_family, found->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int yes = 1;
    ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    const bool bound = listener_ >= 0 &&
                       ::bind(listener_, found->ai_addr, found->ai_addrlen) == 0 &&
                       ::listen(listener_, 4) == 0;
    const int reason = errno;
    ::freeaddrinfo(found);
    errno = reason;
    if (!bound)
        failed(settings_.listen, "cannot be listened on", "choose another port");
    sockaddr_storage actual{};
    socklen_t length = sizeof actual;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&actual), &length);
    const int number = actual.ss_family == AF_INET6
                           ? ntohs(reinterpret_cast<sockaddr_in6*>(&actual)->sin6_port)
                           : ntohs(reinterpret_cast<sockaddr_in*>(&actual)->sin_port);
    address_ = settings_.listen.substr(0, settings_.listen.rfind(':') + 1) + std::to_string(number);
}

void Transport::accept(Handler& handler)
{
    const int descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (descriptor < 0)
        return;
    if (!remote()) {
        ucred peer{};
        socklen_t length = sizeof peer;
        if (::getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 ||
            peer.uid != ::geteuid()) {
            ::close(descriptor);
            return;
        }
    } else {
        const int yes = 1;
        ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        // Drops a client with an unplugged cable after half a minute, so that it can reconnect.
        const int idle = 10, interval = 5, probes = 4, unanswered = 30'000; // [s], [ms]
        ::setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
        ::setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
        ::setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
        ::setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
        ::setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered, sizeof unanswered);
    }
    if (client_ >= 0) {
        const std::string line = handler.refusal() + "\n";
        [[maybe_unused]] const ssize_t sent =
            ::send(descriptor, line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        ::close(descriptor);
        return;
    }
    client_ = descriptor;
    {
        const std::lock_guard lock(mutex_);
        connected_ = true;
        overrun_ = hangingUp_ = false;
    }
    handler.connected();
}

/// @return false when the client is disconnected
bool Transport::readSome(Handler& handler)
{
    std::array<char, 65536> buffer;
    const ssize_t got = ::recv(client_, buffer.data(), buffer.size(), 0);
    if (got < 0)
        return errno == EAGAIN || errno == EINTR;
    if (got == 0)
        return false;
    input_.append(buffer.data(), static_cast<std::size_t>(got));
    std::size_t start = 0;
    for (std::size_t end; (end = input_.find('\n', searched_)) != std::string::npos;) {
        const std::string_view line(input_.data() + start, end - start);
        start = searched_ = end + 1;
        if (line.size() > kMaxLine) {
            handler.overflowed();
            return false;
        }
        if (!line.empty())
            handler.received(line);
        if (stop_)
            break;
    }
    input_.erase(0, start);
    searched_ = input_.size();
    if (input_.size() > kMaxLine) {
        handler.overflowed();
        return false;
    }
    if (input_.empty() && input_.capacity() > (std::size_t(1) << 20))
        input_ = {};
    return true;
}

/// @return false when the client is disconnected
bool Transport::writeSome()
{
    const std::lock_guard lock(mutex_);
    return !overrun_ && writeQueued() && !(output_.empty() && hangingUp_);
}

/// Call with mutex_ held. @return false when the connection is broken
bool Transport::writeQueued()
{
    while (!output_.empty()) {
        const std::string& line = output_.front();
        const ssize_t wrote =
            ::send(client_, line.data() + sent_, line.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (wrote < 0)
            return errno == EAGAIN || errno == EINTR;
        sent_ += static_cast<std::size_t>(wrote);
        outputBytes_ -= static_cast<std::size_t>(wrote);
        if (sent_ == line.size()) {
            output_.pop_front();
            sent_ = 0;
        }
    }
    return true;
}

void Transport::drop(Handler& handler)
{
    input_ = {};
    searched_ = 0;
    {
        const std::lock_guard lock(mutex_);
        ::close(client_);
        client_ = -1;
        connected_ = false;
        output_.clear();
        outputBytes_ = sent_ = 0;
    }
    handler.disconnected();
    if (!settings_.keep)
        stop_ = true;
}

void Transport::run(Handler& handler)
{
    using Clock = std::chrono::steady_clock;
    Clock::time_point ending{};
    while (!stop_) {
        bool toWrite = false;
        bool ends = false;
        {
            const std::lock_guard lock(mutex_);
            toWrite = !output_.empty();
            ends = hangingUp_;
        }
        std::array<pollfd, 3> waits{{{wake_, POLLIN, 0}, {listener_, POLLIN, 0}, {-1, 0, 0}}};
        if (client_ >= 0)
            waits[2] = {client_, static_cast<short>((ends ? 0 : POLLIN) | (toWrite ? POLLOUT : 0)),
                        0};
        ::poll(waits.data(), waits.size(), ends ? 100 : -1);
        if (waits[0].revents != 0) {
            std::uint64_t count = 0;
            [[maybe_unused]] const ssize_t got = ::read(wake_, &count, sizeof count);
        }
        if (waits[1].revents != 0) {
            // A client that reconnects may arrive before the end of its old connection.
            if (client_ >= 0 && hasHungUp(client_)) {
                ending = {};
                drop(handler);
            } else {
                accept(handler);
            }
            continue;
        }
        if (client_ < 0)
            continue;
        bool alive = true;
        if (!ends && (waits[2].revents & (POLLIN | POLLHUP | POLLERR)) != 0)
            alive = readSome(handler);
        alive = writeSome() && alive;
        if (ends && ending == Clock::time_point{})
            ending = Clock::now();
        if (!alive || (ends && Clock::now() - ending > std::chrono::seconds(1))) {
            ending = {};
            drop(handler);
        }
    }
    if (client_ >= 0) {
        writeSome();
        drop(handler);
    }
}

void Transport::send(std::string line)
{
    {
        const std::lock_guard lock(mutex_);
        if (!connected_ || overrun_)
            return;
        line += '\n';
        outputBytes_ += line.size();
        output_.push_back(std::move(line));
        if (outputBytes_ > kMaxUnsent) {
            overrun_ = true;
            output_.clear();
            outputBytes_ = sent_ = 0;
        }
        // Sent at once if possible: a message before a plugin crashes must not be lost with it.
        if (writeQueued() && output_.empty() && !overrun_ && !hangingUp_)
            return;
    }
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t wrote = ::write(wake_, &one, sizeof one);
}

bool Transport::congested() const
{
    const std::lock_guard lock(mutex_);
    return outputBytes_ > kCongested;
}

void Transport::hangUp()
{
    {
        const std::lock_guard lock(mutex_);
        hangingUp_ = true;
    }
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t wrote = ::write(wake_, &one, sizeof one);
}

void Transport::stop() noexcept
{
    stop_ = true;
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t wrote = ::write(wake_, &one, sizeof one);
}

} // namespace floe::serve
