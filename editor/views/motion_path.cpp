#include "views/motion_path.hpp"

#include "panels/animated_value.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace floe::views {

using panels::Channel;
using panels::Channels;
using Kind = Channel::Kind;

namespace {

constexpr double kMaxSpots = 2000; ///< that are drawn

bool follows(const Channels& channels, Kind kind)
{
    return std::any_of(channels.begin(), channels.end(),
                       [kind](const Channel& channel) { return channel.kind == kind; });
}

double at(const Channel& channel, double frame)
{
    return channel.kind == Kind::Keys ? panels::valueAt(channel.keys, frame) : channel.constant;
}

/// The times at which any of them has a key, in order.
std::vector<double> timesOf(const Channels& channels)
{
    std::vector<double> times;
    for (const Channel& channel : channels)
        for (const panels::CurveKey& key : channel.keys)
            times.push_back(key.frame);
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    return times;
}

} // namespace

bool isKeyed(const Json& value, std::size_t width)
{
    const auto channels = panels::readChannels(value, width);
    return channels && follows(*channels, Kind::Keys) && !follows(*channels, Kind::Expression);
}

std::optional<Vec3> numbersAt(const Json& value, std::size_t width, double frame)
{
    const auto channels = panels::readChannels(value, width);
    if (!channels || follows(*channels, Kind::Expression))
        return std::nullopt;
    Vec3 numbers{};
    for (std::size_t c = 0; c < width; ++c) {
        numbers[c] = at((*channels)[c], frame);
        if (!std::isfinite(numbers[c]))
            return std::nullopt;
    }
    return numbers;
}

Json withKeysAt(const Json& value, double frame, std::span<const double> numbers, double least)
{
    auto channels = panels::readChannels(value, numbers.size());
    if (!channels)
        return value;
    const auto keyed = std::find_if(channels->begin(), channels->end(), [](const Channel& channel) {
        return channel.kind == Kind::Keys;
    });
    if (keyed == channels->end())
        return value;
    const std::vector<panels::CurveKey> others = keyed->keys;
    for (std::size_t c = 0; c < numbers.size(); ++c) {
        Channel& channel = (*channels)[c];
        if (channel.kind == Kind::Constant) {
            const double before = channel.constant;
            if (std::abs(numbers[c] - before) <= least)
                continue;
            channel = {Kind::Keys, 0, {}, {}};
            for (const panels::CurveKey& key : others)
                channel.keys.push_back({key.frame, before, key.mode, {}, {}});
        }
        panels::setKey(channel, frame, numbers[c]);
    }
    return panels::writeChannels(*channels, false);
}

std::optional<MotionPath> pathOf(const std::string& parameter, const Json& value,
                                 const Vec3& offset)
{
    if (!isKeyed(value, 3))
        return std::nullopt;
    const Channels channels = *panels::readChannels(value, 3);
    MotionPath path{parameter, offset, {}, {}};
    const auto spot = [&](double frame) {
        Vec3 place = offset;
        for (std::size_t axis = 0; axis < 3; ++axis)
            place[axis] += at(channels[axis], frame);
        return MotionPath::Spot{frame, place};
    };
    const std::vector<double> times = timesOf(channels);
    for (const double time : times)
        path.keys.push_back(spot(time));
    const double first = times.front(), last = times.back();
    const double step = std::max(1.0, std::ceil((last - first) / kMaxSpots));
    for (double frame = first; frame < last; frame += step)
        path.spots.push_back(spot(frame));
    path.spots.push_back(spot(last));
    return path;
}

} // namespace floe::views
