/// The network's layers as CUDA kernels; see cpu_network.cpp for the same on the CPU.
///
/// Every kernel walks its range in strides of the whole launch, since how many blocks have to be
/// computed is known on the device only.
#pragma once

#include "floe/sdk/cuda.hpp"

#include "block_key.hpp"
#include "model.hpp"

#include <cmath>
#include <cstdint>

namespace floe::activation::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// A hash table of blocks in device memory. `key` is filled with kNoBlock.
struct Table {
    BlockKey* key = nullptr;
    unsigned* number = nullptr;
    unsigned slots = 0; ///< a power of two
};
inline constexpr unsigned kAbsent = ~0u;

/// The blocks that are computed, numbered in the order of arrival.
struct Blocks {
    Table table;
    unsigned* count = nullptr; ///< at `limit` or beyond: blocks were left out
    unsigned limit = 0;
    BlockKey* key = nullptr;     ///< limit
    float* feature = nullptr;    ///< width a block: input of layer 3 less its still values
    unsigned* special = nullptr; ///< whether that is other than 0
    float* inner = nullptr;      ///< output of layer 3 less its still values
};

/// A PreparedModel in device memory.
struct DeviceModel {
    int hidden = 0, features = 0, blockChannels = 0, innerChannels = 0;
    int firstCell = 0;
    bool logarithm = false;
    float scale = 1;
    BlockChannel channel[kMaxBlockChannels] = {};
    const float *weight1 = nullptr, *bias1 = nullptr, *weight2 = nullptr, *bias2 = nullptr,
                *weight3 = nullptr, *weight4 = nullptr, *still2 = nullptr, *still3 = nullptr;
    float still4 = 0;
};

/// What is known of each block asked about; arrays that no channel reads are null.
struct DeviceBlocks {
    const int* block = nullptr;
    const float *maxSpeed = nullptr, *liquidShare = nullptr, *soundSpeed = nullptr,
                *restTime = nullptr;
    unsigned count = 0;
    float speedScale = 1; ///< gain / threshold
    float reachScale = 1; ///< horizon / width of a block
    float memory = 1;     ///< [s]
};

__device__ unsigned threadOfLaunch()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}
__device__ unsigned threadsOfLaunch()
{
    return gridDim.x * blockDim.x;
}
FLOE_HD int floorToBlock(int cell)
{
    return cell >= 0 ? cell / 4 : -((3 - cell) / 4);
}

__device__ unsigned find(const Table& table, BlockKey key)
{
    unsigned at = static_cast<unsigned>(hashOf(key)) & (table.slots - 1);
    for (unsigned tries = 0; tries < table.slots; ++tries, at = (at + 1) & (table.slots - 1)) {
        if (table.key[at] == key)
            return table.number[at];
        if (table.key[at] == kNoBlock)
            return kAbsent;
    }
    return kAbsent;
}

/// The field's blocks into a table that has room for all, and their speed compressed in place.
__global__ void fieldKernel(const int* fieldBlock, unsigned count, Table table, float* speed,
                            float scale, bool logarithm)
{
    for (unsigned i = threadOfLaunch(); i < count; i += threadsOfLaunch()) {
        const BlockKey key = keyOf(fieldBlock[3 * i], fieldBlock[3 * i + 1], fieldBlock[3 * i + 2]);
        unsigned at = static_cast<unsigned>(hashOf(key)) & (table.slots - 1);
        for (;; at = (at + 1) & (table.slots - 1)) {
            const BlockKey there = atomicCAS(table.key + at, kNoBlock, key);
            if (there == kNoBlock)
                table.number[at] = i;
            if (there == kNoBlock || there == key)
                break;
        }
    }
    for (unsigned cell = threadOfLaunch(); cell < 64 * count; cell += threadsOfLaunch()) {
        const float s = scale * speed[cell];
        speed[cell] = logarithm ? log1pf(s) : s;
    }
}

