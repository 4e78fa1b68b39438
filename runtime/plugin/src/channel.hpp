/// Messages between a program and the process of an isolated plugin.
#pragma once

#include "floe/base/descriptor.hpp"
#include "floe/base/error.hpp"
#include "floe/base/json.hpp"

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace floe::plugin {

struct Message {
    Json header;       ///< an object
    std::string bytes; ///< a state, or values as writeValue() writes them
};

/// One end of a pair of connected sockets. One thread at a time may send, one may receive.
class Channel {
public:
    explicit Channel(Descriptor socket) : socket_(std::move(socket)) {}

    /// Returns false when the other end is gone.
    bool send(const Json& header, std::string_view bytes = {});
    /// Waits for a message. Returns nothing when the other end is gone, or sends something else.
    /// @param idle  called every tenth of a second meanwhile; what it throws ends the wait
    std::optional<Message> receive(const std::function<void()>& idle = {});

private:
    bool read(char* to, std::size_t bytes, const std::function<void()>& idle);

    Descriptor socket_;
};

/// An exception as an object, for the other end.
Json errorJson(const std::exception& error);
/// Throws what errorJson() wrote: the same class, the same parts.
/// @param place  for parts that the object does not have
[[noreturn]] void raiseError(const Json& error, Place place);

/// A number of an object; NaN when it is not one: JSON has no NaN.
double numberOf(const Json& object, const char* key);
/// A text of an object; empty when it is not one.
std::string textOf(const Json& object, const char* key);

} // namespace floe::plugin
