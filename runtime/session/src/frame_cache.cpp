#include "floe/session/frame_cache.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/data/value_stream.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace floe::session {
namespace fs = std::filesystem;

fs::path FrameCache::path(const std::string& node, const std::string& socket, int frame) const
{
    std::string name = node;
    std::replace(name.begin(), name.end(), '/', '.');
    char number[16];
    std::snprintf(number, sizeof number, "%04d", frame);
    return folder_ / (name + "." + socket + "." + number + ".floe");
}

void FrameCache::write(const std::string& node, const std::string& socket, int frame,
                       const ValueRef& value) const
{
    if (!isStorable(*value))
        return;
    const fs::path target = path(node, socket, frame);
    replaceFile(target, [&](const fs::path& temporary) {
        std::ofstream stream(temporary, std::ios::binary);
        try {
            writeValue(stream, *value);
            stream.close();
        } catch (const IoError&) {
            if (stream)
                throw;
        }
        if (!stream)
            throw cannotWrite(target);
    });
}

ValueRef FrameCache::read(const std::string& node, const std::string& socket, int frame) const
{
    const fs::path source = path(node, socket, frame);
    std::ifstream stream(source, std::ios::binary);
    if (!stream)
        return nullptr;
    try {
        return readValue(stream);
    } catch (const IoError& error) {
        throw IoError({.file = source.string()}, error.cause(), "run the graph again with --cache");
    }
}

} // namespace floe::session
