#pragma once

#include "floe/compute/device.hpp"

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

namespace floe::compute {

/// Owns one block of memory of a device; movable, not copyable. Aligned to 64 bytes.
class Buffer {
public:
    Buffer() = default;
    /// Allocates uninitialised memory. @throws MemoryError, DeviceError
    Buffer(DevicePointer device, std::uint64_t bytes)
        : device_(std::move(device)), bytes_(bytes), data_(device_->allocate(bytes))
    {}
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept
    {
        swap(other);
        return *this;
    }
    ~Buffer()
    {
        if (data_)
            device_->release(data_);
    }

    void* data() { return data_; }
    const void* data() const { return data_; }
    std::uint64_t bytes() const { return bytes_; }
    /// Null for an empty buffer.
    const DevicePointer& device() const { return device_; }
    Space space() const { return device_ ? device_->space() : Space::host; }

    /// Copies the bytes to host memory; waits for the device's stream.
    Buffer toHost() const
    {
        Buffer copy(cpuDevice(), bytes_);
        if (bytes_ != 0 && space() == Space::host) {
            std::memcpy(copy.data_, data_, bytes_);
        } else if (bytes_ != 0) {
            device_->copy(copy.data_, data_, bytes_, Copy::toHost);
            device_->synchronise();
        }
        return copy;
    }

private:
    void swap(Buffer& other) noexcept
    {
        std::swap(device_, other.device_);
        std::swap(bytes_, other.bytes_);
        std::swap(data_, other.data_);
    }

    DevicePointer device_;
    std::uint64_t bytes_ = 0;
    void* data_ = nullptr;
};

/// A fixed number of trivial objects in host memory.
template <class T>
class Array {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    Array() = default;
    /// Makes an uninitialised array. @throws MemoryError
    explicit Array(std::size_t count) : buffer_(cpuDevice(), checkedBytes(count)), count_(count) {}
    /// Makes a copy. @throws MemoryError
    explicit Array(std::span<const T> values) : Array(values.size())
    {
        if (!values.empty())
            std::memcpy(buffer_.data(), values.data(), values.size_bytes());
    }

    T* data() { return static_cast<T*>(buffer_.data()); }
    const T* data() const { return static_cast<const T*>(buffer_.data()); }
    std::size_t size() const { return count_; }
    bool empty() const { return count_ == 0; }
    std::uint64_t bytes() const { return buffer_.bytes(); }
    T& operator[](std::size_t i) { return data()[i]; }
    const T& operator[](std::size_t i) const { return data()[i]; }
    std::span<T> span() { return {data(), count_}; }
    std::span<const T> span() const { return {data(), count_}; }

private:
    /// Maps overflowing sizes to one that no machine has, so that they fail like any other.
    static std::uint64_t checkedBytes(std::size_t count)
    {
        return count > UINT64_MAX / sizeof(T) ? UINT64_MAX : count * sizeof(T);
    }

    Buffer buffer_;
    std::size_t count_ = 0;
};

} // namespace floe::compute
