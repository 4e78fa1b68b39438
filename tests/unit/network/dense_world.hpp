/// Blocks in a box with speeds from a formula, and the network on them as one learns it: dense
/// arrays, every output a sum over its kernel, in double precision. An oracle for tests.
#pragma once

#include "floe/sdk/network/model.hpp"
#include "floe/sdk/network/question.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace floe::sdk::network::test {

/// A number from 0 to 1 for an index; training/reference.py has the same.
inline double hashed(std::uint64_t index, std::uint64_t salt)
{
    std::uint64_t value = (index + 1) * (2654435761u + 2 * salt) & 0xFFFFFFFFu;
    value ^= value >> 15;
    value = value * 2246822519u & 0xFFFFFFFFu;
    value ^= value >> 13;
    return static_cast<double>(value & 0xFFFFFFu) / (1 << 24);
}

using Size = std::array<int, 3>;

/// A box of blocks; half of them are still, a third hold no matter.
struct DenseWorld {
    /// @param corner  of the box, in blocks
    explicit DenseWorld(const Size& boxSize, const Size& corner = {0, 0, 0}) : size(boxSize)
    {
        const Size cells{4 * size[0], 4 * size[1], 4 * size[2]};
        std::uint64_t index = 0;
        for (int x = 0; x < size[0]; ++x)
            for (int y = 0; y < size[1]; ++y)
                for (int z = 0; z < size[2]; ++z, ++index) {
                    const int at[3] = {x + corner[0], y + corner[1], z + corner[2]};
                    const bool moving = hashed(index, 1) < 0.5;
                    const bool holdsMatter = !(hashed(index, 2) < 1.0 / 3);
                    occupied.push_back(holdsMatter);
                    if (holdsMatter) {
                        block.insert(block.end(), at, at + 3);
                        place.push_back(index);
                        maxSpeed.push_back(static_cast<float>(hashed(index, 4) * 8));
                        liquid.push_back(static_cast<float>(hashed(index, 5)));
                        sound.push_back(static_cast<float>(hashed(index, 6) * 120));
                        rest.push_back(static_cast<float>(hashed(index, 7)));
                    }
                    if (!moving)
                        continue;
                    fieldBlock.insert(fieldBlock.end(), at, at + 3);
                    for (int c = 0; c < 64; ++c) {
                        const int cell[3] = {4 * x + c / 16, 4 * y + c / 4 % 4, 4 * z + c % 4};
                        const auto number = static_cast<std::uint64_t>(
                            (cell[0] * cells[1] + cell[1]) * cells[2] + cell[2]);
                        fieldSpeed.push_back(
                            static_cast<float>(std::pow(hashed(number, 3), 4) * 8));
                    }
                }
    }

    Question question() const
    {
        Question q;
        q.blockCount = static_cast<std::uint32_t>(place.size());
        q.block = block.data();
        q.maxSpeed = maxSpeed.data();
        q.liquidShare = liquid.data();
        q.soundSpeed = sound.data();
        q.restTime = rest.data();
        q.fieldCount = static_cast<std::uint32_t>(fieldBlock.size() / 3);
        q.fieldBlock = fieldBlock.data();
        q.fieldSpeed = fieldSpeed.data();
        q.cellSize = 0.1;
        q.domainSpeed = 10;
        q.threshold = 0.025;
        q.horizon = 0.04;
        q.memory = 0.3;
        q.gain = 1.5;
        return q;
    }

    Size size;
    std::vector<bool> occupied;       ///< of every block of the box
    std::vector<std::uint64_t> place; ///< in the box, of every block that holds matter
    std::vector<std::int32_t> block, fieldBlock;
    std::vector<float> fieldSpeed, maxSpeed, liquid, sound, rest;
};

/// A dense array of channels with a rim of a constant around it.
struct DenseLayer {
    DenseLayer(int channelCount, const Size& extent)
        : channels(channelCount), size(extent),
          value(static_cast<std::size_t>(channelCount * extent[0] * extent[1] * extent[2]))
    {}
    double& at(int c, int x, int y, int z)
    {
        return value[static_cast<std::size_t>(((c * size[0] + x) * size[1] + y) * size[2] + z)];
    }
    int channels;
    Size size;
    std::vector<double> value;
};

/// Logits of all blocks of a box with `rim` empty blocks around what is asked about.
class DenseNetwork {
public:
    static constexpr int kRim = 4; ///< the network sees three blocks far

    DenseNetwork(const NetworkModel& model, const DenseWorld& world) : model_(model), world_(world)
    {}

