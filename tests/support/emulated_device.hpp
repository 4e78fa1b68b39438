#pragma once

#include "floe/base/error.hpp"
#include "floe/compute/device.hpp"
#include "floe/sdk/emulator/external_memory.hpp"
#include "floe/sdk/emulator/memory.hpp"
#include "runtime/compute/src/array_kernels.cuh"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <unistd.h>

namespace floe::test {

/// A CUDA device whose kernels the emulator runs, that counts what crosses the bus.
class EmulatedDevice final : public compute::Device {
public:
    /// @param uuid  of the Vulkan device that it pretends to be
    explicit EmulatedDevice(std::string id, std::array<std::uint8_t, 16> uuid = {})
        : id_(std::move(id)), uuid_(uuid)
    {}

    compute::DeviceKind kind() const override { return compute::DeviceKind::cuda; }
    int ordinal() const override { return 0; }
    std::string id() const override { return id_; }
    std::string name() const override { return "emulated CUDA device"; }
    void* stream() const override { return nullptr; }

    void* allocate(std::uint64_t bytes) override
    {
        void* memory = emulator::DeviceHeap::instance().allocate(std::max<std::uint64_t>(bytes, 1));
        if (!memory)
            throw MemoryError({}, "the memory of the emulated device ran out");
        return memory;
    }
    void release(void* memory) noexcept override
    {
        try {
            emulator::DeviceHeap::instance().release(memory);
        } catch (const emulator::KernelFault&) {
            ++faults;
        }
    }
    void copy(void* to, const void* from, std::uint64_t bytes, compute::Copy direction) override
    {
        if (direction == compute::Copy::toHost) {
            toHost += bytes;
            std::uint64_t largest = largestToHost;
            while (bytes > largest && !largestToHost.compare_exchange_weak(largest, bytes)) {
            }
        }
        if (bytes > 0)
            std::memmove(to, from, bytes);
    }
    void synchronise() override {}

    std::array<std::uint8_t, 16> uuid() const override { return uuid_; }
    std::unique_ptr<compute::ImportedMemory> import(int descriptor, std::uint64_t bytes,
                                                    bool) override
    {
        ++imports;
        if (refusesImports) {
            ::close(descriptor);
            throw DeviceError({}, name() + " failed to import memory of the renderer");
        }
        return std::make_unique<Imported>(shared_from_this(), descriptor, bytes);
    }
    void magnitudes(const compute::ArrayView& from, float* to) override
    {
        if (from.count > 0)
            compute::launchMagnitudes(from, to, nullptr);
    }
    void narrow(const compute::ArrayView& from, std::uint8_t* to) override
    {
        if (from.count > 0)
            compute::launchNarrow(from, to, nullptr);
    }
    compute::Extent extent(const compute::ArrayView& of, float most) override
    {
        compute::OrderedExtent bits = compute::noOrderedExtent();
        void* memory = allocate(sizeof bits);
        copy(memory, &bits, sizeof bits, compute::Copy::toDevice);
        if (of.count > 0)
            compute::launchExtent(of, most, static_cast<compute::OrderedExtent*>(memory), nullptr);
        copy(&bits, memory, sizeof bits, compute::Copy::toHost);
        release(memory);
        return compute::extentOf(bits);
    }
    std::uint64_t usedBytes() const override { return emulator::DeviceHeap::instance().used(); }
    std::uint64_t peakBytes() const override { return usedBytes(); }

    std::atomic<std::uint64_t> toHost{0};        ///< bytes copied to host memory
    std::atomic<std::uint64_t> largestToHost{0}; ///< by one copy
    std::atomic<int> imports{0};                 ///< buffers of another driver
    std::atomic<int> faults{0};                  ///< writes beside an allocation
    std::atomic<bool> refusesImports{false};     ///< as a driver does that cannot share memory

private:
    class Imported final : public compute::ImportedMemory {
    public:
        Imported(compute::DevicePointer device, int descriptor, std::uint64_t bytes)
            : device_(std::move(device)), memory_(descriptor, bytes)
        {}
        void* data() const override { return memory_.data(); }

    private:
        compute::DevicePointer device_;
        emulator::ExternalMemory memory_;
    };

    std::string id_;
    std::array<std::uint8_t, 16> uuid_;
};

} // namespace floe::test
