/// Writes named arrays: the safetensors format (https://github.com/huggingface/safetensors).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace floe::activation {

/// Collects arrays and writes them into one file. Arrays are borrowed until write().
class Safetensors {
public:
    /// Adds metadata on the whole file.
    void note(const std::string& key, const std::string& value) { notes_[key] = value; }
    void note(const std::string& key, double value);

    void add(const std::string& name, const float* data, std::vector<std::uint64_t> shape)
    {
        addRaw(name, "F32", 4, data, std::move(shape));
    }
    void add(const std::string& name, const std::int32_t* data, std::vector<std::uint64_t> shape)
    {
        addRaw(name, "I32", 4, data, std::move(shape));
    }
    void add(const std::string& name, const std::uint8_t* data, std::vector<std::uint64_t> shape)
    {
        addRaw(name, "U8", 1, data, std::move(shape));
    }

    /// Writes the file, whole or not at all; creates folders.
    /// @throws sdk::Failure  it cannot be written
    void write(const std::filesystem::path& path) const;

private:
    struct Tensor {
        std::string name;
        const char* type;
        std::vector<std::uint64_t> shape;
        const void* data;
        std::uint64_t bytes;
    };
    void addRaw(const std::string& name, const char* type, std::uint64_t size, const void* data,
                std::vector<std::uint64_t> shape);

    std::map<std::string, std::string> notes_;
    std::vector<Tensor> tensors_;
};

} // namespace floe::activation
