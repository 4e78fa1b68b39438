#include "floe/session/checkpoint.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/base/json.hpp"
#include "floe/base/regular_file.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fstream>

namespace floe::session {
namespace fs = std::filesystem;

// Layout: magic, format version, length of a JSON header, header, states one after another in the
// header's order, XXH3-128 of everything before it. Little-endian.
namespace {

constexpr char kMagic[8] = {'F', 'L', 'O', 'E', 'C', 'K', 'P', 'T'};
constexpr std::uint32_t kVersion = 1;
constexpr std::string_view kSuffix = ".checkpoint";

Hash parseHash(const std::string& text)
{
    Hash hash;
    if (text.size() == 32) {
        std::from_chars(text.data(), text.data() + 16, hash.high, 16);
        std::from_chars(text.data() + 16, text.data() + 32, hash.low, 16);
    }
    return hash;
}

[[noreturn]] void damaged(const fs::path& path, const std::string& how)
{
    throw IoError({.file = path.string()}, how, "use an older checkpoint or start again");
}

/// Longer headers are not ours: a solver's entry takes some hundred bytes.
constexpr std::uint64_t kLargestHeader = 16u << 20;

/// Reads a checkpoint in parts, so that at most one copy of a state is in memory.
class Input {
public:
    explicit Input(const fs::path& path) : path_(path)
    {
        const std::uint64_t size = openRegularFile(path).bytes;
        stream_.open(path, std::ios::binary);
        if (!stream_)
            throw IoError({.file = path.string()}, "cannot be read");
        left_ = size > sizeof(Hash) ? size - sizeof(Hash) : 0;
        try {
            memory_ = std::make_shared<compute::HostClaim>(size);
        } catch (const MemoryError& error) {
            throw MemoryError({.file = path.string()},
                              "reading " + std::to_string(size >> 20) +
                                  " MiB takes too much: " + error.cause(),
                              "give the run more memory");
        }
    }

    std::uint64_t left() const { return left_; } ///< bytes before the checksum
    /// The room for all that is read.
    std::shared_ptr<compute::HostClaim> memory() const { return memory_; }

    void get(void* to, std::uint64_t bytes)
    {
        if (bytes > left_ ||
            !stream_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)))
            damaged(path_, "is damaged (it is shorter than it says)");
        sum_.add(to, bytes);
        left_ -= bytes;
    }

    std::string text(std::uint64_t bytes)
    {
        if (bytes > left_)
            damaged(path_, "is damaged (it is shorter than it says)");
        std::string content(bytes, '\0');
        get(content.data(), bytes);
        return content;
    }

    bool matches()
    {
        Hash stored;
        return stream_.read(reinterpret_cast<char*>(&stored), sizeof stored) &&
               sum_.value() == stored;
    }

private:
    fs::path path_;
    std::ifstream stream_;
    std::uint64_t left_ = 0;
    RunningHash sum_;
    std::shared_ptr<compute::HostClaim> memory_;
};

} // namespace

fs::path checkpointPath(const fs::path& folder, int frame)
{
    char name[32];
    std::snprintf(name, sizeof name, "frame.%04d", frame);
    return folder / (name + std::string(kSuffix));
}

void writeCheckpoint(const fs::path& path, const Checkpoint& checkpoint)
{
    Json header = {{"frame", checkpoint.frame}};
    header["states"] = Json::array();
    for (const auto& [node, state] : checkpoint.states)
        header["states"].push_back({{"node", node},
                                    {"bytes", state.size()},
                                    {"type", checkpoint.types.at(node)},
                                    {"history", checkpoint.histories.at(node).text()}});
    const std::string text = dumpJson(header);
    const auto length = static_cast<std::uint64_t>(text.size());

    replaceFile(path, [&](const fs::path& temporary) {
        std::ofstream stream = openToWrite(temporary);
        RunningHash sum;
        const auto put = [&](const void* data, std::size_t bytes) {
            sum.add(data, bytes);
            stream.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
        };
        put(kMagic, sizeof kMagic);
        put(&kVersion, sizeof kVersion);
        put(&length, sizeof length);
        put(text.data(), text.size());
        for (const auto& [node, state] : checkpoint.states)
            put(state.data(), state.size());
        const Hash value = sum.value();
        stream.write(reinterpret_cast<const char*>(&value), sizeof value);
        stream.close();
        if (!stream)
            throw cannotWrite(path);
    });
}

Checkpoint readCheckpoint(const fs::path& path)
{
    Input input(path);
    char magic[sizeof kMagic];
    std::uint32_t version = 0;
    std::uint64_t length = 0;
    if (input.left() < sizeof magic + sizeof version + sizeof length)
        damaged(path, "is not a checkpoint");
    input.get(magic, sizeof magic);
    if (std::memcmp(magic, kMagic, sizeof kMagic) != 0)
        damaged(path, "is not a checkpoint");
    input.get(&version, sizeof version);
    if (version != kVersion)
        damaged(path, "is a checkpoint of format " + std::to_string(version) +
                          "; this version of Floe reads format " + std::to_string(kVersion));
    input.get(&length, sizeof length);
    if (length > kLargestHeader)
        damaged(path, "has an unreadable header");
    const std::string text = input.text(length);
    Checkpoint checkpoint;
    checkpoint.memory = input.memory();
    try {
        const Json header = parseJson(text, path.string());
        checkpoint.frame = header.at("frame").get<int>();
        for (const Json& entry : header.at("states")) {
            const auto node = entry.at("node").get<std::string>();
            checkpoint.states[node] = input.text(entry.at("bytes").get<std::uint64_t>());
            checkpoint.types[node] = entry.at("type").get<std::string>();
            checkpoint.histories[node] = parseHash(entry.at("history").get<std::string>());
        }
    } catch (const GraphError&) {
        damaged(path, "has an unreadable header");
    } catch (const nlohmann::json::exception&) {
        damaged(path, "has an unreadable header");
    }
    if (input.left() > 0 || !input.matches())
        damaged(path, "is damaged (its checksum does not match)");
    return checkpoint;
}

Checkpoint readCheckpoint(const fs::path& folder, int frame)
{
    const fs::path path = checkpointPath(folder, frame);
    Checkpoint checkpoint = readCheckpoint(path);
    if (checkpoint.frame != frame)
        throw IoError(
            {.file = path.string()},
            "holds frame " + std::to_string(checkpoint.frame) + ", not the frame of its name",
            "rename it to " + checkpointPath("", checkpoint.frame).string() + ", or remove it");
    return checkpoint;
}

std::vector<int> checkpointFrames(const fs::path& folder)
{
    std::vector<int> frames;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        constexpr std::string_view kPrefix = "frame.";
        if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix))
            continue;
        int frame = 0;
        const char* first = name.data() + kPrefix.size();
        const char* last = name.data() + name.size() - kSuffix.size();
        const auto [parsed, code] = std::from_chars(first, last, frame);
        if (code == std::errc() && parsed == last)
            frames.push_back(frame);
    }
    std::sort(frames.begin(), frames.end());
    return frames;
}

} // namespace floe::session