/// Adds what lies `from` to `to` blocks beside each of `count` blocks.
__global__ void insertKernel(const int* block, unsigned count, int from, int to, Blocks blocks)
{
    const unsigned width = static_cast<unsigned>(to - from + 1), around = width * width * width;
    for (unsigned i = threadOfLaunch(); i < around * count; i += threadsOfLaunch()) {
        const unsigned of = i / around, side = i % around;
        const BlockKey key =
            keyOf(block[3 * of] + from + static_cast<int>(side / (width * width)),
                  block[3 * of + 1] + from + static_cast<int>(side / width % width),
                  block[3 * of + 2] + from + static_cast<int>(side % width));
        unsigned at = static_cast<unsigned>(hashOf(key)) & (blocks.table.slots - 1);
        for (unsigned tries = 0;; ++tries, at = (at + 1) & (blocks.table.slots - 1)) {
            if (tries == blocks.table.slots) { // more threads came at once than there were slots
                atomicAdd(blocks.count, blocks.limit);
                return;
            }
            const BlockKey there = atomicCAS(blocks.table.key + at, kNoBlock, key);
            if (there == key)
                break;
            if (there == kNoBlock) {
                const unsigned number = atomicAdd(blocks.count, 1u);
                if (number >= blocks.limit)
                    return;
                blocks.table.number[at] = number;
                blocks.key[number] = key;
                break;
            }
        }
    }
}

__device__ unsigned computed(const Blocks& blocks)
{
    return *blocks.count < blocks.limit ? *blocks.count : 0; // when too many came, none
}

/// Layers 1 and 2, one block a thread.
__global__ void featureKernel(DeviceModel model, Table field, const float* speed, Blocks blocks)
{
    const int first = model.firstCell;
    const int width = model.features + model.blockChannels;
    const int firstBlock = floorToBlock(first), lastBlock = floorToBlock(first + 6);
    for (unsigned i = threadOfLaunch(); i < computed(blocks); i += threadsOfLaunch()) {
        const float* around[27];
        bool any = false;
        for (int n = 0; n < 27; ++n) {
            const int x = n / 9 - 1, y = n / 3 % 3 - 1, z = n % 3 - 1;
            unsigned found = kAbsent;
            if (x >= firstBlock && y >= firstBlock && z >= firstBlock && x <= lastBlock &&
                y <= lastBlock && z <= lastBlock)
                found = find(field, beside(blocks.key[i], x, y, z));
            around[n] = found == kAbsent ? nullptr : speed + 64ull * found;
            any = any || around[n];
        }
        float* feature = blocks.feature + static_cast<unsigned long long>(i) * unsigned(width);
        for (int c = 0; c < width; ++c)
            feature[c] = 0;
        blocks.special[i] = any;
        if (!any)
            continue;
        float sum[NetworkModel::kMaxChannels];
        for (int out = 0; out < model.features; ++out)
            sum[out] = __ldg(model.bias2 + out);
        for (int place = 0; place < 27; ++place) {
            const int x0 = first + 2 * (place / 9), y0 = first + 2 * (place / 3 % 3),
                      z0 = first + 2 * (place % 3);
            for (int h = 0; h < model.hidden; ++h) {
                float middle = __ldg(model.bias1 + h);
                for (int tap = 0; tap < 27; ++tap) {
                    const int x = x0 + tap / 9, y = y0 + tap / 3 % 3, z = z0 + tap % 3;
                    const float* block = around[9 * (floorToBlock(x) + 1) +
                                                3 * (floorToBlock(y) + 1) + floorToBlock(z) + 1];
                    if (block)
                        middle += __ldg(model.weight1 + 27 * h + tap) *
                                  block[16 * (x & 3) + 4 * (y & 3) + (z & 3)];
                }
                middle = middle > 0 ? middle : 0;
                for (int out = 0; out < model.features; ++out)
                    sum[out] +=
                        __ldg(model.weight2 + 27 * (out * model.hidden + h) + place) * middle;
            }
        }
        for (int out = 0; out < model.features; ++out)
            feature[out] = (sum[out] > 0 ? sum[out] : 0) - __ldg(model.still2 + out);
    }
}

