#pragma once

/// Memory of a CUDA device and its owners, for plugins with kernels.
///
/// There are two implementations: nvcc compiles the one on the CUDA runtime, a C++ compiler the one
/// on the emulator. All work is enqueued on the host program's stream; a function waits for it only
/// where its contract says so.

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

/// The host program's device; kernels access its memory directly.
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
    void fill(void* to, int byte, std::size_t bytes)
    {
        std::memset(to, byte, bytes);
        if (emulator::Watch* watch = emulator::options().watch)
            watch->copied(to, bytes);
    }
    void checkLaunch(const char*) {}
    void synchronise() {}

    /// See below.
    class Event {
    public:
        explicit Event(Device&) {}
        void record() {}
        void wait() {}
    };
    void* allocateOnHost(std::size_t bytes) { return ::operator new(bytes); }
    void releaseOnHost(void* memory) noexcept { ::operator delete(memory); }

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
    /// @param host  copied; what it refers to must outlive this
    explicit Device(const floe_device& host) : host_(host) {}
    Stream stream() const { return static_cast<cudaStream_t>(host_.stream); }
    /// Makes this the current device of the calling thread: any thread may call a solver.
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
    /// Copies to the device and waits: `from` may be freed on return.
    void upload(void* to, const void* from, std::size_t bytes)
    {
        enqueueUpload(to, from, bytes);
        synchronise();
    }
    /// Enqueues a copy to the device; `from` must stay valid until synchronise().
    void enqueueUpload(void* to, const void* from, std::size_t bytes)
    {
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream()), "copying");
    }
    /// Copies to the host and waits.
    void download(void* to, const void* from, std::size_t bytes)
    {
        enqueueDownload(to, from, bytes);
        synchronise();
    }
    /// Enqueues a copy to the host; `to` is filled after synchronise().
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

    /// A place in the stream that the host can wait for, while what was enqueued later goes on.
    class Event {
    public:
        /// @param device  outlives this
        explicit Event(Device& device) : device_(&device)
        {
            device.makeCurrent();
            check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "making an event");
        }
        Event(const Event&) = delete;
        Event& operator=(const Event&) = delete;
        ~Event() { cudaEventDestroy(event_); }
        void record() { check(cudaEventRecord(event_, device_->stream()), "recording an event"); }
        void wait() { check(cudaEventSynchronize(event_), "running kernels"); }

    private:
        Device* device_;
        cudaEvent_t event_ = nullptr;
    };
    /// Allocates host memory that copies to and from the device run beside kernels with.
    void* allocateOnHost(std::size_t bytes)
    {
        void* memory = nullptr;
        check(cudaMallocHost(&memory, bytes), "allocating pinned memory");
        return memory;
    }
    void releaseOnHost(void* memory) noexcept
    {
        if (memory)
            cudaFreeHost(memory);
    }

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

    /// Makes room for `count` elements, a quarter more when it grows. The contents are lost.
    /// @throws std::bad_alloc
    void need(std::size_t count)
    {
        if (count > capacity_)
            needExactly(count + count / 4);
    }
    /// Like need(), without the extra quarter.
    void needExactly(std::size_t count)
    {
        if (count > capacity_) {
            device_->release(std::exchange(data_, nullptr));
            capacity_ = 0;
            data_ = static_cast<T*>(device_->allocate(count * sizeof(T)));
            capacity_ = count;
        }
    }
    /// Like needExactly(), but keeps the first `kept` elements.
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

/// Pinned host memory that grows; its contents are lost then.
template <class T>
class PinnedArray {
public:
    /// @param device  outlives this
    explicit PinnedArray(Device& device) : device_(&device) {}
    PinnedArray(const PinnedArray&) = delete;
    PinnedArray& operator=(const PinnedArray&) = delete;
    ~PinnedArray() { device_->releaseOnHost(data_); }

    T* data() const { return data_; }
    /// Makes room for `count` elements. No copy may be using it. @throws std::bad_alloc
    void need(std::size_t count)
    {
        if (count <= capacity_)
            return;
        device_->releaseOnHost(std::exchange(data_, nullptr));
        capacity_ = 0;
        data_ = static_cast<T*>(device_->allocateOnHost((count + count / 4) * sizeof(T)));
        capacity_ = count + count / 4;
    }

private:
    Device* device_;
    T* data_ = nullptr;
    std::size_t capacity_ = 0;
};

/// Device memory for one computation: hands out arrays and frees all of them at the end.
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

    /// Allocates an array; never null, even for 0 elements. @throws std::bad_alloc, Failure
    template <class T>
    T* allocate(std::size_t count)
    {
        owned_.reserve(owned_.size() + 1);
        void* memory = device_.allocate((count > 0 ? count : 1) * sizeof(T));
        owned_.push_back(memory);
        return static_cast<T*>(memory);
    }
    /// Copies a host array, which must stay valid until synchronise(); null stays null.
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
