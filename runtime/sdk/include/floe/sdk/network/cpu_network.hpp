/// Inference on the CPU, on the lanes of its vector registers.
#pragma once

#include "floe/sdk/grid/block_map.hpp"
#include "floe/sdk/network/instruction_sets.hpp"
#include "floe/sdk/network/question.hpp"
#include "floe/sdk/parallel/executor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace floe::sdk::network {

namespace detail {

inline constexpr int kLanes = 16; ///< blocks that the first two layers process together
inline constexpr int kView = 7;   ///< cells of a block that layer 2 sees, along an axis
using Lanes = float __attribute__((vector_size(kLanes * sizeof(float))));
using View = std::array<Lanes, kView * kView * kView>;

/// Evaluates layers 1 and 2 for `kLanes` blocks from the cells in view.
FLOE_EACH_INSTRUCTION_SET inline void firstLayers(const float* weight1, const float* bias1,
                                                  int hidden, const float* weight2,
                                                  const float* bias2, int features,
                                                  const Lanes* view, Lanes* result)
{
    Lanes middle[NetworkModel::kMaxChannels * 27];
    for (int place = 0; place < 27; ++place) {
        const Lanes* corner =
            view + (2 * (place / 9) * kView + 2 * (place / 3 % 3)) * kView + 2 * (place % 3);
        for (int out = 0; out < hidden; ++out) {
            Lanes sum = Lanes{} + bias1[out];
            const float* w = weight1 + 27 * out;
            for (int x = 0; x < 3; ++x)
                for (int y = 0; y < 3; ++y)
                    for (int z = 0; z < 3; ++z)
                        sum += *w++ * corner[(x * kView + y) * kView + z];
            middle[27 * out + place] = sum > 0 ? sum : Lanes{};
        }
    }
    for (int out = 0; out < features; ++out) {
        Lanes sum = Lanes{} + bias2[out];
        const float* w = weight2 + 27 * hidden * out;
        for (int i = 0; i < 27 * hidden; ++i)
            sum += w[i] * middle[i];
        result[out] = sum > 0 ? sum : Lanes{};
    }
}

/// Adds layer 3 of one block, before its ReLU, to `sum`; neighbours at rest are null.
FLOE_EACH_INSTRUCTION_SET inline void thirdLayer(const float* weight3, int width, int inner,
                                                 const float* const* neighbour, float* sum)
{
    for (int tap = 0; tap < 27; ++tap) {
        const float* from = neighbour[tap];
        if (!from)
            continue;
        const float* w = weight3 + tap * width * inner;
        for (int in = 0; in < width; ++in)
            for (int out = 0; out < inner; ++out)
                sum[out] += *w++ * from[in];
    }
}

/// State of one evaluation.
class Evaluation {
public:
    Evaluation(const PreparedModel& model, const Question& question, parallel::Executor& executor)
        : model_(model), question_(question), executor_(executor), field_(question.fieldCount),
          width_(static_cast<std::size_t>(model.width())),
          inner_(static_cast<std::size_t>(model.inner))
    {}

    void run(float* logits)
    {
        compressField();
        findBlocks();
        computeFeatures();
        addBlockChannels();
        computeInner();
        computeLogits(logits);
    }

private:
    void compressField()
    {
        field_ = grid::SharedBlockMap(question_.fieldCount);
        speed_.resize(question_.fieldCount);
        const float scale = model_.scale(question_);
        executor_.parallelFor(question_.fieldCount, 256, [&](std::size_t begin, std::size_t end) {
            for (std::uint64_t i = begin; i < end; ++i) {
                const std::int32_t* at = question_.fieldBlock + 3 * i;
                field_.insert(grid::keyOf(at[0], at[1], at[2]), static_cast<std::uint32_t>(i));
                const SpeedBlock from(question_.fieldSpeed, i);
                const auto to = speed_[i];
                for (int cell = 0; cell < grid::kBlockNodes; ++cell) {
                    const float s = scale * from.at<Speed>(cell);
                    to.at<Speed>(cell) = model_.logarithm && s != 0 ? std::log1p(s) : s;
                }
            }
        });
    }