/// What is known of whole blocks.
__global__ void channelKernel(DeviceModel model, DeviceBlocks asked, Blocks blocks)
{
    if (computed(blocks) == 0)
        return;
    const int width = model.features + model.blockChannels;
    for (unsigned i = threadOfLaunch(); i < asked.count; i += threadsOfLaunch()) {
        const unsigned number = find(blocks.table, keyOf(asked.block[3 * i], asked.block[3 * i + 1],
                                                         asked.block[3 * i + 2]));
        float* feature = blocks.feature + static_cast<unsigned long long>(number) * unsigned(width);
        for (int c = 0; c < model.blockChannels; ++c) {
            float value = 1;
            if (model.channel[c] == BlockChannel::speed)
                value = log1pf(asked.speedScale * asked.maxSpeed[i]);
            else if (model.channel[c] == BlockChannel::liquid)
                value = asked.liquidShare[i];
            else if (model.channel[c] == BlockChannel::reach)
                value = log1pf(asked.reachScale * asked.soundSpeed[i]);
            else if (model.channel[c] == BlockChannel::recent)
                value = expf(-asked.restTime[i] / asked.memory);
            feature[model.features + c] = value;
        }
        blocks.special[number] = 1;
    }
}

/// Layer 3.
__global__ void innerKernel(DeviceModel model, Blocks blocks)
{
    const int width = model.features + model.blockChannels, inner = model.innerChannels;
    for (unsigned i = threadOfLaunch(); i < computed(blocks); i += threadsOfLaunch()) {
        float sum[NetworkModel::kMaxChannels];
        for (int out = 0; out < inner; ++out)
            sum[out] = __ldg(model.still3 + out);
        for (int tap = 0; tap < 27; ++tap) {
            const unsigned found = find(
                blocks.table, beside(blocks.key[i], tap / 9 - 1, tap / 3 % 3 - 1, tap % 3 - 1));
            if (found == kAbsent || !blocks.special[found])
                continue;
            const float* feature =
                blocks.feature + static_cast<unsigned long long>(found) * unsigned(width);
            const float* weight = model.weight3 + tap * width * inner;
            for (int in = 0; in < width; ++in)
                for (int out = 0; out < inner; ++out)
                    sum[out] += __ldg(weight + in * inner + out) * feature[in];
        }
        float* result = blocks.inner + static_cast<unsigned long long>(i) * unsigned(inner);
        for (int out = 0; out < inner; ++out) {
            const float still = __ldg(model.still3 + out);
            result[out] = (sum[out] > 0 ? sum[out] : 0) - (still > 0 ? still : 0);
        }
    }
}

/// Layer 4, for the blocks asked about.
__global__ void logitKernel(DeviceModel model, DeviceBlocks asked, Blocks blocks, float* logits)
{
    if (computed(blocks) == 0)
        return;
    const int inner = model.innerChannels;
    for (unsigned i = threadOfLaunch(); i < asked.count; i += threadsOfLaunch()) {
        float sum = model.still4;
        for (int tap = 0; tap < 27; ++tap) {
            const unsigned found =
                find(blocks.table, keyOf(asked.block[3 * i] + tap / 9 - 1,
                                         asked.block[3 * i + 1] + tap / 3 % 3 - 1,
                                         asked.block[3 * i + 2] + tap % 3 - 1));
            const float* value =
                blocks.inner + static_cast<unsigned long long>(found) * unsigned(inner);
            for (int in = 0; in < inner; ++in)
                sum += __ldg(model.weight4 + tap * inner + in) * value[in];
        }
        logits[i] = sum;
    }
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::activation::cuda
