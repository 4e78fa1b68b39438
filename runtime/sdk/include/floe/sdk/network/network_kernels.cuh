/// The network's layers as CUDA kernels; see cpu_network.hpp for the same on the CPU.
///
/// Kernels use grid-stride loops, since only the device knows how many blocks to compute.
#pragma once

#include "floe/sdk/cuda.hpp"
#include "floe/sdk/grid/block_table.cuh"
#include "floe/sdk/network/question.hpp"

#include <cmath>
#include <cstdint>

namespace floe::sdk::network {
inline namespace FLOE_KERNEL_SPACE {

/// The blocks to compute, numbered in order of arrival.
struct Blocks {
    grid::HashTable table{};
    unsigned* count = nullptr;
    unsigned* overflow = nullptr; ///< 1: blocks were left out
    unsigned limit = 0;
    grid::BlockKey* key = nullptr; ///< limit
    float* feature = nullptr;      ///< width per block: input of layer 3 minus its rest values
    unsigned* special = nullptr;   ///< whether the feature differs from 0
    float* inner = nullptr;        ///< output of layer 3 minus its rest values
};

/// A PreparedModel in device memory.
struct DeviceModel {
    int hidden = 0, features = 0, blockChannels = 0, innerChannels = 0;
    int firstCell = 0;
    bool logarithm = false;
    float scale = 1;
    BlockChannel channel[kMaxBlockChannels] = {};
    const float *weight1 = nullptr, *bias1 = nullptr, *weight2 = nullptr, *bias2 = nullptr,
                *weight3 = nullptr, *weight4 = nullptr, *rest2 = nullptr, *rest3 = nullptr;
    float rest4 = 0;
};

/// Inputs of each block to judge; arrays that no channel reads are null.
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
/// Inserts the field's blocks into a table with room for all, and compresses their speed in place.
__global__ void fieldKernel(const int* fieldBlock, unsigned count, grid::HashTable table,
                            float* speed, float scale, bool logarithm)
{
    for (unsigned i = threadOfLaunch(); i < count; i += threadsOfLaunch())
        grid::insertBlock(
            table, grid::keyOf(fieldBlock[3 * i], fieldBlock[3 * i + 1], fieldBlock[3 * i + 2]), i);
    for (unsigned cell = threadOfLaunch(); cell < grid::kBlockNodes * count;
         cell += threadsOfLaunch()) {
        const float s = scale * speed[cell];
        speed[cell] = logarithm ? log1pf(s) : s;
    }
}

/// Inserts the blocks `from` to `to` blocks beside each of `count` blocks.
__global__ void insertKernel(const int* block, unsigned count, int from, int to, Blocks blocks)
{
    const unsigned width = static_cast<unsigned>(to - from + 1), around = width * width * width;
    for (unsigned i = threadOfLaunch(); i < around * count; i += threadsOfLaunch()) {
        const unsigned of = i / around, side = i % around;
        const grid::BlockKey key =
            grid::keyOf(block[3 * of] + from + static_cast<int>(side / (width * width)),
                        block[3 * of + 1] + from + static_cast<int>(side / width % width),
                        block[3 * of + 2] + from + static_cast<int>(side % width));
        grid::findOrMakeBlock(blocks.table, key, blocks.limit, blocks.count, blocks.overflow,
                              [&](unsigned number) { blocks.key[number] = key; });
    }
}

__device__ unsigned computed(const Blocks& blocks)
{
    return *blocks.overflow ? 0 : *blocks.count; // none on overflow
}

/// Layers 1 and 2, one block per thread.
__global__ void featureKernel(DeviceModel model, grid::HashTable field, const float* speed,
                              Blocks blocks)
{
    const int first = model.firstCell;
    const int width = model.features + model.blockChannels;
    const int firstBlock = grid::blockOf(first), lastBlock = grid::blockOf(first + 6);
    for (unsigned i = threadOfLaunch(); i < computed(blocks); i += threadsOfLaunch()) {
        SpeedBlock around[27];
        bool any = false;
        for (int n = 0; n < 27; ++n) {
            const int x = n / 9 - 1, y = n / 3 % 3 - 1, z = n % 3 - 1;
            unsigned found = grid::kNoBlock;
            if (x >= firstBlock && y >= firstBlock && z >= firstBlock && x <= lastBlock &&
                y <= lastBlock && z <= lastBlock)
                found = grid::findBlock(field, grid::besideKey(blocks.key[i], x, y, z));
            around[n] = found == grid::kNoBlock ? SpeedBlock() : SpeedBlock(speed, found);
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
                    const SpeedBlock& block = around[grid::offsetNumber(
                        grid::blockOf(x), grid::blockOf(y), grid::blockOf(z))];
                    if (block)
                        middle += __ldg(model.weight1 + 27 * h + tap) *
                                  block.at<Speed>(grid::cellNumber(
                                      grid::placeOf(x), grid::placeOf(y), grid::placeOf(z)));
                }
                middle = middle > 0 ? middle : 0;
                for (int out = 0; out < model.features; ++out)
                    sum[out] +=
                        __ldg(model.weight2 + 27 * (out * model.hidden + h) + place) * middle;
            }
        }
        for (int out = 0; out < model.features; ++out)
            feature[out] = (sum[out] > 0 ? sum[out] : 0) - __ldg(model.rest2 + out);
    }
}

/// Block channels.
__global__ void channelKernel(DeviceModel model, DeviceBlocks asked, Blocks blocks)
{
    if (computed(blocks) == 0)
        return;
    const int width = model.features + model.blockChannels;
    for (unsigned i = threadOfLaunch(); i < asked.count; i += threadsOfLaunch()) {
        const unsigned number =
            grid::findBlock(blocks.table, grid::keyOf(asked.block[3 * i], asked.block[3 * i + 1],
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
            sum[out] = __ldg(model.rest3 + out);
        for (int tap = 0; tap < 27; ++tap) {
            const unsigned found =
                grid::findBlock(blocks.table, grid::besideKey(blocks.key[i], tap / 9 - 1,
                                                              tap / 3 % 3 - 1, tap % 3 - 1));
            if (found == grid::kNoBlock || !blocks.special[found])
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
            const float rest = __ldg(model.rest3 + out);
            result[out] = (sum[out] > 0 ? sum[out] : 0) - (rest > 0 ? rest : 0);
        }
    }
}

/// Layer 4, for the blocks to judge.
__global__ void logitKernel(DeviceModel model, DeviceBlocks asked, Blocks blocks, float* logits)
{
    if (computed(blocks) == 0)
        return;
    const int inner = model.innerChannels;
    for (unsigned i = threadOfLaunch(); i < asked.count; i += threadsOfLaunch()) {
        float sum = model.rest4;
        for (int tap = 0; tap < 27; ++tap) {
            const unsigned found =
                grid::findBlock(blocks.table, grid::keyOf(asked.block[3 * i] + tap / 9 - 1,
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
} // namespace floe::sdk::network
