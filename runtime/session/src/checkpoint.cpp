#include "floe/session/checkpoint.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/base/json.hpp"
#include "floe/base/regular_file.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

namespace floe::session {
namespace fs = std::filesystem;

// Layout of a checkpoint: magic, format version, length of a JSON header, header, states one after
// another in the header's order, XXH3-128 of everything before it. Little-endian. In format 2 the
// states are in parts, files of the same layout, of which the header says sizes and checksums.
namespace {

constexpr char kMagic[] = "FLOECKPT", kPartMagic[] = "FLOEPART";
constexpr std::size_t kMagicBytes = sizeof kMagic - 1;
constexpr std::uint32_t kWhole = 1, kIndex = 2; ///< formats of a checkpoint
constexpr std::uint32_t kPartVersion = 1;
constexpr std::string_view kPrefix = "frame.", kSuffix = ".checkpoint", kPartSuffix = ".part";

/// Longer headers are not ours: a solver's entry takes some hundred bytes, a part's one hundred.
constexpr std::uint64_t kLargestHeader = 16u << 20;

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

[[noreturn]] void tooShort(const fs::path& path)
{
    damaged(path, "is damaged (it is shorter than it says)");
}

std::ifstream openToRead(const fs::path& path)
{
    std::ifstream stream(path, std::ios::binary);
    if (!stream)
        throw IoError({.file = path.string()}, "cannot be read");
    return stream;
}

/// What stands before and after the states.
struct Frame {
    std::uint32_t version = 0;
    Json header;
    std::uint64_t begin = 0, end = 0; ///< of the states [bytes]
    Hash checksum;                    ///< as it is stored
};

/// @param what  "a checkpoint"
Frame readFrame(const fs::path& path, const char* expected, std::uint32_t newest, const char* what)
{
    const std::uint64_t size = openRegularFile(path).bytes;
    std::ifstream stream = openToRead(path);
    const auto get = [&](void* to, std::uint64_t bytes) {
        if (!stream.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)))
            tooShort(path);
    };
    char magic[kMagicBytes];
    Frame frame;
    std::uint64_t length = 0;
    constexpr std::uint64_t kBefore = sizeof magic + sizeof frame.version + sizeof length;
    if (size < kBefore + sizeof frame.checksum)
        damaged(path, std::string("is not ") + what);
    get(magic, sizeof magic);
    if (std::memcmp(magic, expected, sizeof magic) != 0)
        damaged(path, std::string("is not ") + what);
    get(&frame.version, sizeof frame.version);
    if (frame.version < 1 || frame.version > newest)
        damaged(path, std::string("is ") + what + " of format " + std::to_string(frame.version) +
                          "; this version of Floe reads format " + std::to_string(newest));
    get(&length, sizeof length);
    if (length > kLargestHeader)
        damaged(path, "has an unreadable header");
    if (length > size - kBefore - sizeof frame.checksum)
        tooShort(path);
    std::string text(length, '\0');
    get(text.data(), length);
    try {
        frame.header = parseJson(text, path.string());
    } catch (const GraphError&) {
        damaged(path, "has an unreadable header");
    }
    frame.begin = kBefore + length;
    frame.end = size - sizeof frame.checksum;
    stream.seekg(static_cast<std::streamoff>(frame.end));
    get(&frame.checksum, sizeof frame.checksum);
    return frame;
}

