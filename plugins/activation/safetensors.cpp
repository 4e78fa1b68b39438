#include "safetensors.hpp"

#include "floe/sdk/output_file.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <utility>

namespace floe::activation {

void Safetensors::note(const std::string& key, double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    notes_[key] = text;
}

void Safetensors::addRaw(const std::string& name, const char* type, std::uint64_t size,
                         const void* data, std::vector<std::uint64_t> shape)
{
    for (const std::uint64_t extent : shape)
        size *= extent;
    tensors_.push_back({name, type, std::move(shape), data, size});
}

void Safetensors::write(const std::filesystem::path& path) const
{
    nlohmann::ordered_json header;
    header["__metadata__"] = notes_;
    std::uint64_t offset = 0;
    for (const Tensor& tensor : tensors_) {
        header[tensor.name] = {{"dtype", tensor.type},
                               {"shape", tensor.shape},
                               {"data_offsets", {offset, offset + tensor.bytes}}};
        offset += tensor.bytes;
    }
    std::string text =
        header.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    text.resize((text.size() + 7) / 8 * 8, ' '); // aligns the arrays

    unsigned char length[8];
    for (unsigned i = 0; i < 8; ++i)
        length[i] = static_cast<unsigned char>(std::uint64_t{text.size()} >> 8 * i);
    sdk::OutputFile file(path.string());
    file.write(length, sizeof length);
    file.write(text.data(), text.size());
    for (const Tensor& tensor : tensors_)
        file.write(tensor.data, tensor.bytes);
    file.commit();
}

} // namespace floe::activation