    /// Finds the blocks beside matter, and those with motion in view.
    void findBlocks()
    {
        const int first = grid::blockOf(model_.firstCell());
        const int last = grid::blockOf(model_.firstCell() + kView - 1);
        std::size_t room = 2 * (std::size_t{question_.blockCount} + question_.fieldCount);
        for (;;) {
            blocks_ = grid::SharedBlockMap(room);
            executor_.parallelFor(question_.blockCount, 256,
                                  [&](std::size_t begin, std::size_t end) {
                                      for (std::uint64_t i = begin; i < end; ++i)
                                          insertAround(question_.block + 3 * i, -1, 1);
                                  });
            // A block sees block + first to block + last.
            executor_.parallelFor(question_.fieldCount, 256,
                                  [&](std::size_t begin, std::size_t end) {
                                      for (std::uint64_t i = begin; i < end; ++i)
                                          insertAround(question_.fieldBlock + 3 * i, -last, -first);
                                  });
            if (!blocks_.full())
                break;
            room *= 4;
        }
        key_.resize(blocks_.count());
        executor_.parallelFor(blocks_.slotCount(), 4096, [&](std::size_t begin, std::size_t end) {
            blocks_.forEach(begin, end,
                            [&](grid::BlockKey key, std::uint32_t number) { key_[number] = key; });
        });
    }

    void insertAround(const std::int32_t* block, int from, int to)
    {
        for (int x = from; x <= to; ++x)
            for (int y = from; y <= to; ++y)
                for (int z = from; z <= to; ++z)
                    blocks_.insert(grid::keyOf(block[0] + x, block[1] + y, block[2] + z));
    }

    /// Computes layer 2 as the difference from its rest values, sixteen blocks at a time.
    void computeFeatures()
    {
        feature_.assign(width_ * key_.size(), 0.0f);
        special_.assign(key_.size(), 0);
        std::array<ViewCell, kView * kView * kView> cells;
        const int first = model_.firstCell();
        for (int i = 0; i < static_cast<int>(cells.size()); ++i) {
            const int at[3] = {first + i / (kView * kView), first + i / kView % kView,
                               first + i % kView};
            cells[static_cast<std::size_t>(i)] = {
                grid::offsetNumber(grid::blockOf(at[0]), grid::blockOf(at[1]),
                                   grid::blockOf(at[2])),
                grid::cellNumber(grid::placeOf(at[0]), grid::placeOf(at[1]), grid::placeOf(at[2]))};
        }
        executor_.parallelFor(key_.size(), 512, [&](std::size_t begin, std::size_t end) {
            View view{};
            Lanes result[NetworkModel::kMaxChannels];
            std::uint64_t lane[kLanes];
            int lanes = 0;
            const auto flush = [&] {
                firstLayers(model_.weight1.data(), model_.bias1.data(), model_.hidden,
                            model_.weight2.data(), model_.bias2.data(), model_.features,
                            view.data(), result);
                for (int l = 0; l < lanes; ++l) {
                    special_[lane[l]] = 1;
                    for (int out = 0; out < model_.features; ++out)
                        feature_[width_ * lane[l] + static_cast<std::size_t>(out)] =
                            result[out][l] - model_.rest2[static_cast<std::size_t>(out)];
                }
                lanes = 0;
            };
            for (std::uint64_t i = begin; i < end; ++i) {
                SpeedBlock around[27];
                if (!findMotion(key_[i], around))
                    continue;
                for (std::size_t c = 0; c < cells.size(); ++c) {
                    const SpeedBlock& block = around[cells[c].block];
                    view[c][lanes] = block ? block.at<Speed>(cells[c].cell) : 0.0f;
                }
                lane[lanes++] = i;
                if (lanes == kLanes)
                    flush();
            }
            if (lanes > 0)
                flush();
        });
    }

    /// Collects the speed of the blocks in view, none where nothing moves. Returns false when
    /// nothing moves in any.
    bool findMotion(grid::BlockKey key, SpeedBlock* around) const
    {
        const int first = grid::blockOf(model_.firstCell());
        const int last = grid::blockOf(model_.firstCell() + kView - 1);
        bool any = false;
        for (int x = first; x <= last; ++x)
            for (int y = first; y <= last; ++y)
                for (int z = first; z <= last; ++z) {
                    const std::uint32_t found = field_.find(grid::besideKey(key, x, y, z));
                    if (found == grid::SharedBlockMap::kAbsent)
                        continue;
                    around[grid::offsetNumber(x, y, z)] = speed_[found];
                    any = true;
                }
        return any;
    }

