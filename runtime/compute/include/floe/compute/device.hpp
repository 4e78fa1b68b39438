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

/// Which side of the bus a block of memory is on.
enum class Space { host, cuda };

enum class Copy { toDevice, toHost, onDevice };

/// Memory that another driver of the same device (Vulkan) made, as this one sees it. Keeps that
/// memory and the device alive.
class ImportedMemory {
public:
    virtual ~ImportedMemory() = default;
    virtual void* data() const = 0; ///< in the device's memory

protected:
    ImportedMemory() = default;
};

/// What a node computes on: memory and one stream of work. Made by selectDevice; lives until the
/// last memory that came from it is gone. Functions may be called from any thread; copies and
/// synchronise() concern this device's own stream.
class Device : public std::enable_shared_from_this<Device> {
public:
    virtual ~Device() = default;
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    virtual DeviceKind kind() const = 0;
    /// CUDA device number; 0 for the CPU.
    virtual int ordinal() const = 0;
    /// "cpu" or "cuda:1": what selectDevice understands.
    virtual std::string id() const = 0;
    /// For people: "CPU, 8 threads" or "NVIDIA H200".
    virtual std::string name() const = 0;
    /// cudaStream_t; null on the CPU.
    virtual void* stream() const = 0;

    Space space() const { return kind() == DeviceKind::cuda ? Space::cuda : Space::host; }

    /// Uninitialised memory, aligned to 64 bytes at least. On CUDA ready for work enqueued on
    /// stream() afterwards.
    /// @throws MemoryError  the device's memory ran out
    /// @throws DeviceError  the driver failed
    virtual void* allocate(std::uint64_t bytes) = 0;
    /// On CUDA once the work enqueued so far is done. Null is allowed.
    virtual void release(void* memory) noexcept = 0;
    /// Enqueued on the stream; immediate on the CPU. Host memory must stay valid until
    /// synchronise().
    /// @throws DeviceError
    virtual void copy(void* to, const void* from, std::uint64_t bytes, Copy direction) = 0;
    /// Waits for the stream. @throws DeviceError also for failures of earlier work
    virtual void synchronise() = 0;

    /// What Vulkan calls the same device (VkPhysicalDeviceIDProperties::deviceUUID); all zero for
    /// one whose memory it cannot share.
    virtual std::array<std::uint8_t, 16> uuid() const { return {}; }
    /// Makes memory that Vulkan exported as an opaque file descriptor usable here.
    /// @param descriptor  taken over, also when this fails
    /// @param bytes       size of the whole allocation
    /// @param dedicated   the allocation belongs to one buffer
    /// @throws DeviceError  the memory is of another device, or there is no such sharing
    virtual std::unique_ptr<ImportedMemory> import(int descriptor, std::uint64_t bytes,
                                                   bool dedicated);

    /// One number an item, without leaving the device: the item itself; the length of a vector; of
    /// a 3x3 matrix its length over sqrt(3), which is 1 for the identity. Enqueued.
    /// @param to  from.count floats in this device's memory
    virtual void magnitudes(const ArrayView& from, float* to) = 0;
    /// Small whole numbers: clamped to 0..255. Enqueued.
    /// @param from  whole numbers, one component
    virtual void narrow(const ArrayView& from, std::uint8_t* to) = 0;
    /// Extent of an array of floats with one to three components. Items with a component that is
    /// not finite or beyond `most` are left out. Waits for the stream.
    virtual Extent extent(const ArrayView& of, float most) = 0;

    /// Bytes of this device's memory in use by Floe, and the most so far.
    virtual std::uint64_t usedBytes() const = 0;
    virtual std::uint64_t peakBytes() const = 0;

protected:
    Device() = default;
};

using DevicePointer = std::shared_ptr<Device>;

/// The CPU; always there.
DevicePointer cpuDevice();

/// Chooses a device by text: "cpu", "cuda" (the first), "cuda:N", or "auto" (the first CUDA device
/// that works, else the CPU). The same text gives the same object as long as one is in use.
/// @throws InputError   the text is none of these
/// @throws DeviceError  there is no such device; says why (built without, no driver, number)
DevicePointer selectDevice(std::string_view text);

/// Makes selectDevice(device->id()) give this one while it lives: for devices that are neither the
/// CPU nor CUDA's own, as a test makes them.
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
