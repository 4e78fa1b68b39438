#include "floe/session/frame_cache.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/base/regular_file.hpp"
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
        std::ofstream stream = openToWrite(temporary);
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
    std::error_code unknown;
    if (!fs::exists(source, unknown))
        return nullptr;
    static_cast<void>(openRegularFile(source));
    std::ifstream stream(source, std::ios::binary);
    try {
        return readValue(stream);
    } catch (const IoError& error) {
        throw IoError({.file = source.string()}, error.cause(), "run the graph again with --cache");
    }
}

void FrameCache::requireFrames(const std::string& node, std::span<const std::string> sockets,
                               int first, int last) const
{
    const auto refuse = [&](const fs::path& file) {
        throw IoError({.file = file.string(), .node = node},
                      "is not there: removed during the run, or before it was resumed",
                      "run again from an earlier checkpoint with --resume-from, or without "
                      "--resume");
    };
    bool any = false;
    fs::path never; // of an output without any file
    for (const std::string& socket : sockets) {
        fs::path lost;
        bool written = false;
        for (int frame = first; frame <= last; ++frame) {
            const fs::path file = path(node, socket, frame);
            std::error_code error;
            if (fs::exists(file, error))
                written = true;
            else if (lost.empty())
                lost = file;
        }
        if (written && !lost.empty())
            refuse(lost);
        any = any || written;
        if (!written && never.empty())
            never = lost;
    }
    if (!any && !never.empty())
        refuse(never);
}

} // namespace floe::session
