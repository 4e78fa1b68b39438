#include "isolated_read.hpp"

#include "memory_file.hpp"

#include "floe/base/child_process.hpp"
#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/data/value_stream.hpp"

#include <fstream>

namespace floe::io {

namespace fs = std::filesystem;

namespace {

constexpr const char* kProgram = "floe_read_vdb";
constexpr std::size_t kLongestMessage = 4000;

/// A damaged file may request any amount of memory; packed data does not grow that much.
std::uint64_t memoryFor(const fs::path& path)
{
    std::error_code error;
    const std::uintmax_t size = fs::file_size(path, error);
    // The first part is for threads' stacks and pools, reserved but hardly used.
    return (8ull << 30) + 200 * (error ? 0 : size);
}

/// Finds it beside the running program, or in the programs of a build.
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
    arguments.insert(arguments.begin(), readerProgram().string());
    const MemoryFile value, message;
    ChildProcess child({.command = std::move(arguments),
                        .output = value.get(),
                        .errors = message.get(),
                        .memory = memoryFor(path)});
    const ChildEnd end = child.wait();
    if (end.exitCode == 1) { // it reported cause and cure, a line each
        const std::string text = message.text(kLongestMessage);
        const std::size_t line = text.find('\n');
        throw IoError(place, text.substr(0, line),
                      line == std::string::npos ? "" : text.substr(line + 1));
    }
    if (!end.good())
        throw IoError(place, "is damaged: OpenVDB could not make sense of it");
    std::ifstream stream(value.path(), std::ios::binary);
    return readValue(stream);
}

} // namespace floe::io
