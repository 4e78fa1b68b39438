#pragma once

#include <floe/sdk/floe.h>

#include <cstdint>

/// The CUDA device of a test program, so that one test body runs under the emulator and on a card.
///
/// What the program links decides which: floe_emulated_cuda or floe_real_cuda
/// (tests/CMakeLists.txt). Everything may be called from any thread.
namespace floe::test {

/// As a host program hands it to a plugin; lives as long as the program.
/// @throws DeviceError  there is no card
floe_device cudaDevice();

/// Bytes that the device has given and not taken back.
std::uint64_t cudaBytes();

inline constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

/// Allocations that would bring cudaBytes() above this end as FLOE_OUT_OF_MEMORY.
void limitCudaBytes(std::uint64_t most);

/// The emulator takes threads and blocks in an order drawn from the seed; 0: in their own. A card
/// has another order in every launch, whatever the seed.
void shuffleCudaThreads(std::uint64_t seed);

} // namespace floe::test
