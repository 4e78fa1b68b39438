/// Inference of networks on blocks (block_model.hpp) on the CPU, on the lanes of its vector
/// registers: one lane an output channel, six places at a time.
#pragma once

#include "floe/sdk/grid/block_map.hpp"
#include "floe/sdk/network/block_model.hpp"
#include "floe/sdk/network/instruction_sets.hpp"
#include "floe/sdk/parallel/executor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace floe::sdk::network {

/// Blocks to compute on, and which of them are neighbours.
class BlockSet {
public:
    BlockSet() = default;
    /// @param blocks  no block twice
    explicit BlockSet(std::vector<grid::BlockCoordinate> blocks) : blocks_(std::move(blocks))
    {
        map_.reserve(blocks_.size());
        for (std::size_t b = 0; b < blocks_.size(); ++b)
            map_.insert(blocks_[b], static_cast<std::int32_t>(b));
        beside_.resize(blocks_.size());
        for (std::size_t b = 0; b < blocks_.size(); ++b)
            for (int o = 0; o < grid::kOffsets; ++o)
                beside_[b][static_cast<std::size_t>(o)] =
                    map_.find(grid::neighbourOf(blocks_[b], o));
    }
    std::size_t size() const { return blocks_.size(); }
    const grid::BlockCoordinate& operator[](std::size_t b) const { return blocks_[b]; }
    std::int32_t find(const grid::BlockCoordinate& block) const { return map_.find(block); }
    /// The neighbours by offset (block.hpp), -1 where there is none.
    const std::array<std::int32_t, grid::kOffsets>& beside(std::size_t b) const
    {
        return beside_[b];
    }

private:
    std::vector<grid::BlockCoordinate> blocks_;
    grid::BlockMap map_;
    std::vector<std::array<std::int32_t, grid::kOffsets>> beside_;
};

/// Values by block, place (x slowest, z fastest) and channel.
struct BlockTensor {
    int edge = 4, channels = 0;
    std::vector<float> values;

    BlockTensor() = default;
    BlockTensor(const BlockSet& blocks, int edge_, int channels_)
        : edge(edge_), channels(channels_), values(blocks.size() * perBlock(), 0.0f)
    {}
    std::size_t perBlock() const
    {
        return static_cast<std::size_t>(edge * edge * edge) * static_cast<std::size_t>(channels);
    }
    float* block(std::size_t b) { return values.data() + b * perBlock(); }
    const float* block(std::size_t b) const { return values.data() + b * perBlock(); }
};

namespace detail {

inline constexpr int kOutputLanes = 16; ///< output channels that are computed together
inline constexpr int kPlaces = 6;       ///< and the places for which they are

/// Sums bias and products for kPlaces places: result[place][channel].
/// @param weight  [group of kOutputLanes][tap][in][lane]
/// @param offset  of each tap's inputs from those of the place
FLOE_EACH_INSTRUCTION_SET inline void convolve(const float* weight, const float* bias, int groups,
                                               int taps, const std::int32_t* offset, int in,
                                               const float* const* place, float* result)
{
    using Lane = float __attribute__((vector_size(kOutputLanes * sizeof(float))));
    for (int group = 0; group < groups; ++group) {
        Lane sum[kPlaces], w;
        std::memcpy(&w, bias + kOutputLanes * group, sizeof w);
#pragma GCC unroll 6
        for (int p = 0; p < kPlaces; ++p)
            sum[p] = w;
        for (int tap = 0; tap < taps; ++tap)
            for (int i = 0; i < in; ++i) {
                std::memcpy(&w, weight, sizeof w);
                weight += kOutputLanes;
#pragma GCC unroll 6
                for (int p = 0; p < kPlaces; ++p)
                    sum[p] += w * place[p][offset[tap] + i];
            }
#pragma GCC unroll 6
        for (int p = 0; p < kPlaces; ++p)
            std::memcpy(result + kOutputLanes * (group + groups * p), &sum[p], sizeof w);
    }
}

} // namespace detail

/// A model in the form used for computing.
class PreparedBlockModel {
public:
    /// @param name  of the model's file, for messages
    /// @throws Failure  the model's parts do not fit together
    PreparedBlockModel(const BlockModel& model, const std::string& name)
        : inputs_(model.inputs), shapes_(shapesOf(model, name))
    {
        for (std::size_t l = 0; l < model.layers.size(); ++l)
            layers_.push_back(prepare(model.layers[l], shapes_[inputs_.size() + l]));
    }

    const std::vector<BlockModel::Input>& inputs() const { return inputs_; }
    int resultChannels() const { return shapes_.back().channels; }

