#pragma once

#include <asio/basic_socket_acceptor.hpp>
#include <asio/generic/stream_protocol.hpp>
#include <asio/io_context.hpp>

#include <filesystem>
#include <string>

namespace floe::serve {

using Stream = asio::generic::stream_protocol; ///< a Unix socket or TCP
using Socket = Stream::socket;
using Acceptor = asio::basic_socket_acceptor<Stream>;

/// An address that clients can connect to.
struct Listener {
    Acceptor acceptor;
    std::string address; ///< "unix path" or "host:port", as it came out
};

/// Listens on a Unix socket that only its owner may open. A socket file left behind by a dead
/// server is replaced.
/// @throws IoError the path is in use or unusable
Listener listenLocal(asio::io_context& io, const std::filesystem::path& path);

/// Listens on TCP.
/// @param text  "HOST:PORT", an IPv6 address in brackets; port 0: any that is free
/// @throws InputError it is not of that form  @throws IoError it is in use or not of this machine
Listener listenTcp(asio::io_context& io, const std::string& text);

/// Prepares an accepted connection.
/// @param from  becomes the other side's address on TCP
/// @return false when it is to be closed: it belongs to another user, or is gone already
bool prepareSocket(Socket& socket, std::string& from);

/// Folder for the sockets of this user, made with mode 0700 when missing.
/// @throws IoError it belongs to someone else, or others may enter
std::filesystem::path socketFolder();

} // namespace floe::serve
