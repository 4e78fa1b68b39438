/// The network that predicts which blocks will move: four 3x3x3 convolutions (Sirois-Vigneux 2023,
/// section 3.2), on cells, on half the cells' resolution, and on blocks.
///
///     speed of a cell --1--> 2 channels, 2^3 a block --2--> 5 channels, a block each
///         + channels known of each block --3--> 2 channels --4--> logit: active when > 0
///
/// The world is unbounded: where there is no matter the speed is 0. The network does not see the
/// domain's edge, so a block is judged alike wherever it lies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace floe::sdk::network {

/// Inputs per whole block, in the order of a model's `blockChannels`; 0 where there is no matter.
enum class BlockChannel : std::uint8_t {
    occupied, ///< 1
    speed,    ///< log(1 + gain * fastest particle / threshold)
    liquid,   ///< share of the particles that are liquid
    reach,    ///< log(1 + distance of sound until the next evaluation / width of a block)
    recent    ///< exp(-rest time / memory): 1 for what moves or has just come to rest
};
inline constexpr int kMaxBlockChannels = 5;
inline constexpr double kMemoryFrames = 6; ///< frames that the eye sees as one motion

/// One layer. Weights are laid out as in PyTorch: weight[out][in][x][y][z].
struct Convolution {
    int in = 0, out = 0;
    std::vector<float> weight; ///< out * in * 27
    std::vector<float> bias;   ///< out
};

struct NetworkModel {
    static constexpr int kMaxChannels = 16;

    /// The unit of a cell's speed before compression.
    enum class Unit : std::uint8_t {
        domain,   ///< the domain's scale, as in the thesis
        threshold ///< the speed that counts as moving
    };
    Unit unit = Unit::threshold;
    bool logarithm = true; ///< log(1 + s) of the speed s in that unit
    float mean = 0;        ///< subtracted from the (compressed) speed, which is then divided by
    float deviation = 1;
    std::vector<BlockChannel> blockChannels; ///< appended to the input of the third layer
    /// Cells (of the layer's input) before a block's first output at which its kernel begins, in
    /// the two layers of stride 2: {1, 1} is PyTorch's padding=1; {1, 0} sees equally far to both
    /// sides.
    std::array<int, 2> padding{1, 1};
    std::array<Convolution, 4> layers;

    int channels(int layer) const { return layers[static_cast<std::size_t>(layer)].out; }
    std::size_t parameterCount() const
    {
        std::size_t count = 0;
        for (const Convolution& layer : layers)
            count += layer.weight.size() + layer.bias.size();
        return count;
    }
};

} // namespace floe::sdk::network
