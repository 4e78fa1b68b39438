#pragma once

#include "floe/compute/array.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace floe::compute {

enum class DeviceKind { cpu, cuda };

/// The kind of memory that a block lies in.
enum class Space { host, cuda };

enum class Copy { toDevice, toHost, onDevice };

/// Memory made by another driver of the same device (Vulkan), as seen by this one. Keeps that
/// memory and the device alive.
class ImportedMemory {
public:
    virtual ~ImportedMemory() = default;
    virtual void* data() const = 0; ///< in the device's memory

protected:
    ImportedMemory() = default;
};

/// A device of nodes: memory and one stream of work. Made by selectDevice; lives until its last
/// memory is released. Functions may be called from any thread; copies and synchronise() concern
/// this device's own stream.
class Device : public std::enable_shared_from_this<Device> {
public:
    virtual ~Device() = default;
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    virtual DeviceKind kind() const = 0;
    /// CUDA device number; 0 for the CPU.
    virtual int ordinal() const = 0;
    /// "cpu" or "cuda:1", as accepted by selectDevice.
    virtual std::string id() const = 0;
    /// For users: "CPU, 8 threads" or "NVIDIA H200".
    virtual std::string name() const = 0;
    /// cudaStream_t; null on the CPU.
    virtual void* stream() const = 0;

    Space space() const { return kind() == DeviceKind::cuda ? Space::cuda : Space::host; }

    /// Returns uninitialised memory, aligned to at least 64 bytes. On CUDA it is ready for work
    /// enqueued on stream() afterwards.
    /// @throws MemoryError  the device's memory ran out
    /// @throws DeviceError  the driver failed
    virtual void* allocate(std::uint64_t bytes) = 0;
    /// Frees memory; on CUDA after the work enqueued so far. Null is allowed.
    virtual void release(void* memory) noexcept = 0;
    /// Copies; enqueued on the stream, immediate on the CPU. Host memory must stay valid until
    /// synchronise().
    /// @throws DeviceError
    virtual void copy(void* to, const void* from, std::uint64_t bytes, Copy direction) = 0;
    /// Waits for the stream. @throws DeviceError also for failures of earlier work
    virtual void synchronise() = 0;

    /// Vulkan's UUID of this device (VkPhysicalDeviceIDProperties::deviceUUID); all zero when it
    /// cannot share memory.
    virtual std::array<std::uint8_t, 16> uuid() const { return {}; }
    /// Imports memory that Vulkan exported as an opaque file descriptor.
    /// @param descriptor  taken over, also on failure
    /// @param bytes       size of the whole allocation
    /// @param dedicated   the allocation belongs to one buffer
    /// @throws DeviceError  the memory is of another device, or sharing is not supported
    virtual std::unique_ptr<ImportedMemory> import(int descriptor, std::uint64_t bytes,
                                                   bool dedicated);

    /// Computes one number per item on the device: the item itself, the length of a vector, or the
    /// length of a 3x3 matrix over sqrt(3), which is 1 for the identity. Enqueued.
    /// @param to  from.count floats in this device's memory
    virtual void magnitudes(const ArrayView& from, float* to) = 0;
    /// Converts integers to bytes, clamped to 0..255. Enqueued.
    /// @param from  integers, one component
    virtual void narrow(const ArrayView& from, std::uint8_t* to) = 0;
    /// Returns the extent of an array of floats with one to three components. Skips items with a
    /// component that is not finite or beyond `most`. Waits for the stream.
    virtual Extent extent(const ArrayView& of, float most) = 0;

    /// Returns the bytes of this device's memory in use by Floe, now and at the peak.
    virtual std::uint64_t usedBytes() const = 0;
    virtual std::uint64_t peakBytes() const = 0;

protected:
    Device() = default;
};

using DevicePointer = std::shared_ptr<Device>;

/// Returns the CPU, which always exists.
DevicePointer cpuDevice();

/// Selects a device by text: "cpu", "cuda" (the first), "cuda:N", or "auto" (the first working CUDA
/// device, else the CPU). The same text returns the same object while it is in use.
/// @throws InputError   the text is none of these
/// @throws DeviceError  there is no such device, and why (built without, no driver, number)
DevicePointer selectDevice(std::string_view text);

/// Returns the devices of a list, "cuda:0-3" or "cuda:0,2-3", as "cuda:0" and so on, at most 1024;
/// another text as it is. @throws InputError  the list makes no sense
std::vector<std::string> devicesOf(const std::string& text);

/// Makes selectDevice(device->id()) return this device while it lives, for tests.
void offerDevice(const DevicePointer& device);

/// A device that selectDevice would find.
struct DeviceInfo {
    std::string id;
    std::string name;
    std::uint64_t memory = 0; ///< [bytes]
};
/// The CPU first, then the CUDA devices.
std::vector<DeviceInfo> listDevices();

} // namespace floe::compute