/// Writes a file of this layout, atomically. @param states  after the header, in its order
CheckpointPart writeStates(const fs::path& path, const char* magic, std::uint32_t version,
                           const Json& header, const std::map<std::string, std::string>& states)
{
    const std::string text = dumpJson(header);
    const auto length = static_cast<std::uint64_t>(text.size());
    CheckpointPart written;
    replaceFile(path, [&](const fs::path& temporary) {
        std::ofstream stream = openToWrite(temporary);
        RunningHash sum;
        const auto put = [&](const void* data, std::size_t bytes) {
            sum.add(data, bytes);
            written.bytes += bytes;
            stream.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
        };
        put(magic, kMagicBytes);
        put(&version, sizeof version);
        put(&length, sizeof length);
        put(text.data(), text.size());
        for (const auto& [node, state] : states)
            put(state.data(), state.size());
        written.checksum = sum.value();
        written.bytes += sizeof written.checksum;
        stream.write(reinterpret_cast<const char*>(&written.checksum), sizeof written.checksum);
        stream.close();
        if (!stream)
            throw cannotWrite(path);
    });
    return written;
}

std::string nameOf(int frame)
{
    char name[32];
    std::snprintf(name, sizeof name, "frame.%04d", frame);
    return name;
}

/// A number between other text. @return nothing: the text is not of this form
std::optional<int> numberIn(std::string_view name, std::string_view before, std::string_view after)
{
    if (name.size() < before.size() + after.size() || !name.starts_with(before) ||
        !name.ends_with(after))
        return {};
    int number = 0;
    const char* last = name.data() + name.size() - after.size();
    const auto [parsed, code] = std::from_chars(name.data() + before.size(), last, number);
    return code == std::errc() && parsed == last ? std::optional(number) : std::nullopt;
}

template <class Take>
void forEachName(const fs::path& folder, const Take& take)
{
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
        take(entry->path().filename().string());
}

/// Frame and rank of a part's name.
std::optional<std::pair<int, int>> partIn(std::string_view name)
{
    const std::size_t at = name.find(".rank");
    if (at == std::string_view::npos)
        return {};
    const auto frame = numberIn(name.substr(0, at), kPrefix, "");
    const auto rank = numberIn(name.substr(at), ".rank", kPartSuffix);
    return frame && rank ? std::optional(std::pair(*frame, *rank)) : std::nullopt;
}

/// Frame of the name of a temporary file of a part or a checkpoint: ".frame.0009...".
std::optional<int> frameOfUnfinished(std::string_view name)
{
    if (!name.starts_with('.') || !name.substr(1).starts_with(kPrefix))
        return {};
    name.remove_prefix(1);
    return numberIn(name.substr(0, name.find('.', kPrefix.size())), kPrefix, "");
}

} // namespace

fs::path checkpointPath(const fs::path& folder, int frame)
{
    return folder / (nameOf(frame) + std::string(kSuffix));
}

fs::path checkpointPartPath(const fs::path& folder, int frame, int rank)
{
    return folder / (nameOf(frame) + ".rank" + std::to_string(rank) + std::string(kPartSuffix));
}

void writeCheckpoint(const fs::path& path, const Checkpoint& checkpoint)
{
    const bool parts = !checkpoint.parts.empty();
    Json header = {{"frame", checkpoint.frame}, {"states", Json::array()}};
    for (const auto& [node, type] : checkpoint.types) {
        Json entry = {
            {"node", node}, {"type", type}, {"history", checkpoint.histories.at(node).text()}};
        if (!parts)
            entry["bytes"] = checkpoint.states.at(node).size();
        header["states"].push_back(std::move(entry));
    }
    for (const CheckpointPart& part : checkpoint.parts)
        header["parts"].push_back({{"bytes", part.bytes}, {"checksum", part.checksum.text()}});
    writeStates(path, kMagic, parts ? kIndex : kWhole, header,
                parts ? std::map<std::string, std::string>() : checkpoint.states);
}

CheckpointPart writeCheckpointPart(const fs::path& folder, int rank, const Checkpoint& checkpoint)
{
    Json header = {{"frame", checkpoint.frame}, {"rank", rank}, {"states", Json::array()}};
    for (const auto& [node, state] : checkpoint.states)
        header["states"].push_back({{"node", node}, {"bytes", state.size()}});
    return writeStates(checkpointPartPath(folder, checkpoint.frame, rank), kPartMagic, kPartVersion,
                       header, checkpoint.states);
}

