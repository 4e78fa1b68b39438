// What C++ takes with `new`, in this program, its libraries and its plugins: OpenVDB's grids,
// buffers of files, checkpoints. Each of them knows how to go on from std::bad_alloc; none from
// being killed by the system, which hands out more than it has.
#include "floe/compute/memory.hpp"

#include <cstdlib>
#include <new>

void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept
{
    return floe::compute::claimHost(bytes) ? std::malloc(bytes == 0 ? 1 : bytes) : nullptr;
}

void* operator new[](std::size_t bytes, const std::nothrow_t& quiet) noexcept
{
    return operator new(bytes, quiet);
}

void* operator new(std::size_t bytes)
{
    if (void* memory = operator new(bytes, std::nothrow))
        return memory;
    throw std::bad_alloc();
}

void* operator new[](std::size_t bytes)
{
    return operator new(bytes);
}

void operator delete(void* memory) noexcept
{
    std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}

void operator delete[](void* memory) noexcept
{
    std::free(memory);
}

void operator delete[](void* memory, std::size_t) noexcept
{
    std::free(memory);
}
