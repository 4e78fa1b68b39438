#include "frame_store.hpp"

#include "floe/base/child_process.hpp"
#include "floe/base/error.hpp"
#include "floe/data/particles.hpp"
#include "floe/session/checkpoint.hpp"
#include "floe/session/frame_cache.hpp"
#include "floe/view/preview.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <unistd.h>

namespace floe::serve {
namespace fs = std::filesystem;

namespace {

constexpr const char* kOriginFile = "origin";
/// A predecessor that was killed may still be giving its memory back.
constexpr std::chrono::milliseconds kDying{1000};
constexpr std::uint64_t kLargestDisk = 20'000'000'000;
constexpr std::uint64_t kPreviewMemory = 500'000'000; // a hundred frames of a million particles

std::uint64_t physicalMemory()
{
    return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void removeDeadSessions(const fs::path& parent)
{
    std::error_code error;
    std::vector<fs::path> folders;
    for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
         entry.increment(error))
        if (entry->path().filename().string().starts_with("session-") &&
            entry->is_directory(error) && !entry->is_symlink(error))
            folders.push_back(entry->path());
    for (const fs::path& folder : folders) {
        try {
            const FolderLock mine(folder);
            fs::remove_all(folder, error);
        } catch (const Error&) { // its session is alive
        }
    }
}

std::uint64_t bytesOf(const FrameValues& values)
{
    std::uint64_t bytes = 0;
    for (const auto& [node, outputs] : values)
        for (const auto& [socket, value] : outputs)
            bytes += value->totalBytes();
    return bytes;
}

/// The arrays of a frame's particles, once for each time that they are held.
std::vector<const AttributeMemory*> arraysIn(const FrameValues& values)
{
    std::vector<const AttributeMemory*> arrays;
    for (const auto& [node, outputs] : values)
        for (const auto& [socket, value] : outputs)
            if (const auto* particles = as<ParticlesValue>(value))
                for (const Attribute& attribute : particles->attributes())
                    if (attribute.data.data())
                        arrays.push_back(&attribute.data);
    return arrays;
}

} // namespace

fs::path FrameStore::defaultParent()
{
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
        return fs::path(cache) / "floe" / "sessions";
    if (const char* home = std::getenv("HOME"); home && *home)
        return fs::path(home) / ".cache" / "floe" / "sessions";
    return fs::temp_directory_path() / ("floe-sessions-" + std::to_string(::getuid()));
}

FrameStore::FrameStore(const fs::path& parent, std::uint64_t bytes, std::uint64_t memory,
                       std::function<void(const std::string&)> complain)
    : parent_(parent),
      memoryLimit_(memory > 0 ? memory
                              : std::min<std::uint64_t>(physicalMemory() / 8, 4'000'000'000)),
      complain_(std::move(complain))
{
    folder_ =
        parent / ("session-" + std::to_string(publicProcess()) + "-" +
                  std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()));
    std::error_code error;
    fs::create_directories(folder_ / "frames", error);
    if (error)
        throw IoError({.file = folder_.string()}, "cannot be created: " + error.message(),
                      "set XDG_CACHE_HOME to a folder that can be written to");
    fs::permissions(folder_, fs::perms::owner_all, error);
    lock_.emplace(folder_);
    const fs::space_info space = fs::space(folder_, error);
    diskLimit_ = bytes > 0 ? bytes : std::min<std::uint64_t>(kLargestDisk, space.available / 2);
}

void FrameStore::inherit(const std::string& origin, int predecessor)
{
    const std::string prefix = "session-" + std::to_string(predecessor) + "-";
    std::error_code error;
    for (fs::directory_iterator entry(parent_, error), end; !error && entry != end;
         entry.increment(error)) {
        if (predecessor <= 0 || !entry->path().filename().string().starts_with(prefix) ||
            entry->path() == folder_ || entry->is_symlink(error))
            continue;
        try {
            const FolderLock dead(entry->path(), kDying);
            if (readFile(entry->path() / kOriginFile) == origin)
                takeOver(entry->path());
        } catch (const Error&) { // it is alive, or has no frames
        }
    }
    removeDeadSessions(parent_);
    try {
        writeFileAtomically(folder_ / kOriginFile, origin);
    } catch (const IoError&) { // a full disk: no other session can take over from this one
    }
}

void FrameStore::takeOver(const fs::path& folder)
{
    std::error_code error;
    fs::remove_all(checkpointFolder(), error);
    fs::rename(folder / "checkpoints", checkpointFolder(), error);
    std::map<std::uint64_t, fs::path> generations;
    for (fs::directory_iterator entry(folder / "frames", error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (!name.empty() && name.size() < 19 &&
            name.find_first_not_of("0123456789") == std::string::npos)
            generations.emplace(std::stoull(name), entry->path());
    }
    const std::lock_guard lock(mutex_);
    for (const auto& [generation, from] : generations) {
        try {
            auto [frame, history] = readHistory(from);
            const fs::path to = folder_ / "frames" / std::to_string(generation);
            fs::rename(from, to);
            Frame& entry = frames_[frame];
            forget(entry); // of an older generation
            entry = {};
            entry.history = std::move(history);
            entry.generation = generation;
            entry.files = filesIn(to);
            entry.previewStored = fs::is_directory(previewFolder(generation), error);
            entry.diskBytes = bytesIn(to) + bytesIn(previewFolder(generation));
            diskBytes_ += entry.diskBytes;
            clock_ = std::max(clock_, generation);
        } catch (const std::exception&) { // it was incomplete
        }
    }
    shrinkDisk();
}

FrameStore::~FrameStore()
{
    if (!kept_)
        writing_.discard();
    writing_.waitIdle(5);
    remove();
}

void FrameStore::put(int frame, FrameHistory history, FrameValues values)
{
    // A session keeps many frames, but device memory is for the one being computed: only the newest
    // frame's particles also stay there, for drawing.
    std::shared_ptr<const FrameValues> onDevice;
    for (auto& [node, outputs] : FrameValues(values))
        for (auto& [socket, value] : outputs)
            if (const auto* particles = as<ParticlesValue>(value);
                particles && particles->space() != compute::Space::host) {
                if (!onDevice)
                    onDevice = std::make_shared<const FrameValues>(values);
                values[node][socket] = inHostMemory(Ref<const ParticlesValue>::share(particles));
            }
    auto shared = std::make_shared<const FrameValues>(std::move(values));
    std::uint64_t generation = 0;
    {
        const std::lock_guard lock(mutex_);
        Frame& entry = frames_[frame];
        forget(entry);
        entry = {};
        entry.history = std::move(history);
        entry.generation = generation = ++clock_;
        onDevice_ = std::move(onDevice);
        onDeviceGeneration_ = generation;
        remember(entry, std::move(shared));
        shrinkMemory(frame);
    }
    writing_.push(frame, [this, frame, generation] { write(frame, generation); });
}

void FrameStore::lend(int frame, FrameHistory history, const fs::path& folder,
                      std::vector<fs::path> files)
{
    const std::lock_guard lock(mutex_);
    Frame& entry = frames_[frame];
    forget(entry);
    entry = {};
    entry.history = std::move(history);
    entry.generation = ++clock_;
    entry.files = std::move(files);
    entry.lent = folder;
}

void FrameStore::putBroken(int frame)
{
    const std::lock_guard lock(mutex_);
    Frame& entry = frames_[frame];
    forget(entry);
    entry = {};
    entry.broken = true;
}

/// Runs on the writing thread.
void FrameStore::write(int frame, std::uint64_t generation)
{
    std::shared_ptr<const FrameValues> values;
    FrameHistory history;
    {
        const std::lock_guard lock(mutex_);
        const auto found = frames_.find(frame);
        if (found == frames_.end() || found->second.generation != generation)
            return;
        values = found->second.values;
        history = found->second.history;
    }
    std::vector<fs::path> files;
    std::shared_ptr<const FrameValues> preview;
    std::uint64_t bytes = 0;
    std::error_code error;
    try {
        // Each generation has its own name: an older one may still be read.
        const session::FrameCache cache(folder_ / "frames" / std::to_string(generation));
        for (const auto& [node, outputs] : *values)
            for (const auto& [socket, value] : outputs) {
                cache.write(node, socket, frame, value);
                const fs::path path = cache.path(node, socket, frame);
                if (const auto size = fs::file_size(path, error); !error) {
                    files.push_back(path);
                    bytes += size;
                }
            }
        if (view::worthPreview(*values)) {
            preview = std::make_shared<const FrameValues>(view::previewOf(*values));
            const session::FrameCache small(previewFolder(generation));
            for (const auto& [node, outputs] : *preview)
                for (const auto& [socket, value] : outputs)
                    small.write(node, socket, frame, value);
            bytes += bytesIn(previewFolder(generation));
        }
        writeHistory(folder_ / "frames" / std::to_string(generation), frame, history);
    } catch (const std::exception& failure) {
        const std::lock_guard lock(mutex_);
        if (!std::exchange(complained_, true))
            complain_(std::string("The simulation goes on with frames in memory only, where older "
                                  "ones make room for new ones: ") +
                      failure.what());
        bytes = 0;
    }
    const std::lock_guard lock(mutex_);
    const auto found = frames_.find(frame);
    if (bytes == 0 || found == frames_.end() || found->second.generation != generation) {
        fs::remove_all(folder_ / "frames" / std::to_string(generation), error);
        return;
    }
    found->second.files = std::move(files);
    found->second.diskBytes = bytes;
    if (preview) {
        found->second.previewStored = true;
        rememberPreview(found->second, std::move(preview));
    }
    diskBytes_ += bytes;
    shrinkDisk();
    shrinkMemory(frame);
}

void FrameStore::remember(Frame& frame, std::shared_ptr<const FrameValues> values)
{
    frame.values = std::move(values);
    frame.used = ++clock_;
    memoryBytes_ += bytesOf(*frame.values);
    for (const AttributeMemory* array : arraysIn(*frame.values))
        if (++arrays_[array->data()] > 1)
            memoryBytes_ -= array->bytes();
}

void FrameStore::forgetValues(Frame& frame)
{
    if (!frame.values)
        return;
    memoryBytes_ -= bytesOf(*frame.values);
    for (const AttributeMemory* array : arraysIn(*frame.values)) {
        const auto holders = arrays_.find(array->data());
        if (--holders->second > 0)
            memoryBytes_ += array->bytes();
        else
            arrays_.erase(holders);
    }
    frame.values = nullptr;
}

fs::path FrameStore::previewFolder(std::uint64_t generation) const
{
    return folder_ / "frames" / std::to_string(generation) / "preview";
}

/// Stores a preview, and evicts the least recently used ones when there are too many.
void FrameStore::rememberPreview(Frame& frame, std::shared_ptr<const FrameValues> values)
{
    previewBytes_ -= frame.previewBytes;
    frame.previewBytes = bytesOf(*values);
    frame.preview = std::move(values);
    frame.previewUsed = ++clock_;
    previewBytes_ += frame.previewBytes;
    while (previewBytes_ > kPreviewMemory) {
        Frame* oldest = nullptr;
        for (auto& [number, other] : frames_)
            if (other.preview && &other != &frame &&
                (!oldest || other.previewUsed < oldest->previewUsed))
                oldest = &other;
        if (!oldest)
            return;
        previewBytes_ -= oldest->previewBytes;
        oldest->previewBytes = 0;
        oldest->preview = nullptr;
    }
}

void FrameStore::forget(Frame& frame)
{
    if (frame.generation == onDeviceGeneration_)
        onDevice_ = nullptr;
    std::error_code ignored;
    if (frame.diskBytes > 0)
        fs::remove_all(folder_ / "frames" / std::to_string(frame.generation), ignored);
    diskBytes_ -= frame.diskBytes;
    forgetValues(frame);
    previewBytes_ -= frame.previewBytes;
    frame.diskBytes = frame.previewBytes = 0;
    frame.preview = nullptr;
    frame.previewStored = false;
}

/// Evicts the least recently used values; those not on disk only after writing has failed.
void FrameStore::shrinkMemory(int except)
{
    while (memoryBytes_ > memoryLimit_) {
        auto oldest = frames_.end();
        for (auto it = frames_.begin(); it != frames_.end(); ++it) {
            const bool candidate =
                it->second.values && it->first != except &&
                (it->second.diskBytes > 0 || !it->second.lent.empty() || complained_);
            if (candidate && (oldest == frames_.end() || it->second.used < oldest->second.used))
                oldest = it;
        }
        if (oldest == frames_.end())
            return;
        forgetValues(oldest->second);
        if (oldest->second.diskBytes == 0 && oldest->second.lent.empty())
            frames_.erase(oldest);
    }
}

void FrameStore::shrinkDisk()
{
    std::error_code ignored;
    std::vector<int> checkpoints = session::checkpointFrames(checkpointFolder());
    std::uint64_t checkpointBytes = bytesIn(checkpointFolder());
    while (checkpoints.size() > 2 &&
           (checkpointBytes > diskLimit_ / 2 || checkpointBytes + diskBytes_ > diskLimit_)) {
        // The one whose loss leaves the smallest gap; never the newest, from which a run continues.
        std::size_t least = 0;
        int gap = std::numeric_limits<int>::max();
        for (std::size_t i = 0; i + 1 < checkpoints.size(); ++i) {
            const int around = checkpoints[i + 1] - (i > 0 ? checkpoints[i - 1] : 0);
            if (around < gap) {
                gap = around;
                least = i;
            }
        }
        const fs::path path = session::checkpointPath(checkpointFolder(), checkpoints[least]);
        if (const auto size = fs::file_size(path, ignored); !ignored)
            checkpointBytes -= std::min<std::uint64_t>(checkpointBytes, size);
        fs::remove(path, ignored);
        checkpoints.erase(checkpoints.begin() + static_cast<std::ptrdiff_t>(least));
    }
    while (checkpointBytes + diskBytes_ > diskLimit_) {
        auto oldest = frames_.end();
        for (auto it = frames_.begin(); it != frames_.end(); ++it)
            if (it->second.diskBytes > 0 &&
                (oldest == frames_.end() || it->second.generation < oldest->second.generation))
                oldest = it;
        if (oldest == frames_.end() || frames_.size() < 2)
            return;
        forget(oldest->second);
        frames_.erase(oldest);
    }
}

std::shared_ptr<const FrameValues> FrameStore::get(int frame)
{
    std::vector<fs::path> files;
    fs::path folder;
    std::uint64_t generation = 0;
    FrameHistory history;
    {
        const std::lock_guard lock(mutex_);
        const auto found = frames_.find(frame);
        if (found == frames_.end() || found->second.broken)
            return nullptr;
        found->second.used = ++clock_;
        if (found->second.values)
            return found->second.values;
        files = found->second.files;
        generation = found->second.generation;
        history = found->second.history;
        folder = found->second.lent.empty() ? folder_ / "frames" / std::to_string(generation)
                                            : found->second.lent;
    }
    FrameValues values;
    try {
        values = valuesIn(folder, files, history, frame);
    } catch (const Error&) { // damaged from outside: treated as missing
        const std::lock_guard lock(mutex_);
        if (const auto found = frames_.find(frame);
            found != frames_.end() && found->second.generation == generation) {
            forget(found->second);
            frames_.erase(found);
        }
        return nullptr;
    }
    auto shared = std::make_shared<const FrameValues>(std::move(values));
    const std::lock_guard lock(mutex_);
    if (const auto found = frames_.find(frame);
        found != frames_.end() && found->second.generation == generation && !found->second.values) {
        remember(found->second, shared);
        shrinkMemory(frame);
    }
    return shared;
}

std::shared_ptr<const FrameValues> FrameStore::inDeviceMemory(int frame) const
{
    const std::lock_guard lock(mutex_);
    const auto found = frames_.find(frame);
    return found != frames_.end() && found->second.generation == onDeviceGeneration_ ? onDevice_
                                                                                     : nullptr;
}

std::shared_ptr<const FrameValues> FrameStore::preview(int frame)
{
    std::uint64_t generation = 0;
    FrameHistory history;
    bool stored = false;
    {
        const std::lock_guard lock(mutex_);
        const auto found = frames_.find(frame);
        if (found == frames_.end() || found->second.broken)
            return nullptr;
        Frame& entry = found->second;
        entry.previewUsed = ++clock_;
        if (entry.preview)
            return entry.preview;
        generation = entry.generation;
        history = entry.history;
        stored = entry.previewStored;
    }
    FrameValues values;
    if (stored) {
        try {
            values = valuesIn(previewFolder(generation), filesIn(previewFolder(generation)),
                              history, frame);
        } catch (const Error&) { // damaged from outside; it can be made again
        }
    }
    if (values.empty()) {
        const auto full = get(frame);
        if (!full || !view::worthPreview(*full))
            return full;
        values = view::previewOf(*full);
    }
    auto shared = std::make_shared<const FrameValues>(std::move(values));
    const std::lock_guard lock(mutex_);
    if (const auto found = frames_.find(frame);
        found != frames_.end() && found->second.generation == generation && !found->second.preview)
        rememberPreview(found->second, shared);
    return shared;
}

bool FrameStore::has(int frame) const
{
    const std::lock_guard lock(mutex_);
    const auto found = frames_.find(frame);
    return found != frames_.end() && !found->second.broken;
}

void FrameStore::clear()
{
    writing_.discard();
    const std::lock_guard lock(mutex_);
    for (auto& [number, frame] : frames_)
        forget(frame);
    frames_.clear();
    std::error_code ignored;
    fs::remove_all(checkpointFolder(), ignored);
}

void FrameStore::remove()
{
    if (kept_)
        return;
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

std::vector<FrameStore::Entry> FrameStore::list() const
{
    const std::lock_guard lock(mutex_);
    std::vector<Entry> entries;
    for (const auto& [number, frame] : frames_)
        entries.push_back({number, frame.broken, frame.history});
    return entries;
}

std::optional<int> FrameStore::checkpointBefore(int frame) const
{
    std::optional<int> best;
    for (const int there : session::checkpointFrames(checkpointFolder()))
        if (there <= frame)
            best = there;
    return best;
}

} // namespace floe::serve
