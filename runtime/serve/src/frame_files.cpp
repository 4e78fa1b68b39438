#include "frame_files.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/base/json.hpp"
#include "floe/session/frame_cache.hpp"

#include <algorithm>
#include <system_error>

namespace floe::serve {
namespace fs = std::filesystem;

namespace {

constexpr const char* kHistoryFile = "history.json";

} // namespace

std::uint64_t bytesIn(const fs::path& folder)
{
    std::uint64_t bytes = 0;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
        if (const auto size = entry->file_size(error); !error)
            bytes += size;
    return bytes;
}

std::vector<fs::path> filesIn(const fs::path& folder)
{
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
        files.push_back(entry->path());
    return files;
}

void writeHistory(const fs::path& folder, int frame, const FrameHistory& history)
{
    Json solvers = Json::object();
    for (const auto& [node, hash] : history)
        solvers[node] = Json::array({hash.high, hash.low});
    writeFileAtomically(folder / kHistoryFile,
                        Json{{"frame", frame}, {"history", std::move(solvers)}}.dump());
}

std::pair<int, FrameHistory> readHistory(const fs::path& folder)
{
    const Json json = loadJson(folder / kHistoryFile);
    FrameHistory history;
    for (const auto& [node, hash] : json.at("history").items())
        history[node] = {hash.at(0).get<std::uint64_t>(), hash.at(1).get<std::uint64_t>()};
    return {json.at("frame").get<int>(), std::move(history)};
}

FrameValues valuesIn(const fs::path& folder, const std::vector<fs::path>& files,
                     const FrameHistory& history, int frame)
{
    FrameValues values;
    const session::FrameCache cache(folder);
    for (const auto& [node, hash] : history)
        for (const fs::path& file : files) {
            std::string name = node;
            std::replace(name.begin(), name.end(), '/', '.');
            const std::string text = file.filename().string();
            if (!text.starts_with(name + "."))
                continue;
            const std::string rest = text.substr(name.size() + 1);
            const std::string socket = rest.substr(0, rest.find('.'));
            if (ValueRef value = cache.read(node, socket, frame))
                values[node][socket] = std::move(value);
        }
    return values;
}

} // namespace floe::serve
