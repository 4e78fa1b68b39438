#include "channel.hpp"

#include "floe/plugin/cook_context.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <limits>
#include <poll.h>
#include <sys/socket.h>

namespace floe::plugin {
namespace {

constexpr std::uint64_t kMaxHeader = 4 << 20;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 40;
constexpr std::size_t kPiece = 16 << 20; ///< memory is taken as fast as bytes arrive
constexpr int kIdle = 100;               ///< [ms]

/// In front of each message: the lengths of header and bytes.
using Lengths = std::array<std::uint64_t, 2>;

bool write(int socket, std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

} // namespace

bool Channel::send(const Json& header, std::string_view bytes)
{
    const std::string text = dumpJson(header);
    const Lengths lengths = {text.size(), bytes.size()};
    return write(socket_.get(), {reinterpret_cast<const char*>(lengths.data()), sizeof lengths}) &&
           write(socket_.get(), text) && write(socket_.get(), bytes);
}

std::optional<Message> Channel::receive(const std::function<void()>& idle)
{
    Lengths lengths;
    if (!read(reinterpret_cast<char*>(lengths.data()), sizeof lengths, idle) ||
        lengths[0] > kMaxHeader || lengths[1] > kMaxBytes)
        return std::nullopt;
    std::string text(lengths[0], '\0');
    if (!read(text.data(), text.size(), idle))
        return std::nullopt;
    Message message;
    try {
        message.header = parseJson(text, "message");
    } catch (const GraphError&) {
        return std::nullopt;
    }
    if (!message.header.is_object())
        return std::nullopt;
    while (message.bytes.size() < lengths[1]) {
        const std::size_t there = message.bytes.size();
        const std::size_t piece = std::min<std::uint64_t>(kPiece, lengths[1] - there);
        message.bytes.resize(there + piece);
        if (!read(message.bytes.data() + there, piece, idle))
            return std::nullopt;
    }
    return message;
}

bool Channel::read(char* to, std::size_t bytes, const std::function<void()>& idle)
{
    while (bytes > 0) {
        pollfd wanted = {socket_.get(), POLLIN, 0};
        const int ready = ::poll(&wanted, 1, idle ? kIdle : -1);
        if (ready < 0 && errno != EINTR)
            return false;
        if (ready <= 0) {
            if (idle)
                idle();
            continue;
        }
        const ssize_t got = ::recv(socket_.get(), to, bytes, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        bytes -= static_cast<std::size_t>(got);
    }
    return true;
}

Json errorJson(const std::exception& error)
{
    Json json = {{"status", statusOf(error)}, {"cause", sentenceOf(error)}};
    if (const auto* ours = dynamic_cast<const Error*>(&error)) {
        json["cause"] = ours->cause();
        json["cure"] = ours->cure();
        json["file"] = ours->place().file;
        json["node"] = ours->place().node;
        json["parameter"] = ours->place().parameter;
        if (ours->place().frame != Place::kNoFrame)
            json["frame"] = ours->place().frame;
    }
    return json;
}

void raiseError(const Json& error, Place place)
{
    const auto take = [&](std::string& part, const char* key) {
        if (std::string text = textOf(error, key); !text.empty())
            part = std::move(text);
    };
    take(place.file, "file");
    take(place.node, "node");
    take(place.parameter, "parameter");
    if (const double frame = numberOf(error, "frame"); std::abs(frame) < 1e9)
        place.frame = static_cast<int>(frame);
    const std::string cause = textOf(error, "cause"), cure = textOf(error, "cure");
    const double status = numberOf(error, "status");
    switch (std::abs(status) < 1e6 ? static_cast<int>(status) : FLOE_FAILED) {
    case FLOE_OUT_OF_MEMORY:
        throw MemoryError(place, cause, cure);
    case FLOE_DEVICE_FAILED:
        throw DeviceError(place, cause, cure);
    case FLOE_IO_FAILED:
        throw IoError(place, cause, cure);
    case FLOE_CANCELLED:
        throw CancelledError(place, cause, cure);
    case FLOE_DIVERGED:
        throw DivergedError(place, cause, cure);
    case FLOE_BAD_ARGUMENT:
        throw InputError(place, cause, cure);
    default:
        throw PluginError(place, cause, cure);
    }
}

double numberOf(const Json& object, const char* key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_number() ? found->get<double>()
                                                       : std::numeric_limits<double>::quiet_NaN();
}

std::string textOf(const Json& object, const char* key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

} // namespace floe::plugin
