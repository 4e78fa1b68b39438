#pragma once

/// Memory of a CUDA device and who owns it, for plugins with kernels. In two kinds: the CUDA
/// runtime, and the emulator.
///
/// Exactly one of them is compiled, by who compiles: nvcc or a C++ compiler. All work is enqueued
/// on the host program's stream; this side waits for it only where a function says so.

#include "floe/sdk/cuda.hpp"
#include "floe/sdk/node.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace floe::sdk::cuda {
inline namespace FLOE_KERNEL_SPACE {

#if FLOE_CUDA_EMULATED

/// The host program's device, whose memory kernels reach as it is.
class Device {
public:
    using Stream = void*;
    explicit Device(const floe_device& host) : host_(host) {}
    Stream stream() const { return nullptr; }
    void makeCurrent() noexcept {}

    void* allocate(std::size_t bytes)
    {
        void* memory = nullptr;
        check(host_.allocate(&host_, bytes, &memory));
        return memory;
    }
    void release(void* memory) noexcept { host_.release(&host_, memory); }
    void upload(void* to, const void* from, std::size_t bytes)
    {
        copy(to, from, bytes, FLOE_COPY_TO_DEVICE);
    }
    void enqueueUpload(void* to, const void* from, std::size_t bytes) { upload(to, from, bytes); }
    void download(void* to, const void* from, std::size_t bytes)
    {
        copy(to, from, bytes, FLOE_COPY_TO_HOST);
    }
    void enqueueDownload(void* to, const void* from, std::size_t bytes)
    {
        download(to, from, bytes);
    }
    void copy(void* to, const void* from, std::size_t bytes)
    {
        copy(to, from, bytes, FLOE_COPY_ON_DEVICE);
    }
    void fill(void* to, int byte, std::size_t bytes) { std::memset(to, byte, bytes); }
    void checkLaunch(const char*) {}
    void synchronise() {}

private:
    static void check(floe_status status)
    {
        if (status == FLOE_OUT_OF_MEMORY)
            throw std::bad_alloc();
        if (status != FLOE_OK)
            throw Failure("the emulated device has failed", FLOE_DEVICE_FAILED);
    }
    void copy(void* to, const void* from, std::size_t bytes, std::int32_t direction)
    {
        check(host_.copy(&host_, to, from, bytes, direction));
    }

    floe_device host_;
};

#else

/// The host program's device: its memory and its stream.
class Device {
public:
    using Stream = cudaStream_t;
    /// @param host  kept by value; what it stands for outlives this
    explicit Device(const floe_device& host) : host_(host) {}
    Stream stream() const { return static_cast<cudaStream_t>(host_.stream); }
    /// For the calling thread: a solver may be called from any.
    void makeCurrent() noexcept { cudaSetDevice(host_.ordinal); }

    void* allocate(std::size_t bytes)
    {
        void* memory = nullptr;
        const floe_status status = host_.allocate(&host_, bytes, &memory);
        if (status == FLOE_OUT_OF_MEMORY)
            throw std::bad_alloc();
        if (status != FLOE_OK || !memory)
            throw Failure("CUDA device " + std::to_string(host_.ordinal) +
                              " gives no memory: it has failed",
                          FLOE_DEVICE_FAILED);
        return memory;
    }
    void release(void* memory) noexcept
    {
        if (memory)
            host_.release(&host_, memory);
    }
    /// Waits: `from` may go once this returns.
    void upload(void* to, const void* from, std::size_t bytes)
    {
        enqueueUpload(to, from, bytes);
        synchronise();
    }
    /// `from` stays until synchronise().
    void enqueueUpload(void* to, const void* from, std::size_t bytes)
    {
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream()), "copying");
    }
    /// Waits.
    void download(void* to, const void* from, std::size_t bytes)
    {
        enqueueDownload(to, from, bytes);
        synchronise();
    }
    /// `to` is filled at synchronise().
    void enqueueDownload(void* to, const void* from, std::size_t bytes)
    {
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream()), "copying");
    }
    void copy(void* to, const void* from, std::size_t bytes)
    {
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream()), "copying");
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
        if (error == cudaErrorMemoryAllocation) {
            cudaGetLastError(); // not sticky
            throw std::bad_alloc();
        }
        throw Failure(std::string("CUDA failed at ") + doing + ": " + cudaGetErrorString(error),
                      FLOE_DEVICE_FAILED);
    }

    floe_device host_;
};

#endif

/// Device memory that grows. Owns it; movable.
template <class T>
class DeviceArray {
public:
    explicit DeviceArray(Device& device) : device_(&device) {}
    DeviceArray(DeviceArray&& other) noexcept
        : device_(other.device_), data_(std::exchange(other.data_, nullptr)),
          capacity_(std::exchange(other.capacity_, 0))
    {}
    DeviceArray& operator=(DeviceArray&& other) noexcept
    {
        std::swap(device_, other.device_);
        std::swap(data_, other.data_);
        std::swap(capacity_, other.capacity_);
        return *this;
    }
    ~DeviceArray() { device_->release(data_); }

    T* data() const { return data_; }
    std::size_t capacity() const { return capacity_; }

    /// Room for `count`, with a quarter to spare when it grows. What was there is lost.
    /// @throws std::bad_alloc
    void need(std::size_t count)
    {
        if (count > capacity_)
            needExactly(count + count / 4);
    }
    /// The same without anything to spare.
    void needExactly(std::size_t count)
    {
        if (count > capacity_) {
            device_->release(std::exchange(data_, nullptr));
            capacity_ = 0;
            data_ = static_cast<T*>(device_->allocate(count * sizeof(T)));
            capacity_ = count;
        }
    }
    /// The same, keeping the first `kept` elements.
    void grow(std::size_t count, std::size_t kept)
    {
        if (count > capacity_) {
            DeviceArray larger(*device_);
            larger.need(count);
            if (kept > 0)
                device_->copy(larger.data_, data_, kept * sizeof(T));
            *this = std::move(larger);
        }
    }
    void fill(int byte, std::size_t count) { device_->fill(data_, byte, count * sizeof(T)); }
    void upload(const T* from, std::size_t count, std::size_t at = 0)
    {
        if (count > 0)
            device_->upload(data_ + at, from, count * sizeof(T));
    }
    std::vector<T> download(std::size_t count) const
    {
        std::vector<T> values(count);
        if (count > 0)
            device_->download(values.data(), data_, count * sizeof(T));
        return values;
    }

private:
    Device* device_;
    T* data_ = nullptr;
    std::size_t capacity_ = 0;
};

/// Device memory for the time of one computation: gives out arrays and takes all of them back in
/// the end.
class ScopedMemory {
public:
    /// @param device  outlives this
    explicit ScopedMemory(Device& device) : device_(device) {}
    ScopedMemory(const ScopedMemory&) = delete;
    ScopedMemory& operator=(const ScopedMemory&) = delete;
    ~ScopedMemory()
    {
        for (void* memory : owned_)
            device_.release(memory);
    }

    /// Never null, also for nothing. @throws std::bad_alloc, Failure
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
} // namespace floe::sdk::cuda
