#pragma once

#include "bytes.hpp"

#include "floe/base/file.hpp"

#include <filesystem>
#include <fstream>

namespace floe::io {

/// Writes a large file in pieces; it appears when `write` has returned.
class FileWriter {
public:
    template <class Write>
    static void replace(const std::filesystem::path& path, Write&& write)
    {
        replaceFile(path, [&](const std::filesystem::path& temporary) {
            FileWriter writer(path, temporary);
            write(writer);
            writer.flush();
        });
    }

    void bytes(const void* data, std::size_t size)
    {
        buffer_.append(static_cast<const char*>(data), size);
        if (buffer_.size() >= kChunk)
            flush();
    }
    void text(std::string_view text) { bytes(text.data(), text.size()); }
    template <class T>
    void value(T object)
    {
        bytes(&object, sizeof object);
    }
    template <class T>
    void bigEndian(T object)
    {
        value(byteSwapped(object));
    }

private:
    static constexpr std::size_t kChunk = 1 << 20;

    FileWriter(const std::filesystem::path& path, const std::filesystem::path& temporary)
        : path_(path), stream_(openToWrite(temporary))
    {
        buffer_.reserve(kChunk + 4096);
        check();
    }
    void flush()
    {
        stream_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
        stream_.flush();
        check();
        buffer_.clear();
    }
    void check() const
    {
        if (!stream_)
            throw cannotWrite(path_);
    }

    std::filesystem::path path_;
    std::ofstream stream_;
    std::string buffer_;
};

} // namespace floe::io