    /// Evaluates the network. The result does not depend on the number of threads.
    /// @param given  of each input, each step: edge 4
    BlockTensor evaluate(const BlockSet& blocks, std::vector<std::vector<BlockTensor>> given,
                         parallel::Executor& executor) const
    {
        std::vector<std::vector<BlockTensor>> tensors = std::move(given);
        for (const Layer& layer : layers_) {
            std::vector<BlockTensor> results;
            const std::size_t steps = tensors[static_cast<std::size_t>(layer.from[0])].size();
            const auto seenAt = [&](std::size_t step) {
                std::vector<const BlockTensor*> seen;
                for (const int t : layer.from)
                    seen.push_back(&tensors[static_cast<std::size_t>(t)][step]);
                return seen;
            };
            if (layer.kind != BlockLayer::Kind::lstm) {
                for (std::size_t step = 0; step < steps; ++step)
                    results.push_back(apply(layer, blocks, seenAt(step), executor));
            } else {
                const int edge = tensors[static_cast<std::size_t>(layer.from[0])][0].edge;
                BlockTensor state(blocks, edge, layer.out / 4), cell = state;
                for (std::size_t step = 0; step < steps; ++step) {
                    std::vector<const BlockTensor*> seen = seenAt(step);
                    seen.push_back(&state);
                    const BlockTensor gates = apply(layer, blocks, seen, executor);
                    remember(gates, cell, state, executor);
                }
                results.push_back(std::move(state));
            }
            tensors.push_back(std::move(results));
        }
        return std::move(tensors.back()[0]);
    }

private:
    /// Outputs that have the same taps: all of a convolution, an eighth of those of an `up`.
    struct Parity {
        std::array<int, 3> first;             ///< output place
        int step;                             ///< between output places, along each axis
        int inputStep;                        ///< between the input places of these
        std::vector<std::array<int, 3>> taps; ///< input places from the first output's
        std::vector<float> weight;
    };
    struct Layer {
        BlockLayer::Kind kind;
        std::vector<int> from;
        int in, out, groups; ///< channels seen, computed, and groups of lanes
        int edgeOut;
        float slope;
        std::vector<float> bias;
        std::vector<Parity> parities;
    };

