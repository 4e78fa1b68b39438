#include "panels/animated_value.hpp"

#include "document/translated.hpp"
#include "floe/base/error.hpp"
#include "floe/graph/expression.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace floe::panels {

namespace {

using Mode = CurveKey::Mode;

constexpr const char* kModes[] = {"step", "linear", "bezier"};

/// One number of `value`, which is a number or an array of `width` of them.
std::optional<double> component(const Json& value, std::size_t width, std::size_t c)
{
    if (value.is_number() && width == 1)
        return value.get<double>();
    if (width > 1 && value.is_array() && value.size() == width && value[c].is_number())
        return value[c].get<double>();
    return std::nullopt;
}

std::optional<std::array<double, 2>> handle(const Json& value, std::size_t width, std::size_t c)
{
    if (!value.is_array() || value.size() != 2 || !value[0].is_number())
        return std::nullopt;
    const auto offset = value[1].is_number() ? std::optional(value[1].get<double>())
                                             : component(value[1], width, c);
    if (!offset)
        return std::nullopt;
    return std::array{value[0].get<double>(), *offset};
}

std::optional<Channel> keys(const Json& list, std::size_t width, std::size_t c)
{
    if (!list.is_array() || list.empty())
        return std::nullopt;
    Channel channel;
    channel.kind = Channel::Kind::Keys;
    for (const Json& entry : list) {
        if (!entry.is_array() || entry.size() < 2 || entry.size() > 5 || !entry[0].is_number())
            return std::nullopt;
        const auto value = component(entry[1], width, c);
        if (!value)
            return std::nullopt;
        CurveKey key{entry[0].get<double>(), *value, Mode::Linear, {}, {}};
        if (entry.size() > 2)
            for (int mode = 0; mode < 3; ++mode)
                if (entry[2] == kModes[mode])
                    key.mode = static_cast<Mode>(mode);
        if (entry.size() > 3)
            key.in = handle(entry[3], width, c);
        if (entry.size() > 4)
            key.out = handle(entry[4], width, c);
        if (!channel.keys.empty() && key.frame <= channel.keys.back().frame)
            return std::nullopt;
        channel.keys.push_back(key);
    }
    return channel;
}

std::optional<Channel> channelOf(const Json& value, std::size_t width, std::size_t c)
{
    Channel channel;
    if (const auto number = component(value, width, c)) {
        channel.constant = *number;
        return channel;
    }
    if (!value.is_object())
        return std::nullopt;
    if (const auto found = value.find("expr"); found != value.end() && found->is_string()) {
        channel.kind = Channel::Kind::Expression;
        channel.expression = found->get<std::string>();
        return channel;
    }
    const auto found = value.find("keys");
    return found == value.end() ? std::nullopt : keys(*found, width, c);
}

Json number(double value, bool whole)
{
    return whole ? Json(static_cast<std::int64_t>(std::llround(value))) : Json(value);
}

Json written(const Channel& channel, bool whole)
{
    if (channel.kind == Channel::Kind::Constant)
        return number(channel.constant, whole);
    if (channel.kind == Channel::Kind::Expression)
        return {{"expr", channel.expression}};
    Json list = Json::array();
    for (const CurveKey& key : channel.keys) {
        Json entry = Json::array({number(key.frame, key.frame == std::floor(key.frame)),
                                  number(key.value, whole), kModes[static_cast<int>(key.mode)]});
        if (key.mode == Mode::Bezier && (key.in || key.out)) {
            const auto pair = [](const std::array<double, 2>& h) {
                return Json::array({h[0], h[1]});
            };
            // An in handle must be there before an out handle can be written.
            const auto i = static_cast<std::size_t>(&key - channel.keys.data());
            entry.push_back(pair(key.in ? *key.in : handleOf(channel.keys, i, false)));
            if (key.out)
                entry.push_back(pair(*key.out));
        }
        list.push_back(std::move(entry));
    }
    return {{"keys", std::move(list)}};
}

std::vector<CurveKey>::iterator place(std::vector<CurveKey>& keys, double frame)
{
    return std::lower_bound(keys.begin(), keys.end(), frame,
                            [](const CurveKey& key, double f) { return key.frame < f; });
}

} // namespace

std::optional<Channels> readChannels(const Json& value, std::size_t width)
{
    Channels channels;
    for (std::size_t c = 0; c < width; ++c) {
        // A vector is stored whole, or as an array of what each component follows.
        const bool parts = width > 1 && value.is_array() && value.size() == width;
        const auto channel = parts ? channelOf(value[c], 1, 0) : channelOf(value, width, c);
        if (!channel)
            return std::nullopt;
        channels.push_back(*channel);
    }
    return channels;
}

