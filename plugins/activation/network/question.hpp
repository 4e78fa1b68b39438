/// What the network is asked, whichever device answers, and the model in the form that is computed
/// with.
#pragma once

#include "model.hpp"

#include <cstdint>
#include <vector>

namespace floe::activation {

/// Blocks to judge and the speed around them. Arrays are the caller's.
struct Question {
    std::uint32_t blockCount = 0;
    const std::int32_t* block = nullptr; ///< 3 a block, no block twice
    const float* maxSpeed = nullptr;     ///< [m/s]; read by channel `speed`
    const float* liquidShare = nullptr;  ///< read by channel `liquid`
    const float* soundSpeed = nullptr;   ///< [m/s]; read by channel `reach`
    const float* restTime = nullptr;     ///< [s]; read by channel `recent`
    std::uint32_t fieldCount = 0;
    const std::int32_t* fieldBlock = nullptr; ///< 3 a block, no block twice
    const float* fieldSpeed = nullptr;        ///< 64 a block, 16 x + 4 y + z [m/s]
    double cellSize = 1;                      ///< [m]
    double domainSpeed = 1;                   ///< one domain a second of the picture [m/s]
    double threshold = 1;                     ///< speed that counts as moving [m/s], > 0
    double horizon = 0;                       ///< until the next evaluation [s]
    double memory = 0.25; ///< kMemoryFrames, as time [s]; read by channel `recent`
    double gain = 1;      ///< multiplies speeds: above 1 is more sensitive
};

/// A model with everything folded in that does not depend on the blocks.
///
/// Rest is 0 in every input, so that a neighbourhood without motion and matter has one fixed value
/// in every layer (`still...`), computed here once: the layers only add what differs from it.
struct PreparedModel {
    explicit PreparedModel(const NetworkModel& model);

    int hidden = 0;        ///< channels after layer 1
    int features = 0;      ///< channels after layer 2
    int blockChannels = 0; ///< appended to them
    int inner = 0;         ///< channels after layer 3
    int width() const { return features + blockChannels; }

    bool logarithm = true;
    NetworkModel::Unit unit = NetworkModel::Unit::threshold;
    int padding[2] = {1, 1};
    BlockChannel channel[kMaxBlockChannels] = {};

    std::vector<float> weight1; ///< [hidden][27], of the speed not normalised
    std::vector<float> bias1;   ///< [hidden]
    std::vector<float> weight2; ///< [features][hidden][27]
    std::vector<float> bias2;   ///< [features]
    std::vector<float> weight3; ///< [27][width][inner]
    std::vector<float> weight4; ///< [27][inner]
    std::vector<float> still2;  ///< [features] where nothing moves
    std::vector<float> still3;  ///< [inner] before its ReLU
    float still4 = 0;           ///< the logit

    /// What a speed is multiplied by before the compression.
    float scale(const Question& question) const
    {
        const double unitOfSpeed =
            unit == NetworkModel::Unit::domain ? question.domainSpeed : question.threshold;
        return static_cast<float>(question.gain / unitOfSpeed);
    }
    /// First cell, along each axis, that layer 2 sees of a block; it sees 7.
    int firstCell() const { return -2 * padding[1] - padding[0]; }
};

/// Value of one channel of one block of the question.
float blockChannel(const Question& question, BlockChannel channel, std::uint32_t block);

} // namespace floe::activation
