#include "listener.hpp"

#include "floe/base/error.hpp"

#include <asio/ip/tcp.hpp>
#include <asio/local/stream_protocol.hpp>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace floe::serve {
namespace fs = std::filesystem;
using asio::ip::tcp;
using Local = asio::local::stream_protocol;

namespace {

std::pair<std::string, std::string> splitAddress(const std::string& text)
{
    const auto refuse = [&text](const char* why) {
        throw InputError({.parameter = "--listen"}, "'" + text + "' " + why,
                         "write HOST:PORT, such as 127.0.0.1:7000 or [::1]:7000");
    };
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos)
        refuse("has no port");
    unsigned port = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data() + colon + 1, end, port);
    if (error != std::errc() || stopped != end || port > 65535)
        refuse("has no port between 0 and 65535");
    std::string host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']'))
        host = host.substr(1, host.size() - 2);
    else if (host.find_first_of(":[]") != std::string::npos)
        refuse("has an IPv6 address that is not in brackets");
    if (host.empty())
        refuse("has no host");
    return {host, std::to_string(port)};
}

/// Removes the socket file of a server that has ended; leaves every other file alone.
void removeDeadSocket(asio::io_context& io, const fs::path& path)
{
    std::error_code error;
    if (!fs::is_socket(fs::symlink_status(path, error)))
        return;
    Local::socket(io).connect(path.string(), error);
    if (error == asio::error::connection_refused)
        ::unlink(path.c_str());
}

tcp::endpoint tcpEndpoint(const Stream::endpoint& from)
{
    tcp::endpoint to;
    to.resize(from.size());
    std::memcpy(to.data(), from.data(), from.size());
    return to;
}

void closeOnExec(int descriptor)
{
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

} // namespace

Listener listenLocal(asio::io_context& io, const fs::path& path)
{
    if (path.native().size() >= sizeof(sockaddr_un::sun_path))
        throw IoError({.file = path.string()}, "is too long for a socket",
                      "choose a path of less than " +
                          std::to_string(sizeof(sockaddr_un::sun_path)) + " bytes");
    removeDeadSocket(io, path);
    try {
        Listener listener{Acceptor(io, Stream::endpoint(Local::endpoint(path.string()))),
                          fs::absolute(path).string()};
        closeOnExec(listener.acceptor.native_handle());
        // Other users who come before this are turned away by prepareSocket().
        fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
        return listener;
    } catch (const std::system_error& error) {
        throw IoError({.file = path.string()}, "cannot be made: " + error.code().message(),
                      error.code() == std::errc::no_such_file_or_directory
                          ? "make its folder first, or choose another path"
                      : error.code() == std::errc::address_in_use
                          ? "end the server that has it, or choose another path"
                          : "choose a path in a folder that can be written to");
    }
}

Listener listenTcp(asio::io_context& io, const std::string& text)
{
    const auto [host, port] = splitAddress(text);
    std::error_code error;
    const auto found = tcp::resolver(io).resolve(
        host, port, tcp::resolver::passive | tcp::resolver::numeric_service, error);
    if (error)
        throw IoError({.file = text}, "is not an address of this machine: " + error.message());
    try {
        Listener listener{Acceptor(io, Stream::endpoint(found.begin()->endpoint())), {}};
        closeOnExec(listener.acceptor.native_handle());
        listener.address = text.substr(0, text.rfind(':') + 1) +
                           std::to_string(tcpEndpoint(listener.acceptor.local_endpoint()).port());
        return listener;
    } catch (const std::system_error& failure) {
        throw IoError({.file = text}, "cannot be listened on: " + failure.code().message(),
                      "choose another port");
    }
}

bool prepareSocket(Socket& socket, std::string& from)
{
    std::error_code error;
    closeOnExec(socket.native_handle());
    socket.non_blocking(true, error);
    const Stream::endpoint peer = socket.remote_endpoint(error);
    if (error)
        return false;
    if (peer.protocol().family() == AF_UNIX) {
        ucred owner{};
        socklen_t length = sizeof owner;
        return ::getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &owner, &length) ==
                   0 &&
               owner.uid == ::geteuid();
    }
    from = tcpEndpoint(peer).address().to_string();
    const auto set = [&socket](int level, int option, int value) {
        ::setsockopt(socket.native_handle(), level, option, &value, sizeof value);
    };
    set(IPPROTO_TCP, TCP_NODELAY, 1);
    // A client whose cable is out makes room for its return after half a minute.
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, 10);
    set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
    set(IPPROTO_TCP, TCP_KEEPCNT, 4);
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000);
    return true;
}

fs::path socketFolder()
{
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    const fs::path folder =
        runtime && *runtime ? fs::path(runtime) / "floe"
                            : fs::temp_directory_path() / ("floe-" + std::to_string(::getuid()));
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
        throw IoError({.file = folder.string()},
                      std::string("cannot be created: ") + std::strerror(errno),
                      "name a socket with --socket");
    struct stat info {};
    if (::lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) ||
        info.st_uid != ::getuid() || (info.st_mode & 077) != 0)
        throw IoError({.file = folder.string()}, "is not a folder that only its owner may enter",
                      "remove it, or name a socket elsewhere with --socket");
    return folder;
}

} // namespace floe::serve
