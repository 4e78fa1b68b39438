/// Inputs of one evaluation, for any device, and the model in the form used for computing.
#pragma once

#include "floe/sdk/grid/channels.hpp"
#include "floe/sdk/network/model.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace floe::sdk::network {

/// Speed of matter in each cell of a block [m/s]: 64 floats per block, in the order of
/// cellNumber().
struct Speed;
using SpeedField = grid::Channels<grid::kStructOfArrays, grid::Channel<Speed, float>>;
using SpeedBlock = grid::Block<const SpeedField>;

/// Blocks to judge and the speed around them. The caller owns the arrays.
struct Question {
    std::uint32_t blockCount = 0;
    const std::int32_t* block = nullptr; ///< 3 per block, no block twice
    const float* maxSpeed = nullptr;     ///< [m/s]; read by channel `speed`
    const float* liquidShare = nullptr;  ///< read by channel `liquid`
    const float* soundSpeed = nullptr;   ///< [m/s]; read by channel `reach`
    const float* restTime = nullptr;     ///< [s]; read by channel `recent`
    std::uint32_t fieldCount = 0;
    const std::int32_t* fieldBlock = nullptr; ///< 3 per block, no block twice
    const float* fieldSpeed = nullptr;        ///< a SpeedField per block
    double cellSize = 1;                      ///< [m]
    double domainSpeed = 1;                   ///< one domain per second of the picture [m/s]
    double threshold = 1;                     ///< speed that counts as moving [m/s], > 0
    double horizon = 0;                       ///< time until the next evaluation [s]
    double memory = 0.25; ///< kMemoryFrames as time [s]; read by channel `recent`
    double gain = 1;      ///< multiplies speeds: above 1 is more sensitive
};

/// A model with everything precomputed that does not depend on the blocks.
///
/// Rest is 0 in every input, so a neighbourhood without motion and matter has a fixed value in
/// every layer (`rest2` to `rest4`), computed once here: the layers add only the difference.
struct PreparedModel {
    explicit PreparedModel(const NetworkModel& model);

    int hidden = 0;        ///< channels after layer 1
    int features = 0;      ///< channels after layer 2
    int blockChannels = 0; ///< appended to these
    int inner = 0;         ///< channels after layer 3
    int width() const { return features + blockChannels; }

    bool logarithm = true;
    NetworkModel::Unit unit = NetworkModel::Unit::threshold;
    int padding[2] = {1, 1};
    BlockChannel channel[kMaxBlockChannels] = {};

    std::vector<float> weight1; ///< [hidden][27], for the speed before normalisation
    std::vector<float> bias1;   ///< [hidden]
    std::vector<float> weight2; ///< [features][hidden][27]
    std::vector<float> bias2;   ///< [features]
    std::vector<float> weight3; ///< [27][width][inner]
    std::vector<float> weight4; ///< [27][inner]
    std::vector<float> rest2;   ///< [features] where nothing moves
    std::vector<float> rest3;   ///< [inner] before its ReLU
    float rest4 = 0;            ///< the logit

    /// Returns the factor on speed before the compression.
    float scale(const Question& question) const
    {
        const double unitOfSpeed =
            unit == NetworkModel::Unit::domain ? question.domainSpeed : question.threshold;
        return static_cast<float>(question.gain / unitOfSpeed);
    }
    /// Returns the first of the 7 cells, along each axis, that layer 2 sees of a block.
    int firstCell() const { return -2 * padding[1] - padding[0]; }
};

inline PreparedModel::PreparedModel(const NetworkModel& model)
    : hidden(model.channels(0)), features(model.channels(1)),
      blockChannels(static_cast<int>(model.blockChannels.size())), inner(model.channels(2)),
      logarithm(model.logarithm), unit(model.unit), padding{model.padding[0], model.padding[1]}
{
    std::copy(model.blockChannels.begin(), model.blockChannels.end(), channel);
    // Layer 1 takes (s - mean) / deviation; this folds the normalisation into its weights.
    weight1 = model.layers[0].weight;
    bias1 = model.layers[0].bias;
    for (std::size_t out = 0; out < bias1.size(); ++out) {
        double sum = 0;
        for (std::size_t tap = 0; tap < 27; ++tap) {
            weight1[27 * out + tap] /= model.deviation;
            sum += weight1[27 * out + tap];
        }
        bias1[out] -= static_cast<float>(sum * model.mean);
    }
    weight2 = model.layers[1].weight;
    bias2 = model.layers[1].bias;
    for (std::size_t out = 0; out < bias2.size(); ++out) {
        double sum = bias2[out];
        for (std::size_t in = 0; in < bias1.size(); ++in)
            for (std::size_t tap = 0; tap < 27; ++tap)
                sum += weight2[27 * (out * bias1.size() + in) + tap] * std::max(bias1[in], 0.0f);
        rest2.push_back(static_cast<float>(std::max(sum, 0.0)));
    }
    const auto wide = static_cast<std::size_t>(width()), narrow = static_cast<std::size_t>(inner);
    weight3.resize(27 * wide * narrow);
    for (std::size_t out = 0; out < narrow; ++out) {
        double sum = model.layers[2].bias[out];
        for (std::size_t in = 0; in < wide; ++in)
            for (std::size_t tap = 0; tap < 27; ++tap) {
                const float w = model.layers[2].weight[27 * (out * wide + in) + tap];
                weight3[(tap * wide + in) * narrow + out] = w;
                if (in < rest2.size())
                    sum += static_cast<double>(w) * rest2[in];
            }
        rest3.push_back(static_cast<float>(sum));
    }
    weight4.resize(27 * narrow);
    double sum = model.layers[3].bias[0];
    for (std::size_t in = 0; in < narrow; ++in)
        for (std::size_t tap = 0; tap < 27; ++tap) {
            const float w = model.layers[3].weight[27 * in + tap];
            weight4[tap * narrow + in] = w;
            sum += static_cast<double>(w) * std::max(rest3[in], 0.0f);
        }
    rest4 = static_cast<float>(sum);
}

/// Returns one channel of one block of the question.
inline float blockChannel(const Question& question, BlockChannel channel, std::uint32_t block)
{
    switch (channel) {
    case BlockChannel::occupied:
        return 1;
    case BlockChannel::speed:
        return std::log1p(static_cast<float>(question.gain / question.threshold) *
                          question.maxSpeed[block]);
    case BlockChannel::liquid:
        return question.liquidShare[block];
    case BlockChannel::reach:
        return std::log1p(
            question.soundSpeed[block] *
            static_cast<float>(question.horizon / (grid::kBlockEdge * question.cellSize)));
    case BlockChannel::recent:
        return std::exp(-question.restTime[block] / static_cast<float>(question.memory));
    }
    return 0;
}

} // namespace floe::sdk::network
