#pragma once

/// Memory of another program, imported as by cudaImportExternalMemory and
/// cudaExternalMemoryGetMappedBuffer: here a mapping of its file descriptor. A Vulkan driver that
/// runs on the processor exports such descriptors.

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace floe::emulator {

class ExternalMemory {
public:
    /// @param descriptor  taken over, also on failure
    /// @param bytes       size of the whole allocation
    /// @throws std::runtime_error  it does not refer to memory, or to less than `bytes`
    ExternalMemory(int descriptor, std::size_t bytes)
    {
        const std::string fault = map(descriptor, bytes);
        ::close(descriptor);
        if (!fault.empty())
            throw std::runtime_error(fault);
    }
    ExternalMemory(const ExternalMemory&) = delete;
    ExternalMemory& operator=(const ExternalMemory&) = delete;
    ~ExternalMemory() { ::munmap(mapping_, mapped_); }

    void* data() const { return static_cast<char*>(mapping_) + offset_; }

private:
    std::string map(int descriptor, std::size_t bytes)
    {
        struct stat info {};
        if (::fstat(descriptor, &info) != 0)
            return "a file descriptor to import is not open";
        const auto file = static_cast<std::size_t>(info.st_size);
        // Mesa's drivers on the processor store the size and offset of the memory first (struct
        // memory_header in src/util/os_memory_fd.c).
        struct {
            std::size_t size, offset;
        } header{};
        if (::pread(descriptor, &header, sizeof header, 0) == sizeof header &&
            header.size >= bytes && header.offset >= sizeof header && header.offset <= file &&
            file - header.offset >= bytes)
            offset_ = header.offset;
        if (file < bytes)
            return "memory of " + std::to_string(file) + " bytes was exported, " +
                   std::to_string(bytes) + " are to be imported";
        mapped_ = offset_ + bytes;
        mapping_ = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
        if (mapping_ == MAP_FAILED)
            return std::string("exported memory cannot be mapped: ") + std::strerror(errno);
        return {};
    }

    void* mapping_ = MAP_FAILED;
    std::size_t mapped_ = 0, offset_ = 0;
};

} // namespace floe::emulator
