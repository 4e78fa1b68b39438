#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace floe {

/// The place of a fault, as far as it is known; empty parts are left out of the message.
struct Place {
    std::string file;      ///< path as the user gave it
    std::string node;      ///< node name in the graph, with its subgraphs ("debris/ball")
    std::string parameter; ///< parameter, socket or field
    int frame = kNoFrame;  ///< frame of the run

    static constexpr int kNoFrame = -2147483647;
};

/// Root of all exceptions that Floe throws. `what()` is one sentence for a person: place, cause and
/// what would be right.
class Error : public std::runtime_error {
public:
    /// @param cause what is wrong
    /// @param cure  what would be right; may be empty
    Error(Place place, std::string cause, std::string cure = {});

    const Place& place() const { return place_; }
    const std::string& cause() const { return cause_; }
    const std::string& cure() const { return cure_; }

private:
    Place place_;
    std::string cause_;
    std::string cure_;
};

/// A value given by the user is unusable.
class InputError : public Error {
    using Error::Error;
};
/// The document is faulty: it cannot be parsed, checked or evaluated.
class GraphError : public Error {
    using Error::Error;
};
/// A plugin is missing, broken, or reported a failure of its own.
class PluginError : public Error {
    using Error::Error;
};
/// A device is missing or failed.
class DeviceError : public Error {
    using Error::Error;
};
/// A file could not be read or written.
class IoError : public Error {
    using Error::Error;
};
/// Host or device memory ran out.
class MemoryError : public Error {
    using Error::Error;
};
/// A simulation left the range of meaningful numbers.
class DivergedError : public Error {
    using Error::Error;
};
/// The user asked to stop.
class CancelledError : public Error {
    using Error::Error;
};

/// "file: node 'a': parameter 'b': frame 3" of the parts that are set.
std::string describe(const Place& place);

} // namespace floe