    void addBlockChannels()
    {
        if (model_.blockChannels == 0)
            return;
        executor_.parallelFor(question_.blockCount, 1024, [&](std::size_t begin, std::size_t end) {
            for (std::uint64_t i = begin; i < end; ++i) {
                const std::int32_t* at = question_.block + 3 * i;
                const std::uint32_t number = blocks_.find(grid::keyOf(at[0], at[1], at[2]));
                for (int c = 0; c < model_.blockChannels; ++c)
                    feature_[width_ * number + static_cast<std::size_t>(model_.features + c)] =
                        blockChannel(question_, model_.channel[c], static_cast<std::uint32_t>(i));
                special_[number] = 1;
            }
        });
    }

    /// Computes layer 3 as the difference from its rest values.
    void computeInner()
    {
        innerValue_.assign(inner_ * key_.size(), 0.0f);
        executor_.parallelFor(key_.size(), 512, [&](std::size_t begin, std::size_t end) {
            float sum[NetworkModel::kMaxChannels];
            const float* neighbour[27];
            for (std::uint64_t i = begin; i < end; ++i) {
                for (int tap = 0; tap < 27; ++tap) {
                    const std::uint32_t found = blocks_.find(
                        grid::besideKey(key_[i], tap / 9 - 1, tap / 3 % 3 - 1, tap % 3 - 1));
                    neighbour[tap] = found != grid::SharedBlockMap::kAbsent && special_[found]
                                         ? feature_.data() + width_ * found
                                         : nullptr;
                }
                std::copy(model_.rest3.begin(), model_.rest3.end(), sum);
                thirdLayer(model_.weight3.data(), model_.width(), model_.inner, neighbour, sum);
                for (std::size_t out = 0; out < inner_; ++out)
                    innerValue_[inner_ * i + out] =
                        std::max(sum[out], 0.0f) - std::max(model_.rest3[out], 0.0f);
            }
        });
    }

    void computeLogits(float* logits)
    {
        executor_.parallelFor(question_.blockCount, 512, [&](std::size_t begin, std::size_t end) {
            for (std::uint64_t i = begin; i < end; ++i) {
                const std::int32_t* at = question_.block + 3 * i;
                float sum = model_.rest4;
                for (int tap = 0; tap < 27; ++tap) {
                    const std::uint32_t found = blocks_.find(grid::keyOf(
                        at[0] + tap / 9 - 1, at[1] + tap / 3 % 3 - 1, at[2] + tap % 3 - 1));
                    for (std::size_t in = 0; in < inner_; ++in)
                        sum += model_.weight4[static_cast<std::size_t>(tap) * inner_ + in] *
                               innerValue_[inner_ * found + in];
                }
                logits[i] = sum;
            }
        });
    }

    struct ViewCell {
        int block; ///< one of 27 around, offsetNumber()
        int cell;  ///< one of its 64
    };

    const PreparedModel& model_;
    const Question& question_;
    parallel::Executor& executor_;
    grid::SharedBlockMap field_;
    grid::SharedBlockMap blocks_{0};
    std::size_t width_, inner_;
    grid::BlockStorage<SpeedField> speed_; ///< the field, compressed
    std::vector<grid::BlockKey> key_;      ///< of each block computed
    std::vector<float> feature_;           ///< input of layer 3 minus its rest values
    std::vector<std::uint8_t> special_;    ///< whether the feature differs from 0
    std::vector<float> innerValue_;        ///< output of layer 3 minus its rest values
};

} // namespace detail

/// Evaluates the network on the CPU: one logit per block, active when > 0. The result does not
/// depend on the number of threads.
///
/// Only blocks with matter and their neighbours are computed; where nothing moves in a block's view
/// the first two layers have the model's rest values. May be called from several threads.
inline void evaluateOnCpu(const PreparedModel& model, const Question& question,
                          parallel::Executor& executor, float* logits)
{
    if (question.blockCount > 0)
        detail::Evaluation(model, question, executor).run(logits);
}

} // namespace floe::sdk::network
