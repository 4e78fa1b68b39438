#include "isolated_read.hpp"

#include "child_process.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/data/value_stream.hpp"

#include <fcntl.h>
#include <fstream>

namespace floe::io {

namespace fs = std::filesystem;

namespace {

constexpr const char* kProgram = "floe_read_vdb";
constexpr std::size_t kLongestMessage = 4000;

/// Beside the running program, or where a build has its programs.
fs::path readerProgram()
{
    const fs::path folder = programFolder();
    for (const fs::path& place : {folder / kProgram, folder / "../bin" / kProgram}) {
        std::error_code ignored;
        if (fs::exists(place, ignored))
            return place;
    }
    throw IoError({}, std::string("the program ") + kProgram + " is missing in " + folder.string(),
                  "install Floe again");
}

} // namespace

ValueRef readIsolated(const fs::path& path, std::vector<std::string> arguments)
{
    const Place place{.file = path.string()};
    std::error_code ignored;
    if (!fs::exists(path, ignored))
        throw IoError(place, "there is no such file");
    const std::string program = readerProgram().string();
    const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const MemoryFile value, message;
    ChildProcess child(program, std::move(arguments), nothing.get(), value.get(), message.get());
    if (!child.started())
        throw IoError({.file = program}, "cannot be started");
    const int code = child.wait();
    if (code == 1) { // it said why: cause and cure, a line each
        const std::string text = message.text(kLongestMessage);
        const std::size_t end = text.find('\n');
        throw IoError(place, text.substr(0, end),
                      end == std::string::npos ? "" : text.substr(end + 1));
    }
    if (code != 0)
        throw IoError(place, "is damaged: OpenVDB could not make sense of it");
    std::ifstream stream(value.path(), std::ios::binary);
    return readValue(stream);
}

} // namespace floe::io
