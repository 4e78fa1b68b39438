/// Evaluation of the network on a device: CUDA's under nvcc, the emulator's otherwise.
#pragma once

#include "floe/sdk/device_memory.hpp"
#include "floe/sdk/network/network_kernels.cuh"
#include "floe/sdk/network/question.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace floe::sdk::network {
inline namespace FLOE_KERNEL_SPACE {

inline constexpr unsigned kThreads = 128;

/// Returns a number of CUDA blocks that covers `count` and costs nothing to launch.
inline unsigned gridFor(std::size_t count)
{
    return static_cast<unsigned>(
        std::clamp<std::size_t>((count + kThreads - 1) / kThreads, 1, 8192));
}

inline grid::HashTable makeTable(cuda::Device& device, cuda::ScopedMemory& memory,
                                 std::size_t slots)
{
    const grid::HashTable table{memory.allocate<grid::BlockKey>(slots),
                                memory.allocate<unsigned>(slots),
                                static_cast<std::uint32_t>(slots - 1)};
    device.fill(table.key, 0xFF, slots * sizeof *table.key);
    device.fill(table.block, 0xFF, slots * sizeof *table.block);
    return table;
}

inline DeviceModel upload(cuda::ScopedMemory& memory, const PreparedModel& model, float scale)
{
    const auto copy = [&](const std::vector<float>& from) {
        return static_cast<const float*>(memory.copyOf(from.data(), from.size()));
    };
    DeviceModel to;
    to.hidden = model.hidden;
    to.features = model.features;
    to.blockChannels = model.blockChannels;
    to.innerChannels = model.inner;
    to.firstCell = model.firstCell();
    to.logarithm = model.logarithm;
    to.scale = scale;
    std::copy(std::begin(model.channel), std::end(model.channel), to.channel);
    to.weight1 = copy(model.weight1);
    to.bias1 = copy(model.bias1);
    to.weight2 = copy(model.weight2);
    to.bias2 = copy(model.bias2);
    to.weight3 = copy(model.weight3);
    to.weight4 = copy(model.weight4);
    to.rest2 = copy(model.rest2);
    to.rest3 = copy(model.rest3);
    to.rest4 = model.rest4;
    return to;
}

/// Evaluates the network on a device: one logit per block, active when > 0. Arrays of the question
/// and `logits` are in host memory; waits for the device.
/// @throws Failure  the device failed  @throws std::bad_alloc
/// @param firstRoom  blocks to allocate at first; 0: an estimate (for tests)
inline void evaluateOnDevice(const PreparedModel& prepared, const Question& question,
                             cuda::Device device, float* logits, std::size_t firstRoom = 0)
{
    const std::size_t asked = question.blockCount, moving = question.fieldCount;
    if (asked == 0)
        return;
    if (asked > 100'000'000 || moving > 30'000'000)
        throw Failure("too many blocks for the activation network on one device");
    device.makeCurrent();
    cuda::ScopedMemory memory(device);
    const DeviceModel model = upload(memory, prepared, prepared.scale(question));
    const int* fieldBlock = memory.copyOf(question.fieldBlock, 3 * moving);
    float* speed = memory.copyOf(question.fieldSpeed, grid::kBlockNodes * moving);
    const grid::HashTable field = makeTable(device, memory, std::bit_ceil(2 * moving + 64));
    DeviceBlocks blocks;
    blocks.block = memory.copyOf(question.block, 3 * asked);
    blocks.maxSpeed = memory.copyOf(question.maxSpeed, asked);
    blocks.liquidShare = memory.copyOf(question.liquidShare, asked);
    blocks.soundSpeed = memory.copyOf(question.soundSpeed, asked);
    blocks.restTime = memory.copyOf(question.restTime, asked);
    blocks.count = question.blockCount;
    blocks.speedScale = static_cast<float>(question.gain / question.threshold);
    blocks.reachScale =
        static_cast<float>(question.horizon / (grid::kBlockEdge * question.cellSize));
    blocks.memory = static_cast<float>(question.memory);
    float* answer = memory.allocate<float>(asked);

    if (moving > 0) {
        FLOE_LAUNCH(fieldKernel, gridFor(grid::kBlockNodes * moving), kThreads, 0, device.stream(),
                    fieldBlock, question.fieldCount, field, speed, model.scale, model.logarithm);
        device.checkLaunch("fieldKernel");
    }
    const int first = grid::blockOf(model.firstCell), last = grid::blockOf(model.firstCell + 6);
    const auto width = static_cast<std::size_t>(prepared.width());
    for (std::size_t room = firstRoom > 0 ? firstRoom : 4 * (asked + moving);; room *= 4) {
        cuda::ScopedMemory local(device);
        Blocks all;
        all.table = makeTable(device, local, std::bit_ceil(room + 64));
        all.limit = (all.table.mask + 1) / 4 * 3;
        all.count = local.allocate<unsigned>(2);
        all.overflow = all.count + 1;
        device.fill(all.count, 0, 2 * sizeof(unsigned));
        all.key = local.allocate<grid::BlockKey>(all.limit);
        all.feature = local.allocate<float>(width * all.limit);
        all.special = local.allocate<unsigned>(all.limit);
        all.inner = local.allocate<float>(static_cast<std::size_t>(prepared.inner) * all.limit);
        const auto launched = [&](const char* name) {
            device.checkLaunch(name);
        };
        FLOE_LAUNCH(insertKernel, gridFor(27 * asked), kThreads, 0, device.stream(), blocks.block,
                    blocks.count, -1, 1, all);
        launched("insertKernel");
        if (moving > 0) {
            FLOE_LAUNCH(insertKernel, gridFor(27 * moving), kThreads, 0, device.stream(),
                        fieldBlock, question.fieldCount, -last, -first, all);
            launched("insertKernel");
        }
        FLOE_LAUNCH(featureKernel, gridFor(all.limit), kThreads, 0, device.stream(), model, field,
                    static_cast<const float*>(speed), all);
        launched("featureKernel");
        FLOE_LAUNCH(channelKernel, gridFor(asked), kThreads, 0, device.stream(), model, blocks,
                    all);
        launched("channelKernel");
        FLOE_LAUNCH(innerKernel, gridFor(all.limit), kThreads, 0, device.stream(), model, all);
        launched("innerKernel");
        FLOE_LAUNCH(logitKernel, gridFor(asked), kThreads, 0, device.stream(), model, blocks, all,
                    answer);
        launched("logitKernel");
        unsigned overflow = 0;
        device.enqueueDownload(&overflow, all.overflow, sizeof overflow);
        device.enqueueDownload(logits, answer, asked * sizeof(float));
        device.synchronise();
        if (!overflow)
            return;
    }
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::sdk::network
