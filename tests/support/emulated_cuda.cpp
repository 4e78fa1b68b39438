#include "cuda_device.hpp"

#include <floe/sdk/cuda.hpp>
#include <floe/sdk/emulator/memory.hpp>

#include <cstring>

namespace floe::test {

using emulator::DeviceHeap;

floe_device cudaDevice()
{
    floe_device device{};
    device.struct_size = sizeof device;
    device.kind = FLOE_DEVICE_CUDA;
    device.allocate = [](const floe_device*, std::uint64_t bytes, void** memory) -> floe_status {
        *memory = DeviceHeap::instance().allocate(bytes);
        if (emulator::Watch* watch = emulator::options().watch; watch && *memory)
            watch->allocated(*memory, bytes);
        return *memory ? FLOE_OK : FLOE_OUT_OF_MEMORY;
    };
    device.release = [](const floe_device*, void* memory) {
        if (emulator::Watch* watch = emulator::options().watch)
            watch->released(memory);
        try {
            DeviceHeap::instance().release(memory);
        } catch (const emulator::KernelFault&) {
            // Reported by the launch that did it.
        }
    };
    device.copy = [](const floe_device*, void* to, const void* from, std::uint64_t bytes,
                     std::int32_t) -> floe_status {
        if (bytes > 0)
            std::memmove(to, from, bytes);
        if (emulator::Watch* watch = emulator::options().watch)
            watch->copied(to, bytes);
        return FLOE_OK;
    };
    device.synchronise = [](const floe_device*) -> floe_status {
        return FLOE_OK;
    };
    return device;
}

std::uint64_t cudaBytes()
{
    return DeviceHeap::instance().used();
}

void limitCudaBytes(std::uint64_t most)
{
    DeviceHeap::instance().setLimit(most == kNoLimit ? DeviceHeap::kNoLimit : most);
}

void shuffleCudaThreads(std::uint64_t seed)
{
    emulator::options().seed = seed;
}

} // namespace floe::test
