#include "nodes.hpp"

#include "activation_record.hpp"
#include "cuda_network.hpp"

#include "floe/sdk/network/cpu_network.hpp"
#include "floe/sdk/network/weights.hpp"
#include "floe/sdk/parallel/host.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace floe::activation {

namespace {

/// Returns the path of the network shipped beside the plugin's library.
std::string shippedNetwork()
{
    Dl_info info{};
    if (!dladdr(reinterpret_cast<const void*>(&shippedNetwork), &info) || !info.dli_fname)
        throw sdk::Failure("cannot find the folder of the plugin 'floe.activation'");
    const std::string library = info.dli_fname;
    return library.substr(0, library.rfind('/') + 1) + "network.json";
}

/// Returns the factor on speeds for a slider from 0 to 1 (Sirois-Vigneux 2023, equation 3.9).
double gainOf(double slider)
{
    return slider <= 0.5 ? 2 * slider : 1 / (2 - 2 * slider);
}

struct Network {
    sdk::network::PreparedModel model;
    double speed; ///< speed that counts as moving [m/s]; 0: the domain's
    double gain;

    static floe_status evaluate(void* self, const floe_context* context,
                                const floe_activation_request* request, uint8_t* state)
    {
        return sdk::detail::guarded(
            context, [&] { static_cast<const Network*>(self)->decide(context, *request, state); });
    }

    /// Finds the blocks to judge. Those that move now are known to be active; the network predicts
    /// which will move next. It sees no forces: matter that has just begun to fall, or turns back
    /// in the air, is slow for less than a frame.
    std::vector<uint8_t> findOpen(const floe_activation_request& request,
                                  const uint8_t* state) const
    {
        const double threshold = thresholdOf(speed, request);
        std::vector<uint8_t> open(request.block_count);
        for (uint32_t block = 0; block < request.block_count; ++block) {
            const bool moves = gain * request.max_speed[block] > threshold;
            const bool settled =
                state[block] != FLOE_ACTIVE || request.rest_time[block] * request.fps >= 0.999f;
            open[block] = settled && !moves;
        }
        return open;
    }
    static bool any(const std::vector<uint8_t>& open)
    {
        return std::find(open.begin(), open.end(), 1) != open.end();
    }

    static int32_t depends(void* self, const floe_activation_request* request, const uint8_t* state)
    {
        return any(static_cast<const Network*>(self)->findOpen(*request, state));
    }

    void decide(const floe_context* raw, const floe_activation_request& request,
                uint8_t* state) const
    {
        sdk::network::Question question;
        question.blockCount = request.block_count;
        question.block = request.block;
        question.maxSpeed = request.max_speed;
        question.liquidShare = request.liquid_share;
        question.soundSpeed = request.sound_speed;
        question.restTime = request.rest_time;
        question.fieldCount = request.field_count;
        question.fieldBlock = request.field_block;
        question.fieldSpeed = request.field_speed;
        question.cellSize = request.cell_size;
        question.domainSpeed = domainSpeed(request);
        question.threshold = thresholdOf(speed, request);
        question.horizon = request.horizon > 0 ? request.horizon : 1 / request.fps;
        question.memory = sdk::network::kMemoryFrames / request.fps;
        question.gain = gain;
        if (!(question.threshold > 0) || gain <= 0)
            throw sdk::Failure("the speed that counts as moving must be above 0");
        std::vector<float> logits(request.block_count, 1.0f);
        const std::vector<uint8_t> open = findOpen(request, state);
        if (any(open) && !evaluateOnCuda(model, question, request.device, logits.data())) {
            const sdk::Context context(raw);
            sdk::parallel::HostExecutor executor;
            executor.context = &context;
            evaluateOnCpu(model, question, executor, logits.data());
        }
        for (uint32_t block = 0; block < request.block_count; ++block)
            state[block] = !open[block] || logits[block] > 0 ? FLOE_ACTIVE : FLOE_PASSIVE;
    }
};

constexpr floe_activation_interface kNetworkTable = {
    sizeof(floe_activation_interface), FLOE_SPEED_FIELD, &Network::evaluate, &Network::depends};

} // namespace

void NetworkNode::cook(sdk::Context& context)
{
    const std::string path = context.string("network");
    const double speed = context.number("threshold");
    const double gain = gainOf(context.number("sensitivity"));
    Network network{sdk::network::PreparedModel(
                        sdk::network::loadNetwork(path.empty() ? shippedNetwork() : path)),
                    speed, gain};
    sdk::Value record =
        makeActivation(context, kNetworkTable, std::make_unique<Network>(std::move(network)));
    // The guard is as sensitive as the network.
    const double moving = (speed > 0 ? speed : kDomainSpeed) / std::max(gain, 1.0);
    record.set("restSpeed", sdk::makeNumber(moving));
    record.set("wakeSpeed", sdk::makeNumber(context.boolean("guard") ? moving : 0));
    context.setOutput("activation", record);
}

} // namespace floe::activation