// ----------------------------------------------------------------------------------- from disk

/// Extents one behind the other.
class StoredCheckpoint::States final : public plugin::StateSource {
public:
    States(const std::vector<File>& files, const std::vector<Extent>& extents)
    {
        for (const Extent& extent : extents) {
            pieces_.push_back({files[extent.file].path, size_, extent});
            size_ += extent.bytes;
        }
    }

    std::uint64_t size() const override { return size_; }
    void read(std::uint64_t offset, void* to, std::uint64_t bytes) override
    {
        auto* data = static_cast<char*>(to);
        while (bytes > 0) {
            const auto after =
                std::upper_bound(pieces_.begin(), pieces_.end(), offset,
                                 [](std::uint64_t at, const Piece& p) { return at < p.from; });
            const Piece& piece = *std::prev(after);
            const std::uint64_t in = offset - piece.from,
                                count = std::min(bytes, piece.extent.bytes - in);
            readPiece(piece, in, data, count);
            offset += count;
            data += count;
            bytes -= count;
        }
    }

private:
    struct Piece {
        fs::path path;
        std::uint64_t from; ///< of all [bytes]
        Extent extent;
    };

    void readPiece(const Piece& piece, std::uint64_t in, char* to, std::uint64_t bytes)
    {
        if (open_ != &piece) {
            stream_ = openToRead(piece.path);
            open_ = &piece;
            at_ = UINT64_MAX;
        }
        const std::uint64_t at = piece.extent.offset + in;
        if (at != at_) // a position that is set empties the stream's buffer
            stream_.seekg(static_cast<std::streamoff>(at));
        if (!stream_.read(to, static_cast<std::streamsize>(bytes)))
            tooShort(piece.path);
        at_ = at + bytes;
    }

    std::vector<Piece> pieces_;
    std::uint64_t size_ = 0;
    std::ifstream stream_;
    const Piece* open_ = nullptr; ///< whose file the stream is of
    std::uint64_t at_ = 0;        ///< its position
};

StoredCheckpoint::StoredCheckpoint(const fs::path& folder, int frame)
    : folder_(folder), frame_(frame)
{
    readIndex();
}

void StoredCheckpoint::readIndex()
{
    const fs::path path = checkpointPath(folder_, frame_);
    const Frame front = readFrame(path, kMagic, kIndex, "a checkpoint");
    files_.push_back({path, front.checksum});
    std::vector<CheckpointPart> parts;
    try {
        const int frame = front.header.at("frame").get<int>();
        if (frame != frame_)
            throw IoError({.file = path.string()},
                          "holds frame " + std::to_string(frame) + ", not the frame of its name",
                          "rename it to " + checkpointPath("", frame).string() + ", or remove it");
        std::uint64_t at = front.begin;
        for (const Json& entry : front.header.at("states")) {
            const auto node = entry.at("node").get<std::string>();
            types_[node] = entry.at("type").get<std::string>();
            histories_[node] = parseHash(entry.at("history").get<std::string>());
            if (front.version == kIndex)
                continue;
            const auto bytes = entry.at("bytes").get<std::uint64_t>();
            if (bytes > front.end - at)
                tooShort(path);
            states_[node] = {{0, at, bytes}};
            at += bytes;
        }
        if (at != front.end)
            damaged(path, "is damaged (it is longer than it says)");
        if (front.version == kIndex)
            for (const Json& part : front.header.at("parts"))
                parts.push_back({part.at("bytes").get<std::uint64_t>(),
                                 parseHash(part.at("checksum").get<std::string>())});
    } catch (const nlohmann::json::exception&) {
        damaged(path, "has an unreadable header");
    }
    for (const CheckpointPart& part : parts)
        readPart(static_cast<int>(files_.size()) - 1, part);
}

