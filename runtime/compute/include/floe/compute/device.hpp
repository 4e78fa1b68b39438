#pragma once

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

/// A device that selectDevice would find.
struct DeviceInfo {
    std::string id;
    std::string name;
    std::uint64_t memory = 0; ///< [bytes]
};
/// The CPU first, then the CUDA devices.
std::vector<DeviceInfo> listDevices();

} // namespace floe::compute
