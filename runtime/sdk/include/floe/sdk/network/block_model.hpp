/// Convolution networks with a memory, on the cells of blocks and on halves and quarters of their
/// resolution, for values that exist only where there is matter.
///
/// A tensor has values at edge^3 places of each block: all 64 cells (edge 4), 8 (edge 2) or one
/// (edge 1). Layers are those of PyTorch with zeros wherever there is no block: as if each layer's
/// output were multiplied by whether its place lies in one of the blocks.
#pragma once

#include "floe/sdk/node.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace floe::sdk::network {

/// One layer. Weights are laid out as in PyTorch.
struct BlockLayer {
    enum class Kind : std::uint8_t {
        convolution, ///< Conv3d, kernel 3, padding 1: weight [out][in][3][3][3]
        down,        ///< the same with stride 2
        up,          ///< ConvTranspose3d, kernel 4, stride 2, padding 1: [in][out][4][4][4]
        /// ConvLSTM (Shi et al. 2015) without peepholes: all steps in, the last state out. Kernel
        /// 3: [4 out][in + out][3][3][3], gates in the order input, forget, output, candidate.
        lstm
    };
    std::string name;
    Kind kind = Kind::convolution;
    std::vector<int> from; ///< tensors whose channels it sees, one after another
    int in = 0, out = 0;   ///< channels; `in` of an lstm without its own state
    float slope = 1;       ///< of negative outputs (leaky ReLU); 1: linear. Not of an lstm
    std::vector<float> weight, bias;
};

struct BlockModel {
    static constexpr int kMaxChannels = 256, kMaxLayers = 64, kMaxSteps = 16;

    struct Input {
        std::string name;
        int channels = 0, steps = 1; ///< steps of time, oldest first
    };
    /// Tensor t is input t, or layer t - inputs.size(). The last layer is the result.
    std::vector<Input> inputs;
    std::vector<BlockLayer> layers;

    std::size_t parameterCount() const
    {
        std::size_t count = 0;
        for (const BlockLayer& layer : layers)
            count += layer.weight.size() + layer.bias.size();
        return count;
    }
};

/// What is known of a tensor before there are blocks.
struct TensorShape {
    int edge = 4, channels = 0, steps = 1;
};

/// Returns the shapes of all tensors of a model.
/// @param name  of the model's file, for messages
/// @throws Failure  its parts do not fit together
inline std::vector<TensorShape> shapesOf(const BlockModel& model, const std::string& name)
{
    using Kind = BlockLayer::Kind;
    const auto refuse = [&](const std::string& what, const std::string& why) {
        throw Failure("'" + name + "' is not a network on blocks: " + what + " " + why,
                      FLOE_BAD_ARGUMENT);
    };
    std::vector<TensorShape> shapes;
    for (const auto& input : model.inputs) {
        if (input.channels < 1 || input.channels > BlockModel::kMaxChannels || input.steps < 1 ||
            input.steps > BlockModel::kMaxSteps)
            refuse("input '" + input.name + "'", "has too many or no channels or steps");
        shapes.push_back({4, input.channels, input.steps});
    }
    if (model.layers.empty() || model.layers.size() > BlockModel::kMaxLayers)
        refuse("it", "must have 1 to 64 layers");
    for (const BlockLayer& layer : model.layers) {
        const std::string what = "layer '" + layer.name + "'";
        TensorShape shape{0, 0, 0};
        if (layer.from.empty())
            refuse(what, "has no input");
        for (const int t : layer.from) {
            if (t < 0 || static_cast<std::size_t>(t) >= shapes.size())
                refuse(what, "sees a layer that does not come before it");
            const TensorShape& seen = shapes[static_cast<std::size_t>(t)];
            if (shape.channels > 0 && (shape.edge != seen.edge || shape.steps != seen.steps))
                refuse(what, "sees layers of unlike resolutions or numbers of steps");
            shape = {seen.edge, shape.channels + seen.channels, seen.steps};
        }
        const auto in = static_cast<std::size_t>(layer.in),
                   out = static_cast<std::size_t>(layer.out);
        if (layer.in != shape.channels || layer.out < 1 || layer.out > BlockModel::kMaxChannels ||
            layer.in > 2 * BlockModel::kMaxChannels)
            refuse(what, "has channels that do not fit together");
        if (layer.kind == Kind::down ? shape.edge == 1 : layer.kind == Kind::up && shape.edge == 4)
            refuse(what, "leaves the resolutions of a block: 4, 2 and 1 places along an edge");
        const bool lstm = layer.kind == Kind::lstm;
        const std::size_t weights = lstm                     ? 4 * out * (in + out) * 27
                                    : layer.kind == Kind::up ? in * out * 64
                                                             : in * out * 27;
        if (layer.weight.size() != weights || layer.bias.size() != (lstm ? 4 : 1) * out)
            refuse(what, "has another number of weights than its channels need");
        if (!std::isfinite(layer.slope) ||
            !std::all_of(layer.weight.begin(), layer.weight.end(),
                         [](float w) { return std::isfinite(w); }) ||
            !std::all_of(layer.bias.begin(), layer.bias.end(),
                         [](float w) { return std::isfinite(w); }))
            refuse(what, "holds something that is not a finite number");
        shapes.push_back({layer.kind == Kind::down ? shape.edge / 2
                          : layer.kind == Kind::up ? shape.edge * 2
                                                   : shape.edge,
                          layer.out, lstm ? 1 : shape.steps});
    }
    if (shapes.back().edge != 4 || shapes.back().steps != 1)
        refuse("its last layer", "must have the resolution of cells and one step");
    return shapes;
}

} // namespace floe::sdk::network