Json writeChannels(const Channels& channels, bool whole)
{
    if (channels.size() == 1)
        return written(channels[0], whole);
    Json list = Json::array();
    for (const Channel& channel : channels)
        list.push_back(written(channel, whole));
    return list;
}

std::array<double, 2> handleOf(const std::vector<CurveKey>& keys, std::size_t key, bool out)
{
    if (const auto& given = out ? keys[key].out : keys[key].in)
        return *given;
    if (out)
        return {key + 1 < keys.size() ? (keys[key + 1].frame - keys[key].frame) / 3 : 1, 0};
    return {key > 0 ? -(keys[key].frame - keys[key - 1].frame) / 3 : -1, 0};
}

double valueAt(const std::vector<CurveKey>& keys, double frame)
{
    const auto next = std::upper_bound(keys.begin(), keys.end(), frame,
                                       [](double f, const CurveKey& key) { return f < key.frame; });
    if (next == keys.begin())
        return keys.front().value;
    const CurveKey& a = *(next - 1);
    if (next == keys.end() || a.mode == Mode::Step)
        return a.value;
    const CurveKey& b = *next;
    const double span = b.frame - a.frame, x = (frame - a.frame) / span;
    if (a.mode == Mode::Linear)
        return std::lerp(a.value, b.value, x);
    const auto i = static_cast<std::size_t>(next - keys.begin());
    const auto out = handleOf(keys, i - 1, true);
    // Only Bezier keys have handles; before another kind the curve arrives flat at its value.
    const auto in =
        b.mode == Mode::Bezier ? handleOf(keys, i, false) : std::array<double, 2>{-span / 3, 0};
    const double x1 = std::clamp(out[0] / span, 0.0, 1.0),
                 x2 = std::clamp(1 + in[0] / span, 0.0, 1.0);
    const auto cubic = [](double p0, double p1, double p2, double p3, double t) {
        const double u = 1 - t;
        return u * u * u * p0 + 3 * u * u * t * p1 + 3 * u * t * t * p2 + t * t * t * p3;
    };
    double low = 0, high = 1;
    for (int step = 0; step < 40; ++step) {
        const double middle = 0.5 * (low + high);
        (cubic(0, x1, x2, 1, middle) < x ? low : high) = middle;
    }
    return cubic(a.value, a.value + out[1], b.value + in[1], b.value, 0.5 * (low + high));
}

void setKey(Channel& channel, double frame, double value)
{
    if (channel.kind != Channel::Kind::Keys)
        channel = {Channel::Kind::Keys, 0, {}, {}};
    const auto at = place(channel.keys, frame);
    if (at != channel.keys.end() && at->frame == frame) {
        at->value = value;
        return;
    }
    const Mode mode = at != channel.keys.begin() ? (at - 1)->mode : Mode::Bezier;
    channel.keys.insert(at, {frame, value, mode, {}, {}});
}

void removeKey(Channel& channel, double frame)
{
    const auto at = place(channel.keys, frame);
    if (at == channel.keys.end() || at->frame != frame)
        return;
    if (channel.keys.size() == 1)
        channel = {Channel::Kind::Constant, at->value, {}, {}};
    else
        channel.keys.erase(at);
}

bool hasKey(const Channel& channel, double frame)
{
    return channel.kind == Channel::Kind::Keys &&
           std::any_of(channel.keys.begin(), channel.keys.end(),
                       [frame](const CurveKey& key) { return key.frame == frame; });
}

Evaluated evaluate(const Channel& channel, double frame, double start, double fps,
                   const Resolver& resolver)
{
    if (channel.kind == Channel::Kind::Constant)
        return {channel.constant, {}};
    if (channel.kind == Channel::Kind::Keys)
        return {valueAt(channel.keys, frame), {}};
    try {
        const graph::Expression expression(channel.expression);
        std::vector<double> values;
        for (const std::string& reference : expression.references()) {
            const auto value = resolver ? resolver(reference) : std::nullopt;
            if (!value)
                return {std::nullopt, QCoreApplication::translate("floe::panels::Evaluated",
                                                                  "there is no number '%1'")
                                          .arg(QString::fromStdString(reference))};
            values.push_back(*value);
        }
        const double value = expression.evaluate(frame, (frame - start) / fps, fps, values);
        if (!std::isfinite(value))
            return {std::nullopt,
                    QCoreApplication::translate("floe::panels::Evaluated",
                                                "is not a finite number at this frame")};
        return {value, {}};
    } catch (const Error& error) {
        return {std::nullopt, editor::translated(error)};
    }
}

} // namespace floe::panels
