#include "file_content.hpp"

#include "floe/base/error.hpp"
#include "floe/base/regular_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace floe::io {

namespace {

constexpr std::uint64_t kPiece = 1u << 20; ///< read at once

} // namespace

FileContent::FileContent(const std::filesystem::path& path, std::uint64_t maxBytes,
                         Cancellation& stop)
{
    const Place place{.file = path.string()};
    const RegularFile file = openRegularFile(path);
    if (file.bytes > maxBytes)
        throw IoError(place, "is larger than " + std::to_string(maxBytes) + " bytes");
    try {
        claim_.resize(3 * file.bytes);
        bytes_.resize(file.bytes);
    } catch (const MemoryError& error) {
        throw MemoryError(place,
                          "reading " + std::to_string(file.bytes >> 20) +
                              " MiB takes too much: " + error.cause(),
                          "give the run more memory, or use a smaller file");
    }
    std::uint64_t at = 0;
    while (at < file.bytes) {
        const ssize_t count =
            ::read(file.descriptor.get(), &bytes_[at], std::min(kPiece, file.bytes - at));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            throw IoError(place, std::string("cannot read: ") + std::strerror(errno));
        if (count == 0)
            break; // it has become shorter
        at += static_cast<std::uint64_t>(count);
        stop.after(static_cast<std::uint64_t>(count));
    }
    bytes_.resize(at);
}

} // namespace floe::io
