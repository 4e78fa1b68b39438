#include "file_content.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/base/regular_file.hpp"

namespace floe::io {

FileContent::FileContent(const std::filesystem::path& path, std::uint64_t maxBytes)
{
    const std::uint64_t size = openRegularFile(path).bytes;
    try {
        if (size <= maxBytes)
            claim_.resize(3 * size);
        bytes_ = readFile(path, maxBytes);
    } catch (const MemoryError& error) {
        throw MemoryError({.file = path.string()},
                          "reading " + std::to_string(size >> 20) +
                              " MiB takes too much: " + error.cause(),
                          "give the run more memory, or use a smaller file");
    }
}

} // namespace floe::io