void StoredCheckpoint::readPart(int rank, const CheckpointPart& part)
{
    const fs::path path = checkpointPartPath(folder_, frame_, rank);
    std::error_code error;
    if (!fs::exists(path, error))
        damaged(path, "is missing, and " + files_[0].path.filename().string() + " needs it");
    const Frame front = readFrame(path, kPartMagic, kPartVersion, "a part of a checkpoint");
    if (front.checksum != part.checksum || front.end + sizeof front.checksum != part.bytes)
        damaged(path,
                "is not the part that " + files_[0].path.filename().string() + " was written with");
    try {
        if (front.header.at("frame").get<int>() != frame_ ||
            front.header.at("rank").get<int>() != rank)
            damaged(path, "holds another frame's or another rank's part");
        std::uint64_t at = front.begin;
        for (const Json& entry : front.header.at("states")) {
            const auto bytes = entry.at("bytes").get<std::uint64_t>();
            if (bytes > front.end - at)
                tooShort(path);
            states_[entry.at("node").get<std::string>()].push_back({files_.size(), at, bytes});
            at += bytes;
        }
        if (at != front.end)
            damaged(path, "is damaged (it is longer than it says)");
    } catch (const nlohmann::json::exception&) {
        damaged(path, "has an unreadable header");
    }
    files_.push_back({path, front.checksum});
}

void StoredCheckpoint::verify(int rank, int ranks) const
{
    for (auto i = static_cast<std::size_t>(rank); i < files_.size();
         i += static_cast<std::size_t>(ranks)) {
        const File& file = files_[i];
        std::uint64_t left = openRegularFile(file.path).bytes;
        if (left < sizeof(Hash))
            tooShort(file.path);
        left -= sizeof(Hash);
        std::ifstream stream = openToRead(file.path);
        std::vector<char> piece(std::size_t{1} << 20);
        RunningHash sum;
        while (left > 0) {
            const auto bytes = std::min<std::uint64_t>(left, piece.size());
            if (!stream.read(piece.data(), static_cast<std::streamsize>(bytes)))
                tooShort(file.path);
            sum.add(piece.data(), bytes);
            left -= bytes;
        }
        if (sum.value() != file.checksum)
            damaged(file.path, "is damaged (its checksum does not match)");
    }
}

std::unique_ptr<plugin::StateSource> StoredCheckpoint::state(const std::string& node) const
{
    const auto extents = states_.find(node);
    return extents == states_.end() || !types_.contains(node)
               ? nullptr
               : std::make_unique<States>(files_, extents->second);
}

std::vector<int> checkpointFrames(const fs::path& folder)
{
    std::vector<int> frames;
    forEachName(folder, [&](const std::string& name) {
        if (const auto frame = numberIn(name, kPrefix, kSuffix))
            frames.push_back(*frame);
    });
    std::sort(frames.begin(), frames.end());
    return frames;
}

void removeCheckpoint(const fs::path& folder, int frame)
{
    std::error_code ignored;
    fs::remove(checkpointPath(folder, frame), ignored); // first: then it is none any more
    std::vector<std::string> parts;
    forEachName(folder, [&](const std::string& name) {
        if (const auto part = partIn(name); part && part->first == frame)
            parts.push_back(name);
    });
    for (const std::string& name : parts)
        fs::remove(folder / name, ignored);
}

void removeOtherParts(const fs::path& folder, int frame, std::size_t ranks)
{
    std::vector<std::string> left;
    std::error_code ignored;
    forEachName(folder, [&](const std::string& name) {
        if (const auto unfinished = frameOfUnfinished(name); unfinished && *unfinished <= frame)
            left.push_back(name);
        const auto part = partIn(name);
        if (!part || part->first > frame)
            return;
        const bool named = part->first == frame
                               ? static_cast<std::size_t>(part->second) < ranks
                               : fs::exists(checkpointPath(folder, part->first), ignored);
        if (!named)
            left.push_back(name);
    });
    for (const std::string& name : left)
        fs::remove(folder / name, ignored);
}

} // namespace floe::session
