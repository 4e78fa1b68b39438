/// Device memory for the time of one evaluation.
#pragma once

#include "floe/sdk/device_memory.hpp"

#include <cstddef>
#include <vector>

namespace floe::activation::cuda {
inline namespace FLOE_KERNEL_SPACE {

using sdk::cuda::Device;

/// Gives out arrays and takes all of them back in the end.
class Memory {
public:
    explicit Memory(Device& device) : device_(device) {}
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory()
    {
        for (void* memory : owned_)
            device_.release(memory);
    }

    /// Released with this object. Never null, also for nothing. @throws std::bad_alloc,
    /// sdk::Failure
    template <class T>
    T* allocate(std::size_t count)
    {
        owned_.reserve(owned_.size() + 1);
        void* memory = device_.allocate((count > 0 ? count : 1) * sizeof(T));
        owned_.push_back(memory);
        return static_cast<T*>(memory);
    }
    /// A copy of an array of the host's, which stays until the device is synchronised; null stays
    /// null.
    template <class T>
    T* copyOf(const T* from, std::size_t count)
    {
        if (!from)
            return nullptr;
        T* memory = allocate<T>(count);
        if (count > 0)
            device_.enqueueUpload(memory, from, count * sizeof(T));
        return memory;
    }

private:
    Device& device_;
    std::vector<void*> owned_;
};

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::activation::cuda
