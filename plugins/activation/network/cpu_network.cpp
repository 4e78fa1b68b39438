#include "cpu_network.hpp"

#include "block_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>

// One source, compiled for three instruction sets; the program picks when it is loaded. Sanitizers
// do not work with that.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__) &&    \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&                             \
    !defined(FLOE_NO_TARGET_CLONES)
#define FLOE_EACH_INSTRUCTION_SET                                                                  \
    __attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default")))
#else
#define FLOE_EACH_INSTRUCTION_SET
#endif

namespace floe::activation {

namespace {

constexpr int kLanes = 16; ///< blocks that the first two layers take together
constexpr int kView = 7;   ///< cells that layer 2 sees of a block, along an axis
using Lanes = float __attribute__((vector_size(kLanes * sizeof(float))));
using View = std::array<Lanes, kView * kView * kView>;

/// Layers 1 and 2 of `kLanes` blocks from the cells in view.
FLOE_EACH_INSTRUCTION_SET void firstLayers(const float* weight1, const float* bias1, int hidden,
                                           const float* weight2, const float* bias2, int features,
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

/// Layer 3 of one block, before its ReLU, added to `sum`; neighbours that are still are null.
FLOE_EACH_INSTRUCTION_SET void thirdLayer(const float* weight3, int width, int inner,
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

/// All that one question needs.
class Evaluation {
public:
    Evaluation(const PreparedModel& model, const Question& question, const ParallelFor& parallel)
        : model_(model), question_(question), parallel_(parallel), field_(question.fieldCount),
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
        field_ = BlockTable(question_.fieldCount);
        speed_.resize(std::size_t{64} * question_.fieldCount);
        const float scale = model_.scale(question_);
        parallel_(question_.fieldCount, 256, [&](std::uint64_t begin, std::uint64_t end) {
            for (std::uint64_t i = begin; i < end; ++i) {
                const std::int32_t* at = question_.fieldBlock + 3 * i;
                field_.insert(keyOf(at[0], at[1], at[2]), static_cast<std::uint32_t>(i));
                for (std::uint64_t cell = 64 * i; cell < 64 * i + 64; ++cell) {
                    const float s = scale * question_.fieldSpeed[cell];
                    speed_[cell] = model_.logarithm && s != 0 ? std::log1p(s) : s;
                }
            }
        });
    }

    /// The blocks beside matter, and those that see motion.
    void findBlocks()
    {
        const int first = floorToBlock(model_.firstCell());
        const int last = floorToBlock(model_.firstCell() + kView - 1);
        std::size_t room = 2 * (std::size_t{question_.blockCount} + question_.fieldCount);
        for (;;) {
            blocks_ = BlockTable(room);
            parallel_(question_.blockCount, 256, [&](std::uint64_t begin, std::uint64_t end) {
                for (std::uint64_t i = begin; i < end; ++i)
                    insertAround(question_.block + 3 * i, -1, 1);
            });
            // A block sees block + first to block + last.
            parallel_(question_.fieldCount, 256, [&](std::uint64_t begin, std::uint64_t end) {
                for (std::uint64_t i = begin; i < end; ++i)
                    insertAround(question_.fieldBlock + 3 * i, -last, -first);
            });
            if (!blocks_.full())
                break;
            room *= 4;
        }
        key_.resize(blocks_.count());
        parallel_(blocks_.slotCount(), 4096, [&](std::uint64_t begin, std::uint64_t end) {
            blocks_.forEach(begin, end,
                            [&](BlockKey key, std::uint32_t number) { key_[number] = key; });
        });
    }

    static int floorToBlock(int cell) { return cell >= 0 ? cell / 4 : -((3 - cell) / 4); }

    void insertAround(const std::int32_t* block, int from, int to)
    {
        for (int x = from; x <= to; ++x)
            for (int y = from; y <= to; ++y)
                for (int z = from; z <= to; ++z)
                    blocks_.insert(keyOf(block[0] + x, block[1] + y, block[2] + z));
    }

    /// What layer 2 differs from its still values by, sixteen blocks at a time.
    void computeFeatures()
    {
        feature_.assign(width_ * key_.size(), 0.0f);
        special_.assign(key_.size(), 0);
        std::array<ViewCell, kView * kView * kView> cells;
        const int first = model_.firstCell();
        for (int i = 0; i < static_cast<int>(cells.size()); ++i) {
            const int at[3] = {first + i / (kView * kView), first + i / kView % kView,
                               first + i % kView};
            int block = 0, cell = 0;
            for (const int coordinate : at) {
                block = 3 * block + floorToBlock(coordinate) + 1;
                cell = 4 * cell + (coordinate & 3);
            }
            cells[static_cast<std::size_t>(i)] = {block, cell};
        }
        parallel_(key_.size(), 512, [&](std::uint64_t begin, std::uint64_t end) {
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
                            result[out][l] - model_.still2[static_cast<std::size_t>(out)];
                }
                lanes = 0;
            };
            for (std::uint64_t i = begin; i < end; ++i) {
                const float* around[27] = {};
                if (!findMotion(key_[i], around))
                    continue;
                for (std::size_t c = 0; c < cells.size(); ++c) {
                    const float* block = around[cells[c].block];
                    view[c][lanes] = block ? block[cells[c].cell] : 0.0f;
                }
                lane[lanes++] = i;
                if (lanes == kLanes)
                    flush();
            }
            if (lanes > 0)
                flush();
        });
    }

