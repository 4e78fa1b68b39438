/// Writes named arrays into one file that NumPy opens: `.npz`, a zip archive of `.npy` files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace floe::coupled {

/// Collects arrays and writes them, not compressed. For files below 4 GB.
class Npz {
public:
    /// @param shape  empty: a number alone
    void add(const std::string& name, const std::vector<float>& data,
             const std::vector<std::size_t>& shape)
    {
        addRaw(name, "<f4", data.data(), sizeof(float), shape);
    }
    void add(const std::string& name, const std::vector<double>& data,
             const std::vector<std::size_t>& shape)
    {
        addRaw(name, "<f8", data.data(), sizeof(double), shape);
    }
    void add(const std::string& name, const std::vector<std::int32_t>& data,
             const std::vector<std::size_t>& shape)
    {
        addRaw(name, "<i4", data.data(), sizeof(std::int32_t), shape);
    }
    void add(const std::string& name, const std::vector<std::uint8_t>& data,
             const std::vector<std::size_t>& shape)
    {
        addRaw(name, "|u1", data.data(), 1, shape);
    }

    /// Writes the file, whole or not at all; creates folders. The same arrays give the same bytes.
    /// @throws sdk::Failure  it cannot be written, or is too large
    void write(const std::filesystem::path& path) const;

private:
    struct Entry {
        std::string name, bytes; ///< of a .npy file
    };
    void addRaw(const std::string& name, const char* type, const void* data, std::size_t size,
                const std::vector<std::size_t>& shape);

    std::vector<Entry> entries_;
};

} // namespace floe::coupled
