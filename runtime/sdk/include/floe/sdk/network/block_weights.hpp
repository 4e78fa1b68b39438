/// Reading the weights of networks on blocks. Needs the header of nlohmann/json.
///
/// The file is in the safetensors format (https://github.com/huggingface/safetensors): for each
/// layer NAME the tensors "NAME.weight" and "NAME.bias" of type F32, and a note "model", JSON:
///
///     {"format": 1, "purpose": "...",
///      "inputs": [{"name": "pressures", "channels": 3, "steps": 4}],
///      "layers": [{"name": "a", "kind": "down", "from": ["pressures"], "out": 32, "slope": 0.2}]}
///
/// with the kinds convolution, down, up and lstm (block_model.hpp).
#pragma once

#include "floe/sdk/network/block_model.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace floe::sdk::network {

/// A model, and the rest of what its file says.
struct BlockNetworkFile {
    BlockModel model;
    nlohmann::json about; ///< the note "model"
};

inline constexpr std::uintmax_t kMaxBlockNetworkBytes = std::uintmax_t{256} << 20;

/// Parses a model.
/// @param bytes  of the file  @param name  of the file, for messages
/// @throws Failure  it is not a model, or its parts do not fit together
inline BlockNetworkFile parseBlockNetwork(std::string_view bytes, const std::string& name)
{
    using Json = nlohmann::json;
    const auto refuse = [&](const std::string& why) {
        throw Failure("'" + name + "' is not a network on blocks: " + why, FLOE_BAD_ARGUMENT);
    };
    std::uint64_t length = 0;
    if (bytes.size() < 8)
        refuse("it is too short for a safetensors file");
    for (unsigned i = 0; i < 8; ++i)
        length |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << 8 * i;
    if (length > bytes.size() - 8)
        refuse("its header is longer than the file");
    const Json header = Json::parse(bytes.substr(8, length), nullptr, false);
    const std::string_view data = bytes.substr(8 + length);
    if (!header.is_object() || !header.contains("__metadata__") ||
        !header["__metadata__"].is_object() || !header["__metadata__"].contains("model") ||
        !header["__metadata__"]["model"].is_string())
        refuse("its header has no note 'model'");
    BlockNetworkFile file;
    file.about = Json::parse(header["__metadata__"]["model"].get<std::string>(), nullptr, false);
    const Json& about = file.about;
    const auto has = [](const Json& object, const char* key, Json::value_t type) {
        return object.is_object() && object.contains(key) && object[key].type() == type;
    };
    const auto isWhole = [](const Json& object, const char* key) {
        return object.is_object() && object.contains(key) && object[key].is_number_integer() &&
               object[key].get<std::int64_t>() >= 0 && object[key].get<std::int64_t>() <= 1 << 16;
    };
    if (!isWhole(about, "format") || about["format"] != 1)
        refuse("it is of another format; update Floe, or make the network again");
    if (!has(about, "inputs", Json::value_t::array) || !has(about, "layers", Json::value_t::array))
        refuse("its note 'model' lacks the lists 'inputs' and 'layers'");

    std::map<std::string, int> tensors;
    const auto named = [&](const Json& entry) {
        if (!has(entry, "name", Json::value_t::string))
            refuse("an input or layer has no name");
        const auto number = static_cast<int>(tensors.size());
        if (!tensors.emplace(entry["name"].get<std::string>(), number).second)
            refuse("two inputs or layers are called '" + entry["name"].get<std::string>() + "'");
        return entry["name"].get<std::string>();
    };
    const auto numbersOf = [&](const std::string& tensor) {
        if (!header.contains(tensor))
            refuse("it has no tensor '" + tensor + "'");
        const Json& entry = header[tensor];
        if (!entry.is_object() || entry.value("dtype", Json()) != "F32" ||
            !has(entry, "data_offsets", Json::value_t::array) ||
            entry["data_offsets"].size() != 2 || !entry["data_offsets"][0].is_number_unsigned() ||
            !entry["data_offsets"][1].is_number_unsigned())
            refuse("'" + tensor + "' is not a tensor of type F32");
        const auto from = entry["data_offsets"][0].get<std::uint64_t>(),
                   to = entry["data_offsets"][1].get<std::uint64_t>();
        if (from > to || to > data.size() || (to - from) % sizeof(float) != 0)
            refuse("'" + tensor + "' lies outside of the file");
        std::vector<float> values((to - from) / sizeof(float));
        if (!values.empty())
            std::memcpy(values.data(), data.data() + from, to - from);
        return values;
    };
    for (const Json& entry : about["inputs"]) {
        BlockModel::Input input;
        input.name = named(entry);
        if (!isWhole(entry, "channels") || !isWhole(entry, "steps"))
            refuse("input '" + input.name + "' lacks its 'channels' and 'steps'");
        input.channels = entry["channels"].get<int>();
        input.steps = entry["steps"].get<int>();
        file.model.inputs.push_back(input);
    }
    std::vector<int> channels;
    for (const auto& input : file.model.inputs)
        channels.push_back(input.channels);
    for (const Json& entry : about["layers"]) {
        BlockLayer layer;
        // Before the layer has a number, so that it cannot see itself.
        if (!has(entry, "from", Json::value_t::array))
            refuse("a layer lacks 'from'");
        for (const Json& from : entry["from"]) {
            const auto found =
                tensors.find(from.is_string() ? from.get<std::string>() : std::string());
            if (found == tensors.end())
                refuse("a layer sees " + from.dump() + ", which does not come before it");
            layer.from.push_back(found->second);
            layer.in += channels[static_cast<std::size_t>(found->second)];
        }
        layer.name = named(entry);
        const std::string kind =
            has(entry, "kind", Json::value_t::string) ? entry["kind"].get<std::string>() : "";
        if (kind == "convolution")
            layer.kind = BlockLayer::Kind::convolution;
        else if (kind == "down")
            layer.kind = BlockLayer::Kind::down;
        else if (kind == "up")
            layer.kind = BlockLayer::Kind::up;
        else if (kind == "lstm")
            layer.kind = BlockLayer::Kind::lstm;
        else
            refuse("layer '" + layer.name + "' must be of kind convolution, down, up or lstm");
        if (!isWhole(entry, "out"))
            refuse("layer '" + layer.name + "' lacks 'out', the number of its channels");
        layer.out = entry["out"].get<int>();
        if (entry.contains("slope")) {
            if (!entry["slope"].is_number())
                refuse("'slope' of layer '" + layer.name + "' is not a number");
            layer.slope = entry["slope"].get<float>();
        }
        layer.weight = numbersOf(layer.name + ".weight");
        layer.bias = numbersOf(layer.name + ".bias");
        channels.push_back(layer.out);
        file.model.layers.push_back(std::move(layer));
    }
    shapesOf(file.model, name);
    return file;
}

/// Loads a model from a file. @throws Failure  also when the file cannot be read
inline BlockNetworkFile loadBlockNetwork(const std::string& path)
{
    std::error_code error; // opening a pipe would wait
    std::string bytes;
    if (std::filesystem::is_regular_file(path, error)) {
        const std::uintmax_t size = std::filesystem::file_size(path, error);
        if (!error && size > kMaxBlockNetworkBytes)
            throw Failure("'" + path + "' is not a network on blocks: it is larger than any",
                          FLOE_BAD_ARGUMENT);
        std::ifstream file(path, std::ios::binary);
        bytes.resize(error ? 0 : static_cast<std::size_t>(size));
        if (!error && file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
            return parseBlockNetwork(bytes, path);
    }
    throw Failure("cannot read the network '" + path + "'", FLOE_IO_FAILED);
}

} // namespace floe::sdk::network