    /// One logit for each block that holds matter.
    std::vector<double> logits() const
    {
        const Question q = world_.question();
        const Size box{world_.size[0] + 2 * kRim, world_.size[1] + 2 * kRim,
                       world_.size[2] + 2 * kRim};
        const double unit = model_.unit == NetworkModel::Unit::domain ? q.domainSpeed : q.threshold;
        DenseLayer speed(1, {4 * box[0], 4 * box[1], 4 * box[2]});
        for (double& value : speed.value)
            value = -double{model_.mean} / model_.deviation;
        for (std::uint32_t i = 0; i < q.fieldCount; ++i)
            for (int c = 0; c < 64; ++c) {
                const std::int32_t* b = q.fieldBlock + 3 * i;
                const double s = q.gain * q.fieldSpeed[64 * i + static_cast<unsigned>(c)] / unit;
                speed.at(0, 4 * (b[0] + kRim) + c / 16, 4 * (b[1] + kRim) + c / 4 % 4,
                         4 * (b[2] + kRim) + c % 4) =
                    ((model_.logarithm ? std::log1p(s) : s) - model_.mean) / model_.deviation;
            }
        DenseLayer middle = convolve(speed, 0, 2, model_.padding[0], true);
        DenseLayer features = convolve(middle, 1, 2, model_.padding[1], true);
        DenseLayer wide(model_.layers[2].in, box);
        std::copy(features.value.begin(), features.value.end(), wide.value.begin());
        for (std::size_t i = 0; i < world_.place.size(); ++i)
            for (std::size_t c = 0; c < model_.blockChannels.size(); ++c) {
                const std::int32_t* b = q.block + 3 * i;
                wide.at(features.channels + static_cast<int>(c), b[0] + kRim, b[1] + kRim,
                        b[2] + kRim) =
                    blockChannel(q, model_.blockChannels[c], static_cast<std::uint32_t>(i));
            }
        DenseLayer last = convolve(convolve(wide, 2, 1, 1, true), 3, 1, 1, false);
        std::vector<double> result;
        for (std::size_t i = 0; i < world_.place.size(); ++i) {
            const std::int32_t* b = q.block + 3 * i;
            result.push_back(last.at(0, b[0] + kRim, b[1] + kRim, b[2] + kRim));
        }
        return result;
    }

private:
    DenseLayer convolve(DenseLayer in, std::size_t layer, int stride, int padding, bool relu) const
    {
        const Convolution& kernel = model_.layers[layer];
        DenseLayer out(kernel.out, {in.size[0] / stride, in.size[1] / stride, in.size[2] / stride});
        for (int o = 0; o < out.channels; ++o)
            for (int x = 0; x < out.size[0]; ++x)
                for (int y = 0; y < out.size[1]; ++y)
                    for (int z = 0; z < out.size[2]; ++z) {
                        double sum = kernel.bias[static_cast<std::size_t>(o)];
                        for (int i = 0; i < kernel.in; ++i)
                            for (int t = 0; t < 27; ++t) {
                                const int at[3] = {stride * x - padding + t / 9,
                                                   stride * y - padding + t / 3 % 3,
                                                   stride * z - padding + t % 3};
                                bool inside = true;
                                for (std::size_t a = 0; a < 3; ++a)
                                    inside = inside && at[a] >= 0 && at[a] < in.size[a];
                                if (inside)
                                    sum += in.at(i, at[0], at[1], at[2]) *
                                           kernel.weight[static_cast<std::size_t>(
                                               27 * (o * kernel.in + i) + t)];
                            }
                        out.at(o, x, y, z) = relu ? std::max(sum, 0.0) : sum;
                    }
        return out;
    }

    const NetworkModel& model_;
    const DenseWorld& world_;
};

/// A network of any shape with weights from the formula.
inline NetworkModel someNetwork(NetworkModel::Unit unit, std::array<int, 2> padding,
                                std::vector<BlockChannel> channels, int hidden = 2,
                                int features = 5, int inner = 2)
{
    NetworkModel model;
    model.unit = unit;
    model.logarithm = unit == NetworkModel::Unit::threshold;
    model.mean = 0.04f;
    model.deviation = 0.3f;
    model.padding = padding;
    const int wide = features + static_cast<int>(channels.size());
    model.blockChannels = std::move(channels);
    const int in[4] = {1, hidden, wide, inner}, out[4] = {hidden, features, inner, 1};
    std::uint64_t number = 0;
    for (std::size_t l = 0; l < 4; ++l) {
        Convolution& layer = model.layers[l];
        layer.in = in[l];
        layer.out = out[l];
        const double reach = 1 / std::sqrt(27.0 * in[l]); // as PyTorch begins
        for (int i = 0; i < 27 * in[l] * out[l]; ++i)
            layer.weight.push_back(static_cast<float>(reach * (2 * hashed(number++, 11) - 1)));
        for (int i = 0; i < out[l]; ++i)
            layer.bias.push_back(static_cast<float>(reach * (2 * hashed(number++, 11) - 1)));
    }
    return model;
}

} // namespace floe::sdk::network::test
