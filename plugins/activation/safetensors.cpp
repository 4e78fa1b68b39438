#include "safetensors.hpp"

#include "floe/sdk/node.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>
#include <unistd.h>
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

    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    const std::filesystem::path part = path.parent_path() / ("." + path.filename().string() +
                                                             ".part." + std::to_string(::getpid()));
    {
        std::ofstream file(part, std::ios::binary);
        unsigned char length[8];
        for (unsigned i = 0; i < 8; ++i)
            length[i] = static_cast<unsigned char>(std::uint64_t{text.size()} >> 8 * i);
        file.write(reinterpret_cast<const char*>(length), sizeof length);
        file.write(text.data(), static_cast<std::streamsize>(text.size()));
        for (const Tensor& tensor : tensors_)
            if (tensor.bytes > 0)
                file.write(static_cast<const char*>(tensor.data),
                           static_cast<std::streamsize>(tensor.bytes));
        file.close();
        if (!file) {
            std::filesystem::remove(part, error);
            throw sdk::Failure("cannot write '" + path.string() + "'", FLOE_IO_FAILED);
        }
    }
    std::filesystem::rename(part, path, error);
    if (error)
        throw sdk::Failure("cannot write '" + path.string() + "': " + error.message(),
                           FLOE_IO_FAILED);
}

} // namespace floe::activation
