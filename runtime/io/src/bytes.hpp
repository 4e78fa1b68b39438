#pragma once

/// Bounds-checked reading and plain writing of bytes, shared by the binary formats.

#include "floe/base/error.hpp"

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace floe::io {

static_assert(std::endian::native == std::endian::little, "files are written little endian");

template <class T>
T byteSwapped(T value)
{
    static_assert(std::is_trivially_copyable_v<T>);
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    for (std::size_t i = 0; i < sizeof(T) / 2; ++i)
        std::swap(bytes[i], bytes[sizeof(T) - 1 - i]);
    std::memcpy(&value, bytes, sizeof(T));
    return value;
}

/// Walks over a file held in memory. Every step is checked against the end.
class ByteReader {
public:
    ByteReader(std::string_view bytes, std::string file, std::endian order)
        : bytes_(bytes), file_(std::move(file)), swap_(order != std::endian::native)
    {}

    std::size_t position() const { return position_; }
    std::size_t remaining() const { return bytes_.size() - position_; }
    const char* here() const { return bytes_.data() + position_; }

    template <class T>
    T value()
    {
        require(sizeof(T));
        T result;
        std::memcpy(&result, here(), sizeof(T));
        position_ += sizeof(T);
        return swap_ ? byteSwapped(result) : result;
    }
    std::string_view text(std::size_t length)
    {
        require(length);
        const std::string_view result = bytes_.substr(position_, length);
        position_ += length;
        return result;
    }
    void skip(std::uint64_t length)
    {
        require(length);
        position_ += static_cast<std::size_t>(length);
    }
    /// @throws IoError unless `count` elements of `size` bytes follow
    void requireElements(std::uint64_t count, std::uint64_t size, const char* what) const
    {
        if (size != 0 && count > remaining() / size)
            fail("says it holds " + std::to_string(count) + " " + what +
                 " but ends before them: it is damaged or was cut off");
    }
    [[noreturn]] void fail(const std::string& cause) const
    {
        throw IoError({.file = file_}, cause + " (byte " + std::to_string(position_) + ")");
    }

private:
    void require(std::uint64_t length) const
    {
        if (length > remaining())
            fail("ends too early: it is damaged or was cut off");
    }

    std::string_view bytes_;
    std::string file_;
    std::size_t position_ = 0;
    bool swap_;
};

/// Appends `value` in the machine's byte order.
template <class T>
void append(std::string& bytes, T value)
{
    static_assert(std::is_trivially_copyable_v<T>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
void appendBigEndian(std::string& bytes, T value)
{
    append(bytes, byteSwapped(value));
}

} // namespace floe::io
