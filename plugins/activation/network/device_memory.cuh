/// Device memory for the time of one evaluation, in two kinds: the host program's CUDA device, and
/// the emulator.
#pragma once

#include "floe/sdk/cuda_emulator.hpp"
#include "floe/sdk/node.hpp"

#if FLOE_CUDA_EMULATED
#include "floe/sdk/emulator/memory.hpp"
#endif

#include <cstddef>
#include <cstring>
#include <new>
#include <string>
#include <vector>

namespace floe::activation::cuda {
inline namespace FLOE_KERNEL_SPACE {

#if FLOE_CUDA_EMULATED

class Memory {
public:
    explicit Memory(const floe_device*) {}
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory()
    {
        for (void* memory : owned_)
            try {
                emulator::DeviceHeap::instance().release(memory);
            } catch (const emulator::KernelFault&) {
                // Reported by the launch that did it.
            }
    }
    void* stream() const { return nullptr; }
    void upload(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
    void download(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
    void fill(void* to, int byte, std::size_t bytes) { std::memset(to, byte, bytes); }
    void checkLaunch(const char*) {}
    void synchronise() {}

private:
    void* allocateBytes(std::size_t bytes)
    {
        void* memory = emulator::DeviceHeap::instance().allocate(bytes);
        if (!memory)
            throw std::bad_alloc();
        return memory;
    }

#else

class Memory {
public:
    explicit Memory(const floe_device* device) : device_(device)
    {
        cudaSetDevice(device->ordinal); // of this thread
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory()
    {
        for (void* memory : owned_)
            device_->release(device_, memory);
    }
    cudaStream_t stream() const { return static_cast<cudaStream_t>(device_->stream); }
    /// Enqueued; `from` stays until synchronise().
    void upload(void* to, const void* from, std::size_t bytes)
    {
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream()), "copying");
    }
    void download(void* to, const void* from, std::size_t bytes)
    {
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream()), "copying");
    }
    void fill(void* to, int byte, std::size_t bytes)
    {
        check(cudaMemsetAsync(to, byte, bytes, stream()), "clearing memory");
    }
    void checkLaunch(const char* kernel) { check(cudaGetLastError(), kernel); }
    void synchronise() { check(cudaStreamSynchronize(stream()), "running kernels"); }

private:
    static void check(cudaError_t error, const char* doing)
    {
        if (error == cudaSuccess)
            return;
        throw sdk::Failure(std::string("CUDA failed in the activation network at ") + doing + ": " +
                               cudaGetErrorString(error),
                           FLOE_DEVICE_FAILED);
    }
    void* allocateBytes(std::size_t bytes)
    {
        void* memory = nullptr;
        const floe_status status = device_->allocate(device_, bytes, &memory);
        if (status == FLOE_OUT_OF_MEMORY)
            throw std::bad_alloc();
        if (status != FLOE_OK || !memory)
            throw sdk::Failure("the CUDA device gives no memory: it has failed",
                               FLOE_DEVICE_FAILED);
        return memory;
    }
    const floe_device* device_;

#endif

public:
    /// Released with this object. Never null, also for nothing.
    template <class T>
    T* allocate(std::size_t count)
    {
        owned_.reserve(owned_.size() + 1);
        void* memory = allocateBytes((count > 0 ? count : 1) * sizeof(T));
        owned_.push_back(memory);
        return static_cast<T*>(memory);
    }
    /// A copy of an array of the host's; null stays null.
    template <class T>
    T* copyOf(const T* from, std::size_t count)
    {
        if (!from)
            return nullptr;
        T* memory = allocate<T>(count);
        if (count > 0)
            upload(memory, from, count * sizeof(T));
        return memory;
    }

private:
    std::vector<void*> owned_;
};

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::activation::cuda
