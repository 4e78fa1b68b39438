#include "npz.hpp"

#include "floe/sdk/node.hpp"

#include <fstream>
#include <string>
#include <system_error>
#include <unistd.h>

namespace floe::coupled {

void writeNpz(const std::filesystem::path& path, const sdk::Npz& arrays)
{
    const auto fail = [&](const std::string& why) {
        throw sdk::Failure("cannot write '" + path.string() + "'" + why, FLOE_IO_FAILED);
    };
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    const std::filesystem::path part = path.parent_path() / ("." + path.filename().string() +
                                                             ".part." + std::to_string(::getpid()));
    {
        std::ofstream file(part, std::ios::binary);
        arrays.write([&](const void* data, std::size_t size) {
            file.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
        });
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
