/// Arrays in one file that NumPy opens: `.npz`, a zip archive of `.npy` files, not compressed.
/// Source: the NumPy enhancement proposal 1, and PKWARE's APPNOTE for zip.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace floe::sdk {

/// Arrays with names. The same arrays give the same bytes.
class Npz {
public:
    static constexpr std::uint64_t kMaxBytes =
        0xf0000000; ///< of a file: numbers of zip are 32 bits
    static constexpr std::size_t kMaxArrays = 65535;

    /// Adds an array in C order; empty `shape`: one number alone. The data must live until write().
    /// @throws std::invalid_argument  the shape does not fit the data
    /// @throws std::length_error      more than kMaxBytes or kMaxArrays
    template <class T>
    void add(const std::string& name, std::span<const T> data,
             const std::vector<std::size_t>& shape)
    {
        std::size_t count = 1;
        std::string extents;
        for (const std::size_t extent : shape) {
            extents += std::to_string(extent) + ",";
            count *= extent;
        }
        if (count != data.size())
            throw std::invalid_argument("array '" + name + "' does not have its shape's size");
        Entry entry{name + ".npy", std::string("\x93NUMPY\x01\0", 8), std::as_bytes(data), {}};
        std::string header = std::string("{'descr': '") + typeOf<T>() +
                             "', 'fortran_order': False, 'shape': (" + extents + "), }";
        header.resize((header.size() + 10 + 1 + 63) / 64 * 64 - 11, ' '); // aligns the data
        header += '\n';
        append(entry.head, header.size(), 2);
        entry.head += header;
        total_ += 2 * entry.name.size() + entry.head.size() + data.size_bytes() + 128;
        if (total_ > kMaxBytes || entries_.size() == kMaxArrays)
            throw std::length_error("the arrays are more than an .npz file holds");
        entries_.push_back(std::move(entry));
    }
    /// Adds an array of its own.
    template <class T>
    void add(const std::string& name, std::vector<T> data, const std::vector<std::size_t>& shape)
    {
        const auto kept = std::make_shared<const std::vector<T>>(std::move(data));
        add(name, std::span<const T>(*kept), shape);
        entries_.back().owner = kept;
    }

    /// Calls `sink(const void*, std::size_t)` with the file's bytes, piece by piece.
    template <class Sink>
    void write(Sink&& sink) const
    {
        std::string central;
        std::uint64_t at = 0;
        const auto put = [&](const std::string& bytes) {
            sink(bytes.data(), bytes.size());
            at += bytes.size();
        };
        for (const Entry& entry : entries_) {
            const std::uint64_t size = entry.head.size() + entry.data.size();
            std::uint32_t sum = crc32(~0u, std::as_bytes(std::span(entry.head)));
            sum = ~crc32(sum, entry.data);
            std::string common;
            append(common, 20, 2);         // version
            append(common, 0, 4);          // flags; stored
            append(common, 0x00210000, 4); // 1 January 1980
            append(common, sum, 4);
            append(common, size, 4);
            append(common, size, 4);
            append(common, entry.name.size(), 2);
            append(common, 0, 2); // extra
            central.append("PK\x01\x02", 4);
            append(central, 20, 2);
            central += common;
            append(central, 0, 6); // comment, disk, inner attributes
            append(central, 0, 4); // attributes
            append(central, at, 4);
            central += entry.name;
            put("PK\x03\x04" + common + entry.name + entry.head);
            sink(entry.data.data(), entry.data.size());
            at += entry.data.size();
        }
        std::string end("PK\x05\x06", 4);
        append(end, 0, 4); // disks
        append(end, entries_.size(), 2);
        append(end, entries_.size(), 2);
        append(end, central.size(), 4);
        append(end, at, 4);
        append(end, 0, 2); // comment
        put(central + end);
    }

private:
    struct Entry {
        std::string name, head; ///< `head`: what comes before the data
        std::span<const std::byte> data;
        std::shared_ptr<const void> owner; ///< of the data; null: the caller's
    };

    template <class T>
    static constexpr const char* typeOf()
    {
        static_assert(std::endian::native == std::endian::little);
        if constexpr (std::is_same_v<T, float>)
            return "<f4";
        else if constexpr (std::is_same_v<T, double>)
            return "<f8";
        else if constexpr (std::is_same_v<T, std::uint8_t>)
            return "|u1";
        else if constexpr (std::is_same_v<T, std::int32_t>)
            return "<i4";
        else if constexpr (std::is_same_v<T, std::uint32_t>)
            return "<u4";
        else {
            static_assert(std::is_same_v<T, std::uint64_t>, "no array of this type");
            return "<u8";
        }
    }

    static void append(std::string& to, std::uint64_t value, unsigned bytes)
    {
        for (unsigned i = 0; i < bytes; ++i)
            to.push_back(static_cast<char>(value >> 8 * i & 0xff));
    }

    static std::uint32_t crc32(std::uint32_t sum, std::span<const std::byte> bytes)
    {
        static const std::array<std::uint32_t, 256> table = [] {
            std::array<std::uint32_t, 256> t{};
            for (std::uint32_t i = 0; i < 256; ++i) {
                t[i] = i;
                for (int bit = 0; bit < 8; ++bit)
                    t[i] = t[i] >> 1 ^ (t[i] & 1 ? 0xedb88320u : 0);
            }
            return t;
        }();
        for (const std::byte b : bytes)
            sum = sum >> 8 ^ table[(sum ^ static_cast<std::uint32_t>(b)) & 0xff];
        return sum;
    }

    std::vector<Entry> entries_;
    std::uint64_t total_ = 64;
};

} // namespace floe::sdk
