#include "shared_memory.hpp"

#include "floe/base/error.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace floe::serve {

namespace {

constexpr std::string_view kPrefix = "floe-view-";

} // namespace

SharedMemory::SharedMemory(std::size_t bytes, const std::string& cure)
{
    static std::atomic<unsigned> count{0};
    name_ = "/" + std::string(kPrefix) + std::to_string(::getpid()) + "-" + std::to_string(++count);
    const auto failed = [&](const char* what) {
        const std::string reason = std::strerror(errno);
        release();
        throw IoError({.file = name_}, std::string(what) + ": " + reason, cure);
    };
    descriptor_ = ::shm_open(name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor_ < 0)
        failed("shared memory cannot be made");
    ::flock(descriptor_, LOCK_EX | LOCK_NB); // shows that its server is alive
    // Allocated, not only sized: a full /dev/shm gives an error here rather than a signal later.
    if (const int code = ::posix_fallocate(descriptor_, 0, static_cast<off_t>(bytes)); code != 0) {
        errno = code;
        failed("shared memory does not suffice");
    }
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (memory == MAP_FAILED)
        failed("shared memory cannot be mapped");
    memory_ = static_cast<std::uint8_t*>(memory);
    bytes_ = bytes;
}

SharedMemory::~SharedMemory()
{
    release();
}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept
{
    if (this != &other) {
        release();
        name_ = std::move(other.name_);
        descriptor_ = std::exchange(other.descriptor_, -1);
        memory_ = std::exchange(other.memory_, nullptr);
        bytes_ = std::exchange(other.bytes_, 0);
    }
    return *this;
}

void SharedMemory::release()
{
    if (memory_)
        ::munmap(memory_, bytes_);
    if (descriptor_ >= 0) {
        ::shm_unlink(name_.c_str());
        ::close(descriptor_);
    }
    memory_ = nullptr;
    descriptor_ = -1;
    bytes_ = 0;
}

void SharedMemory::removeLeftovers()
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
