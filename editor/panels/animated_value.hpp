#pragma once

#include "floe/base/json.hpp"

#include <QString>

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace floe::panels {

/// A key of a curve, as a document stores it: [frame, value, mode, in handle, out handle].
struct CurveKey {
    enum class Mode { Step, Linear, Bezier }; ///< of the way to the next key
    double frame = 1, value = 0;
    Mode mode = Mode::Bezier;
    /// Handles of Bezier keys, [frames, value] from the key: in points back, out forward. None:
    /// flat, a third of the way to the neighbour.
    std::optional<std::array<double, 2>> in, out;
    bool operator==(const CurveKey&) const = default;
};

/// What one number follows over time.
struct Channel {
    enum class Kind { Constant, Keys, Expression };
    Kind kind = Kind::Constant;
    double constant = 0;
    std::vector<CurveKey> keys; ///< in order of frames
    std::string expression;
    bool operator==(const Channel&) const = default;
};

using Channels = std::vector<Channel>; ///< one of a number, three of a vector or colour

/// Reads a stored parameter.
/// @return nothing when it is no such value (a text, keys of a wrong shape)
std::optional<Channels> readChannels(const Json& value, std::size_t width);

/// @param whole numbers are integers
Json writeChannels(const Channels& channels, bool whole);

/// The handle of a key as it acts, given or not. @param key index  @param out else the in handle
std::array<double, 2> handleOf(const std::vector<CurveKey>& keys, std::size_t key, bool out);

/// The value of a curve at a frame; the keys' ends go on flat. @param keys not empty
double valueAt(const std::vector<CurveKey>& keys, double frame);

/// Sets a key at a frame: its value when there is one, else a new key of the mode before it.
void setKey(Channel& channel, double frame, double value);
/// Removes the key at a frame; the last one leaves a constant.
void removeKey(Channel& channel, double frame);
bool hasKey(const Channel& channel, double frame);

/// The value of another parameter, by its reference ("ball.center.x"); nothing: there is none.
using Resolver = std::function<std::optional<double>(const std::string& reference)>;

struct Evaluated {
    std::optional<double> value;
    QString error; ///< one sentence; empty when there is a value
};

/// @param start first frame of the scene, where `time` is 0
Evaluated evaluate(const Channel& channel, double frame, double start, double fps,
                   const Resolver& resolver);

} // namespace floe::panels