    /// The speed of the blocks in view, null where nothing moves. False when that is everywhere.
    bool findMotion(BlockKey key, const float** around) const
    {
        const int first = floorToBlock(model_.firstCell());
        const int last = floorToBlock(model_.firstCell() + kView - 1);
        bool any = false;
        for (int x = first; x <= last; ++x)
            for (int y = first; y <= last; ++y)
                for (int z = first; z <= last; ++z) {
                    const std::uint32_t found = field_.find(beside(key, x, y, z));
                    if (found == BlockTable::kAbsent)
                        continue;
                    around[9 * (x + 1) + 3 * (y + 1) + z + 1] =
                        speed_.data() + std::size_t{64} * found;
                    any = true;
                }
        return any;
    }

    void addBlockChannels()
    {
        if (model_.blockChannels == 0)
            return;
        parallel_(question_.blockCount, 1024, [&](std::uint64_t begin, std::uint64_t end) {
            for (std::uint64_t i = begin; i < end; ++i) {
                const std::int32_t* at = question_.block + 3 * i;
                const std::uint32_t number = blocks_.find(keyOf(at[0], at[1], at[2]));
                for (int c = 0; c < model_.blockChannels; ++c)
                    feature_[width_ * number + static_cast<std::size_t>(model_.features + c)] =
                        blockChannel(question_, model_.channel[c], static_cast<std::uint32_t>(i));
                special_[number] = 1;
            }
        });
    }

    /// Layer 3, as what it differs from its still values by.
    void computeInner()
    {
        innerValue_.assign(inner_ * key_.size(), 0.0f);
        parallel_(key_.size(), 512, [&](std::uint64_t begin, std::uint64_t end) {
            float sum[NetworkModel::kMaxChannels];
            const float* neighbour[27];
            for (std::uint64_t i = begin; i < end; ++i) {
                for (int tap = 0; tap < 27; ++tap) {
                    const std::uint32_t found =
                        blocks_.find(beside(key_[i], tap / 9 - 1, tap / 3 % 3 - 1, tap % 3 - 1));
                    neighbour[tap] = found != BlockTable::kAbsent && special_[found]
                                         ? feature_.data() + width_ * found
                                         : nullptr;
                }
                std::copy(model_.still3.begin(), model_.still3.end(), sum);
                thirdLayer(model_.weight3.data(), model_.width(), model_.inner, neighbour, sum);
                for (std::size_t out = 0; out < inner_; ++out)
                    innerValue_[inner_ * i + out] =
                        std::max(sum[out], 0.0f) - std::max(model_.still3[out], 0.0f);
            }
        });
    }

    void computeLogits(float* logits)
    {
        parallel_(question_.blockCount, 512, [&](std::uint64_t begin, std::uint64_t end) {
            for (std::uint64_t i = begin; i < end; ++i) {
                const std::int32_t* at = question_.block + 3 * i;
                float sum = model_.still4;
                for (int tap = 0; tap < 27; ++tap) {
                    const std::uint32_t found = blocks_.find(
                        keyOf(at[0] + tap / 9 - 1, at[1] + tap / 3 % 3 - 1, at[2] + tap % 3 - 1));
                    for (std::size_t in = 0; in < inner_; ++in)
                        sum += model_.weight4[static_cast<std::size_t>(tap) * inner_ + in] *
                               innerValue_[inner_ * found + in];
                }
                logits[i] = sum;
            }
        });
    }

    struct ViewCell {
        int block; ///< of 27 around, 9 x + 3 y + z
        int cell;  ///< of its 64
    };

    const PreparedModel& model_;
    const Question& question_;
    const ParallelFor& parallel_;
    BlockTable field_;
    BlockTable blocks_{0};
    std::size_t width_, inner_;
    std::vector<float> speed_;          ///< the field, compressed
    std::vector<BlockKey> key_;         ///< of each block computed
    std::vector<float> feature_;        ///< input of layer 3 less its still values
    std::vector<std::uint8_t> special_; ///< whether that is other than 0
    std::vector<float> innerValue_;     ///< output of layer 3 less its still values
};

} // namespace

void evaluateOnCpu(const PreparedModel& model, const Question& question,
                   const ParallelFor& parallel, float* logits)
{
    if (question.blockCount > 0)
        Evaluation(model, question, parallel).run(logits);
}

} // namespace floe::activation
