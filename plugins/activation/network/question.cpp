#include "question.hpp"

#include <algorithm>
#include <cmath>

namespace floe::activation {

PreparedModel::PreparedModel(const NetworkModel& model)
    : hidden(model.channels(0)), features(model.channels(1)),
      blockChannels(static_cast<int>(model.blockChannels.size())), inner(model.channels(2)),
      logarithm(model.logarithm), unit(model.unit), padding{model.padding[0], model.padding[1]}
{
    std::copy(model.blockChannels.begin(), model.blockChannels.end(), channel);
    // Layer 1 takes (s - mean) / deviation; the same layer of s itself.
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
        still2.push_back(static_cast<float>(std::max(sum, 0.0)));
    }
    const auto wide = static_cast<std::size_t>(width()), narrow = static_cast<std::size_t>(inner);
    weight3.resize(27 * wide * narrow);
    for (std::size_t out = 0; out < narrow; ++out) {
        double sum = model.layers[2].bias[out];
        for (std::size_t in = 0; in < wide; ++in)
            for (std::size_t tap = 0; tap < 27; ++tap) {
                const float w = model.layers[2].weight[27 * (out * wide + in) + tap];
                weight3[(tap * wide + in) * narrow + out] = w;
                if (in < still2.size())
                    sum += static_cast<double>(w) * still2[in];
            }
        still3.push_back(static_cast<float>(sum));
    }
    weight4.resize(27 * narrow);
    double sum = model.layers[3].bias[0];
    for (std::size_t in = 0; in < narrow; ++in)
        for (std::size_t tap = 0; tap < 27; ++tap) {
            const float w = model.layers[3].weight[27 * in + tap];
            weight4[tap * narrow + in] = w;
            sum += static_cast<double>(w) * std::max(still3[in], 0.0f);
        }
    still4 = static_cast<float>(sum);
}

float blockChannel(const Question& question, BlockChannel channel, std::uint32_t block)
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
        return std::log1p(question.soundSpeed[block] *
                          static_cast<float>(question.horizon / (4 * question.cellSize)));
    case BlockChannel::recent:
        return std::exp(-question.restTime[block] / static_cast<float>(question.memory));
    }
    return 0;
}

} // namespace floe::activation
