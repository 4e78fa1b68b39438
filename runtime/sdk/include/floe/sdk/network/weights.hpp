/// Reading a network's weights. Needs the header of nlohmann/json.
#pragma once

#include "floe/sdk/network/model.hpp"
#include "floe/sdk/node.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace floe::sdk::network {

namespace detail {

using Json = nlohmann::json;

inline constexpr std::streamoff kMaxNetworkBytes = 4 << 20;
inline constexpr const char* kChannelNames[] = {"occupied", "speed", "liquid", "reach", "recent"};

[[noreturn]] inline void refuse(const std::string& name, const std::string& why)
{
    throw Failure("'" + name + "' is not a network for activation: " + why, FLOE_BAD_ARGUMENT);
}

inline const Json& at(const Json& object, const char* key, const std::string& name)
{
    if (!object.is_object() || !object.contains(key))
        refuse(name, std::string("it has no '") + key + "'");
    return object[key];
}

inline float finite(const Json& value, const char* what, const std::string& name)
{
    if (!value.is_number() || !std::isfinite(value.get<float>()))
        refuse(name, std::string("'") + what + "' holds something that is not a finite number");
    return value.get<float>();
}

inline std::vector<float> numbers(const Json& layer, const char* key, std::size_t count,
                                  const std::string& name)
{
    const Json& list = at(layer, key, name);
    if (!list.is_array() || list.size() != count)
        refuse(name, std::string("'") + key + "' must hold " + std::to_string(count) + " numbers");
    std::vector<float> values;
    values.reserve(count);
    for (const Json& value : list)
        values.push_back(finite(value, key, name));
    return values;
}

inline int whole(const Json& object, const char* key, int minimum, int maximum,
                 const std::string& name)
{
    const Json& value = at(object, key, name);
    if (!value.is_number_integer() || value.get<std::int64_t>() < minimum ||
        value.get<std::int64_t>() > maximum)
        refuse(name, std::string("'") + key + "' must be from " + std::to_string(minimum) + " to " +
                         std::to_string(maximum));
    return value.get<int>();
}

inline std::string choice(const Json& object, const char* key,
                          std::initializer_list<const char*> allowed, const std::string& name)
{
    const Json& value = at(object, key, name);
    for (const char* word : allowed)
        if (value.is_string() && value.get<std::string>() == word)
            return word;
    refuse(name, std::string("'") + key + "' is not one of the known words");
}

} // namespace detail

/// Parses a model.
/// @param text  JSON, see plugins/activation/training/README.md
/// @param name  name of the file, for messages
/// @throws Failure  it is not a model, or its parts do not fit together
inline NetworkModel parseNetwork(std::string_view text, const std::string& name)
{
    using namespace detail;
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded())
        refuse(name, "it is not JSON");
    if (whole(json, "format", 1, 1 << 20, name) != 1)
        refuse(name, "it is of a newer format; update Floe");
    NetworkModel model;
    const Json& input = at(json, "input", name);
    model.unit = choice(input, "unit", {"domain", "threshold"}, name) == "domain"
                     ? NetworkModel::Unit::domain
                     : NetworkModel::Unit::threshold;
    model.logarithm = choice(input, "compression", {"none", "logarithm"}, name) == "logarithm";
    model.mean = finite(at(input, "mean", name), "mean", name);
    model.deviation = finite(at(input, "deviation", name), "deviation", name);
    if (!(model.deviation > 0))
        refuse(name, "'deviation' must be above 0");
    const Json& channels = at(json, "blockChannels", name);
    if (!channels.is_array() || channels.size() > kMaxBlockChannels)
        refuse(name, "'blockChannels' must be a list of at most five names");
    for (const Json& channel : channels) {
        std::size_t found = 0;
        while (found < std::size(kChannelNames) && channel != kChannelNames[found])
            ++found;
        if (found == std::size(kChannelNames))
            refuse(name, "'blockChannels' has a name that is not known");
        model.blockChannels.push_back(static_cast<BlockChannel>(found));
    }
    const Json& padding = at(json, "padding", name);
    if (!padding.is_array() || padding.size() != 2)
        refuse(name, "'padding' must hold two numbers");
    for (std::size_t i = 0; i < 2; ++i) {
        if (padding[i] != 0 && padding[i] != 1)
            refuse(name, "'padding' must be 0 or 1");
        model.padding[i] = padding[i].get<int>();
    }
    const Json& layers = at(json, "layers", name);
    if (!layers.is_array() || layers.size() != 4)
        refuse(name, "it must have four layers");
    int expected = 1;
    for (std::size_t i = 0; i < 4; ++i) {
        Convolution& layer = model.layers[i];
        layer.in = whole(layers[i], "in", 1, NetworkModel::kMaxChannels + kMaxBlockChannels, name);
        layer.out = whole(layers[i], "out", 1, NetworkModel::kMaxChannels, name);
        if (i == 2)
            expected += static_cast<int>(model.blockChannels.size());
        if (layer.in != expected || (i == 3 && layer.out != 1))
            refuse(name, "the channels of its layers do not fit together");
        expected = layer.out;
        layer.weight =
            numbers(layers[i], "weight", static_cast<std::size_t>(layer.in * layer.out) * 27, name);
        layer.bias = numbers(layers[i], "bias", static_cast<std::size_t>(layer.out), name);
    }
    return model;
}

/// Loads a model from a file. @throws Failure  also when the file cannot be read
inline NetworkModel loadNetwork(const std::string& path)
{
    std::error_code error; // opening a pipe would wait
    std::ifstream file;
    if (std::filesystem::is_regular_file(path, error))
        file.open(path, std::ios::binary | std::ios::ate);
    if (!file.is_open())
        throw Failure("cannot read the network '" + path + "'", FLOE_IO_FAILED);
    const std::streamoff size = file.tellg();
    if (size < 0 || size > detail::kMaxNetworkBytes)
        detail::refuse(path, "it is larger than any network");
    std::string text(static_cast<std::size_t>(size), '\0');
    file.seekg(0);
    if (!file.read(text.data(), size))
        throw Failure("cannot read the network '" + path + "'", FLOE_IO_FAILED);
    return parseNetwork(text, path);
}

} // namespace floe::sdk::network
