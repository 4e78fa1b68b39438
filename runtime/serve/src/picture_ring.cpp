#include "picture_ring.hpp"

#include "floe/base/error.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace floe::serve {

namespace {

constexpr std::string_view kPrefix = "floe-view-";

} // namespace

PictureRing::~PictureRing()
{
    release();
}

void PictureRing::release()
{
    if (memory_)
        ::munmap(memory_, kPlaces * placeBytes_);
    if (descriptor_ >= 0) {
        ::shm_unlink(name_.c_str());
        ::close(descriptor_);
    }
    memory_ = nullptr;
    descriptor_ = -1;
    placeBytes_ = 0;
}

/// Makes a new segment; the client can still read the old one.
void PictureRing::grow(std::size_t placeBytes)
{
    release();
    static int count = 0;
    name_ = "/" + std::string(kPrefix) + std::to_string(::getpid()) + "-" + std::to_string(++count);
    const auto failed = [this](const char* what) {
        const std::string reason = std::strerror(errno);
        release();
        throw IoError({.file = name_}, std::string(what) + ": " + reason,
                      "make the view smaller, or give /dev/shm more space");
    };
    descriptor_ = ::shm_open(name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor_ < 0)
        failed("shared memory cannot be made");
    ::flock(descriptor_, LOCK_EX | LOCK_NB); // shows that its server is alive
    // Allocated, not only sized: a full /dev/shm gives an error here rather than a signal later.
    if (const int code =
            ::posix_fallocate(descriptor_, 0, static_cast<off_t>(kPlaces * placeBytes));
        code != 0) {
        errno = code;
        failed("shared memory does not suffice");
    }
    void* memory =
        ::mmap(nullptr, kPlaces * placeBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (memory == MAP_FAILED)
        failed("shared memory cannot be mapped");
    memory_ = static_cast<std::uint8_t*>(memory);
    placeBytes_ = placeBytes;
    taken_.fill(0);
}

bool PictureRing::hasPlace() const
{
    const std::lock_guard lock(mutex_);
    return std::find(taken_.begin(), taken_.end(), 0u) != taken_.end();
}

std::optional<Json> PictureRing::put(std::span<const std::uint8_t> pixels, int width, int height)
{
    const std::lock_guard lock(mutex_);
    if (pixels.size() > placeBytes_)
        grow((pixels.size() + 4095) / 4096 * 4096);
    const auto place = std::find(taken_.begin(), taken_.end(), 0u);
    if (place == taken_.end())
        return std::nullopt;
    const std::size_t offset = static_cast<std::size_t>(place - taken_.begin()) * placeBytes_;
    std::memcpy(memory_ + offset, pixels.data(), pixels.size());
    *place = ++sequence_;
    return Json{{"sequence", sequence_}, {"segment", name_}, {"offset", offset},
                {"stride", 4 * width},   {"width", width},   {"height", height}};
}

void PictureRing::shown(std::uint64_t sequence)
{
    const std::lock_guard lock(mutex_);
    if (sequence > 0)
        std::replace(taken_.begin(), taken_.end(), sequence, std::uint64_t{0});
}

void PictureRing::reset()
{
    const std::lock_guard lock(mutex_);
    taken_.fill(0);
}

void PictureRing::remove()
{
    const std::lock_guard lock(mutex_);
    release();
}

std::uint64_t PictureRing::nextSequence()
{
    const std::lock_guard lock(mutex_);
    return ++sequence_;
}

void PictureRing::removeLeftovers()
{
    namespace fs = std::filesystem;
    std::error_code error;
    // A server that was killed with its supervisor may still be giving its memory back.
    constexpr std::chrono::milliseconds kDying{500}, kPause{10};
    std::chrono::milliseconds left = kDying;
    const auto isDead = [&](int descriptor) {
        while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
            if (left <= kPause)
                return false;
            left -= kPause;
            std::this_thread::sleep_for(kPause);
        }
        return true;
    };
    for (fs::directory_iterator entry("/dev/shm", error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (!name.starts_with(kPrefix))
            continue;
        const int descriptor = ::shm_open(("/" + name).c_str(), O_RDWR | O_CLOEXEC, 0);
        struct stat info {};
        if (descriptor >= 0 && ::fstat(descriptor, &info) == 0 && info.st_uid == ::geteuid() &&
            isDead(descriptor))
            ::shm_unlink(("/" + name).c_str());
        if (descriptor >= 0)
            ::close(descriptor);
    }
}

} // namespace floe::serve