    static Layer prepare(const BlockLayer& layer, const TensorShape& shape)
    {
        using Kind = BlockLayer::Kind;
        const bool lstm = layer.kind == Kind::lstm, up = layer.kind == Kind::up;
        Layer result{layer.kind,
                     layer.from,
                     layer.in + (lstm ? layer.out : 0),
                     lstm ? 4 * layer.out : layer.out,
                     0,
                     shape.edge,
                     lstm ? 1.0f : layer.slope,
                     layer.bias,
                     {}};
        result.groups = (result.out + detail::kOutputLanes - 1) / detail::kOutputLanes;
        result.bias.resize(static_cast<std::size_t>(result.groups * detail::kOutputLanes), 0.0f);
        for (int parity = 0; parity < (up ? 8 : 1); ++parity) {
            Parity p{{parity >> 2, parity >> 1 & 1, parity & 1},
                     up ? 2 : 1,
                     layer.kind == Kind::down ? 2 : 1,
                     {},
                     {}};
            std::vector<int> kernel; // number of each tap in the layer's weights
            for (int t = 0; t < (up ? 8 : 27); ++t) {
                const int at[3] = {up ? t >> 2 : t / 9, up ? t >> 1 & 1 : t / 3 % 3,
                                   up ? t & 1 : t % 3};
                std::array<int, 3> tap{};
                int number = 0;
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    // Output 2 m + p of `up` sees input m + d with the kernel's 1 + p - 2 d.
                    tap[axis] = up ? at[axis] - 1 + p.first[axis] : at[axis] - 1;
                    number =
                        up ? 4 * number + 1 + p.first[axis] - 2 * tap[axis] : 3 * number + at[axis];
                }
                p.taps.push_back(tap);
                kernel.push_back(number);
            }
            const auto in = static_cast<std::size_t>(result.in),
                       out = static_cast<std::size_t>(result.out);
            for (std::size_t group = 0; group < static_cast<std::size_t>(result.groups); ++group)
                for (const int number : kernel)
                    for (std::size_t i = 0; i < in; ++i)
                        for (std::size_t lane = 0; lane < detail::kOutputLanes; ++lane) {
                            const std::size_t o = group * detail::kOutputLanes + lane;
                            const auto n = static_cast<std::size_t>(number);
                            p.weight.push_back(o >= out ? 0.0f
                                               : up     ? layer.weight[(i * out + o) * 64 + n]
                                                        : layer.weight[(o * in + i) * 27 + n]);
                        }
            result.parities.push_back(std::move(p));
        }
        return result;
    }

    /// Copies what a block's outputs see: its places and one more to each side, zero where there is
    /// no block.
    static void view(const BlockSet& blocks, std::size_t block,
                     const std::vector<const BlockTensor*>& seen, float* to)
    {
        const int edge = seen[0]->edge;
        const auto& beside = blocks.beside(block);
        for (int x = -1; x <= edge; ++x)
            for (int y = -1; y <= edge; ++y)
                for (int z = -1; z <= edge; ++z) {
                    const auto side = [&](int i) {
                        return i < 0 ? -1 : i == edge ? 1 : 0;
                    };
                    const std::int32_t other = beside[static_cast<std::size_t>(
                        grid::offsetNumber(side(x), side(y), side(z)))];
                    const auto within = [&](int i) {
                        return i - side(i) * edge;
                    };
                    const int place = (within(x) * edge + within(y)) * edge + within(z);
                    for (const BlockTensor* tensor : seen) {
                        const auto channels = static_cast<std::size_t>(tensor->channels);
                        if (other < 0)
                            std::fill_n(to, channels, 0.0f);
                        else
                            std::copy_n(tensor->block(static_cast<std::size_t>(other)) +
                                            static_cast<std::size_t>(place) * channels,
                                        channels, to);
                        to += channels;
                    }
                }
    }

    static BlockTensor apply(const Layer& layer, const BlockSet& blocks,
                             const std::vector<const BlockTensor*>& seen,
                             parallel::Executor& executor)
    {
        using namespace detail;
        BlockTensor result(blocks, layer.edgeOut, layer.out);
        const int wide = seen[0]->edge + 2;
        const std::size_t viewSize =
            static_cast<std::size_t>(wide * wide * wide) * static_cast<std::size_t>(layer.in);
        const auto inputAt = [&](int x, int y, int z) {
            return ((x * wide + y) * wide + z) * layer.in;
        };
        std::vector<std::vector<std::int32_t>> offsets;
        for (const Parity& parity : layer.parities) {
            offsets.emplace_back();
            for (const auto& tap : parity.taps)
                offsets.back().push_back(inputAt(tap[0], tap[1], tap[2]));
        }
        executor.parallelFor(blocks.size(), 2 * kPlaces, [&](std::size_t begin, std::size_t end) {
            std::vector<float> views(kPlaces * viewSize);
            std::vector<float> sums(
                static_cast<std::size_t>(kPlaces * kOutputLanes * layer.groups));
            for (std::size_t first = begin; first < end; first += kPlaces) {
                const std::size_t count = std::min<std::size_t>(kPlaces, end - first);
                for (std::size_t b = 0; b < count; ++b)
                    view(blocks, first + b, seen, views.data() + b * viewSize);
                for (std::size_t p = 0; p < layer.parities.size(); ++p) {
                    const Parity& parity = layer.parities[p];
                    const float* place[kPlaces];
                    float* to[kPlaces];
                    int waiting = 0;
                    const auto flush = [&] {
                        for (int i = waiting; i < kPlaces; ++i)
                            place[i] = place[0];
                        convolve(parity.weight.data(), layer.bias.data(), layer.groups,
                                 static_cast<int>(parity.taps.size()), offsets[p].data(), layer.in,
                                 place, sums.data());
                        for (int i = 0; i < waiting; ++i)
                            for (int o = 0; o < layer.out; ++o) {
                                const float sum = sums[static_cast<std::size_t>(
                                    i * kOutputLanes * layer.groups + o)];
                                to[i][o] = sum > 0 ? sum : layer.slope * sum;
                            }
                        waiting = 0;
                    };
                    const int edge = layer.edgeOut;
                    for (std::size_t b = 0; b < count; ++b)
                        for (int x = parity.first[0]; x < edge; x += parity.step)
                            for (int y = parity.first[1]; y < edge; y += parity.step)
                                for (int z = parity.first[2]; z < edge; z += parity.step) {
                                    const auto input = [&](int i) {
                                        return 1 + i / parity.step * parity.inputStep;
                                    };
                                    place[waiting] = views.data() + b * viewSize +
                                                     inputAt(input(x), input(y), input(z));
                                    to[waiting] = result.block(first + b) +
                                                  ((x * edge + y) * edge + z) * layer.out;
                                    if (++waiting == kPlaces)
                                        flush();
                                }
                    if (waiting > 0)
                        flush();
                }
            }
        });
        return result;
    }

    static void remember(const BlockTensor& gates, BlockTensor& cell, BlockTensor& state,
                         parallel::Executor& executor)
    {
        const auto channels = static_cast<std::size_t>(state.channels);
        const auto sigmoid = [](float a) {
            return 1 / (1 + std::exp(-a));
        };
        executor.parallelFor(channels > 0 ? state.values.size() / channels : 0, 256,
                             [&](std::size_t begin, std::size_t end) {
                                 for (std::size_t place = begin; place < end; ++place)
                                     for (std::size_t c = 0; c < channels; ++c) {
                                         const float* gate =
                                             gates.values.data() + 4 * channels * place + c;
                                         float& kept = cell.values[channels * place + c];
                                         kept = sigmoid(gate[channels]) * kept +
                                                sigmoid(gate[0]) * std::tanh(gate[3 * channels]);
                                         state.values[channels * place + c] =
                                             sigmoid(gate[2 * channels]) * std::tanh(kept);
                                     }
                             });
    }

    std::vector<BlockModel::Input> inputs_;
    std::vector<TensorShape> shapes_;
    std::vector<Layer> layers_;
};

} // namespace floe::sdk::network
