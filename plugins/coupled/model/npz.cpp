#include "npz.hpp"

#include "floe/sdk/node.hpp"

#include <array>
#include <bit>
#include <fstream>
#include <system_error>
#include <unistd.h>

namespace floe::coupled {

static_assert(std::endian::native == std::endian::little);

namespace {

void append(std::string& to, std::uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; ++i)
        to.push_back(static_cast<char>(value >> 8 * i & 0xff));
}

std::uint32_t crc32(const std::string& bytes)
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
    std::uint32_t sum = ~0u;
    for (const char c : bytes)
        sum = sum >> 8 ^ table[(sum ^ static_cast<unsigned char>(c)) & 0xff];
    return ~sum;
}

} // namespace

void Npz::addRaw(const std::string& name, const char* type, const void* data, std::size_t size,
                 const std::vector<std::size_t>& shape)
{
    std::string extents;
    for (const std::size_t extent : shape) {
        extents += std::to_string(extent) + ",";
        size *= extent;
    }
    std::string header = std::string("{'descr': '") + type +
                         "', 'fortran_order': False, 'shape': (" + extents + "), }";
    header.resize((header.size() + 10 + 1 + 63) / 64 * 64 - 11, ' '); // aligns the data
    header += '\n';
    std::string bytes("\x93NUMPY\x01\0", 8);
    append(bytes, header.size(), 2);
    bytes += header;
    bytes.append(static_cast<const char*>(data), size);
    entries_.push_back({name + ".npy", std::move(bytes)});
}

void Npz::write(const std::filesystem::path& path) const
{
    const auto fail = [&](const std::string& why) {
        throw sdk::Failure("cannot write '" + path.string() + "'" + why, FLOE_IO_FAILED);
    };
    std::string local, central; // zip: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
    for (const Entry& entry : entries_) {
        std::string common;
        append(common, 20, 2);         // version
        append(common, 0, 4);          // flags, stored
        append(common, 0x00210000, 4); // 1 January 1980
        append(common, crc32(entry.bytes), 4);
        append(common, entry.bytes.size(), 4);
        append(common, entry.bytes.size(), 4);
        append(common, entry.name.size(), 2);
        append(common, 0, 2); // extra
        central.append("PK\x01\x02", 4);
        append(central, 20, 2);
        central += common;
        append(central, 0, 6); // comment, disk, attributes
        append(central, 0, 4);
        append(central, local.size(), 4);
        central += entry.name;
        local.append("PK\x03\x04", 4);
        local += common + entry.name + entry.bytes;
        if (local.size() > 0xf0000000u)
            fail(": it would be larger than 4 GB; choose a larger cell size");
    }
    std::string end("PK\x05\x06", 4);
    append(end, 0, 4); // disks
    append(end, entries_.size(), 2);
    append(end, entries_.size(), 2);
    append(end, central.size(), 4);
    append(end, local.size(), 4);
    append(end, 0, 2);

    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    const std::filesystem::path part = path.parent_path() / ("." + path.filename().string() +
                                                             ".part." + std::to_string(::getpid()));
    {
        std::ofstream file(part, std::ios::binary);
        for (const std::string* piece : {&local, &central, &end})
            file.write(piece->data(), static_cast<std::streamsize>(piece->size()));
        file.close();
        if (!file) {
            std::filesystem::remove(part, error);
            fail("; is there room, and may you write there?");
        }
    }
    std::filesystem::rename(part, path, error);
    if (error)
        fail(": " + error.message());
}

} // namespace floe::coupled
