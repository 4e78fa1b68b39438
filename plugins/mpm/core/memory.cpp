#include "memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace floe::mpm {

namespace {

constexpr std::size_t kChunkFloats = std::size_t{1} << 19; // one large page

class PlainMemory final : public MemorySource {
public:
    void* allocate(std::size_t bytes) override
    {
        constexpr std::size_t kLine = 64, kLargePage = std::size_t{2} << 20;
        void* memory = nullptr;
        if (posix_memalign(&memory, bytes >= kLargePage ? kLargePage : kLine, bytes) != 0)
            throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
        if (bytes >= kLargePage)
            madvise(memory, bytes, MADV_HUGEPAGE); // a refusal costs speed only
#endif
        return memory;
    }
    void release(void* memory) noexcept override
    {
        std::free(memory);
    }
};

} // namespace

MemorySource& plainMemory()
{
    static PlainMemory memory;
    return memory;
}

Floats allocateFloats(std::size_t count, MemorySource& source)
{
    if (count > std::size_t{1} << 58)
        throw std::bad_alloc();
    constexpr std::size_t kLine = 64;
    const std::size_t bytes = (count * sizeof(float) + kLine - 1) / kLine * kLine;
    return {static_cast<float*>(source.allocate(bytes)), FreeFloats{&source}};
}

float* FloatPool::take()
{
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
        const std::size_t pieces = kChunkFloats / floats_;
        chunks_.push_back(allocateFloats(kChunkFloats, *source_));
        bytes_ += kChunkFloats * sizeof(float);
        free_.reserve(chunks_.size() * pieces); // give() must not fail
        for (std::size_t i = pieces; i-- > 0;)
            free_.push_back(chunks_.back().get() + i * floats_);
    }
    float* piece = free_.back();
    free_.pop_back();
    return piece;
}

void FloatPool::give(float* piece) noexcept
{
    const std::lock_guard lock(mutex_);
    free_.push_back(piece);
}

void FloatBuffer::reserve(std::size_t count, std::size_t kept, std::size_t most)
{
    if (count <= capacity_)
        return;
    // Exact at first; what grows once is likely to grow again, and what must be copied costs more.
    const std::size_t larger = capacity_ == 0 ? count
                               : kept == 0    ? count + count / 8
                                              : std::max(count, std::min(count + count / 2, most));
    if (kept == 0) {
        floats_.reset();
        capacity_ = 0;
    }
    Floats grown = allocateFloats(larger, *source_);
    if (kept > 0)
        std::memcpy(grown.get(), floats_.get(), kept * sizeof(float));
    floats_ = std::move(grown);
    capacity_ = larger;
}

} // namespace floe::mpm
